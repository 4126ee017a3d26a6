"""The prompt for what somebody felt who wrote a message; its answer is an `EmotionDraft`."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agent.prompts.recall_plan import material
from managers.language.emotion import Emotion
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.storage.texts import Texts

_say = Texts("prompts/questions")


class EmotionDraft(BaseModel):
    """What the writer of a message feels."""

    emotion: Emotion = Field(description="The strongest feeling of the writer; neutral if none shows.")


def build(sheet: Sheet, message: str, window: Sequence[Message]) -> tuple[str, str]:
    """Return instructions and material."""
    user = sheet.user_name or _say("user", sheet.language)
    return _say("emotion.task", sheet.language, user=user), material(sheet.language, message, window)
