"""Every text of the page, in both languages: one file a room in `ja/` and `en/` beside this file."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from managers.storage.errors import Lang

LANGUAGES: tuple[Lang, ...] = ("ja", "en")
OWN_NAMES = {"ja": "日本語", "en": "English"}
"""Each language by its own name: whoever cannot read the page finds theirs."""
_FOLDER = Path(__file__).parent


class UndefinedTextError(KeyError):
    """The page asked for a text that no locale file defines."""


class Texts:
    """The texts of one language, by dotted key."""

    def __init__(self, lang: Lang, table: Mapping[str, Any]) -> None:
        """Flatten the table's sections into dotted keys."""
        self.lang = lang
        self._texts = dict(_flatten(table))

    def __call__(self, key: str, **facts: object) -> str:
        """Return a text with `facts` filled in.

        Raises:
            UndefinedTextError: no such key, or a fact that the text asks for is missing.
        """
        try:
            return self._texts[key].format(**facts)
        except KeyError as error:
            raise UndefinedTextError(f"{self.lang}: {key} {error}") from error

    @property
    def keys(self) -> set[str]:
        """All keys."""
        return set(self._texts)

    def section(self, name: str) -> dict[str, str]:
        """Return one section's texts, unformatted."""
        prefix = f"{name}."
        return {key.removeprefix(prefix): text for key, text in self._texts.items() if key.startswith(prefix)}

    def for_script(self) -> dict[str, Any]:
        """Return what the page's scripts say: `[script]` as it is, and each `[<feature>.script]` under its name."""
        features = {key.split(".")[0] for key in self._texts if key.split(".")[1] == "script"}
        return self.section("script") | {name: self.section(f"{name}.script") for name in sorted(features)}


@cache
def texts(lang: Lang) -> Texts:
    """Return the texts of a language."""
    table: dict[str, Any] = {}
    for path in sorted((_FOLDER / lang).glob("*.toml")):
        table |= tomllib.loads(path.read_text("utf-8"))
    return Texts(lang, table)


def choose_language(wish: str, accept_language: str) -> Lang:
    """Return the page's language: what the person wishes, else the first we know of the browser's."""
    for lang in LANGUAGES:
        if wish == lang:
            return lang
    for entry in _by_weight(accept_language):
        for lang in LANGUAGES:
            if entry.split("-")[0] == lang:
                return lang
    return "en"


def _by_weight(accept_language: str) -> list[str]:
    """Return the tags of an Accept-Language header, most wanted first (RFC 9110, 12.5.4)."""
    weighted: list[tuple[float, str]] = []
    for part in accept_language.lower().split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            weight = 0.0
        weighted.append((-weight, tag.strip()))
    return [tag for weight, tag in sorted(weighted, key=lambda item: item[0]) if weight < 0]


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)
