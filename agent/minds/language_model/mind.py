"""Any language model as a mind: whatever LangChain can stream from, with its faults named."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel

from agent.errors import (
    ContextTooLongError,
    InvalidAnswerError,
    MindError,
    NoModelError,
    UnknownModelError,
    UnusableToolCallError,
)
from agent.minds.language_model import background, notices, tokens
from agent.minds.language_model.answers import UnusableAnswerError, ask_again, describe_form, parse
from agent.minds.language_model.conversation import to_messages
from agent.minds.language_model.endpoint import Endpoint
from agent.minds.language_model.failures import (
    BlockedError,
    Failure,
    HalfAnswerError,
    NothingCameError,
    Situation,
    explain,
)
from agent.minds.language_model.fit import answer_room, fit, turn_tokens
from agent.minds.language_model.functions import affordable, as_function, tools_tokens
from agent.minds.language_model.hearing import Hearing
from agent.minds.language_model.provider import Feature, Provider
from agent.minds.language_model.reasoning import may_start_thinking
from agent.minds.language_model.refusals import refused_feature
from agent.minds.language_model.retries import pause_before
from managers.mind import Cancel, ChatTurn, ReplyPiece, ReplyRequest, TextPiece, ToolSpec, Usage
from managers.storage.errors import Lang

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer", bound=BaseModel)

_SIGNATURES_KEPT = 64
_SOBER = 0.3
"""The highest temperature for structured answers: they condense what was said, and invent nothing."""
_MODELS_TOLD = 8


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try.

    Attributes:
        seconds: the time limit for each next piece of an answer.
        retries: how often to ask again on 429 and 5xx, before the first piece only.
        first_pause: seconds before the first of them; it doubles.
    """

    seconds: float = 60.0
    retries: int = 3
    first_pause: float = 1.0


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What is asked of the model, in terms that survive doing without a feature."""

    system: str
    turns: Sequence[ChatTurn]
    language: Lang
    tools: Sequence[ToolSpec] = ()
    answer: type[BaseModel] | None = None


@dataclass
class _Known:
    """What was learned about the model from its own mouth."""

    lacks: frozenset[Feature] = frozenset()
    """Replaced, never changed: other threads may be reading it."""
    starts_thinking: bool = False
    scale: float = 1.0
    """How much the estimate of tokens fell short at worst."""
    signatures: OrderedDict[str, str] = field(default_factory=OrderedDict)


class LanguageModelMind:
    """A language model that thinks for a persona. May be used from several threads."""

    def __init__(
        self,
        endpoint: Endpoint,
        provider: Provider,
        *,
        context_tokens: int,
        can_see: bool = False,
        patience: Patience | None = None,
        rng: Random | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self._provider = provider
        self._context_tokens = context_tokens
        self._can_see = can_see
        self._patience = patience or Patience()
        self._rng = rng or Random()  # noqa: S311  # jitter, not secrets
        self._monotonic = monotonic
        self.trouble: MindError | None = None
        """What went wrong at the last call; None when it went well."""
        self._known = _Known(starts_thinking=may_start_thinking(endpoint.model))
        self._told_of_tools = False
        self._model: BaseChatModel | None = None
        self._building = threading.Lock()

    def __repr__(self) -> str:
        """Show the model, no key."""
        return f"LanguageModelMind({self.endpoint.service}, {self.endpoint.model})"

    @property
    def name(self) -> str:
        """The model's name: what stands in a message's trailer."""
        return self.endpoint.model or self.endpoint.service

    @property
    def context_tokens(self) -> int:
        """How much the model can read and write at once, in tokens."""
        return self._context_tokens

    @property
    def can_see(self) -> bool:
        """Whether images may be sent to it, as far as is known."""
        return self._can_see and "images" not in self._known.lacks

    def learn(self, *, context_tokens: int | None = None, can_see: bool | None = None) -> Self:
        """Take in what the server said about the model."""
        self._context_tokens = context_tokens or self._context_tokens
        self._can_see = self._can_see if can_see is None else can_see
        return self

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, never too low; corrected by what the server counted."""
        return int(tokens.count_tokens(text) * self._known.scale + 0.999)

    def warm_up(self) -> None:
        """Load the library and make the client, so that the first answer does not wait for it.

        Raises:
            MindError: no key, or no model.
        """
        self._chat_model()

    @property
    def is_warm(self) -> bool:
        """Whether the library is loaded and the client made."""
        return self._model is not None

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Think and speak, piece by piece; ends within 0.3 s when `cancel` is set.

        Raises:
            MindError: one of the named ways of failing.
        """
        lang = request.sheet.language
        if not self.can_see and any(turn.images for turn in request.turns):
            yield notices.cannot_see(self.name)
        tools = affordable(request.tools, self._context_tokens, self.count_tokens)
        if len(tools) < len(request.tools) and not self._told_of_tools and "tools" not in self._known.lacks:
            self._told_of_tools = True
            yield notices.fewer_tools(self.name, self._context_tokens)
        yield from self._think(_Prompt(request.system, request.turns, lang, tools), cancel)

    def say_a_word(self, cancel: Cancel) -> str:
        """Ask for a word, to see whether the model answers at all.

        Raises:
            MindError
        """
        prompt = _Prompt("", (ChatTurn("user", "Hello! Answer with one short word."),), "en")
        return "".join(piece.text for piece in self._think(prompt, cancel) if isinstance(piece, TextPiece))

    def ask(
        self,
        instructions: str,
        material: str,
        answer: type[Answer],
        *,
        language: Lang = "en",
        cancel: Cancel | None = None,
    ) -> Answer:
        """Ask for a structured answer; a wrong one is asked for once more, with what was wrong.

        Args:
            instructions: what to do, in the language of the answer.
            material: what to do it with.
            answer: the form; its docstring and field descriptions are shown to the model.
            language: of the few sentences that are added.
            cancel: stops the call.

        Raises:
            InvalidAnswerError: wrong twice, or stopped.
            MindError: one of the other named ways of failing.
        """
        cancel = cancel or Cancel()
        system = f"{instructions}\n\n{describe_form(answer, language)}"
        prompt = _Prompt(system, (ChatTurn("user", material),), language, answer=answer)
        problem = ""
        for _ in range(2):
            text = "".join(piece.text for piece in self._think(prompt, cancel) if isinstance(piece, TextPiece))
            try:
                return parse(text, answer, language)
            except UnusableAnswerError as error:
                problem = str(error)
            again = (ChatTurn("persona", text or "…"), ChatTurn("user", ask_again(problem, language)))
            prompt = replace(prompt, turns=[*prompt.turns, *again])
        raise InvalidAnswerError(model=self.name, task=answer.__name__, reason=problem)

    def _think(self, prompt: _Prompt, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Ask until there is an answer, one fails for good, or the caller stops."""
        attempt = 0
        while True:
            spoke, failure = yield from self._try(prompt, cancel)
            if cancel.is_set():
                return
            self.trouble = failure.error if failure else None
            if failure is None:
                return
            if not spoke and 0 < failure.limit < self._context_tokens:
                self._context_tokens = failure.limit  # now it is known: cut, and ask again
                continue
            lacking = None if spoke else refused_feature(failure.refusal, self._wanted(prompt))
            if lacking is not None:
                self._known.lacks |= {lacking}
                if notice := notices.does_without(self.name, lacking):
                    yield notice
                continue
            attempt += 1
            pause = None
            if failure.passing and not spoke and attempt <= self._patience.retries:
                pause = pause_before(
                    attempt, first=self._patience.first_pause, asked=failure.retry_after, rng=self._rng
                )
            if pause is None:
                raise self._with_models(failure.error)
            logger.info("%s: %s; asking again in %.1f s", self, type(failure.error).__name__, pause)
            if cancel.wait(pause):
                return

    def _try(self, prompt: _Prompt, cancel: Cancel) -> Generator[ReplyPiece, None, tuple[bool, Failure | None]]:
        """Ask once. Returns whether anything was heard, and the failure if it was one."""
        hearing = Hearing(starts_thinking=self._known.starts_thinking, usage_adds_up=self._provider.usage_adds_up)
        failure: Failure | None = None
        try:
            stream = self._start(prompt)
            for chunk in background.read(
                stream, cancel=cancel, seconds=self._patience.seconds, monotonic=self._monotonic
            ):
                yield from hearing.take(chunk)
            if not cancel.is_set():
                yield from hearing.finish()
                hearing.check()
                if hearing.cut_short:
                    yield notices.cut_short(self.name)
        except MindError as error:
            failure = Failure(error)
        except (BlockedError, HalfAnswerError, NothingCameError) as error:
            failure = explain(error, self._situation(hearing))
        except Exception as error:  # noqa: BLE001  # libraries raise anything; each is named, or called unreadable
            logger.debug("%s raised %s", self, type(error).__name__)
            failure = explain(error, self._situation(hearing))
        self._learn_from(hearing, prompt)
        if hearing.usage != Usage():
            yield hearing.usage
        if failure is None and hearing.broken_call and not cancel.is_set():
            failure = Failure(UnusableToolCallError(model=self.name, tool=hearing.broken_call), passing=True)
        return hearing.spoke, failure

    def _start(self, prompt: _Prompt) -> Callable[[], AsyncIterator[AIMessageChunk]]:
        model, lacks = self._chat_model(), self._known.lacks
        changes: dict[str, Any] = {}
        for feature in lacks:
            changes |= self._provider.without.get(feature, {})
        temperature = getattr(model, "temperature", None)
        if prompt.answer is not None and temperature is not None and "temperature" not in lacks:
            changes["temperature"] = min(temperature, _SOBER)
        if changes:
            model = model.model_copy(update=changes)
        messages, asked = self._messages(prompt), self._arguments(prompt)
        if prompt.tools and "tools" not in lacks:
            bound = model.bind_tools([as_function(tool) for tool in prompt.tools])
            return lambda: bound.astream(messages, **asked)  # type: ignore[return-value]  # chunks, as streams have
        return lambda: model.astream(messages, **asked)

    def _messages(self, prompt: _Prompt) -> list[Any]:
        lacks = self._known.lacks
        with_tools = "tools" not in lacks
        for_tools = tools_tokens(prompt.tools, self.count_tokens) if with_tools else 0
        turns = fit(prompt.system, prompt.turns, for_tools, self._context_tokens, self.count_tokens)
        if turns is None:
            raise ContextTooLongError(model=self.name, tokens=self._context_tokens)
        return to_messages(
            prompt.system,
            turns,
            prompt.language,
            see=self.can_see,
            tools=with_tools,
            system_role="system_role" not in lacks,
            signatures=self._known.signatures,
        )

    def _arguments(self, prompt: _Prompt) -> dict[str, Any]:
        lacks = self._known.lacks
        asked: dict[str, Any] = {}
        if prompt.answer is not None and "structured" not in lacks:
            asked |= self._provider.structured(prompt.answer)
        if "answer_limit" not in lacks:
            used = self.count_tokens(prompt.system) + sum(turn_tokens(turn, self.count_tokens) for turn in prompt.turns)
            asked |= self._provider.limited(max(answer_room(self._context_tokens), self._context_tokens - used))
        return asked

    def _wanted(self, prompt: _Prompt) -> set[Feature]:
        """Return the features that this request used, and could do without."""
        wanted: set[Feature] = {"system_role", *self._provider.without}
        if prompt.tools or any(turn.role == "tool" for turn in prompt.turns):
            wanted.add("tools")
        if prompt.answer is not None and self._provider.structured(prompt.answer):
            wanted.add("structured")
        if self._provider.limited(1):
            wanted.add("answer_limit")
        if self.can_see and any(turn.images for turn in prompt.turns):
            wanted.add("images")
        return wanted - self._known.lacks

    def _learn_from(self, hearing: Hearing, prompt: _Prompt) -> None:
        self._known.starts_thinking |= hearing.unopened
        for call_id, signature in hearing.signatures.items():
            self._known.signatures[call_id] = signature
            while len(self._known.signatures) > _SIGNATURES_KEPT:
                self._known.signatures.popitem(last=False)
        read = hearing.usage.input_tokens
        if read and not any(turn.images for turn in prompt.turns):
            estimate = tokens.count_tokens(prompt.system) + tools_tokens(prompt.tools, tokens.count_tokens)
            estimate += sum(turn_tokens(turn, tokens.count_tokens) for turn in prompt.turns)
            self._known.scale = max(self._known.scale, min(2.0, read / max(estimate, 1)))

    def _with_models(self, error: MindError) -> MindError:
        """Add to an error about the model's name which ones there are."""
        if not isinstance(error, UnknownModelError | NoModelError):
            return error
        names = list(self._provider.models())[:_MODELS_TOLD]
        if not names:
            return error
        told = {
            "offered_ja": f"使えるのは {'、'.join(names)} などです。",
            "offered_en": f" It has: {', '.join(names)}.",
        }
        return type(error)(**error.facts | told)

    def _situation(self, hearing: Hearing) -> Situation:
        return Situation(self.endpoint, self._context_tokens, self._patience.seconds, hearing.spoke)

    def _chat_model(self) -> BaseChatModel:
        with self._building:
            if self._model is None:
                self._model = self._provider.build()
                _report_to_nobody()
            return self._model


def _report_to_nobody() -> None:
    """Switch LangChain's tracing off, whatever the environment says: nothing leaves but the call itself."""
    import langsmith  # noqa: PLC0415  # comes with langchain_core, which is imported late

    langsmith.configure(enabled=False)
