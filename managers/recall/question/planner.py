"""Does a message call for the past, and what is to be looked for? Local, fast, Japanese and English."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from managers.language.reading.reading import asks_anything
from managers.language.reading.rules import fits_any
from managers.language.reading.times import find_times
from managers.memory.messages import Message
from managers.recall.index.terms import is_japanese, terms
from managers.recall.question.follow_ups import follows_up

_TURNS_BACK = 4
_SUBJECT_WORDS = 6
_MAX_QUERY = 600


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """Whether to search, and for what.

    Attributes:
        wanted: it calls for the past.
        query: what to look for. A question that may be about the world as well (クロは何色？) has one without being
            `wanted`: what is found must then be as close as a document that nobody asked for.
    """

    wanted: bool
    query: str


def plan_recall(
    message: str,
    window: Sequence[Message],
    now: datetime,
    names_entity: Callable[[str], bool] = lambda _: False,
    *,
    has_documents: bool = False,
) -> RecallPlan:
    """Return what a message asks of the memories; `window` holds the turns before it, oldest first."""
    text = message.strip()
    words = terms(text)
    asks = asks_anything(text) or _found("tell_me", text) or _found("wonders", text)
    spans = find_times(text, now)
    is_past = any(span.first <= now.date() for span in spans) and not all(
        span.first == span.last == now.date() for span in spans
    )
    wanted = bool(
        _found("remembers", text)
        or (asks and (is_past or (_found("past", text) and (words or spans))))
        or (asks and words and (has_documents or _found("personal", text) or _found("named", text)))
        or (asks and follows_up(text, words) and _subject(window, text))
        or _found("tell_of", text)
        or names_entity(text)
    )
    is_open = bool(words) and asks and not _found("small_talk", text)
    return RecallPlan(wanted, _query(text, words, window) if wanted or is_open else "")


def _found(name: str, text: str) -> bool:
    return fits_any("recall", name, text)


def _query(text: str, words: Sequence[str], window: Sequence[Message]) -> str:
    """Return the message, with the subject of the turns before where it has none of its own."""
    text = text[:_MAX_QUERY]
    if not follows_up(text, words):
        return text
    subject = _subject(window, text)
    return f"{text} {subject}".strip() if subject else text


def _subject(window: Sequence[Message], text: str) -> str:
    """Return what the last turns were about: the rarest kind of words they have, names first."""
    own = set(terms(text))
    found: dict[str, str] = {}
    turns = [message for message in window if message.role in ("user", "persona")][-_TURNS_BACK:]
    for message in reversed(turns):
        for surface in _surfaces(message.text):
            for term in terms(surface):
                if term not in own:
                    found.setdefault(term, surface)
        if len(found) >= _SUBJECT_WORDS:
            break
    return " ".join(list(dict.fromkeys(found.values()))[:_SUBJECT_WORDS])


def _surfaces(text: str) -> list[str]:
    """Return a text's words as they stand in it, names before the rest."""
    if is_japanese(text):
        return list(dict.fromkeys(terms(text)))
    found = re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text)
    names = [word for place, word in enumerate(found) if place and word[:1].isupper() and word not in ("I", "I'm")]
    return list(dict.fromkeys([*names, *found]))
