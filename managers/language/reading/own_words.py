"""Whether somebody's own words name all that a text says: then the text is theirs, whoever wrote it down.

Content words are compared, clause by clause, in their base forms: "she is moving to Osaka" names "moves to Osaka". A sentence that only
asks names nothing; what is denied names nothing that is affirmed, nor the other way round. Left aside are words that say nothing
by themselves (`light` in `own_words.toml`), names, and days that follow from what was said ("tomorrow").
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple, get_args

from managers.language.reading.note_wishes import read_note_wish
from managers.language.reading.reading import read
from managers.language.reading.rules import either, fits, fits_any, rules, search
from managers.language.reading.synonyms import one_word
from managers.language.reading.times import TimeSpan, find_times, without_times
from managers.language.words import content_words_as_written, sentences
from managers.storage.errors import Lang

_STEM = 5
"""Of English words one that begins with all of another, which has so many letters, is a form of it: allergic, allergy."""
_NOON, _FEBRUARY, _DIGITS_OF_HOUR = 12, 2, 2
_LANGS: tuple[Lang, ...] = get_args(Lang)
_CLAUSE = re.compile(r"[、。,;；.!！?？\n()（）]+(?!\d)")
_OF_MONTH = re.compile(r"(?<![\d月/])(\d{1,2})(?:st|nd|rd|th|日)")
_AROUND, _MONTH = timedelta(days=7), timedelta(days=31)
_WEEKDAYS = {
    name: number % 7
    for number, name in enumerate((*"月火水木金土日", *["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
}
_SHARP = re.compile(r"(?<!\d)(\d{1,2}):00(?!\d)")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}(?::\d\d|時| ?[ap]m\b)(?!\d)|\bat \d{1,2}\b")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])")

Days = tuple[date, date]


class _Terms(NamedTuple):
    """The content words of a text, as it writes them: those that it affirms, and those that it denies."""

    affirmed: dict[str, str]
    denied: dict[str, str]

    @property
    def all(self) -> dict[str, str]:
        return self.affirmed | self.denied


def names_all(own: str, written: str, moment: datetime, names: Collection[str] = (), replaced: str = "") -> bool:
    """Tell whether somebody's own words name everything that a change adds and takes away.

    Args:
        own: what they said.
        written: what is to stand there; empty where something only goes. What goes needs no naming of its days and hours.
        moment: when they said it: what "tomorrow" is reckoned from.
        names: what they and whoever writes are called: these may stand in it, though nobody said them.
        replaced: what goes for it.
    """
    told = _plain("\n".join(one for one in sentences(own) if not _only_asks(one)))
    said = _terms(told)
    meant = [*_days_meant("\n".join(piece for piece, is_denied in _pieces(told) if not is_denied), moment)]
    written, replaced = (_without(_plain(text), names, told) for text in (written, replaced))
    new, old = _terms(_without_days(written, moment, meant)), _terms(_without_days(replaced, moment))
    free = {f"{day.year}" for days in meant for day in days}
    kept = old.all if written else {}
    gone = {one: surface for one, surface in old.all.items() if one not in new.all}
    none = dict[str, str]()
    wanted = (new.affirmed, said.affirmed, said.denied), (new.denied, said.denied, none), (gone, said.all, none)
    return bool(new.all or old.all) and all(
        _is_named(term, surface, known, told if term not in other else "")
        for terms, known, other in wanted
        for term, surface in terms.items()
        if term not in free and (terms is gone or term not in kept)
    )


def _only_asks(sentence: str) -> bool:
    """Tell a question from what is told, and from a wish that has its form ("Can you note that ...?")."""
    if read_note_wish(sentence, "") or fits_any("own_words", "wishes", _plain(sentence)):
        return False
    return any(one.is_question for one in read(sentence, "ja").sentences)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def _pieces(plain: str) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a text, and of each what its word of denial reaches apart; tell whether that is denied."""
    for clause in _CLAUSE.split(either("own_words", "no_denial").sub(" ", plain)):
        at = 0
        for found in either("own_words", "contrast").finditer(clause):  # 歯医者は水曜じゃなくて木曜
            topic = at + 1 + max(clause[at : found.start()].rfind(one) for one in "はがを")
            yield clause[at:topic], False
            yield clause[topic : found.start()], True
            at = found.end()
        rest = clause[at:]
        ahead = search("en", "own_words", "denies", rest)
        if fits("ja", "own_words", "denies", rest):
            yield rest, True
        elif ahead:
            yield rest[: ahead.start()], False
            yield rest[ahead.end() :], True
        else:
            yield rest, False


def _terms(plain: str) -> _Terms:
    affirmed, denied = dict[str, str](), dict[str, str]()
    for piece, is_denied in _pieces(plain):
        (denied if is_denied else affirmed).update(_content(piece))
    return _Terms(affirmed, denied)


def _content(text: str) -> dict[str, str]:
    found = {one_word(term): surface for term, surface in content_words_as_written(text).items()}
    return {one: surface for one, surface in found.items() if not fits_any("own_words", "light", one)}


def _is_named(term: str, surface: str, known: Collection[str], told: str) -> bool:
    """Tell whether a content word is among others, in some form; or stands in a text, where its script has no word ends."""
    if term in known or any(_is_form(term, one) for one in known):
        return True
    if term.isdecimal():
        hours = (term, f"{int(term) - _NOON}") if len(term) <= _DIGITS_OF_HOUR and int(term) > _NOON else (term,)
        return any(re.search(rf"(?<!\d){one}(?!\d)", told) for one in hours)
    return not surface.isascii() and len(surface) > 1 and surface in told


def _is_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one.isascii() and len(short) >= _STEM and long.startswith(short)


def _without(plain: str, names: Collection[str], told: str) -> str:
    """Return a text without some names; where one begins a longer word that was said, that stays (ねむすけ)."""
    for name in sorted(filter(None, map(_plain, names)), key=len, reverse=True):
        edge = r"\b(?:'s)?" if name.isascii() else "(?:さん|ちゃん|くん|様)?"
        longer = re.compile(rf"{re.escape(name)}(?:[ぁ-ゖ]{{2,4}}|[a-z]+)")
        kept = {found for found in longer.findall(plain) if found in told}
        plain = plain if kept else re.sub(rf"{re.escape(name)}{edge}", " ", plain)
    return plain


def _without_days(plain: str, moment: datetime, meant: Collection[Days] | None = None) -> str:
    """Return a text without the days that somebody may have meant, and their weekdays; without any day and hour for None."""
    plain = _SLASHED.sub(r"\1月\2日", plain)
    plain = _SHARP.sub(r"\1 ", plain) if meant is not None else _CLOCK.sub(" ", plain)
    found = [span for span in find_times(plain, moment) if meant is None or _is_meant(span, meant)]
    rest = without_times(plain, found)
    return either("own_words", "weekday").sub(" ", rest) if found or meant is None else rest


def _is_meant(span: TimeSpan, meant: Collection[Days]) -> bool:
    """Tell whether some days are among those, or hold some of them, in this year or the next."""
    days = [(span.first, span.last), (_a_year_on(span.first), _a_year_on(span.last))]
    return any(
        (first <= since and until <= last) or (since <= first and last <= until)
        for first, last in meant
        for since, until in days
    )


def _days_meant(told: str, moment: datetime) -> Iterator[Days]:
    """Yield the days that somebody may have meant, those to come as well; this one first."""
    today = moment.date()
    yield today, today
    for span in find_times(_SLASHED.sub(r"\1月\2日", told), moment):
        if not (span.is_relative and span.first == span.last):  # a weekday: below
            yield span.first, span.last
            yield _a_year_on(span.first), _a_year_on(span.last)
        elif span.first >= today - _AROUND:
            yield span.first, span.last
    near = [today + timedelta(days=n) for n in range(-_AROUND.days, 2 * _AROUND.days)]
    weekdays = {_WEEKDAYS.get(found[0].strip("(（")[:3]) for found in either("own_words", "weekday").finditer(told)}
    weekdays |= {_WEEKDAYS.get(found[0].strip("(（")[:1]) for found in either("own_words", "weekday").finditer(told)}
    yield from ((day, day) for day in near if day.weekday() in weekdays)
    numbers = {int(found[1]) for found in _OF_MONTH.finditer(told)}
    yield from ((day, day) for n in range(2 * _MONTH.days) if (day := today + timedelta(days=n)).day in numbers)
    for lang in _LANGS:
        for one in rules(lang, "own_words").values():
            if "days" in one.means and one.search(told):
                first, last = one.means["days"]
                yield today + timedelta(days=first), today + timedelta(days=last)


def _a_year_on(day: date) -> date:
    return day.replace(
        year=min(day.year + 1, date.max.year), day=min(day.day, 28) if day.month == _FEBRUARY else day.day
    )
