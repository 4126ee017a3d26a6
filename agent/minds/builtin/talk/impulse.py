"""What the built-in mind does when a drive moves it: it says what moves it, and about what."""

from __future__ import annotations

import re

from managers.sleep.autonomy import Deed, Occasion
from managers.storage.errors import Lang

NAME = "built-in"


def impulse(occasion: Occasion) -> Deed | None:
    """Return a message about the question, the goal or the last words; None where there is nothing to say."""
    lang: Lang = occasion.sheet.language
    if occasion.drive == "curiosity" and occasion.question is not None:
        topic = occasion.question.topic
        text = (
            f"ねえ、ひとつ聞いてもいい？「{topic}」のこと、その後どうなったのかなって、ずっと気になってて。"
            if lang == "ja"
            else f"May I ask you something? I keep wondering about “{topic}”. What became of it?"
        )
        return Deed("write", text, NAME)
    if occasion.drive == "goal_achievement" and occasion.goal is not None:
        named = re.findall(r"[「“]([^「」“”]+)[」”]", occasion.goal.goal)  # what it is about, without quotes in quotes
        aim = named[0] if named else occasion.goal.goal
        text = (
            f"「{aim}」のことを考えた。次に話すとき、様子を聞きたい。"
            if lang == "ja"
            else f"I thought about “{aim}”. Next time we talk I would like to hear how it is going."
        )
        return Deed("goal", text, NAME)
    theirs = [message for message in occasion.last_words if message.role == "user"]
    if not theirs:
        return None
    words = " ".join(theirs[-1].text.split())
    words = words if len(words) <= 40 else words[:39] + "…"  # noqa: PLR2004  # a few words to remind of
    if occasion.drive == "devotion":
        text = (
            f"さっき「{words}」って言ってたの、気になってて。いまは少し楽になった？"
            if lang == "ja"
            else f"You said “{words}”, and it stayed with me. Are you feeling a little better now?"
        )
        return Deed("write", text, NAME)
    text = (
        f"しばらく話してないね。この前の「{words}」のあと、どうしてた？"
        if lang == "ja"
        else f"We have not talked for a while. How have you been since “{words}”?"
    )
    return Deed("write", text, NAME)
