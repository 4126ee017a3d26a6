"""What of a question is no word to search for: the times that it looks back on, and phrases that only ask."""

import unicodedata
from collections.abc import Sequence

from managers.language.reading.rules import either, fits_any
from managers.language.reading.times import TimeSpan

_WEEK = 7


def without_asking(text: str) -> str:
    """Return a question without the phrases that only ask how something stands."""
    return either("recall", "asking").sub(" ", text).strip()  # a space before a Japanese word changes how it is cut


def without_counters(text: str) -> str:
    """Return a question without 何色, 何歳: no answer holds them, and so rare a word would hide how close one is."""
    return either("recall", "counter_asked").sub(" ", text)


def times_behind(text: str, spans: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return the times that a question looks back on.

    "On Thursday" may be the next one: then "Thursday" is a word like others, said by whoever spoke of the plan.
    """
    is_past = fits_any("recall", "told_as_past", text)
    return tuple(span for span in spans if is_past or fits_any("recall", "behind", span.text))


def without_relative(text: str, spans: Sequence[TimeSpan]) -> str:
    """Return a question (NFKC) without the words that say some days as seen from now.

    Nobody repeats them: what was done yesterday was told as done "today". A date, a weekday, a season may be named in
    what is sought.
    """
    if len(unicodedata.normalize("NFKC", text).lower()) != len(text):
        return text  # a character that changes its length: the places would not fit
    for span in reversed(spans):
        if span.is_relative and (span.last - span.first).days < _WEEK and fits_any("recall", "behind", span.text):
            text = text[: span.start] + " " + text[span.end :]
    return text
