"""Whether somebody's own words name all that a text says: then the text is theirs, whoever wrote it down.

Content words are compared, in their base forms: "she is moving to Osaka" names "moves to Osaka". A sentence that only asks names
nothing, one that denies names no text that affirms, nor the other way round. The rules are in `own_words.toml`.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from typing import get_args

from managers.language.reading.note_wishes import read_note_wish
from managers.language.reading.reading import read
from managers.language.reading.rules import fits_any, rules
from managers.language.reading.times import find_times, without_times
from managers.language.words import content_words, sentences
from managers.storage.errors import Lang

_STEM = 5
"""Of English words one that begins with all of another, which has so many letters, is a form of it: allergic, allergy."""
_LANGS: tuple[Lang, ...] = get_args(Lang)


def names_all(own: str, written: str, moment: datetime, names: Collection[str] = (), replaced: str = "") -> bool:
    """Tell whether somebody's own words name everything that a change adds and takes away.

    Args:
        own: what they said.
        written: what is to stand there; empty where something only goes.
        moment: when they said it: what "tomorrow" is reckoned from.
        names: what they and whoever writes are called: these may stand in it, though nobody said them.
        replaced: what goes for it.
    """
    said = [one for one in sentences(own) if not _only_asks(one)]
    denies = _denies(written or replaced)
    meant = unicodedata.normalize("NFKC", "\n".join(one for one in said if _denies(one) == denies)).lower()
    new, old = (_terms(text, meant, moment, names) for text in (written, replaced))
    changed = new ^ old if written and replaced else new | old
    known, squeezed = set(content_words(meant)), re.sub(r"\s", "", meant)
    return bool(changed) and all(
        term in known or (not term.isascii() and term in squeezed) or any(_is_form(term, one) for one in known)
        for term in changed
    )


def _only_asks(sentence: str) -> bool:
    """Tell a question from what is told, and from a wish that has its form ("Can you note that ...?")."""
    asks = any(one.is_question for one in read(sentence, "ja").sentences)
    return asks and not read_note_wish(sentence, "")


def _denies(text: str) -> bool:
    return fits_any("own_words", "denies", unicodedata.normalize("NFKC", text).lower())


def _terms(text: str, own: str, moment: datetime, names: Collection[str]) -> set[str]:
    """Return the content words of a text that somebody has to have said: no names, no word of writing down, no day they meant."""
    plain = unicodedata.normalize("NFKC", text).lower()
    for name in sorted(names, key=len, reverse=True):
        plain = plain.replace(unicodedata.normalize("NFKC", name).lower(), " ") if name else plain
    meant = {moment.date(), *_days_meant(own, moment)}
    spans = [one for one in find_times(plain, moment) if one.first == one.last and one.first in meant]
    rest = without_times(plain, spans)
    return {one for one in content_words(rest) if not fits_any("own_words", "frame", one)}


def _days_meant(own: str, moment: datetime) -> Iterator[date]:
    """Yield the days that somebody may have meant, those to come as well."""
    today = moment.date()
    for span in find_times(own, moment):
        yield from (span.first, span.last)
        if span.is_relative and span.first == span.last:
            yield from (span.first + timedelta(days=n) for n in (7, 14))
        elif span.first == span.last:
            yield from filter(None, (_in_year(span.first, today.year + n) for n in (0, 1)))
    for lang in _LANGS:
        for one in rules(lang, "own_words").values():
            if "days" in one.means and one.search(own):
                first, last = one.means["days"]
                yield from (today + timedelta(days=n) for n in range(first, last + 1))


def _in_year(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:
        return None


def _is_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one.isascii() and len(short) >= _STEM and long.startswith(short)
