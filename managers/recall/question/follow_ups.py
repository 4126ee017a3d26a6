"""Does a message take its subject from what was said before? "And her sister?", 「それはいつだっけ？」.

A question word at its beginning says nothing ("Where did Kenji learn the shamisen?" stands by itself); what
counts is what a message points at and does not name, and how little it says of its own.
"""

from collections.abc import Sequence

from managers.language.reading.rules import fits, rule
from managers.recall.index.terms import is_japanese

FEW_WORDS = 3
"""Who goes on with "and" and says no more than this goes on with the same subject."""


def follows_up(text: str, words: Sequence[str]) -> bool:
    """Whether a message is about what was said before it."""
    if not words:
        return True
    if is_japanese(text):
        points = fits("ja", "recall", "points_back", text)
        return points or (fits("ja", "recall", "bare_word", text) and not fits("ja", "recall", "names_something", text))
    is_short = len(words) <= FEW_WORDS
    if is_short and fits("en", "recall", "goes_on", text):
        return True
    person = rule("en", "recall", "points_at_person").search(text)
    thing = rule("en", "recall", "points_at_thing").search(text)
    return bool(person and not _names_before(person.start(), text)) or bool(
        thing and (is_short or not _names_before(thing.start(), text))
    )


def _names_before(end: int, text: str) -> bool:
    return rule("en", "recall", "names_something").search(text, 0, end) is not None
