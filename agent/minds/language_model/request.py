"""One request to a language model: what is asked, what was learned of the model, and how the two are put together."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from agent.minds.calibration import Calibration, Sent
from agent.minds.endpoint import Endpoint
from agent.minds.errors import AWAY, ContextTooLongError, MindError, UnreachableError
from agent.minds.language_model.chat_messages import to_messages
from agent.minds.language_model.hearing import Hearing
from agent.minds.language_model.metering import LEAST_ANSWER, Counting
from agent.minds.language_model.model_marks import Talk
from agent.minds.language_model.provider import Feature, Provider
from agent.minds.measures import Measures
from agent.minds.tokens import MESSAGE_OVERHEAD, Count, answer_room, fit, turn_tokens
from agent.minds.tool_schemas import as_function, tools_tokens
from managers.mind import ChatTurn, ToolSpec
from managers.storage.audit import NOTHING, Given
from managers.storage.errors import Lang
from managers.usage.caps import Wish
from managers.usage.ledger import Purpose
from managers.usage.meter import Account

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

_SOBER = 0.3
"""The highest temperature for structured answers: they condense what was said, and invent nothing."""
_TALK, _LONGER_TALK = 2048, 4096
"""Tokens: the most that a local model may write of a reply, and where it may think before it speaks."""
_SIGNATURES_KEPT = 64


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked of the model, in terms that survive doing without a feature."""

    system: str
    turns: Sequence[ChatTurn]
    language: Lang
    tools: Sequence[ToolSpec] = ()
    answer: type[BaseModel] | None = None
    purpose: Purpose | None = None
    """What it is counted for, where that is not what the account says."""
    given: Given = NOTHING
    """What of a persona's memories stands in it."""
    talk: Talk = field(default_factory=Talk)
    """What is known of its answer before it comes."""
    shows: bool = True
    """Its pictures are sent to a model that sees; some are too large for a server, or damaged."""


@dataclass
class Model:
    """A model, and what was learned of it from its own mouth; shared by all who speak through it."""

    endpoint: Endpoint
    provider: Provider
    context_tokens: int
    sees: bool
    lacks: frozenset[Feature] = frozenset()
    """Replaced, never changed: other threads may be reading it."""
    starts_thinking: bool = False
    thinks: bool = False
    """It has thought before it spoke."""
    calibration: Calibration = field(default_factory=Calibration)
    measures: Measures = field(default_factory=Measures)
    """Where it stands from one start to the next how much it reads, and how it counts."""
    signatures: OrderedDict[str, str] = field(default_factory=OrderedDict)
    trouble: MindError | None = None
    has_answered: bool = False
    was_described: bool = False
    """Its server has said what it is; one that never does may answer all the same."""
    told_of_tools: bool = False
    client: BaseChatModel | None = None
    building: threading.Lock = field(default_factory=threading.Lock)

    @property
    def can_see(self) -> bool:
        return self.sees and "images" not in self.lacks

    def recall(self, measures: Measures, *, is_set: bool) -> None:
        """Take up what was measured of it before; how much it reads only where no person has set it."""
        self.measures = measures
        known = measures.of(self.endpoint)
        self.calibration.recall(known.get("calibration"))
        self.context_tokens = (0 if is_set else known["context"]) or self.context_tokens

    def read_at_most(self, context_tokens: int) -> None:
        """Take in how much it reads, from its server's own mouth."""
        self.context_tokens = context_tokens
        self.measures.keep(self.endpoint, context=context_tokens)

    def describe(self, context_tokens: int | None, can_see: bool | None, takes_tools: bool | None) -> None:
        """Take in what the server said about the model."""
        if context_tokens:
            self.read_at_most(context_tokens)
        self.sees = self.sees if can_see is None else can_see
        if takes_tools is not None:
            self.lacks = self.lacks - {"tools"} if takes_tools else self.lacks | {"tools"}
        self.was_described = True
        if isinstance(self.trouble, UnreachableError):
            self.trouble = None  # whoever says what it has is there again

    def is_answering(self, *, server_answered: bool) -> bool:
        """Tell whether it can be reached as far as is known, after what the last look at its server found."""
        is_silent = not server_answered and (self.was_described or not self.has_answered)
        return not is_silent and not isinstance(self.trouble, AWAY)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, never too low; corrected by what the server counted."""
        return self.calibration.count(text)

    def built(self) -> BaseChatModel:
        """Return LangChain's client, made at the first use.

        Raises:
            MindError: no key, or no model.
        """
        with self.building:
            if self.client is None:
                self.client = self.provider.build()
                _report_to_nobody()
            return self.client

    def learn_from(self, hearing: Hearing, sent: Sent | None) -> None:
        """Take in what an answer told of the model, and how many tokens it really read."""
        self.starts_thinking |= hearing.unopened
        self.thinks |= hearing.thought
        self.signatures |= hearing.signatures
        while len(self.signatures) > _SIGNATURES_KEPT:
            self.signatures.popitem(last=False)
        self.count_as(sent, hearing.usage.input_tokens)

    def count_as(self, sent: Sent | None, read: int) -> bool:
        """Take in how many tokens a prompt had; return whether texts are counted otherwise now."""
        if not read or sent is None or not sent.is_text:
            return False
        is_new = self.calibration.learn(sent.parts, read - sent.around)
        if is_new:
            self.measures.keep(self.endpoint, calibration=self.calibration.numbers)
        return is_new

    def wanted(self, prompt: Prompt, *, is_counted: bool) -> set[Feature]:
        """Return the features that a request used, and could do without."""
        wanted: set[Feature] = {"system_role", *self.provider.without}
        if prompt.tools or any(turn.role == "tool" for turn in prompt.turns):
            wanted.add("tools")
        if prompt.answer is not None and self.provider.structured(prompt.answer):
            wanted.add("structured")
        if self.provider.always_limited or is_counted:
            wanted.add("answer_limit")
        if self.can_see and prompt.shows and any(turn.images for turn in prompt.turns):
            wanted.add("images")
        return wanted - self.lacks

    def start(
        self, prompt: Prompt, account: Account | None, seconds: float
    ) -> tuple[Counting, Sent, Callable[[], AsyncIterator[AIMessageChunk]]]:
        """Put a request together and let it begin to count; return what counts it, what is sent, and what sends it.

        Raises:
            ContextTooLongError: not even the last exchange fits.
            CapReachedError: it must not be made.
            MindError: no key, or no model.
        """
        client, turns = self._client_for(prompt), self._fitted(prompt)
        messages = to_messages(
            prompt.system,
            turns,
            prompt.language,
            see=self.can_see and prompt.shows,
            tools="tools" not in self.lacks,
            system_role="system_role" not in self.lacks,
            signatures=self.signatures,
        )
        asked = self.provider.structured(prompt.answer) if prompt.answer and "structured" not in self.lacks else {}
        form = self.count_tokens(json.dumps(asked, ensure_ascii=False, default=str)) if asked else 0
        sent = Sent(is_text=not asked and not any(turn.images for turn in turns))
        sent.around = _read_tokens(prompt, turns, sent, self._offered(prompt))
        read = self.calibration.total(sent.parts) + sent.around + form + 2 * MESSAGE_OVERHEAD
        room, can_limit = max(answer_room(self.context_tokens), self.context_tokens - read), self._can_limit
        call = None
        if account is not None:
            counted = replace(account, purpose=prompt.purpose or account.purpose, given=prompt.given)
            wish = Wish(read, room, LEAST_ANSWER if can_limit else room, can_limit=can_limit)
            call = counted.open(self.endpoint.priced, wish, 2 * seconds + 30)
        asked |= self._limit(room, call.output_tokens if call else None)
        purpose = prompt.purpose or (account.purpose if account else "other")
        if placed := self.provider.placed(purpose, is_form=prompt.answer is not None):
            asked["extra_body"] = asked.get("extra_body", {}) | placed
        if tools := self._offered(prompt):
            bound = client.bind_tools([deepcopy(as_function(tool)) for tool in tools])  # Gemini's changes them
            asked = getattr(bound, "kwargs", {}) | asked
        return Counting(call, read, self.count_tokens), sent, lambda: _stream(client, messages, asked)

    def _offered(self, prompt: Prompt) -> Sequence[ToolSpec]:
        return () if "tools" in self.lacks else prompt.tools

    @property
    def _can_limit(self) -> bool:
        return "answer_limit" not in self.lacks

    def _client_for(self, prompt: Prompt) -> BaseChatModel:
        """Return the client without what the model lacks, and sober where an answer of a form is asked for."""
        client = self.built()
        changes: dict[str, Any] = {}
        for feature in self.lacks:
            changes |= self.provider.without.get(feature, {})
        temperature = getattr(client, "temperature", None)
        if prompt.answer is not None and temperature is not None and "temperature" not in self.lacks:
            changes["temperature"] = min(temperature, _SOBER)
        return client.model_copy(update=changes) if changes else client

    def _fitted(self, prompt: Prompt) -> Sequence[ChatTurn]:
        for_tools = tools_tokens(self._offered(prompt), self.count_tokens)
        turns = fit(prompt.system, prompt.turns, for_tools, self.context_tokens, self.count_tokens)
        if turns is None or (prompt.answer is not None and len(turns) < len(prompt.turns)):
            # What a form is to be filled from is never left out: it would be filled with inventions.
            raise ContextTooLongError(model=self.endpoint.model or self.endpoint.service, tokens=self.context_tokens)
        return turns

    def fits(self, prompt: Prompt) -> bool:
        """Tell whether all of a prompt fits into what the model reads."""
        try:
            return len(self._fitted(prompt)) == len(prompt.turns)
        except ContextTooLongError:
            return False

    def _limit(self, room: int, granted: int | None) -> dict[str, Any]:
        """Return the arguments that limit the answer: to what a cap leaves, and to what a local server can hold."""
        most = granted
        if self.provider.always_limited:
            room = min(room, _TALK if self.has_answered and not self.thinks else _LONGER_TALK)
            most = room if granted is None else min(room, granted)
        return {} if most is None or not self._can_limit else self.provider.limited(most)


def _read_tokens(prompt: Prompt, turns: Sequence[ChatTurn], count: Count, tools: Sequence[ToolSpec]) -> int:
    """Return what a model reads of a prompt: the words, and the tools that it may call."""
    return count(prompt.system) + sum(turn_tokens(turn, count) for turn in turns) + tools_tokens(tools, count)


async def _stream(
    client: BaseChatModel, messages: list[BaseMessage], arguments: dict[str, Any]
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield what the model sends, and keep nothing.

    LangChain's `astream` does the same, and besides keeps every piece (some 2.5 KB each) to join them at the end for
    listeners; here are none, and an answer may have no end. So this calls what each provider implements.
    """
    async for generated in client._astream(messages, **arguments):  # noqa: SLF001  # see above
        message = generated.message
        message.response_metadata = (generated.generation_info or {}) | message.response_metadata
        yield message  # type: ignore[misc]  # chunks, as streams have


def _report_to_nobody() -> None:
    """Switch LangChain's tracing off, whatever the environment says: nothing leaves but the call itself."""
    import langsmith  # noqa: PLC0415  # comes with langchain_core, which is imported late

    langsmith.configure(enabled=False)
