"""Try a mind: one short exchange, so that a person learns at once what is wrong with a model or key."""

from dataclasses import dataclass

from agent.minds.protocol import Mind
from managers.memory.messages import Message
from managers.mind import Cancel, ChatTurn, ReplyRequest, Sheet, TextPiece
from managers.storage.clock import Clock
from managers.storage.errors import Lang

_ENOUGH = 200
"""Characters of an answer that show it works; no more is paid for."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a mind answered, and how long its first words took."""

    answer: str
    first_words_ms: float


def try_mind(mind: Mind, greeting: str, language: Lang, clock: Clock) -> Trial:
    """Say `greeting` to a mind; nothing of it is written anywhere.

    Raises:
        MindError: what is wrong, in a sentence.
    """
    now, started = clock.now(), clock.monotonic()
    request = ReplyRequest(
        sheet=Sheet(persona="Utatane", language=language, system_prompt=""),
        system="",
        turns=[ChatTurn("user", greeting, now)],
        message=Message("trial", now, "user", "", greeting),
        now=now,
    )
    cancel, said, first = Cancel(), "", 0.0
    for piece in mind.reply(request, cancel):
        if isinstance(piece, TextPiece):
            first = first or clock.monotonic()
            said += piece.text
        if len(said) > _ENOUGH:
            cancel.set()
    return Trial(said.strip()[:_ENOUGH], 1000 * ((first or clock.monotonic()) - started))
