"""The prompt for whether a message calls for the past, and what to look for; its answer is a `RecallDraft`."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agent.prompts.dream_prompts import section
from agent.prompts.quoting import one_line, quoted
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.storage.errors import Lang
from managers.storage.texts import Texts

TURNS = 6
"""So many messages before the one at hand tell what "she" and "there" are."""
_CHARACTERS = 500
"""Of each message; a pasted book must not make planning slow."""

_say = Texts("prompts/questions")


class RecallDraft(BaseModel):
    """Whether to search the memories, and for what."""

    search: bool = Field(description="Whether older memories would help to answer.")
    query: str = Field("", description="What to look for: a question or key words that make sense by themselves.")


def build(sheet: Sheet, message: str, window: Sequence[Message]) -> tuple[str, str]:
    """Return instructions and material."""
    user = sheet.user_name or _say("user", sheet.language)
    task = _say("recall.task", sheet.language, persona=sheet.persona, user=user)
    return task, material(sheet.language, message, window)


def material(lang: Lang, message: str, window: Sequence[Message]) -> str:
    """Return the last of a conversation and what is said now, as a small model reads them."""
    turns = [one for one in window if one.role != "system"][-TURNS:]
    told = "\n".join(one_line(f"{one.speaker}: {one.text[:_CHARACTERS]}") for one in turns)
    now = quoted(message[: 2 * _CHARACTERS])
    return section(_say("recall.before", lang), told) + section(_say("recall.now", lang), now)
