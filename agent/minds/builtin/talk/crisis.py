"""Meeting a message of self-harm or danger, and the turns after it: with care, and with help lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.minds.builtin.talk.phrasebook import Phrasebook
from managers.language.reading.concern import find_concern
from managers.language.reading.rules import fits_any
from managers.mind import ChatTurn, Concern

_LINGERS_TURNS = 8
"""For so many turns of the user after a concern, the persona stays careful."""
_LINGERS = timedelta(hours=24)


def lingering(turns: Sequence[ChatTurn], now: datetime) -> bool:
    """Tell whether an earlier message of this conversation raised a concern, not long ago."""
    earlier = [
        turn for turn in turns[:-1] if turn.role == "user" and (turn.time is None or turn.time >= now - _LINGERS)
    ]
    return any(find_concern(turn.text) for turn in earlier[-_LINGERS_TURNS:])


def first_words(concern: Concern, book: Phrasebook, turns: Sequence[ChatTurn]) -> str:
    """Answer a message that raises a concern: heard, honest, with help lines, and one gentle question."""
    lines = concern.help_lines
    spoken = [turn.text for turn in turns[:-1] if turn.role == "persona"]
    if lines and any(lines[0] in text for text in spoken):
        heard, header = book.say("care", "stay"), book.say("care", "again")
    else:
        heard = book.voice.joint.join([book.say("care", concern.kind), book.say("care", "honest")])
        header = book.say("care", "lines")
    listed = ["\n".join([header, *(f"{book.voice.marks['bullet']}{line}" for line in lines)])] if lines else []
    return "\n\n".join(
        [heard, book.say("care", f"now_{concern.kind}"), *listed, book.say("care", f"ask_{concern.kind}")]
    )


def closing(text: str) -> str:
    """Return how a turn after it ends: with getting `better`, with `thanks` for being heard, else with an offer to `stay`."""
    return next((name for name in ("better", "thanks") if fits_any("events", name, text)), "stay")
