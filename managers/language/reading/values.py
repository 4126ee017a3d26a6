"""The values that a sentence holds: colours, days, hours, counts. What a question asks for, and a correction replaces."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from managers.language.lexicons import load
from managers.language.reading.bounds import MOST
from managers.language.reading.rules import fits, rule
from managers.storage.errors import Lang

ValueKind = Literal["day", "hour", "count", "colour"]
KINDS: Final[tuple[ValueKind, ...]] = ("day", "hour", "count", "colour")


@dataclass(frozen=True, slots=True)
class Value:
    """One value, and where it stands in its sentence (after NFKC)."""

    kind: ValueKind
    text: str
    start: int
    end: int


def values_in(text: str, lang: Lang, kinds: Sequence[ValueKind] = KINDS) -> list[Value]:
    """Return the values of some kinds in a sentence, in order; of two that overlap the longer one."""
    plain = unicodedata.normalize("NFKC", text[:MOST])
    found = [
        Value(kind, match.group().strip(), match.start(), match.end())
        for kind in kinds
        for match in rule(lang, "values", kind).finditer(plain)
        if match.group().strip()
    ]
    kept: list[Value] = []
    for value in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def capital_days(text: str) -> str:
    """Return an English text with its weekdays and months as they are written: on sunday → on Sunday."""
    return rule("en", "dates", "has_capital").sub(lambda match: match.group().capitalize(), text)


def day_meant(named: str, told: date, lang: Lang) -> date | None:
    """Return the date of a day that was named from the day on which it was told: tomorrow, on Friday, 来週の金曜.

    Args:
        named: the day as `values_in` reads it.
        told: when it was named; a weekday is the next one after that.
        lang: the language of the words.

    Returns:
        the date; None where the words name no day in this way.
    """
    plain, names = named.lower().removeprefix("on "), load(f"{lang}/day_words")
    if plain in names["shifts"]:
        return told + timedelta(days=names["shifts"][plain])
    match = rule(lang, "values", "weekday").search(plain)
    if match is None:
        return None
    weekday: int = names["weekdays"].lower().split().index(match["day"])
    if fits(lang, "values", "next_week", plain):
        return told + timedelta(days=7 - told.weekday() + weekday)
    return told + timedelta(days=(weekday - told.weekday() - 1) % 7 + 1)


def coming_day(text: str, told: date, lang: Lang) -> date | None:
    """Return the last day ahead of which a sentence speaks: the day after which it can be asked how it went."""
    ahead = [day for value in values_in(text, lang, ["day"]) if (day := day_meant(value.text, told, lang)) is not None]
    if not ahead and fits(lang, "values", "next_week", text):
        ahead = [told + timedelta(days=7)]
    return max((day for day in ahead if day > told), default=None)
