"""Does a message speak of self-harm or danger? Erring on the side of care.

The rules are in `concern.toml`. A match stands unless the very words are denied or are a known idiom.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Literal, get_args

from managers.language.reading.bounds import MOST
from managers.language.reading.rules import either, fits, rule
from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT

Kind = Literal["self_harm", "danger"]

_HELP_LINES = CHECKOUT / "assets" / "help_lines.toml"


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A help line: whom to call, when it is open, and when somebody last checked that it is right."""

    name: str
    contact: str
    hours: str
    kinds: tuple[Kind, ...]
    checked: date | None

    def sentence(self) -> str:
        """Return the line as people read it: name, number, hours."""
        hours = f" ({self.hours})" if self.hours else ""
        return f"{self.name}: {self.contact}{hours}"


def find_concern(text: str) -> Kind | None:
    """Return what kind of concern a message raises, if any; self-harm before danger."""
    plain = unicodedata.normalize("NFKC", text[:MOST]).lower().replace("’", "'")
    plain = re.sub(r"[ \t　]+", " ", plain)
    kinds: tuple[Kind, ...] = get_args(Kind)
    return next((kind for kind in kinds for lang in get_args(Lang) if _speaks_of(plain, lang, kind)), None)


def _speaks_of(plain: str, lang: Lang, kind: Kind) -> bool:
    cleared = rule(lang, "concern", "idioms").sub("　", plain)
    for match in rule(lang, "concern", kind).finditer(cleared):
        before = either("concern", "clause_end").split(cleared[max(0, match.start() - 40) : match.start()])[-1]
        after = cleared[match.end() : match.end() + 14]
        if not fits(lang, "concern", "denied_before", before) and not fits(lang, "concern", "denied_after", after):
            return True
    return False


def help_lines(locale: str, kind: Kind | None = None) -> tuple[str, ...]:
    """Return the help lines for a locale such as `ja`, `ja-JP`, `en-GB` or `en`, ready to be shown.

    A language without a country gets the lines of the countries where most of its readers live, and
    the international directory, which ends every list.

    Args:
        locale: language, or language and country.
        kind: leave out lines that are no help for this kind of concern.
    """
    return tuple(line.sentence() for line in find_help_lines(locale, kind))


def find_help_lines(locale: str, kind: Kind | None = None) -> tuple[HelpLine, ...]:
    """Return the help lines for a locale as data."""
    language, _, country = locale.replace("_", "-").partition("-")
    table = _table()
    countries = (
        [country.upper()] if country.upper() in table["countries"] else table["languages"].get(language.lower(), [])
    )
    found: list[HelpLine] = []
    for code in countries:
        found.extend(_lines(table["countries"][code]["lines"], kind, brief=len(countries) > 1))
    found.extend(_lines(table["international"]["lines" if language.lower() != "ja" else "lines_ja"], kind))
    return tuple(found)


def every_help_line() -> tuple[HelpLine, ...]:
    """Return the help lines of all countries."""
    table = _table()
    groups = [country["lines"] for country in table["countries"].values()] + list(table["international"].values())
    return tuple(line for entries in groups for line in _lines(entries, None))


def _lines(entries: list[dict[str, Any]], kind: Kind | None, *, brief: bool = False) -> list[HelpLine]:
    return [
        HelpLine(entry["name"], entry["contact"], entry.get("hours", ""), tuple(entry["kinds"]), entry.get("checked"))
        for entry in entries
        if (kind is None or kind in entry["kinds"]) and (not brief or entry.get("main", False))
    ]


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_HELP_LINES.read_text("utf-8"))
