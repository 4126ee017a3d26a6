"""Read what servers of the OpenAI protocol send, and hand on the one form of it that its library reads without a word.

Servers and proxies differ in small things: no `finish_reason`, arguments as an object, content in parts, a whole answer where
a stream was asked for, lines with nothing in them. The library trips over some, warns of others and loses the rest.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from agent.minds.language_model.hearing import BLOCKED, TOO_LONG
from managers.transport import NotAnAnswerError

_DONE = b"[DONE]"
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking")
_CALL_ARGUMENTS = ("arguments", "parameters", "input", "args")
_NO_FINISH = {"", "null", "none"}


class EventReader:
    """One body, as its bytes come: events, lines of JSON, or one JSON document."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._event = b""
        self._is_stream = False
        self._began = self._finished = self._done = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the events that are whole now."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            whole, self._line = bytes(self._line) + line, bytearray()
            yield from self._take(whole)
        self._line += rest

    def end(self) -> Iterator[bytes]:
        """Yield what is left at the end of the body, which is that of the answer, too.

        Raises:
            NotAnAnswerError: it was neither events nor JSON.
        """
        yield from self._take(bytes(self._line))
        yield from self._take(b"")
        if self._data:
            yield from self._parsed(b"\n".join(self._data))
            if self._data and not self._is_stream:
                raise NotAnAnswerError("text")
        yield from self._close()

    def _take(self, line: bytes) -> Iterator[bytes]:
        line = line.rstrip(b"\r").removeprefix(codecs.BOM_UTF8)
        field, _, value = line.partition(b":")
        if self._done:
            return
        if field in {b"data", b"event", b"id", b"retry", b""} and not (self._data and not self._is_stream):
            self._is_stream |= bool(line)
            value = value.strip()
            if field == b"event":
                self._event = value
            elif value == _DONE:
                yield from self._close()
                self._done = True
            elif field == b"data" and value:
                self._data.append(value)
                yield from self._parsed(b"\n".join(self._data))
            elif not line and self._is_stream and self._data:
                yield b"data: " + b"\n".join(self._data).replace(b"\n", b"\ndata: ") + b"\n\n"  # as it is: unreadable
                self._data.clear()
            self._event = self._event if line else b""
        elif not self._is_stream and line.strip():
            self._data.append(line)
            if len(self._data) == 1:
                yield from self._parsed(line)

    def _parsed(self, data: bytes) -> Iterator[bytes]:
        """Yield an event, if it is whole."""
        try:
            value = json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return
        self._data.clear()
        if isinstance(value, dict):
            yield from self._answered({"error": value} if self._event == b"error" and not value.get("error") else value)
        elif not self._is_stream:
            raise NotAnAnswerError("JSON")

    def _answered(self, value: Mapping[str, Any]) -> Iterator[bytes]:
        choice = next((one for one in _list(value.get("choices")) if isinstance(one, dict)), None)
        error = value.get("error") or (choice or {}).get("error") or (value if value.get("object") == "error" else None)
        finish = str((choice or {}).get("finish_reason") or "").lower()
        if error or finish == "error":
            yield _as_event({"error": error if isinstance(error, dict) else {"message": str(error or finish)}})
            return
        if choice is None and not value.get("usage") and not self._is_stream:
            raise NotAnAnswerError("JSON")
        delta = _delta(choice or {})
        self._began |= len(delta) > 1
        self._finished |= finish not in _NO_FINISH
        ends = None if finish in _NO_FINISH else _end_of(finish)
        yield _as_event(_chunk(delta if choice else None, ends, _counted(value.get("usage"))))

    def _close(self) -> Iterator[bytes]:
        if self._began and not self._finished:
            yield _as_event(_chunk({}, "stop", {}))
        self._finished = True


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a body's events in the form of the protocol; what is cut off before its end raises as it does elsewhere."""
    reader = EventReader()
    async for chunk in chunks:
        for event in reader.feed(chunk):
            yield event
    for event in reader.end():
        yield event


def _end_of(finish: str) -> str:
    """Return what the protocol calls an end; whatever else a server says of one is one."""
    if finish in BLOCKED | TOO_LONG:
        return "length" if finish in TOO_LONG else "content_filter"
    return "tool_calls" if finish in {"tool_calls", "function_call"} else "stop"


def _delta(choice: Mapping[str, Any]) -> dict[str, Any]:
    given = next(
        (choice[key] for key in ("delta", "message") if choice.get(key) is not None), {"content": choice.get("text")}
    )
    given = given if isinstance(given, dict) else {"content": given}
    thought, said = _parted(given.get("content"))
    thought = next((found for name in _THOUGHT_FIELDS if (found := "".join(_parted(given.get(name))))), "") + thought
    calls = given.get("tool_calls") or ([{"function": given["function_call"]}] if given.get("function_call") else [])
    calls = [calls] if isinstance(calls, dict) else _list(calls)
    delta: dict[str, Any] = {"role": "assistant"}
    delta |= {"content": said} if said else {}
    delta |= {"reasoning_content": thought} if thought else {}
    return delta | (
        {"tool_calls": [_call(at, one) for at, one in enumerate(calls) if isinstance(one, dict)]} if calls else {}
    )


def _parted(content: Any) -> tuple[str, str]:  # noqa: ANN401  # JSON
    """Return what of a content is thought, and what is said: a text, a part, or a list of them."""
    if isinstance(content, str):
        return "", content
    if isinstance(content, list):
        parts = [_parted(one) for one in content]
        return "".join(thought for thought, _ in parts), "".join(said for _, said in parts)
    if not isinstance(content, dict):
        return "", ""
    kind = str(content.get("type"))
    told = "".join(
        _parted(next((content[key] for key in ("thinking", "text", "content", "summary") if content.get(key)), ""))
    )
    return (told, "") if "think" in kind or "reason" in kind else ("", told)


def _call(at: int, given: Mapping[str, Any]) -> dict[str, Any]:
    told = given.get("function")
    told = told if isinstance(told, dict) else {key: given[key] for key in given if key != "type"}
    arguments = next((told[key] for key in _CALL_ARGUMENTS if told.get(key)), "")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    index, name = given.get("index"), told.get("name")
    call: dict[str, Any] = {"index": int(str(index)) if str(index).isdecimal() else at, "type": "function"}
    call["function"] = {"arguments": written} | ({"name": str(name)} if name else {})
    return call | ({"id": str(given["id"])} if given.get("id") is not None else {})


def _counted(usage: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
    """Return what of a count is a number, and the numbers below it."""
    if not isinstance(usage, dict):
        return {}
    numbers = {key: int(value) for key, value in usage.items() if isinstance(value, int | float)}
    return numbers | {key: below for key, value in usage.items() if (below := _counted(value))}


def _chunk(delta: Mapping[str, Any] | None, finish: str | None, usage: Mapping[str, Any]) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "chat", "object": "chat.completion.chunk", "created": 0, "model": "", "choices": choices} | (
        {"usage": usage} if usage else {}
    )


def _as_event(value: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _list(value: Any) -> list[Any]:  # noqa: ANN401  # JSON
    return value if isinstance(value, list) else []
