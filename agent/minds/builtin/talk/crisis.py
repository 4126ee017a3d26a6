"""Meeting a message of self-harm or danger, and the turns after it: with care, and with help lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.minds.builtin.talk.phrasebook import Phrasebook
from managers.language.concern import find_concern
from managers.mind import ChatTurn, Concern

_LINGERS_TURNS = 8
"""For so many turns of the user after a concern, the persona stays careful."""
_LINGERS_HOURS = 24
_BETTER = re.compile(
    r"落ち着い|楽になっ|大丈夫(?:になっ|だよ|です|そう)|少し(?:元気|楽|マシ|まし)|電話(?:して|し)(?:み|た)|病院(?:に|へ)行|相談(?:して|し)(?:み|た|よう|ます)|カウンセリング|もう平気|安心した|feel(?:ing)? (?:a bit |a little |much )?better|calmer|i'?m (?:ok|okay|safe|fine) now|i(?:'ve| have)? called|i'll call|i will call|(?:see|seeing|talk to|talking to) a (?:doctor|therapist|counsellor|counselor)|safe now",
    re.IGNORECASE,
)
_THANKS = re.compile(r"ありがと|thank|thx", re.IGNORECASE)


def lingering(turns: Sequence[ChatTurn], now: datetime) -> bool:
    """Tell whether an earlier message of this conversation raised a concern, not long ago."""
    since = now - timedelta(hours=_LINGERS_HOURS)
    earlier = [turn for turn in turns[:-1] if turn.role == "user" and (turn.time is None or turn.time >= since)]
    return any(find_concern(turn.text) for turn in earlier[-_LINGERS_TURNS:])


def first_words(concern: Concern, book: Phrasebook, turns: Sequence[ChatTurn]) -> str:
    """Answer a message that raises a concern: heard, honest, with help lines, and one gentle question."""
    lines = "\n".join(f"・{line}" if book.voice.lang == "ja" else f"- {line}" for line in concern.help_lines)
    was_told = bool(concern.help_lines) and any(
        concern.help_lines[0] in turn.text for turn in turns[:-1] if turn.role == "persona"
    )
    joint = "" if book.voice.lang == "ja" else " "
    if was_told:
        heard = book.say("care", "stay")
        header = book.say("care", "again")
    else:
        heard = joint.join([book.say("care", concern.kind), book.say("care", "honest")])
        header = book.say("care", "lines")
    now = book.say("care", f"now_{concern.kind}")
    parts = [heard, now]
    if lines:
        parts.append(f"{header}\n{lines}")
    parts.append(book.say("care", f"ask_{concern.kind}"))
    return "\n\n".join(parts)


def speaks_of_it(text: str) -> bool:
    """Tell whether a message is about getting better or being heard."""
    return bool(_BETTER.search(text) or _THANKS.search(text))


def next_words(text: str, book: Phrasebook, answer: str) -> str:
    """Answer the turns after: no games, no curiosity; `answer` is what the message itself needs, if anything."""
    joint = "" if book.voice.lang == "ja" else " "
    if _BETTER.search(text):
        closing = book.say("care", "better")
    elif _THANKS.search(text):
        closing = book.say("care", "thanks")
    else:
        closing = book.say("care", "stay")
    return joint.join(part for part in (answer, closing) if part)
