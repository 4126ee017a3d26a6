"""The prompt for a day's episode; its answer is a `DayDraft`."""

from __future__ import annotations

from agent.prompts.dreaming import instructions, section
from managers.mind import Sheet

_TASK = {
    "ja": "その日の会話を、{persona}の立場からの短い日記のように要約してください(summary は3〜6文、誰が何を言ったかがわかるように)。"
    "key_events には、あとで思い出す価値のある出来事を一つ一文で、多くて8個。"
    "emotional_tone は相手の気持ちの全体: positive, negative, neutral, mixed のどれか。",
    "en": "Summarise the day's conversation as a short diary from {persona}'s point of view (`summary`: 3 to 6 sentences that say "
    "who said what). `key_events`: what is worth remembering later, one sentence each, at most 8. "
    "`emotional_tone`: how the other person felt on the whole: positive, negative, neutral or mixed.",
}


def build(sheet: Sheet, *, date: str, conversation: str) -> tuple[str, str]:
    """Return instructions and material."""
    title = {"ja": f"{date} の会話", "en": f"The conversation of {date}"}[sheet.language]
    return instructions(sheet, _TASK[sheet.language].format(persona=sheet.persona)), section(title, conversation)
