"""What the built-in mind does when a drive moves it: it says what moves it, and about what."""

from __future__ import annotations

from datetime import timedelta

from agent.minds.builtin.talk.quotation import for_quoting
from managers.language.lexicons import load
from managers.language.reading.rules import rule
from managers.language.words import content_words
from managers.sleep.autonomy import Deed, Occasion

NAME = "built-in"
_A_FEW = 40
"""So many characters of somebody's last words remind them of what they said."""
_FRESH = timedelta(hours=12)
"""What was spoken of so lately is not asked after yet."""


def impulse(occasion: Occasion) -> Deed | None:
    """Return a message about the question, the goal or the last words; None where there is nothing to say."""
    theirs = [message for message in occasion.last_words if message.role == "user"]
    if occasion.drive == "curiosity" and occasion.question is not None:
        about = set(content_words(occasion.question.topic))
        fresh = (one for one in theirs if occasion.now - one.time < _FRESH)
        if any(about & set(content_words(one.text)) for one in fresh):
            return None
        return Deed("write", _said(occasion, "curiosity", occasion.question.topic), NAME)
    if occasion.drive == "goal_achievement" and occasion.goal is not None:
        named = rule(occasion.sheet.language, "quotations", "quoted").search(occasion.goal.goal)
        return Deed("goal", _said(occasion, "goal", named["said"] if named else occasion.goal.goal), NAME)
    if not theirs:
        return None
    last = for_quoting(theirs[-1].text, occasion.sheet.language, _A_FEW)
    return Deed("write", _said(occasion, "devotion" if occasion.drive == "devotion" else "boredom", last), NAME)


def _said(occasion: Occasion, name: str, about: str) -> str:
    return str(load(f"{occasion.sheet.language}/replies")["impulse"][name][0]).replace("<about>", about)
