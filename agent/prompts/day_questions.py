"""The prompt for what a day left open; its answer is a `QuestionsDraft`."""

from __future__ import annotations

from agent.prompts.dreaming import instructions, section
from managers.mind import Sheet

_TASK = {
    "ja": "{persona}がこのあと気になりそうな「未解決の問い」を、会話の中から多くて3つ挙げてください: 予定がどうなったか、"
    "心配ごとは落ち着いたか、聞きそびれたこと。topic は短く、context は何を知りたいのかを一文で。"
    "priority は 0〜1(相手にとって大事なことほど高く)。すでにある問いはくり返さない。なければ空のリスト。",
    "en": "Name at most 3 things in the conversation that {persona} will wonder about: how a plan turned out, whether a worry has "
    "settled, what was left unasked. `topic` is short, `context` says in one sentence what {persona} would like to know. "
    "`priority` from 0 to 1: the more it matters to the other person, the higher. Do not repeat questions that are open already. "
    "An empty list if there are none.",
}


def build(sheet: Sheet, *, date: str, conversation: str, questions: str) -> tuple[str, str]:
    """Return instructions and material."""
    titles = {"ja": ("すでにある問い", f"{date} の会話"), "en": ("Open already", f"The conversation of {date}")}
    first, second = titles[sheet.language]
    task = _TASK[sheet.language].format(persona=sheet.persona)
    return instructions(sheet, task), section(first, questions) + section(second, conversation)
