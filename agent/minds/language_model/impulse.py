"""What a language model does when a drive moves the persona; the built-in mind's way where it fails."""

from __future__ import annotations

import logging

from agent.errors import MindError
from agent.minds.builtin.talk.impulse import impulse as built_in_impulse
from agent.minds.language_model.dreaming import Asker
from agent.prompts import own_initiative
from agent.prompts.own_initiative import InitiativeDraft
from agent.prompts.quoting import one_line
from managers.language.words import detect_language
from managers.sleep.autonomy import Deed, Occasion
from managers.usage.errors import CapReachedError

logger = logging.getLogger(__name__)


class LanguageModelImpulse:
    """Decides with a language model what the persona does of its own accord."""

    def __init__(self, model: Asker) -> None:
        """Decide with this model."""
        self._model = model

    def __call__(self, occasion: Occasion) -> Deed | None:
        """Return what the model would do; None if it would rather not."""
        lang = occasion.sheet.language
        words = "\n".join(one_line(f"{m.time:%Y-%m-%d %H:%M} {m.speaker}: {m.text}") for m in occasion.last_words)
        prompt = own_initiative.build(occasion.sheet, now=occasion.now, reason=occasion.reason, conversation=words)
        try:
            draft = self._model.ask(*prompt, InitiativeDraft, language=lang)
        except (MindError, CapReachedError) as error:
            logger.info("own initiative without the model: %s", error)
            return built_in_impulse(occasion)
        if draft.kind == "nothing" or not draft.text.strip():
            return None
        if detect_language(draft.text, lang) != lang:
            return built_in_impulse(occasion)
        return Deed(draft.kind, draft.text.strip(), self._model.name)
