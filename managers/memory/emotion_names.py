"""What somebody felt last, and what feelings are called. What weighs on a day outweighs the words that come after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from managers.memory.emotions import EmotionEntry, concern_of, snippet
from managers.memory.messages import Message
from managers.storage.errors import Lang
from managers.storage.texts import table

_OF_CONCERN = {"self_harm": "distress", "danger": "distress", "loss": "grief"}
"""How what a message raised is called, the heaviest first."""
_SPAN = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Feeling:
    """What somebody felt, and the words that tell it.

    Attributes:
        name: for `feeling_name`: an emotion, or `distress` or `grief` where a message raised concern.
        concern: `self_harm`, `danger` or `loss`; empty for an emotion.
    """

    name: str
    time: datetime
    words: str
    message_id: str
    concern: str = ""


def feeling_name(emotion: str, lang: Lang) -> str:
    """Return a feeling's label in the reader's language; that none was read says nothing of calm."""
    return str(table("notices/feelings").get(emotion, {lang: emotion})[lang])


def latest_feeling(entries: Sequence[EmotionEntry]) -> Feeling | None:
    """Return what was felt last (readings come newest first), within a day of the newest; None where nothing was told.

    Concern (self-harm, danger, a death) outweighs what was felt after it; else the newest emotion counts.
    """
    if not entries:
        return None
    day = [one for one in entries if one.timestamp > entries[0].timestamp - _SPAN]
    for concern, name in _OF_CONCERN.items():
        if (found := next((one for one in day if one.concern == concern), None)) is not None:
            return Feeling(name, found.timestamp, found.user_text_snippet, found.message_id, concern)
    felt = next((one for one in day if one.emotion != "neutral"), None)
    return Feeling(felt.emotion, felt.timestamp, felt.user_text_snippet, felt.message_id) if felt else None


def weight_of(message: Message, now: datetime) -> Feeling | None:
    """Return what a message of the last day raised, where no reading of it was logged; None if nothing."""
    concern = concern_of(message.text) if now - message.time < _SPAN else ""
    return Feeling(_OF_CONCERN[concern], message.time, snippet(message.text), message.id, concern) if concern else None
