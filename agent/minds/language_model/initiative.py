"""What a language model does when a drive moves the persona."""

from __future__ import annotations

from agent.minds.errors import InvalidAnswerError
from agent.minds.language_model.model_dreams import Asker
from agent.prompts import own_initiative
from agent.prompts.own_initiative import InitiativeDraft
from agent.prompts.quoting import one_line
from managers.language.words import detect_language
from managers.sleep.autonomy import Deed, Occasion


def impulse(model: Asker, occasion: Occasion) -> Deed | None:
    """Return what a model would do; None if it would rather not.

    Raises:
        MindError: it gave no usable answer, or one in another language.
        CapReachedError: it was not asked.
    """
    lang = occasion.sheet.language
    words = "\n".join(one_line(f"{m.time:%Y-%m-%d %H:%M} {m.speaker}: {m.text}") for m in occasion.last_words)
    prompt = own_initiative.build(occasion.sheet, now=occasion.now, reason=occasion.reason, conversation=words)
    draft = model.ask(*prompt, InitiativeDraft, language=lang)
    text = draft.text.strip()
    if draft.kind == "nothing" or not text:
        return None
    if detect_language(text, lang) != lang:
        raise InvalidAnswerError(model=model.name, task=InitiativeDraft.__name__, reason="another language")
    return Deed(draft.kind, text, model.name)
