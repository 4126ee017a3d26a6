"""The built-in mind: no model, no network, the same answer for the same seed, conversation and request."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Self

from agent.minds.builtin.dreams import entities, open_questions, reflection, summary
from agent.minds.builtin.dreams.statements import NAME
from agent.minds.builtin.talk.quotation import between_quotes, for_quoting
from agent.minds.builtin.talk.reply import compose_reply
from agent.minds.masking import Masking
from managers.language.lexicons import load
from managers.language.words import content_words, words
from managers.mind import Cancel, Grounds, ReplyPiece, ReplyRequest, TextPiece, ToolCall
from managers.sleep.autonomy import Deed, Occasion
from managers.sleep.tasks import DayMaterial, PeriodDraft, PeriodMaterial
from managers.usage.meter import Account

_CONTEXT_TOKENS = 1_000_000
_PIECE = 6
_A_FEW = 40
"""So many characters of somebody's last words remind them of what they said."""
_FRESH = timedelta(hours=12)
"""What was spoken of so lately is not asked after yet."""


class BuiltInDreamMind:
    """The built-in mind asleep. The same day always makes the same dream; it is quick, so nothing interrupts it."""

    name = NAME
    summarise_day = staticmethod(summary.summarise_day)
    describe_entities = staticmethod(entities.describe_entities)
    find_questions = staticmethod(open_questions.find_questions)
    resolve_questions = staticmethod(open_questions.resolve_questions)
    reflect = staticmethod(reflection.reflect)

    def summarise_period(self, _material: PeriodMaterial, _cancel: Cancel) -> PeriodDraft | None:
        """Return None: a week or a month is told in the words of its days."""
        return None

    def tokens_of(self, _: DayMaterial) -> int:
        """Return 0: no model is asked."""
        return 0


class BuiltInMind:
    """A mind of dictionaries, grammar and memory. It is no language model, and says so when asked."""

    name = NAME
    context_tokens = _CONTEXT_TOKENS
    can_see = False
    takes_tools = True

    def __init__(self, seed: int = 0) -> None:
        """`seed` fixes which of several ways to say a thing is chosen."""
        self._seed = seed

    endpoint = None
    trouble = None
    dreams = BuiltInDreamMind()

    def impulse(self, occasion: Occasion) -> Deed | None:
        """Return a message about the question, the goal or the last words; None where there is nothing to say."""
        theirs = [message for message in occasion.last_words if message.role == "user"]
        if occasion.drive == "curiosity" and occasion.question is not None:
            about = set(content_words(occasion.question.topic))
            fresh = (one for one in theirs if occasion.now - one.time < _FRESH)
            if any(about & set(content_words(one.text)) for one in fresh):
                return None
            return Deed("write", _said(occasion, "curiosity", occasion.question.topic), NAME)
        if occasion.drive == "goal_achievement" and occasion.goal is not None:
            return Deed("goal", _said(occasion, "goal", between_quotes(occasion.goal.goal) or occasion.goal.goal), NAME)
        if not theirs:
            return None
        last = for_quoting(theirs[-1].text, occasion.sheet.language, _A_FEW)
        return Deed("write", _said(occasion, "devotion" if occasion.drive == "devotion" else "boredom", last), NAME)

    def is_answering(self, *, server_answered: bool = True) -> bool:
        """Tell that it is: it needs nobody."""
        del server_answered
        return True

    def charged_to(self, _account: Account, /) -> Self:
        """Return itself: its calls cost nothing."""
        return self

    def masked(self, _masking: Masking, /) -> Self:
        """Return itself: nothing leaves this computer."""
        return self

    def learn(
        self, *, context_tokens: int | None = None, can_see: bool | None = None, takes_tools: bool | None = None
    ) -> Self:
        """Return itself: it has no server."""
        del context_tokens, can_see, takes_tools
        return self

    def count_tokens(self, text: str) -> int:
        """Return the number of characters: never too low, and this mind has no limit to meet."""
        return len(text)

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Speak piece by piece, as words come; a tool call comes alone."""
        own = [hit for hit in request.hits if not hit.is_others]  # what another persona said is nobody's fact
        said = compose_reply(replace(request, hits=own), self._seed)
        if isinstance(said, ToolCall):
            yield said
            return
        yield Grounds(said.grounds)
        for piece in pieces(said.text):
            if cancel.is_set():
                return
            yield TextPiece(piece)


def pieces(text: str) -> Iterator[str]:
    """Cut a text where a speaker would breathe: between words, a few characters at a time."""
    start = 0
    for word in words(text):
        if word.end - start >= _PIECE:
            yield text[start : word.end]
            start = word.end
    if start < len(text):
        yield text[start:]


def _said(occasion: Occasion, name: str, about: str) -> str:
    return str(load(f"{occasion.sheet.language}/replies")["impulse"][name][0]).replace("<about>", about)
