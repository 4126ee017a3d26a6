"""Whether somebody's own words name all that a text says: then the text is theirs, whoever wrote it down.

Each sentence that is written must be said by one that was told, in its content words, in their base forms: "she is moving to Osaka" names
"moves to Osaka". A sentence that only asks, or reports what a letter says, names nothing; what is denied or doubted names only what
is written as such. Left aside are words that say nothing beside others (`light` in `own_words.toml`), names, and days that follow from
what was said ("tomorrow").
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from managers.language.reading.bounds import LONGEST
from managers.language.reading.note_wishes import read_note_wish
from managers.language.reading.reading import read
from managers.language.reading.rules import either, fits, fits_any, rules, search
from managers.language.reading.synonyms import DISLIKING, one_word
from managers.language.reading.times import TimeSpan, find_times, without_times
from managers.language.words import content_words_as_written, sentences, words

_STEM = 5
"""Of English words one that begins with all of another, which has so many letters, is a form of it: allergic, allergy."""
_NOON, _FEBRUARY, _SELF = 12, 2, "i"
_USER = "the user", "user", "ユーザー", "本人"
_OF_MONTH = re.compile(r"(?<![\d月/])(\d{1,2})(?:st|nd|rd|th|日)")
_AROUND, _MONTH = timedelta(days=7), timedelta(days=31)
_WEEKDAYS = {one: at % 7 for at, one in enumerate((*"月火水木金土日", *re.findall("...", "montuewedthufrisatsun")))}
_TIME = re.compile(r"\b\d\d?:\d\d\b")
_NUMBER = re.compile(r"\d\d?:\d\d|\d\d?月\d\d?日|\d+(?:[./-]\d+)*")
_FOREIGN = re.compile(r"[^\x00-\x7fÀ-ɏḀ-ỿ‐-‧　-〿ぁ-ヿ㐀-鿿]+|(?<!\w)(?![月火水木金土日]\))[㐀-鿿](?!\w)")
"""Signs of other scripts, and a kanji alone: no word is known of them, so they stand literally in what was said."""

Days = tuple[date, date]
_fits = partial(fits_any, "own_words")


class _Clause(NamedTuple):
    """A clause of a sentence: whether it is denied, doubted, and says what somebody dislikes; its content words."""

    text: str
    kind: tuple[bool, bool, bool]
    terms: dict[str, str]


def names_all(own: str, written: str, moment: datetime, names: Collection[str] = (), replaced: str = "") -> bool:
    """Tell whether somebody's own words name everything that a change adds and takes away.

    `written` is what is to stand there, for what is `replaced` (its days and hours need no naming); either may be empty. "Tomorrow" is
    reckoned from the `moment` at which they spoke. `names` of theirs and of whoever writes may stand in it, though nobody said them.
    """
    told = "\n\n".join(_plain(one) for one in dict.fromkeys(sentences(own)) if not _only_asks(one))
    told = either("own_words", "goes_on").sub("\n", told)
    if max(len(written), len(replaced)) > LONGEST or any(one not in told for one in _FOREIGN.findall(_plain(written))):
        return False
    new, old = ([_without(_plain(one), names, told) for one in sentences(text)] for text in (written, replaced))
    new, old = [one for one in new if one not in old], [one for one in old if one not in new]
    before = [clause for one in old for clause in _clauses(_without_days(one, moment))]
    was, comes = _terms(before), _terms(clause for one in new for clause in _clauses(_without_days(one, moment)))
    left = before if [one for one in was if one in comes] == [one for one in comes if one in was] else []
    said, free = told.split("\n\n"), _terms(left)
    undoing = [one for one in said if _fits("removes", one) or (new and _fits("denies", one))]
    for text in new:
        plain = _without_days(text, moment)
        terms = _terms(_clauses(plain))
        fresh = {term: one for term, one in terms.items() if term not in free}
        kept = left if fresh or not terms or was.keys() - comes.keys() else []
        near = (one for one in said if _has_all(fresh, _content(one), one) and not _fits("reports", one))
        found = next((one for one in near if _names(one, text, moment, kept)), None)
        if found is None or not re.search(r"[^\W\d_]", plain):
            return False
        undoing += [found] if fresh or not terms else []
    return bool(new or was) and all(
        any(_is_named(term, surface, _content(one), one) for one in undoing) or term in comes
        for term, surface in was.items()
    )


def _only_asks(sentence: str) -> bool:
    """Tell a question from what is told, and from a wish that has its form ("Can you note that ...?")."""
    is_wish = read_note_wish(sentence, "") or _fits("wishes", _plain(sentence))
    return not is_wish and any(one.is_question for one in read(sentence, "ja").sentences)


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    for one in (*rules("ja", "own_words").values(), *rules("en", "own_words").values()):
        plain = one.pattern.sub(one.means["is"], plain) if "is" in one.means else plain
    return plain


def _clauses(plain: str) -> list[_Clause]:
    """Return the clauses of a sentence: which are denied, and which are doubted ("if", "maybe") or hang on that."""
    found, is_doubted = list[_Clause](), False
    for clause in either("own_words", "clause_ends").split(plain):
        is_doubted = is_doubted or _fits("doubts", clause)
        for piece, is_denied in _pieces(either("own_words", "no_denial").sub(" ", clause)):
            terms = _content(piece)
            found.append(_Clause(piece, (is_denied, is_doubted, DISLIKING in terms), terms))
    doubted = "\n".join(one.text for one in found if one.kind[1])
    is_all = is_doubted and not _content(either("own_words", "doubts").sub(" ", doubted))  # "..., maybe"
    return [one._replace(kind=(one.kind[0], True, one.kind[2])) for one in found] if is_all else found


def _pieces(clause: str) -> Iterator[tuple[str, bool]]:
    """Yield a clause, what its word of denial reaches apart; tell whether that is denied."""
    at = 0
    for found in either("own_words", "contrast").finditer(clause):  # 歯医者は水曜じゃなくて木曜
        topic = at + 1 + max(clause[at : found.start()].rfind(one) for one in "はがを")
        yield clause[at:topic], False
        yield clause[topic : found.start()], True
        at = found.end()
    is_all, ahead = fits("ja", "own_words", "denies", clause[at:]), search("en", "own_words", "denies", clause[at:])
    since, until = ahead.span() if ahead and not is_all else (0, 0)
    yield clause[at : at + since], False
    yield clause[at + until :], bool(is_all or ahead)


def _content(text: str) -> dict[str, str]:
    found = {one_word(term): surface for term, surface in content_words_as_written(text).items()}
    numbers = {one: one for one in _NUMBER.findall(text)}
    return {t: s for t, s in found.items() if not (t[0].isdigit() or _fits("light", t))} | numbers


def _terms(clauses: Iterable[_Clause]) -> dict[str, str]:
    return {term: surface for one in clauses for term, surface in one.terms.items()}


def _names(said: str, written: str, moment: datetime, left: Collection[_Clause]) -> bool:
    """Tell whether one sentence says another: its words, each denied and doubted as there, its days, and who does it."""
    clauses = _clauses(said)
    meant = [*_days_meant("\n".join(one.text for one in clauses if not one.kind[0]), moment)]
    years = {f"{day.year}" for days in meant for day in days}
    wanted = _clauses(_without_days(written, moment, meant))
    for kind in {one.kind for one in wanted}:
        asked, same, old = ([one for one in those if one.kind == kind] for those in (wanted, clauses, left))
        text, told, was = ("\n".join(one.text for one in those) for those in (asked, same, old))
        free = _terms(old).keys() | years
        fresh = {term: one for term, one in _terms(asked).items() if term not in free}
        if not _has_all(fresh, _terms(same), told) or (kind[0] and not same + old):
            return False
        heard = {one.normal for one in words(f"{told}\n{was}", "short")}
        bare = [one for part in _parts(text) if not _content(part) for one in words(part, "short")]  # "keep going"
        acts = {one.normal for one in bare if one.kind in ("verb", "interjection") or one.normal == "do"}
        acts |= {one.normal for one in words(text, "short") if _fits("scope", one.surface)}
        doers = {one: those for one, those in _doers(text).items() if one not in free and those - {"", "they"}}
        said_of = _doers(told)
        strange = (
            one for one, who in doers.items() if not said_of.get(one, who) & {"", *who, "they" * (_SELF not in who)}
        )
        if any(strange) or not all(_fits("empty", one) for one in acts - heard):
            return False
    return True


def _parts(text: str) -> list[str]:
    return either("own_words", "joins").split(text)


def _doers(text: str) -> dict[str, set[str]]:
    """Return the words of a text, each with those of whom it is said: who stands before it in its part."""
    found = defaultdict[str, set[str]](set)
    for part in _parts(text):
        doer = last = ""
        for one in words(part, "short"):
            term = _SELF if _fits("self", one.normal) else one_word(one.normal)
            if one.kind != "function":
                found[term] |= {doer, _SELF if last in ("my", "our") else doer}
            is_plain = one.surface.isascii() and not _fits("no_doer", one.surface)
            if one.surface in ("は", "も", "が"):
                doer = last if one.surface == "が" or _fits("somebody", last) else doer
            elif is_plain and one.kind == "pronoun":
                doer = term if term == _SELF else "" if term.startswith("you") else "they"
            elif is_plain and one.kind in ("noun", "proper"):
                doer = term
            last = term
    return found


def _has_all(terms: Mapping[str, str], known: Collection[str], told: str) -> bool:
    return all(_is_named(term, surface, known, told) for term, surface in terms.items())


def _is_named(term: str, surface: str, known: Collection[str], told: str) -> bool:
    """Tell whether a content word is among others, in some form; or stands in a text, where its script has no word ends."""
    hour, _, minutes = term.partition(":")
    if minutes:  # 15:00 is 3:00 too, 9:00 is 9
        return any(one in known for one in (term, f"{int(hour) - _NOON}:{minutes}", hour * (minutes == "00")))
    is_inside = not surface.isascii() and len(surface) > 1 and surface in told
    pairs = (sorted((term, one), key=len) for one in known if term.isascii() and term.isalpha())
    return is_inside or term in known or any(len(a) >= _STEM and b.startswith(a) for a, b in pairs)


def _without(plain: str, names: Collection[str], told: str) -> str:
    """Return a text with "I" for some names; where one begins a longer word that was said, that stays (ねむすけ)."""
    for name in sorted(filter(None, map(_plain, (*names, *_USER))), key=len, reverse=True):
        plain = re.sub(rf"{re.escape(name)}'s\b", " my ", plain)
        edge = r"\b(?: said:)?" if name.isascii() else "(?:さん|ちゃん|くん|様)?"
        longer = re.compile(rf"{re.escape(name)}(?:[ぁ-ゖ]{{2,4}}|[a-z]+)")
        kept = {found for found in longer.findall(plain) if found in told}
        plain = plain if kept else re.sub(rf"{re.escape(name)}{edge}", " i " if name.isascii() else "私", plain)
    return plain


def _without_days(plain: str, moment: datetime, meant: Collection[Days] | None = None) -> str:
    """Return a text without the days that somebody may have meant, and their weekdays; without any day and hour for None."""
    plain = plain if meant is not None else _TIME.sub(" ", plain)
    found = [span for span in find_times(plain, moment) if meant is None or _is_meant(span, meant)]
    rest = without_times(plain, found)
    return either("own_words", "weekday").sub(" ", rest) if found or meant is None else rest


def _is_meant(span: TimeSpan, meant: Collection[Days]) -> bool:
    """Tell whether some days are among those, or hold some of them, in this year or the next."""
    days = [(span.first, span.last), (_a_year_on(span.first), _a_year_on(span.last))]
    return any((first - since).days * (last - until).days <= 0 for first, last in meant for since, until in days)


def _days_meant(told: str, moment: datetime) -> Iterator[Days]:
    """Yield the days that somebody may have meant, those to come as well; this one first."""
    today = moment.date()
    yield today, today
    for span in find_times(told, moment):
        is_weekday = span.is_relative and span.first == span.last
        if not is_weekday or span.first >= today - _AROUND:
            yield span.first, span.last
        if not is_weekday:
            yield _a_year_on(span.first), _a_year_on(span.last)
    near = [today + timedelta(days=n) for n in range(-_AROUND.days, 2 * _AROUND.days)]
    named = [found[0].strip("(（") for found in either("own_words", "weekday").finditer(told)]
    weekdays = {_WEEKDAYS.get(one[:length]) for one in named for length in (1, 3)}
    yield from ((day, day) for day in near if day.weekday() in weekdays)
    numbers = {int(found[1]) for found in _OF_MONTH.finditer(told)}
    yield from ((day, day) for n in range(2 * _MONTH.days) if (day := today + timedelta(days=n)).day in numbers)
    for one in (*rules("ja", "own_words").values(), *rules("en", "own_words").values()):
        if "days" in one.means and one.search(told):
            yield today + timedelta(days=one.means["days"][0]), today + timedelta(days=one.means["days"][1])


def _a_year_on(day: date) -> date:
    last = 28 if day.month == _FEBRUARY else 31
    return day.replace(year=min(day.year + 1, date.max.year), day=min(day.day, last))
