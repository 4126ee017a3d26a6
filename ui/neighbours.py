"""A message in its place: what was said right before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from ui.locales import Texts
from ui.times import when

BESIDE = 3
"""So many messages on each side."""
_SHOWN_CHARACTERS = 1_500


def neighbours(log: ConversationLog, message_id: str, beside: int = BESIDE) -> list[Message]:
    """Return a message with those around it on the same day, oldest first; empty if it is gone."""
    message = log.get(message_id)
    if message is None:
        return []
    day = message.time.date()
    spoken = [one for one in log.messages(day, day) if one.role != "system"]
    at = next((n for n, one in enumerate(spoken) if one.id == message_id), None)
    return [message] if at is None else spoken[max(0, at - beside) : at + beside + 1]


def in_place(messages: Sequence[Message], message_id: str, now: datetime, t: Texts) -> str:
    """Return the messages as a small excerpt of the conversation, the one in question marked."""
    if not messages:
        return f'<p class="quiet">{escape(t("heart.message_gone"))}</p>'
    return f'<ol class="in-place">{"".join(_row(one, one.id == message_id, now, t) for one in messages)}</ol>'


def _row(message: Message, here: bool, now: datetime, t: Texts) -> str:
    text = message.text if len(message.text) <= _SHOWN_CHARACTERS else message.text[:_SHOWN_CHARACTERS] + "…"
    speaker = message.speaker or t("chat.you")
    return (
        f'<li class="{message.role}"{CURRENT if here else ""}><p><b>{escape(speaker)}</b>'
        f"<time>{escape(when(message.time, now, t))}</time></p><div>{escape(text)}</div></li>"
    )


CURRENT = ' aria-current="true"'
