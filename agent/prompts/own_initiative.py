"""The prompt for what the persona does of its own accord; its answer is an `InitiativeDraft`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from agent.prompts.system_prompt import spell_time
from managers.mind import Sheet


class InitiativeDraft(BaseModel):
    """What the persona does."""

    kind: Literal["write", "goal", "thought", "nothing"] = Field(
        description="write: say it to the other person; goal: a step towards the goal; thought: note it for yourself; nothing: rather not"
    )
    text: str = Field("", max_length=1000)


_TASK = {
    "ja": "あなたは「{persona}」です。\n{system}\n\n"
    "しばらく会話がありません。下の内部状態ログが、いまのあなたの気持ちと、その理由です。"
    "自分から「{user}」に短く話しかける(write)、目標を一歩進めたことを書き留める(goal)、"
    "思ったことを日記に書く(thought)、または何もしない(nothing)のうち、自然なものを一つ選んでください。"
    "会話になかったことを、あったことのように書いてはいけません。text はあなたらしい日本語で、短く。",
    "en": "You are “{persona}”.\n{system}\n\n"
    "Nobody has spoken for a while. The inner state log below says how you feel now, and why. "
    "Choose the one thing that comes naturally: write a short message to “{user}” (write), note a step towards your goal (goal), "
    "note a thought in your diary (thought), or do nothing (nothing). "
    "Never tell of things that were not said as if they had happened. `text` in your own voice, in English, short.",
}
_NOW = {"ja": "今は{now}です。\n\n", "en": "It is {now}.\n\n"}
_PARTS = {"ja": ("内部状態", "最後の会話"), "en": ("Inner state", "The last words")}


def build(sheet: Sheet, *, now: datetime, reason: str, conversation: str) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    user = sheet.user_name or ("相手" if lang == "ja" else "the other person")
    task = _TASK[lang].format(persona=sheet.persona, user=user, system=sheet.system_prompt)
    first, second = _PARTS[lang]
    return task, _NOW[lang].format(now=spell_time(lang, now)) + f"## {first}\n{reason}\n\n## {second}\n{conversation}\n"
