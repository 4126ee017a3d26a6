"""The prompt for a night's reflection; its answer is a `ReflectionDraft`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from agent.prompts.dream_parts import called, instructions, section, spell_day
from managers.mind import Sheet
from managers.sleep.checks import MAX_INSIGHT, MAX_LOG_ENTRY, MAX_NEW_GOALS
from managers.sleep.tasks import Level

Part = Literal["episodes", "past", "insights", "values", "goals", "questions", "conversation"]

_LEVELS: dict[str, dict[Level, str]] = {
    "ja": {
        1: "今夜は一日のふり返りです。その日の会話から気づいたことを一つ、この日でなければ書けない言葉で。"
        "短期の目標は、実際に話に出たことからだけ。",
        2: "今夜は一週間のふり返りです。一日だけのことではなく、この一週間にくり返し現れたこと、変わってきたことを書く。"
        "短期の目標を一つずつ見直す(進んだ、果たした、手放す、順番や言葉を直す)。",
        3: "今夜は一か月のふり返りです。一日や一週間のことではなく、この一か月を通して見えてきたことを書く。"
        "values に、あなたがいま大切にしたいことを短い言葉で3つまで(前の月のものが今も大切なら残す)。"
        "長期の目標を見直す。この夜だけは horizon に long_term が使え、related_values にどの価値のためかを書く。",
    },
    "en": {
        1: "Tonight you look back on the day: one thing that became clear from its conversation, in words that could only be "
        "written on this day. Short-term goals only from what was really said.",
        2: "Tonight you look back on the week: not on one day alone, but on what came back again and again, and on what is "
        "changing. Go through the short-term goals one by one (progressed, completed, abandoned, reordered, reworded).",
        3: "Tonight you look back on the month: not on one day or week, but on what has shown itself over all of it. "
        "`values`: up to 3 short words for what matters to you now (keep those of last month that still do). "
        "Review the long-term goals. On this night only, `horizon` may be long_term; `related_values` says which values it serves.",
    },
}
_TASK = {
    "ja": "夢日記を、あなたの一人称と話し方で書いてください。{level}\n"
    "trigger_topic: きっかけの話題を数語で。insight: 気づき({insight}字以内)。evidence: 気づきのもとになった発言。"
    "strategy: これから「{user}」とどう接するかの具体的な指針を一文。"
    "log_entry: 夢の情景(2〜3文、{log}字以内)。情景は想像してよいが、「{user}」や周りの人の事実は作らない。"
    "「昔の記憶」は、いまの話とのつながりに触れるときだけ使う。\n"
    "goals: 目標の変更。なければ空のリスト。目標はあなた自身の目標(あなたが「{user}」のためにしたいこと)で、「{user}」の目標ではない。"
    "priority は 1 がいちばん大切、9 がいちばん低い。新しい目標は一晩に{goals}つまで。いまの目標と似たものは作らず progress にする。"
    "「気になっていること」にあるものは、聞くだけの目標にしない。\n"
    "action と要るもの: create(goal, priority, evidence)、progress / complete(goal_id, reason, evidence)、"
    "abandon(goal_id, reason)、reprioritise(goal_id, priority)、reword(goal_id, goal)、revalue(goal_id, related_values)。",
    "en": "Write your dream diary, in the first person and in your own manner. {level}\n"
    "`trigger_topic`: the topic that set it off, in a few words. `insight`: what became clear (at most {insight} characters). "
    "`evidence`: the messages that it rests on. "
    "`strategy`: one concrete sentence on how to be with “{user}” from now on. "
    "`log_entry`: the dream's scene (2 to 3 sentences, at most {log} characters); the scene may be imagined, facts about “{user}” "
    "and the people around them may not. Use “Old memories” only where they bear on what is said now.\n"
    "`goals`: changes of the goals; an empty list if there are none. They are your own goals (what you want to do for “{user}”), "
    "not those of “{user}”. `priority`: 1 is the highest, 9 the lowest. At most {goals} new ones a night; where there is a similar "
    "goal already, note progress instead. What stands under “What you wonder about” needs no goal of asking it.\n"
    "Actions and what they need: create (goal, priority, evidence), progress or complete (goal_id, reason, evidence), "
    "abandon (goal_id, reason), reprioritise (goal_id, priority), reword (goal_id, goal), revalue (goal_id, related_values).",
}
_TITLES: dict[str, dict[Part, str]] = {
    "ja": {
        "episodes": "これまでの日々",
        "past": "昔の記憶",
        "insights": "最近の夢日記",
        "values": "先月、大切にしたいと書いたこと",
        "goals": "いまのあなたの目標",
        "questions": "気になっていること",
        "conversation": "新しい会話",
    },
    "en": {
        "episodes": "The days before",
        "past": "Old memories",
        "insights": "Recent entries of your diary",
        "values": "What you wrote last month that matters to you",
        "goals": "Your present goals",
        "questions": "What you wonder about",
        "conversation": "New conversation",
    },
}
_TONIGHT = {"ja": "今夜は {day} です。\n", "en": "Tonight is {day}.\n"}


def build(sheet: Sheet, persona: str, level: Level, *, today: date, parts: Mapping[Part, str]) -> tuple[str, str]:
    """Return instructions and material.

    Args:
        sheet: who dreams, and of whom.
        persona: what of its description it reads.
        level: how far it looks back.
        today: the night.
        parts: what it looks back on.
    """
    lang = sheet.language
    task = _TASK[lang].format(
        user=called(sheet),
        level=_LEVELS[lang][level],
        insight=MAX_INSIGHT,
        log=MAX_LOG_ENTRY,
        goals=MAX_NEW_GOALS,
    )
    told = "".join(section(title, parts.get(part, "")) for part, title in _TITLES[lang].items())
    return instructions(sheet, task, persona), _TONIGHT[lang].format(day=spell_day(today, lang)) + told
