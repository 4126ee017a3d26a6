"""What is so at the moment of a message: the time, and what somebody in distress needs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from agent.addressing import called
from agent.prompt_parts import Part, text_part
from agent.prompts import company as company_words
from agent.prompts import system_prompt as words
from agent.state import Surroundings, TurnState
from managers.language.emotion import Emotion
from managers.language.reading.concern import Kind as ConcernKind
from managers.language.reading.concern import help_lines
from managers.language.words import detect_language
from managers.memory.emotion_names import Feeling, weight_of
from managers.memory.messages import Message

OF_CONCERN: Mapping[ConcernKind, Emotion] = {"self_harm": "sadness", "danger": "fear"}
"""What a message that raises concern without a word of feeling is logged as: nobody says such a thing calmly."""


def locale_of(state: TurnState, around: Surroundings) -> str:
    """Return whose help lines are told."""
    return around.settings.page.help_locale or detect_language(state["message"].text, around.sheet.language)


def weighing(state: TurnState, around: Surroundings) -> Feeling | None:
    """Return what was told within a day and still weighs; off the record nothing is logged, so its words are read again."""
    now = around.clock.now()
    logged = around.spare(partial(around.memories.inner_life.weighs, now))
    aside = [m for m in state["window"] if around.off_record and m.role == "user"]
    return logged or next((felt for m in reversed(aside) if (felt := weight_of(m, now)) is not None), None)


def present_parts(
    state: TurnState, around: Surroundings, window: Sequence[Message], weighs: Feeling | None
) -> list[Part]:
    """Return what is so at this moment: the time, and what somebody in distress needs."""
    lang, name = around.sheet.language, called(around.sheet)
    last = window[-1].time if window else around.spare(partial(_last_said, state, around))
    concern, text = state["concern"], ""
    if concern:
        text = words.concern(lang, concern)
    elif weighs and weighs.message_id == state["message"].id:
        text = words.heavy_now(lang, weighs, name)
    elif weighs and not around.kept.holds([weighs.message_id]):
        kind: ConcernKind | None = next((one for one in OF_CONCERN if one == weighs.concern), None)
        lines = help_lines(locale_of(state, around), kind) if kind else ()
        text = words.lingering(lang, weighs, name, lines)
    company = state.get("company")
    here = company_words.who_is_here(lang, company, around.sheet.persona, name) if company else ""
    now = words.now(lang, state["message"].time, last, name)
    return [text_part("now", now), text_part("company", here), text_part("concern", text)]


def _last_said(state: TurnState, around: Surroundings) -> datetime | None:
    """Return when something was last said before the message, in another talk."""
    tail = around.memories.log.tail(2)
    return next((one.time for one in reversed(tail) if one.id != state["message"].id), None)
