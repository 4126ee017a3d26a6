"""The prompt for which open questions were answered; its answer is a `ResolutionsDraft`."""

from __future__ import annotations

from agent.prompts.dreaming import instructions, section
from managers.mind import Sheet

_TASK = {
    "ja": "下の「未解決の問い」のうち、会話の中で答えがはっきり出たものだけを挙げてください。"
    "question_id は問いの番号(q_…)、answer は答えを一文で。答えが出ていない問いは挙げない。なければ空のリスト。",
    "en": "Name only those of the open questions below that the conversation clearly answers. "
    "`question_id` is the question's id (q_…), `answer` the answer in one sentence. Leave out what was not answered. "
    "An empty list if none was.",
}


def build(sheet: Sheet, *, conversation: str, questions: str) -> tuple[str, str]:
    """Return instructions and material."""
    first, second = {"ja": ("未解決の問い", "会話"), "en": ("Open questions", "The conversation")}[sheet.language]
    return instructions(sheet, _TASK[sheet.language]), section(first, questions) + section(second, conversation)
