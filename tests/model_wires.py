"""How the protocols of models write an answer: OpenAI's two, Gemini's and Anthropic's."""

import base64
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from tests.model_answers import (
    Answer,
    BlockPrompt,
    Garbage,
    HalfStream,
    Hang,
    Json,
    Line,
    MidStreamError,
    Nothing,
    Refuse,
    Say,
    Tool,
)


class Wire(ABC):
    """How one protocol writes an answer."""

    wrong_key_status = 401
    wrong_key_code = "invalid_api_key"

    def __init__(self, line: Line, model: str) -> None:
        self.line = line
        self.model = model

    @abstractmethod
    def refuse(self, answer: Refuse) -> None: ...

    @abstractmethod
    def events(self, answer: Say) -> Iterator[str]: ...

    @abstractmethod
    def text_event(self, text: str) -> str: ...

    @abstractmethod
    def thought_event(self, text: str) -> str: ...

    @abstractmethod
    def endless_calls(self, text: str, *, many: bool) -> Iterator[str]: ...

    @abstractmethod
    def error_event(self, message: str) -> str: ...

    @abstractmethod
    def blocked(self) -> None: ...

    def framed(self, event: str) -> str:
        """Return an event as it goes over the line."""
        return f"data: {event}\n\n"

    def retry_headers(self, answer: Refuse) -> dict[str, str]:
        return {} if answer.retry_after is None else {"retry-after": f"{answer.retry_after:g}"}

    def stream(self, *events: str, chunked: bool = True) -> None:
        """Send these, and leave the line open."""
        self.line.begin_stream(chunked=chunked)
        for event in events:
            self.line.send_event(self.framed(event))


class OpenAIWire(Wire):
    def refuse(self, answer: Refuse) -> None:
        body = {"error": {"message": answer.message, "type": "error", "code": answer.code or None, "param": None}}
        self.line.send_json(answer.status, body, self.retry_headers(answer))

    def _envelope(self, kind: str, *choices: Json) -> Json:
        return {"id": "chat-1", "object": kind, "created": 1, "model": self.model, "choices": list(choices)}

    def _chunk(self, delta: Json, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps(self._envelope("chat.completion.chunk", choice), ensure_ascii=False)

    def text_event(self, text: str) -> str:
        return self._chunk({"role": "assistant", "content": text})

    def thought_event(self, text: str) -> str:
        return self._chunk({"reasoning_content": text})

    def events(self, answer: Say) -> Iterator[str]:
        yield self._chunk({"role": "assistant", "content": ""})
        for thought in _in_pieces(answer.reasoning, 5):
            yield self._chunk({answer.reasoning_field: thought})
        for piece in answer.cut():
            yield self._chunk({"content": piece})
        for index, call in enumerate(answer.tools):
            yield from self._call_chunks(index, call)
        yield self._chunk({}, "tool_calls" if answer.tools and answer.finish == "stop" else answer.finish)
        if any(answer.usage):
            yield json.dumps(self._envelope("chat.completion.chunk") | {"usage": self._usage(answer)})
        yield "[DONE]"

    def _call_chunks(self, index: int, call: Tool) -> Iterator[str]:
        arguments = _as_text(call.arguments)
        first = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield self._chunk({"tool_calls": [first]})
        for piece in _in_pieces(arguments, 6):
            yield self._chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})

    def endless_calls(self, text: str, *, many: bool) -> Iterator[str]:
        for number in itertools.count():
            call = {"index": number if many else 0, "function": {"arguments": text}}
            if many or not number:
                call |= {"id": f"call_{number}", "type": "function", "function": {"name": "search", "arguments": "{"}}
            yield self._chunk({"tool_calls": [call]})

    def _usage(self, answer: Say) -> Json:
        read, written = answer.usage
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}

    def blocked(self) -> None:
        self.refuse(Refuse(400, "The prompt was filtered by the content management policy.", "content_filter"))

    def error_event(self, message: str) -> str:
        return json.dumps({"error": {"message": message, "type": "server_error", "code": 500}})


class ResponsesWire(OpenAIWire):
    """OpenAI's newer protocol, which some of its models insist on."""

    def _event(self, kind: str, **fields: object) -> str:
        return json.dumps({"type": kind, "sequence_number": 0, **fields}, ensure_ascii=False)

    def _response(self, status: str, usage: tuple[int, int] = (0, 0)) -> Json:
        read, written = usage
        counted: Json = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        counted |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": "resp_1", "object": "response", "created_at": 1, "model": self.model, "status": status}
        response |= {"output": [], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        return response | {"usage": counted if any(usage) else None}

    def text_event(self, text: str) -> str:
        where = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
        return self._event("response.output_text.delta", delta=text, logprobs=[], **where)

    def events(self, answer: Say) -> Iterator[str]:
        yield self._event("response.created", response=self._response("in_progress"))
        if answer.reasoning:
            thought = {"id": "rs_1", "type": "reasoning", "summary": []}
            yield self._event("response.output_item.added", output_index=0, item=thought)
            where = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
            part = {"type": "summary_text", "text": ""}
            yield self._event("response.reasoning_summary_part.added", part=part, **where)
            yield self._event("response.reasoning_summary_text.delta", delta=answer.reasoning, **where)
        message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=1, item=message)
        yield from (self.text_event(piece) for piece in answer.cut())
        for number, call in enumerate(answer.tools, start=2):
            yield from self._function_call(number, call)
        yield self._event("response.completed", response=self._response("completed", usage=answer.usage))

    def _function_call(self, number: int, call: Tool) -> Iterator[str]:
        item = {"id": f"fc_{number}", "type": "function_call", "call_id": call.id, "name": call.name, "arguments": ""}
        yield self._event("response.output_item.added", output_index=number, item=item)
        where = {"item_id": item["id"], "output_index": number}
        for piece in _in_pieces(_as_text(call.arguments), 6):
            yield self._event("response.function_call_arguments.delta", delta=piece, **where)


class GeminiWire(Wire):
    wrong_key_status = 400
    wrong_key_code = "API_KEY_INVALID"

    _STATUS: ClassVar[dict[int, str]] = {
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
    }  # fmt: skip
    _FINISH: ClassVar[dict[str, str]] = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}

    def refuse(self, answer: Refuse) -> None:
        details: list[Json] = []
        if answer.code:
            details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": answer.code})
        if answer.retry_after is not None:
            delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{answer.retry_after:g}s"}
            details.append(delay)
        status = self._STATUS.get(answer.status, "UNKNOWN")
        body = {"error": {"code": answer.status, "message": answer.message, "status": status, "details": details}}
        self.line.send_json(answer.status, body)

    def _event(self, parts: Sequence[Json], finish: str = "", usage: tuple[int, int] = (0, 0)) -> Json:
        candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
        if finish:
            candidate["finishReason"] = self._FINISH.get(finish, finish)
        event: Json = {"candidates": [candidate], "modelVersion": self.model.partition(":")[0], "responseId": "r1"}
        if any(usage):
            read, written = usage
            counted = {"promptTokenCount": read, "candidatesTokenCount": written}
            event["usageMetadata"] = counted | {"totalTokenCount": read + written}
        return event

    def _parts(self, answer: Say) -> Iterator[Json]:
        for thought in _in_pieces(answer.reasoning, 5):
            yield {"text": thought, "thought": True}
        for piece in answer.cut():
            yield {"text": piece}
        for call in answer.tools:
            arguments = call.arguments if isinstance(call.arguments, Mapping) else {"raw": call.arguments}
            signature = base64.b64encode(b"signature of " + call.name.encode()).decode()
            yield {"functionCall": {"name": call.name, "args": dict(arguments)}, "thoughtSignature": signature}

    def events(self, answer: Say) -> Iterator[str]:
        read, written = answer.usage
        for number, part in enumerate(self._parts(answer)):  # each event reports all tokens so far, as Gemini's do
            yield json.dumps(self._event([part], usage=(read, min(number, written))), ensure_ascii=False)
        yield json.dumps(self._event([{"text": ""}], answer.finish, answer.usage))

    def endless_calls(self, text: str, *, many: bool) -> Iterator[str]:
        arguments = {} if many else {"query": text}
        call = {"functionCall": {"name": "search", "args": arguments}}
        yield from itertools.repeat(json.dumps(self._event([call])))

    def text_event(self, text: str) -> str:
        return json.dumps(self._event([{"text": text}]), ensure_ascii=False)

    def thought_event(self, text: str) -> str:
        return json.dumps(self._event([{"text": text, "thought": True}]), ensure_ascii=False)

    def blocked(self) -> None:
        self.stream(json.dumps({"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "test"}))
        self.line.end_stream()

    def error_event(self, message: str) -> str:
        return json.dumps({"error": {"code": 500, "message": message, "status": "INTERNAL"}})


class AnthropicWire(Wire):
    wrong_key_code = "authentication_error"

    _STOP: ClassVar[dict[str, str]] = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}

    def framed(self, event: str) -> str:
        return "".join(f"event: {json.loads(one)['type']}\ndata: {one}\n\n" for one in event.split("\n"))

    def refuse(self, answer: Refuse) -> None:
        error = {"type": answer.code or "invalid_request_error", "message": answer.message}
        self.line.send_json(answer.status, {"type": "error", "error": error}, self.retry_headers(answer))

    def _event(self, kind: str, **fields: object) -> str:
        return json.dumps({"type": kind, **fields}, ensure_ascii=False)

    def _begin(self) -> str:
        usage = {"input_tokens": 0, "output_tokens": 1}
        return self._event("message_start", message=self._message([], None, usage))

    def _end(self, reason: str, usage: tuple[int, int] = (0, 0)) -> str:
        used = {"input_tokens": usage[0], "output_tokens": usage[1]}
        return self._event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=used)

    def _message(self, content: Sequence[Json], reason: str | None, usage: Json) -> Json:
        kept = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "stop_sequence": None}
        return {**kept, "content": list(content), "stop_reason": reason, "usage": usage}

    def _reason(self, answer: Say) -> str:
        return "tool_use" if answer.tools and answer.finish == "stop" else self._STOP[answer.finish]

    def _start(self, index: int, block: Json) -> str:
        return self._event("content_block_start", index=index, content_block=block)

    def _delta(self, index: int, kind: str, **fields: object) -> str:
        return self._event("content_block_delta", index=index, delta={"type": kind, **fields})

    def events(self, answer: Say) -> Iterator[str]:
        """Yield the pieces, each after what goes before it without being one."""
        before: list[str] = []
        for event in self._events(answer):
            before.append(event)
            if '_delta", ' in event:
                yield "\n".join(before)
                before = []
        yield "\n".join(before)

    def _events(self, answer: Say) -> Iterator[str]:
        yield self._begin()
        yield self._event("ping")
        if answer.reasoning:
            yield self._start(0, {"type": "thinking", "thinking": "", "signature": ""})
            for thought in _in_pieces(answer.reasoning, 5):
                yield self._delta(0, "thinking_delta", thinking=thought)
            yield self._delta(0, "signature_delta", signature="signed")
            yield self._event("content_block_stop", index=0)
        if answer.cut():
            yield self._start(1, {"type": "text", "text": ""})
            yield from (self._delta(1, "text_delta", text=piece) for piece in answer.cut())
            yield self._event("content_block_stop", index=1)
        for index, call in enumerate(answer.tools, start=2):
            yield self._start(index, {"type": "tool_use", "id": call.id, "name": call.name, "input": {}})
            for piece in _in_pieces(_as_text(call.arguments), 6):
                yield self._delta(index, "input_json_delta", partial_json=piece)
            yield self._event("content_block_stop", index=index)
        yield self._end(self._reason(answer), answer.usage)
        yield self._event("message_stop")

    def text_event(self, text: str) -> str:
        return self._delta(0, "text_delta", text=text)

    def thought_event(self, text: str) -> str:
        return self._delta(0, "thinking_delta", thinking=text)

    def endless_calls(self, text: str, *, many: bool) -> Iterator[str]:
        for number in itertools.count():
            if many or not number:
                yield self._start(number, {"type": "tool_use", "id": f"c{number}", "name": "search", "input": {}})
            yield self._delta(number if many else 0, "input_json_delta", partial_json=text)

    def blocked(self) -> None:
        self.stream(self._begin(), self._end("refusal"), self._event("message_stop"))
        self.line.end_stream()

    def error_event(self, message: str) -> str:
        return self._event("error", error={"type": "overloaded_error", "message": message})


def _as_text(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _in_pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def play(line: Line, wire: Wire, answer: Answer) -> None:
    match answer:
        case Refuse():
            wire.refuse(answer)
        case BlockPrompt():
            wire.blocked()
        case Garbage():
            line.send_bytes(answer.body, answer.content_type)
        case Nothing(hang_up=True):
            line.drop()
        case Nothing():
            _say(line, wire, Say(""))
        case Hang():
            if answer.headers or answer.text:
                wire.stream(*[wire.text_event(answer.text)] * bool(answer.text))
            line.hang()
            line.drop()
        case HalfStream():
            wire.stream(wire.text_event(answer.text), chunked=not answer.clean)
            line.drop()
        case MidStreamError():
            wire.stream(*[wire.text_event(answer.text)] * bool(answer.text), wire.error_event(answer.message))
            line.end_stream()
        case Say():
            _say(line, wire, answer)


def _say(line: Line, wire: Wire, answer: Say) -> None:
    line.pause(answer.delay)
    line.begin_stream()
    for event in wire.events(answer):  # a piece is taken right before it is sent: the benchmarks note when
        line.send_event(wire.framed(event))
        line.pause(answer.gap)
    line.end_stream()
