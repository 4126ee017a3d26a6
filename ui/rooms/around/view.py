"""A message in its place: what was said right before and after it, and the way into the talk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from managers.memory.audience import ANYBODY, Given
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message, is_unnamed
from ui.components.times import when
from ui.rooms.memories.trust import given
from ui.server.visit import PersonaVisit

BESIDE: Final = 3
"""So many messages on each side."""
MOST_BESIDE: Final = 30
_SHOWN_CHARACTERS: Final = 1_500


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the excerpt; `is_it` marks the one in question."""

    role: str
    speaker: str
    when: str
    text: str
    is_it: bool


@dataclass(frozen=True, slots=True)
class Around:
    """An excerpt of the conversation.

    Attributes:
        said: the messages, oldest first; none where the one in question is gone.
        more: the address of a longer excerpt; empty where this is one.
        talk: the address of the message in the talk.
        id: of the message in question.
        given: for whom it is.
    """

    said: Sequence[Said] = ()
    more: str = ""
    talk: str = ""
    id: str = ""
    given: Given = ANYBODY


def around_of(visit: PersonaVisit, message_id: str, beside: int = BESIDE) -> Around:
    """Return what `around.html` shows of a message; a room may show that in its own page."""
    log = visit.memories.log
    found = neighbours(log, message_id, min(max(beside, 0), MOST_BESIDE))
    if not found:
        return Around()
    more = "" if beside >= MOST_BESIDE else visit.at("around", message_id, beside=MOST_BESIDE)
    talk = f"{visit.at('', before=_next_after(log, found[-1]))}#m-{message_id}"
    said = [_said(one, message_id, visit) for one in found]
    return Around(said, more, talk, message_id, given(visit, [message_id], message_id))


def neighbours(log: LogReader, message_id: str, beside: int = BESIDE) -> list[Message]:
    """Return a message with those around it on the same day, oldest first; empty if it is gone."""
    message = log.get(message_id)
    if message is None:
        return []
    day = message.time.date()
    spoken = [one for one in log.messages(day, day) if one.role != "system"]
    at = next((n for n, one in enumerate(spoken) if one.id == message_id), None)
    return [message] if at is None else spoken[max(0, at - beside) : at + beside + 1]


def _next_after(log: LogReader, message: Message) -> str:
    """Return the id of what was said next, on whatever day; empty where nothing was."""
    day = message.time.date()
    next_day = next((one for one in log.days() if one > day), day)
    ids = [one.id for one in log.messages(day, next_day)]
    at = ids.index(message.id) + 1 if message.id in ids else len(ids)
    return ids[at] if at < len(ids) else ""


def _said(message: Message, message_id: str, visit: PersonaVisit) -> Said:
    text = message.text if len(message.text) <= _SHOWN_CHARACTERS else f"{message.text[:_SHOWN_CHARACTERS]}…"
    is_nameless = message.role == "user" and is_unnamed(message.speaker)
    speaker = visit.t("chat.you") if is_nameless or not message.speaker else message.speaker
    return Said(message.role, speaker, when(message.time, visit.now, visit.t), text, message.id == message_id)
