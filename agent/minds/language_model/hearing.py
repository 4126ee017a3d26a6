"""Hear out one answer: turn the chunks of a LangChain stream into pieces, and judge its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent.minds.errors import (
    EmptyAnswerError,
    EndlessAnswerError,
    OtherLanguageError,
    SafetyBlockError,
    StreamBrokenError,
)
from agent.minds.language_model.answer_text import AnswerText
from agent.minds.language_model.call_failures import AnswerFailedError
from agent.minds.language_model.calls import Calls
from agent.minds.language_model.calls_in_text import read_calls
from agent.minds.language_model.model_marks import Talk
from agent.minds.language_model.other_language import LanguageGate
from agent.minds.language_model.provider import SIGNATURES
from managers.mind import ReasoningPiece, ReplyPiece, TakenBack, TextPiece, ToolCall, ToolSpec, Usage
from managers.storage.json_text import without_lone

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk

MOST_CHARACTERS = 200_000
"""Of what is said in one answer; as much again of what is thought, and of what is written into tools."""
MOST_CALLS = 32
"""Tools that one answer may use."""
_CIRCLE, _LONGEST_ROUND, _LEAST_ROUNDS, _LOOK_EVERY, _LAUGHTER = 600, 120, 8, 40, 2
"""So many characters of nothing but the same words, each time at most so many, and at least so often, are a circle; in
letters, how often it is looked for; and of so many letters at most is what somebody laughs or sings."""
MOST_HOLLOW = 10_000
"""Pieces with nothing in them, one after the other: some servers send such to keep the line open."""

BLOCKED = {
    "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "refusal",
}  # fmt: skip
TOO_LONG = {"length", "max_tokens", "model_context_window_exceeded", "max_output_tokens", "model_length", "max_length"}
"""What ends an answer that was held back, or cut short, as servers call it."""
_BROKEN_CALL = {"malformed_function_call", "unexpected_tool_call"}


class Halves:
    """Mends emoji that a server has cut in half: it counts in UTF-16, and sends one half with each piece.

    What stays alone becomes U+FFFD, as in the log: no file and no page can hold it.
    """

    def __init__(self) -> None:
        self._held = ""

    def join(self, text: str) -> str:
        """Return what is certain; a first half at the end waits for its other half."""
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return without_lone(text)

    def rest(self) -> str:
        """Return what never got its other half."""
        left, self._held = self._held, ""
        return without_lone(left)


class Hearing:
    """One answer as it comes.

    Attributes:
        spoke: something was passed on; `said`: some of it is words, or calls.
        thought: a thought was.
        is_circling: it says the same without end; nothing more of it is worth hearing.
        usage: the tokens that were reported.
        began: a piece of the answer came, whatever it was.
        written: all that the model wrote, thoughts and tool calls too, for an estimate of its tokens.
        signatures: what a model wants back with its tool calls, by their ids.
        broken_call: the name of a tool whose call cannot be read, or an empty string.
    """

    def __init__(self, talk: Talk, tools: Sequence[ToolSpec], *, starts_thinking: bool, usage_adds_up: bool) -> None:
        self.spoke = False
        self.thought = self.is_circling = False
        self._lately, self._unlooked = "", 0
        self.usage = Usage()
        self.began = False
        self.written: list[str] = []
        self.signatures: dict[str, str] = {}
        self.broken_call = ""
        self.said = False
        self._finish = ""
        self._blocked = False
        self._calls = Calls()
        self._spoken, self._thought = Halves(), Halves()
        self._text, self._gate = AnswerText(talk, starts_thinking=starts_thinking), LanguageGate(talk.language)
        self._tools = tools
        self._usage_adds_up = usage_adds_up
        self._room = dict.fromkeys((TextPiece, ReasoningPiece, ToolCall), MOST_CHARACTERS)
        self._hollow = 0

    @property
    def unopened(self) -> bool:
        """Whether the text closed a thought that it never opened."""
        return self._text.unopened

    @property
    def cut_short(self) -> bool:
        """Whether the answer ended because it had become too long."""
        return self._finish in TOO_LONG

    def take(self, chunk: AIMessageChunk) -> Iterator[ReplyPiece]:
        """Yield what a chunk adds.

        Raises:
            AnswerFailedError: it went on beyond all measure; what came before was passed on.
        """
        self.began = True
        self._note(chunk)
        contents = list(_contents(chunk))
        self._hollow = 0 if chunk.tool_call_chunks or any(text.strip() for _, text in contents) else self._hollow + 1
        if self._hollow > MOST_HOLLOW:
            raise AnswerFailedError(EndlessAnswerError)
        self._take_calls(chunk)
        for thought, text in contents:
            whole = (self._thought if thought else self._spoken).join(text[: 2 * MOST_CHARACTERS])
            self.written.append(whole)
            if thought:
                self._text.thought_elsewhere()
                yield from self._passed_on([ReasoningPiece(whole)] if whole else [])
            else:
                yield from self._passed_on(self._text.feed(whole))
                if self._text.hidden > MOST_CHARACTERS:
                    raise AnswerFailedError(EndlessAnswerError)

    def _take_calls(self, chunk: AIMessageChunk) -> None:
        pieces = chunk.tool_call_chunks
        signatures = chunk.additional_kwargs.get(SIGNATURES) or {}
        self.written += [call["args"] or "" for call in pieces]
        self._room[ToolCall] -= sum(len(str(call.get(key) or "")) for call in pieces for key in ("id", "name", "args"))
        self._room[ToolCall] -= sum(len(str(signature)) for signature in signatures.values())
        self._calls.take(pieces)
        self.signatures |= signatures
        if self._room[ToolCall] < 0 or len(self._calls) > MOST_CALLS:
            raise AnswerFailedError(EndlessAnswerError)

    def finish(self) -> Iterator[ReplyPiece]:
        """Yield what was held back, and the tool calls."""
        yield from self.rest(is_whole=True)
        if not self._finish:
            return
        calls: list[tuple[str, str, dict[str, Any] | None]] = [
            (call.id, call.name, call.arguments) for call in self._calls
        ]
        if not calls:
            for text in self._text.calls:
                calls += [("", *one) for one in read_calls(text, self._tools)] or [("", "", None)]
        for number, (ident, name, arguments) in enumerate(calls):
            if not name or arguments is None or not self._tools:
                self.broken_call = name or "?"
                return
            yield from self._passed_on([ToolCall(ident or f"call_{number}", name, arguments)])

    def rest(self, *, is_whole: bool = False) -> Iterator[ReplyPiece]:
        """Yield what was held back, also of an answer that broke off."""
        yield from self._passed_on(self._text.feed(self._spoken.rest()))
        yield from self._passed_on(self._text.finish(is_whole=is_whole))
        if held := self._gate.feed("", is_last=True):
            yield from self._counted(TextPiece(held))
        elif self._gate.is_other:
            raise AnswerFailedError(OtherLanguageError)

    def check(self) -> None:
        """Judge the end of the stream.

        Raises:
            AnswerFailedError: it was held back, broke off, or is empty.
        """
        if self._blocked or self._finish in BLOCKED:
            raise AnswerFailedError(SafetyBlockError)
        if self._finish in _BROKEN_CALL:
            self.broken_call = self.broken_call or "?"
        if self.broken_call:
            return
        if not self._finish and self.spoke:
            raise AnswerFailedError(StreamBrokenError)
        if not self.said:
            raise AnswerFailedError(EmptyAnswerError)

    def _passed_on(self, pieces: Iterator[Any] | list[Any]) -> Iterator[ReplyPiece]:
        for piece in pieces:
            if not isinstance(piece, TextPiece):
                yield from self._counted(piece)
            elif said := self._gate.feed(piece.text):
                yield from self._counted(TextPiece(said))
            elif self._gate.is_other:
                raise AnswerFailedError(OtherLanguageError)

    def _counted(self, piece: Any) -> Iterator[ReplyPiece]:  # noqa: ANN401  # any piece
        """Yield a piece as far as there is room for it."""
        self.spoke = True
        self.thought |= isinstance(piece, ReasoningPiece)
        if isinstance(piece, TextPiece | ReasoningPiece):
            room = self._room[type(piece)]
            self._room[type(piece)] = room - len(piece.text)
            if len(piece.text) > room:
                yield type(piece)(piece.text[:room])
                raise AnswerFailedError(EndlessAnswerError)
            self._look_for_circle(piece.text)
        self.said |= isinstance(piece, ToolCall) or (isinstance(piece, TextPiece) and bool(piece.text.strip()))
        self.said &= not isinstance(piece, TakenBack)
        yield piece

    def _look_for_circle(self, text: str) -> None:
        self._lately = (self._lately + text)[-_LONGEST_ROUND * _LEAST_ROUNDS :]
        self._unlooked += len(text)
        if self._unlooked < _LOOK_EVERY:
            return
        self._unlooked = 0
        for length in range(3, _LONGEST_ROUND + 1):
            round_, times = self._lately[-length:], max(_LEAST_ROUNDS, -(-_CIRCLE // length))
            if len({*round_}) > _LAUGHTER and self._lately.endswith(round_ * times):
                self.is_circling, self._finish = True, self._finish or "length"
                return

    def _note(self, chunk: AIMessageChunk) -> None:
        meta = chunk.response_metadata
        finish = meta.get("finish_reason") or meta.get("stop_reason")
        finish = finish or ("stop" if meta.get("status") == "completed" else "")
        self._finish = str(finish).lower() or self._finish
        feedback = meta.get("prompt_feedback") or {}
        self._blocked |= bool(feedback.get("block_reason"))
        if used := chunk.usage_metadata:
            self._count(used["input_tokens"], used["output_tokens"])

    def _count(self, read: int, written: int) -> None:
        before = self.usage
        if self._usage_adds_up:
            self.usage = Usage(before.input_tokens + read, before.output_tokens + written)
        else:
            self.usage = Usage(max(before.input_tokens, read), max(before.output_tokens, written))


def _contents(chunk: AIMessageChunk) -> Iterator[tuple[bool, str]]:
    """Yield the chunk's texts, each with whether it is thought."""
    if thought := chunk.additional_kwargs.get("reasoning_content"):
        yield True, str(thought)
    if isinstance(chunk.content, str):
        if chunk.content:
            yield False, chunk.content
        return
    for block in chunk.content:
        yield from _block(block)


def _block(block: str | Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    if isinstance(block, str):
        yield False, block
        return
    match block.get("type"):
        case "text" | "output_text":
            yield False, str(block.get("text") or "")
        case "thinking":
            yield True, str(block.get("thinking") or "")
        case "reasoning":
            for part in block.get("summary") or []:
                yield True, str(part.get("text") or "")
        case _:  # pictures, code results and the like: nothing that a persona says
            return
