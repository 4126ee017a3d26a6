"""Words for people and models, in both languages, as data: one file a topic below `assets/`."""

import tomllib
from functools import cache
from typing import Any, get_args

from managers.storage.errors import Lang, Level, Notice
from managers.storage.paths import CHECKOUT

FOLDER = CHECKOUT / "assets"


@cache
def table(topic: str) -> dict[str, Any]:
    """Return all of a file. It ships with the program: a missing or broken one is a broken installation and raises."""
    return tomllib.loads((FOLDER / f"{topic}.toml").read_text("utf-8"))


def entry(topic: str, key: str) -> dict[Lang, str]:
    """Return an entry in both languages; `key` is its path, such as `headings.now`."""
    found: Any = table(topic)
    for name in key.split("."):
        found = found[name]
    return found  # type: ignore[no-any-return]  # one test reads every entry


class Texts:
    """The entries of one file: `say("headings.now", lang)`."""

    def __init__(self, topic: str) -> None:
        """Name the file, such as `notices/log`; it is read when it is needed."""
        self._topic = topic

    def __call__(self, key: str, lang: Lang, /, **facts: object) -> str:
        """Return an entry in a language, with the facts filled in.

        Raises:
            KeyError: there is no such entry, or a fact is missing.
        """
        return entry(self._topic, key)[lang].format_map(facts)

    def both(self, key: str, /, **facts: object) -> dict[Lang, str]:
        """Return an entry in both languages; of a fact that is a `dict`, what it holds for each."""
        langs: tuple[Lang, ...] = get_args(Lang)
        return {
            lang: self(key, lang, **{name: one[lang] if isinstance(one, dict) else one for name, one in facts.items()})
            for lang in langs
        }

    def notice(self, code: str, level: Level = "warning", /, **facts: object) -> Notice:
        """Return the notice whose words stand under its code; what follows a dot there tells those of one code apart."""
        return Notice(code.partition(".")[0], **self.both(code, **facts), level=level)
