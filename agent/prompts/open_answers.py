"""The prompt for which open questions were answered; its answer is a `ResolutionsDraft`."""

from __future__ import annotations

from datetime import date

from agent.prompts.dream_parts import instructions, section, spell_day
from managers.mind import Sheet

_TASK = {
    "ja": "下の「未解決の問い」のうち、会話の中で答えがはっきり出たものだけを挙げてください。"
    "question_id は問いの番号(q_…)、answer は答えを一文で。答えが出ていない問い、まだ途中の問いは挙げない。なければ空のリスト。",
    "en": "Name only those of the open questions below that the conversation clearly answers. "
    "`question_id` is the question's id (q_…), `answer` the answer in one sentence. Leave out what was not answered, or only in "
    "part. An empty list if none was.",
}
_TITLES = {"ja": ("未解決の問い", "{day} の会話"), "en": ("Open questions", "The conversation of {day}")}


def build(
    sheet: Sheet,
    persona: str,
    *,
    day: date,
    conversation: str,
    questions: str,
    persona_speaks_for_itself: bool,
) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    first, second = _TITLES[lang]
    told = section(second.format(day=spell_day(day, lang)), conversation)
    whole = instructions(sheet, _TASK[lang], persona, persona_speaks_for_itself=persona_speaks_for_itself)
    return whole, section(first, questions) + told
