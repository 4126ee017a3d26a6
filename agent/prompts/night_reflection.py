"""The prompt for a night's reflection; its answer is a `ReflectionDraft`."""

from __future__ import annotations

from agent.prompts.dreaming import instructions, section
from managers.mind import Sheet
from managers.sleep.tasks import Level

_LEVELS: dict[str, dict[Level, str]] = {
    "ja": {
        1: "日次の省察: その日の会話をふり返り、気づいたことを一つ。短期の目標は、実際に話に出たことからだけ。",
        2: "週次の省察: この一週間にくり返し現れたことを見つけ、短期の目標を見直す(進んだ、果たした、手放す)。",
        3: "月次の省察: この一か月をふり返り、大切にしたい価値を確かめ、長期の目標を見直す。horizon に long_term が使える。",
    },
    "en": {
        1: "Daily reflection: look back on the day and find one insight. Short-term goals only from what was really said.",
        2: "Weekly reflection: find what came back again and again this week, and review the short-term goals "
        "(progressed, completed, abandoned).",
        3: "Monthly reflection: look back on the month, say what matters, and review the long-term goals (`horizon`: long_term).",
    },
}
_TASK = {
    "ja": "{persona}の夢日記を書いてください。{level}\n"
    "trigger_topic: きっかけの話題。insight: 気づき。strategy: これから相手とどう接するかの具体的な指針を一文。"
    "log_entry: {persona}の言葉で書いた、夢の情景(2〜3文)。"
    "どれも、この日でなければ書けないことを。goals: 目標の変更(create, progress, complete, abandon)。なければ空のリスト。",
    "en": "Write {persona}'s dream diary. {level}\n"
    "`trigger_topic`: the topic that set it off. `insight`: what became clear. `strategy`: one concrete sentence on how to be with "
    "the other person from now on. `log_entry`: the dream as {persona} would tell it (2 to 3 sentences). "
    "Write what could only be written on this day. `goals`: changes of the goals (create, progress, complete, abandon); "
    "an empty list if there are none.",
}


def build(
    sheet: Sheet, level: Level, *, conversation: str, episodes: str, insights: str, goals: str
) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    titles = {
        "ja": ("これまでの日々", "最近の夢日記", "いまの目標", "新しい会話"),
        "en": ("The days before", "Recent entries of the diary", "Present goals", "New conversation"),
    }[lang]
    task = _TASK[lang].format(persona=sheet.persona, level=_LEVELS[lang][level])
    parts = zip(titles, (episodes, insights, goals, conversation), strict=True)
    return instructions(sheet, task), "".join(section(title, body) for title, body in parts)
