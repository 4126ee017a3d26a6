"""What somebody felt, as the small model reads it after the reply, where a person wants that."""

from collections.abc import Sequence

from agent.memories import Memories
from agent.minds.protocol import Mind
from agent.prompts import message_emotion
from agent.prompts.message_emotion import EmotionDraft
from managers.memory.messages import Message
from managers.mind import Asking, Cancel, Sheet, talk_given
from managers.storage.errors import UtataneError
from managers.storage.texts import Texts

_say = Texts("notices/minds")

_CODE = "emotion-reading"
_NO_MODEL = _say.notice("emotion-reading.no-model", "info")


def reread_emotion(
    memories: Memories,
    mind: Mind,
    sheet: Sheet,
    message: Message,
    window: Sequence[Message],
    read: str,
    cancel: Cancel,
) -> None:
    """Let a model read the emotion of a message; what it finds replaces what was read locally."""
    if not isinstance(mind, Asking):
        memories.notices.replace(_CODE, [_NO_MODEL])
        return
    memories.notices.replace(_CODE, [])
    try:
        draft = mind.ask(
            *message_emotion.build(sheet, message.text, window),
            EmotionDraft,
            language=sheet.language,
            cancel=cancel,
            given=talk_given([*window, message]),
        )
    except UtataneError as error:
        if not cancel.is_set():
            memories.notices.replace(_CODE, [_say.notice("emotion-reading.failed", "info", why=error.sentences)])
        return
    if draft.emotion != read:
        memories.emotions.relabel(message.id, draft.emotion)
        memories.inner_state.refresh(lang=sheet.language)
