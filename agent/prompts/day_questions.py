"""The prompt for what a day left open; its answer is a `QuestionsDraft`."""

from __future__ import annotations

from datetime import date

from agent.prompts.dream_parts import called, instructions, section, spell_day
from managers.mind import Sheet

_TASK = {
    "ja": "このあと気になりそうな「未解決の問い」を、会話の中から多くて3つ挙げてください: 予定がどうなったか、"
    "心配ごとは落ち着いたか、聞きそびれたこと。topic は短い名詞句で、context は何を知りたいのかを一文で。"
    "about は誰のことか(本人なら「{user}」)。priority は 0〜1(「{user}」にとって大事なことほど高く)。"
    "due は、その答えがわかるようになる日(YYYY-MM-DD。会話の日から数える)。予定や試験なら終わったあとの日、もう聞いてよければ空。"
    "その日までは話題にしません。evidence は問いのもとになった発言。すでにある問いはくり返さない。なければ空のリスト。",
    "en": "Name at most 3 things in the conversation that you will wonder about: how a plan turned out, whether a worry has "
    "settled, what was left unasked. `topic` is a short noun phrase, `context` says in one sentence what you would like to know, "
    "`about` whom it is about (“{user}” for themselves). "
    "`priority` from 0 to 1: the more it matters to “{user}”, the higher. `due` is the day from which on it can be answered "
    "(YYYY-MM-DD, counted from the day of the conversation): for a plan or an exam the day when it is over; empty if it can be "
    "asked already. Until then it is not brought up. `evidence`: the messages that gave rise to it. "
    "Do not repeat questions that are open already. An empty list if there are none.",
}
_TITLES = {"ja": ("すでにある問い", "{day} の会話"), "en": ("Open already", "The conversation of {day}")}


def build(
    sheet: Sheet, persona: str, *, day: date, conversation: str, questions: str, before: str = ""
) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    first, second = _TITLES[lang]
    task = _TASK[lang].format(user=called(sheet))
    told = section(second.format(day=spell_day(day, lang)), conversation)
    return instructions(sheet, task, persona), section(first, questions) + before + told
