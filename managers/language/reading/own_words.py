"""Whether somebody's own words name all that a text says: then the text is theirs, whoever wrote it down.

Content words are compared, clause by clause, in their base forms: "she is moving to Osaka" names "moves to Osaka". A sentence that only
asks names nothing; what is denied names nothing that is affirmed, nor the other way round. Left aside are words that say nothing
by themselves (`light` in `own_words.toml`), names, and days that follow from what was said ("tomorrow").
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple, get_args

from managers.language.reading.note_wishes import read_note_wish
from managers.language.reading.reading import read
from managers.language.reading.rules import either, fits_any, rules
from managers.language.reading.synonyms import one_word
from managers.language.reading.times import TimeSpan, find_times, without_times
from managers.language.words import content_words, sentences
from managers.storage.errors import Lang

_STEM = 5
"""Of English words one that begins with all of another, which has so many letters, is a form of it: allergic, allergy."""
_NOON = 12
_LANGS: tuple[Lang, ...] = get_args(Lang)
_CLAUSE = re.compile(r"[、。,;；.!！?？\n()（）]+(?!\d)")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):00(?!\d)")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])")

Days = tuple[date, date]


class _Terms(NamedTuple):
    """The content words of a text: those that it affirms, and those that it denies."""

    affirmed: set[str]
    denied: set[str]


def names_all(own: str, written: str, moment: datetime, names: Collection[str] = (), replaced: str = "") -> bool:
    """Tell whether somebody's own words name everything that a change adds and takes away.

    Args:
        own: what they said.
        written: what is to stand there; empty where something only goes.
        moment: when they said it: what "tomorrow" is reckoned from.
        names: what they and whoever writes are called: these may stand in it, though nobody said them.
        replaced: what goes for it.
    """
    told = _plain("\n".join(one for one in sentences(own) if not _only_asks(one)))
    said = _terms(told)
    meant = [*_days_meant(told, moment)]
    new, old = (_terms(_without_days(_without(text, names), meant, moment)) for text in (written, replaced))
    both = _Terms(*({*one, *other} for one, other in zip(said, reversed(said), strict=True)))
    kept = {*old.affirmed, *old.denied} if written else set[str]()
    gone = {*old.affirmed, *old.denied} - {*new.affirmed, *new.denied}
    return bool({*new.affirmed, *new.denied, *old.affirmed, *old.denied}) and (
        _are_named(new.affirmed - kept, said.affirmed, told)
        and _are_named(new.denied - kept, said.denied, told)
        and _are_named(gone, both.affirmed, told)
    )


def _only_asks(sentence: str) -> bool:
    """Tell a question from what is told, and from a wish that has its form ("Can you note that ...?")."""
    if read_note_wish(sentence, "") or fits_any("own_words", "wishes", _plain(sentence)):
        return False
    return any(one.is_question for one in read(sentence, "ja").sentences)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def _terms(plain: str) -> _Terms:
    """Return the content words of a text; of each clause those that its word of denial reaches are denied."""
    affirmed, denied = set[str](), set[str]()
    plain = either("own_words", "no_denial").sub(lambda found: found[0].replace("n't", "").replace("ない", ""), plain)
    for clause in _CLAUSE.split(plain):
        at = 0
        for found in either("own_words", "contrast").finditer(clause):  # 水曜じゃなくて木曜: all before it
            denied |= _content(clause[at : found.start()])
            at = found.end()
        rest = clause[at:]
        back, ahead = rules("ja", "own_words")["denies"].search(rest), rules("en", "own_words")["denies"].search(rest)
        if back:
            denied |= _content(rest)
        else:
            affirmed |= _content(rest[: ahead.start()] if ahead else rest)
            denied |= _content(rest[ahead.end() :]) if ahead else set()
    return _Terms(affirmed, denied)


def _content(text: str) -> set[str]:
    terms = (one_word(one) for one in content_words(text))
    return {one for one in terms if not fits_any("own_words", "light", one)}


def _are_named(terms: Iterable[str], known: Collection[str], told: str) -> bool:
    squeezed = "".join(told.split())
    return all(
        term in known
        or (not term.isascii() and term in squeezed and any(term in one or one in term for one in known))
        or (term.isdecimal() and int(term) > _NOON and f"{int(term) - _NOON}" in known)
        or any(_is_form(term, one) for one in known)
        for term in terms
    )


def _is_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one.isascii() and len(short) >= _STEM and long.startswith(short)


def _without(text: str, names: Collection[str]) -> str:
    plain = _plain(text)
    for name in sorted(filter(None, map(_plain, names)), key=len, reverse=True):
        edge = r"\b" if name.isascii() else ""
        plain = re.sub(f"{edge}{re.escape(name)}{edge}", " ", plain)
    return plain


def _without_days(plain: str, meant: Collection[Days], moment: datetime) -> str:
    """Return a text without the days that somebody may have meant, and their weekdays."""
    plain = _SLASHED.sub(r"\1月\2日", _CLOCK.sub(r"\1 ", plain))
    found = [span for span in find_times(plain, moment) if _is_meant(span, meant)]
    rest = without_times(plain, found)
    return either("own_words", "weekday").sub(" ", rest) if found else rest


def _is_meant(span: TimeSpan, meant: Collection[Days]) -> bool:
    return any(first <= span.first and span.last <= last for first, last in meant)


def _days_meant(told: str, moment: datetime) -> Iterator[Days]:
    """Yield the days that somebody may have meant, those to come as well; this one first."""
    today = moment.date()
    yield today, today
    for span in find_times(_SLASHED.sub(r"\1月\2日", told), moment):
        yield span.first, span.last
        if span.is_relative and span.first == span.last:
            yield from ((day, day) for day in (span.first + timedelta(days=7), span.first + timedelta(days=14)))
        elif (days := [_a_year_on(day) for day in (span.first, span.last)]) and None not in days:
            yield from pairwise(day for day in days if day)
    for lang in _LANGS:
        for one in rules(lang, "own_words").values():
            if "days" in one.means and one.search(told):
                first, last = one.means["days"]
                yield from ((day, day) for n in range(first, last + 1) for day in [today + timedelta(days=n)])


def _a_year_on(day: date) -> date | None:
    try:
        return day.replace(year=day.year + 1)
    except ValueError:  # 29 February
        return None
