"""Any language model as a mind: whatever LangChain can stream from, with its faults named."""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Self

from agent.minds import tokens
from agent.minds.endpoint import Endpoint
from agent.minds.errors import (
    ContextTooLongError,
    EmptyAnswerError,
    InvalidAnswerError,
    MindError,
    UnusableToolCallError,
)
from agent.minds.fit import answer_room, fit, turn_tokens
from agent.minds.language_model import event_loop, model_notices
from agent.minds.language_model.answers import UnusableAnswerError, ask_again, describe_form, empty_answer, parse
from agent.minds.language_model.call_failures import (
    BlockedError,
    EndlessError,
    Failure,
    HalfAnswerError,
    NothingCameError,
    Situation,
    explain,
)
from agent.minds.language_model.chat_messages import to_messages
from agent.minds.language_model.hearing import Hearing
from agent.minds.language_model.learned import Learned
from agent.minds.language_model.metering import Counting, form_tokens, open_call
from agent.minds.language_model.model_dreams import LanguageModelDreamMind, impulse
from agent.minds.language_model.prompt import Patience, Prompt
from agent.minds.language_model.provider import Feature, Provider
from agent.minds.language_model.reasoning import may_start_thinking
from agent.minds.language_model.refusals import refused_feature
from agent.minds.language_model.retries import pause_before
from agent.minds.language_model.streaming import report_to_nobody, stream
from agent.minds.tool_schemas import affordable, as_function, names_of, tools_tokens, ungrouped
from managers.mind import Answer, Cancel, ChatTurn, ReplyPiece, ReplyRequest, TextPiece, ToolCall, Usage
from managers.sleep.autonomy import Deed, Occasion
from managers.storage.errors import Lang, UtataneError
from managers.usage.ledger import Purpose
from managers.usage.meter import Account

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk

logger = logging.getLogger(__name__)

_SOBER = 0.3
"""The highest temperature for structured answers: they condense what was said, and invent nothing."""
_TALK, _LONGER_TALK = 2048, 4096
"""Tokens: the most that a local model may write of a reply, and where it may think before it speaks."""
_LEAST_CONTEXT, _CORRECTIONS = 512, 3
"""What is believed of a server that says how much its model reads: so much at least, and so often in one answer."""


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
        self._patience = patience or Patience()
        self._rng = rng or Random()  # noqa: S311  # jitter, not secrets
        self._monotonic = monotonic
        self._known = Learned(context_tokens, can_see, starts_thinking=may_start_thinking(endpoint.model))
        self._account: Account | None = None

    def __repr__(self) -> str:
        """Show the model, no key."""
        return f"LanguageModelMind({self.endpoint.service}, {self.endpoint.model})"

    def charged_to(self, account: Account) -> Self:
        """Return the same mind with its calls counted on an account; what it learns of itself is shared."""
        charged = copy.copy(self)
        charged._account = account  # noqa: SLF001  # of its own kind
        return charged

    @property
    def trouble(self) -> MindError | None:
        """What went wrong at the last call; None when it went well."""
        return self._known.trouble

    def is_answering(self, *, server_answered: bool = True) -> bool:
        """Tell whether it can be reached as far as is known.

        Args:
            server_answered: what the last look at its server found.
        """
        return self._known.is_answering(server_answered=server_answered)

    @property
    def name(self) -> str:
        """The model's name: what stands in a message's trailer."""
        return self.endpoint.model or self.endpoint.service

    @property
    def context_tokens(self) -> int:
        """How much the model can read and write at once, in tokens."""
        return self._known.context_tokens

    @property
    def can_see(self) -> bool:
        """Whether images may be sent to it, as far as is known."""
        return self._known.can_see and "images" not in self._known.lacks

    def learn(self, *, context_tokens: int | None = None, can_see: bool | None = None) -> Self:
        """Take in what the server said about the model."""
        self._known.describe(context_tokens, can_see)
        return self

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, never too low; corrected by what the server counted."""
        return int(tokens.count_tokens(text) * self._known.scale + 0.999)

    @property
    def dreams(self) -> LanguageModelDreamMind:
        """The same model asleep."""
        return LanguageModelDreamMind(self)

    def impulse(self, occasion: Occasion) -> Deed | None:
        """Return what the persona does when a drive moves it; None: rather nothing.

        Raises:
            MindError: one of the named ways of failing.
            CapReachedError: nothing was asked.
        """
        return impulse(self, occasion)

    def warm_up(self) -> None:
        """Load the library and make the client, so that the first answer does not wait for it.

        Raises:
            MindError: no key, or no model.
        """
        self._chat_model()

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Generator[ReplyPiece, None, None]:
        """Think and speak, piece by piece; ends within 0.3 s when `cancel` is set.

        Raises:
            MindError: one of the named ways of failing.
        """
        lang = request.sheet.language
        if not self.can_see and any(turn.images for turn in request.turns):
            yield model_notices.cannot_see(self.name)
        tools = affordable(request.tools, self.context_tokens, self.count_tokens)
        offered = names_of(tools)
        missing = [tool.name for tool in request.tools if tool.name not in offered]
        if missing and not self._known.told_of_tools and "tools" not in self._known.lacks:
            self._known.told_of_tools = True
            yield model_notices.fewer_tools(self.name, self.context_tokens, missing)
        is_round = bool(request.turns) and request.turns[-1].role == "tool"
        prompt = Prompt(request.system, request.turns, lang, tools, purpose="tools" if is_round else None)
        for piece in self._think(prompt, cancel):
            yield ungrouped(piece, tools) if isinstance(piece, ToolCall) else piece

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
        of_a_tool = self._account is not None and self._account.purpose == "talk"  # a reply is never asked for this way
        purpose: Purpose | None = "tools" if of_a_tool else None
        prompt = Prompt(system, (ChatTurn("user", material),), language, answer=answer, purpose=purpose)
        problem = ""
        for _ in range(2):
            text = ""
            try:
                text = "".join(piece.text for piece in self._think(prompt, cancel) if isinstance(piece, TextPiece))
                return parse(text, answer, language)
            except EmptyAnswerError:
                problem = empty_answer(language)
            except UnusableAnswerError as error:
                problem = str(error)
            again = (ChatTurn("persona", text or "…"), ChatTurn("user", ask_again(problem, language)))
            prompt = replace(prompt, turns=[*prompt.turns, *again])
        raise InvalidAnswerError(model=self.name, task=answer.__name__, reason=problem)

    def _think(self, prompt: Prompt, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Ask until there is an answer, one fails for good, or the caller stops."""
        attempt, corrections = 0, 0
        while True:
            spoke, failure = yield from self._try(prompt, cancel)
            if cancel.is_set():
                return
            self._known.trouble = failure.error if failure else None
            self._known.has_answered |= failure is None
            if failure is None:
                return
            if not spoke and _LEAST_CONTEXT <= failure.limit < self.context_tokens and corrections < _CORRECTIONS:
                self._known.context_tokens = failure.limit  # now it is known: cut, and ask again
                corrections += 1
                continue
            lacking = None if spoke else refused_feature(failure.refusal, self._wanted(prompt))
            if lacking is not None:
                self._known.lacks |= {lacking}
                if notice := model_notices.does_without(self.name, lacking):
                    yield notice
                continue
            attempt += 1
            pause = None
            if failure.passing and not spoke and attempt <= self._patience.retries:
                pause = pause_before(
                    attempt, first=self._patience.first_pause, asked=failure.retry_after, rng=self._rng
                )
            if pause is None:
                raise self._provider.with_models(failure.error)
            logger.info("%s: %s; asking again in %.1f s", self, type(failure.error).__name__, pause)
            if cancel.wait(pause):
                return

    def _try(self, prompt: Prompt, cancel: Cancel) -> Generator[ReplyPiece, None, tuple[bool, Failure | None]]:
        """Ask once. Returns whether anything was heard, and the failure if it was one."""
        hearing = Hearing(starts_thinking=self._known.starts_thinking, usage_adds_up=self._provider.usage_adds_up)
        failure: Failure | None = None
        counting: Counting | None = None
        is_whole = False
        try:
            counting, start = self._start(prompt)
            for chunk in event_loop.read(
                start, cancel=cancel, seconds=self._patience.seconds, monotonic=self._monotonic
            ):
                counting.live()
                yield from hearing.take(chunk)
            if not cancel.is_set():
                is_whole = True
                yield from hearing.finish()
                hearing.check()
                if hearing.cut_short:
                    yield model_notices.cut_short(self.name)
        except MindError as error:
            failure = Failure(error)
        except UtataneError:
            raise  # a cap, or what keeps it: nothing was sent
        except (BlockedError, EndlessError, HalfAnswerError, NothingCameError) as error:
            failure = explain(error, self._situation(hearing))
        except Exception as error:  # noqa: BLE001  # libraries raise anything; each is named, or called unreadable
            logger.debug("%s raised %s", self, type(error).__name__)
            failure = explain(error, self._situation(hearing))
        finally:  # also when the caller has closed this
            if counting is not None:
                counting.end(hearing, failure.error if failure else None, is_whole=is_whole)
        self._learn_from(hearing, prompt)
        if hearing.usage != Usage():
            yield hearing.usage
        if failure is None and hearing.broken_call and not cancel.is_set():
            failure = Failure(UnusableToolCallError(model=self.name, tool=hearing.broken_call), passing=True)
        return hearing.spoke, failure

    def _start(self, prompt: Prompt) -> tuple[Counting, Callable[[], AsyncIterator[AIMessageChunk]]]:
        model, lacks = self._chat_model(), self._known.lacks
        changes: dict[str, Any] = {}
        for feature in lacks:
            changes |= self._provider.without.get(feature, {})
        temperature = getattr(model, "temperature", None)
        if prompt.answer is not None and temperature is not None and "temperature" not in lacks:
            changes["temperature"] = min(temperature, _SOBER)
        if changes:
            model = model.model_copy(update=changes)
        turns = self._fitted(prompt)
        messages, asked = self._messages(prompt, turns), self._form(prompt)
        read = self._read_tokens(prompt, turns, asked)
        counting = self._open(prompt, read)
        asked |= self._limit(prompt, read, counting.output_tokens)
        if prompt.tools and "tools" not in lacks:
            bound = model.bind_tools([as_function(tool) for tool in prompt.tools])
            asked = getattr(bound, "kwargs", {}) | asked
        return counting, lambda: stream(model, messages, asked)

    def _read_tokens(self, prompt: Prompt, turns: Sequence[ChatTurn], form: dict[str, Any]) -> int:
        """Return what the model reads: the prompt, the tools that it may call, the form of its answer."""
        read = self.count_tokens(prompt.system) + sum(turn_tokens(turn, self.count_tokens) for turn in turns)
        return read + tools_tokens(prompt.tools, self.count_tokens) + form_tokens(form, self.count_tokens)

    def _open(self, prompt: Prompt, read: int) -> Counting:
        account = self._account
        return open_call(
            account.for_purpose(prompt.purpose) if account and prompt.purpose else account,
            self.endpoint,
            input_tokens=read,
            room=max(answer_room(self.context_tokens), self.context_tokens - read),
            can_limit="answer_limit" not in self._known.lacks,
            seconds=self._patience.seconds,
            count=self.count_tokens,
        )

    def _fitted(self, prompt: Prompt) -> Sequence[ChatTurn]:
        for_tools = tools_tokens(prompt.tools, self.count_tokens) if "tools" not in self._known.lacks else 0
        turns = fit(prompt.system, prompt.turns, for_tools, self.context_tokens, self.count_tokens)
        if turns is None:
            raise ContextTooLongError(model=self.name, tokens=self.context_tokens)
        return turns

    def _messages(self, prompt: Prompt, turns: Sequence[ChatTurn]) -> list[Any]:
        lacks = self._known.lacks
        return to_messages(
            prompt.system,
            turns,
            prompt.language,
            see=self.can_see,
            tools="tools" not in lacks,
            system_role="system_role" not in lacks,
            signatures=self._known.signatures,
        )

    def _form(self, prompt: Prompt) -> dict[str, Any]:
        """Return the arguments that ask for an answer of a form."""
        if prompt.answer is None or "structured" in self._known.lacks:
            return {}
        return self._provider.structured(prompt.answer)

    def _limit(self, prompt: Prompt, read: int, granted: int | None) -> dict[str, Any]:
        """Return the arguments that limit the answer: to what a cap leaves, and to what a local server can hold."""
        if "answer_limit" in self._known.lacks:
            return {}
        most = granted
        if self._provider.always_limited:
            room = max(answer_room(self.context_tokens), self.context_tokens - read)
            if prompt.answer is None:
                room = min(room, _TALK if self._known.has_answered and not self._known.thinks else _LONGER_TALK)
            most = room if granted is None else min(room, granted)
        return {} if most is None else self._provider.limited(most)

    def _wanted(self, prompt: Prompt) -> set[Feature]:
        """Return the features that this request used, and could do without."""
        wanted: set[Feature] = {"system_role", *self._provider.without}
        if prompt.tools or any(turn.role == "tool" for turn in prompt.turns):
            wanted.add("tools")
        if prompt.answer is not None and self._provider.structured(prompt.answer):
            wanted.add("structured")
        if self._provider.always_limited or self._account is not None:
            wanted.add("answer_limit")
        if self.can_see and any(turn.images for turn in prompt.turns):
            wanted.add("images")
        return wanted - self._known.lacks

    def _learn_from(self, hearing: Hearing, prompt: Prompt) -> None:
        self._known.starts_thinking |= hearing.unopened
        self._known.thinks |= hearing.thought
        for call_id, signature in hearing.signatures.items():
            self._known.sign(call_id, signature)
        read = hearing.usage.input_tokens
        if read and not any(turn.images for turn in prompt.turns):
            estimate = tokens.count_tokens(prompt.system) + tools_tokens(prompt.tools, tokens.count_tokens)
            estimate += sum(turn_tokens(turn, tokens.count_tokens) for turn in prompt.turns)
            self._known.scale = max(self._known.scale, min(2.0, read / max(estimate, 1)))

    def _situation(self, hearing: Hearing) -> Situation:
        return Situation(self.endpoint, self.context_tokens, self._patience.seconds, hearing.spoke)

    def _chat_model(self) -> BaseChatModel:
        with self._known.building:
            if self._known.model is None:
                self._known.model = self._provider.build()
                report_to_nobody()
            return self._known.model
