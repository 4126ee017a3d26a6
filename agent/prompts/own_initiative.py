"""The prompt for what the persona does of its own accord; its answer is an `InitiativeDraft`."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from managers.language.dates_in_words import say
from managers.mind import Sheet
from managers.storage.texts import Texts

_say = Texts("prompts/questions")
_PARTS = ("now", "state", "last_words")


class InitiativeDraft(BaseModel):
    """What the persona does."""

    kind: Literal["write", "goal", "thought", "nothing"] = Field(
        description="write: say it to the other person; goal: a step towards the goal; thought: note it for yourself; nothing: rather not"
    )
    text: str = Field("", max_length=1000)


def build(sheet: Sheet, *, now: datetime, reason: str, conversation: str) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    user = sheet.user_name or _say("initiative.user", lang)
    task = _say("initiative.task", lang, persona=sheet.persona, user=user, system=sheet.system_prompt)
    now_told, state, last = (_say(f"initiative.{one}", lang, now=say("with_clock", now, lang)) for one in _PARTS)
    return task, f"{now_told}## {state}\n{reason}\n\n## {last}\n{conversation}\n"
