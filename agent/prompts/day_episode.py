"""The prompt for a day's episode; its answer is a `DayDraft`."""

from __future__ import annotations

from datetime import date

from agent.prompts.dream_parts import called, instructions, section, spell_day
from managers.mind import Sheet

_TASK = {
    "ja": "その日の会話を、あなたの言葉で書いた短い日記のように要約してください(summary は3〜6文。「{user}」と自分を名前や一人称で書き、"
    "誰が何を言ったかがわかるように)。"
    "key_events には、あとで思い出す価値のある出来事を一つ一文で、多くて8個(なければ空のリスト)。"
    "emotional_tone は「{user}」の気持ちの全体: positive, negative, neutral, mixed のどれか。",
    "en": "Summarise the day's conversation as a short diary of your own, in your own words (`summary`: 3 to 6 sentences that say "
    "who said what; name “{user}”). `key_events`: what is worth remembering later, one sentence each, at most 8, "
    "or an empty list. `emotional_tone`: how “{user}” felt on the whole: positive, negative, neutral or mixed.",
}
_TITLE = {"ja": "{day} の会話", "en": "The conversation of {day}"}


def build(sheet: Sheet, persona: str, *, day: date, conversation: str, before: str = "") -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    title = _TITLE[lang].format(day=spell_day(day, lang))
    return instructions(sheet, _TASK[lang].format(user=called(sheet)), persona), before + section(title, conversation)
