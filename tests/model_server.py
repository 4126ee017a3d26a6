"""A model's server on loopback, for tests and benchmarks: well-behaved or not, as scripted.

    with ModelServer() as server:
        server.enqueue(Say("こんにちは"), Refuse(429, retry_after=0), Say("Hello"))
        ...                       # point a mind at server.base_url (OpenAI) or server.gemini_url
        server.chats[-1].messages

It speaks the OpenAI protocol (`/v1/chat/completions`, streamed or not, `/v1/models`), Gemini's
(`/v1beta/models/<model>:streamGenerateContent`), and the information pages of Ollama, LM Studio,
llama.cpp, vLLM and OpenRouter, as far as `plays` says. Each call takes the next answer from the
queue; when the queue is empty, `otherwise` decides (an answer, or a function of the request).
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

Json = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool call as the model writes it; `arguments` may be broken JSON."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = "call_1"


@dataclass(frozen=True)
class Say:
    """Answer with text, reasoning and tool calls.

    Attributes:
        text: what is said; `pieces` says how it is cut (default: every four characters).
        reasoning: sent first, in the field `reasoning_field` (OpenAI) or as thought parts (Gemini).
        finish: the finish reason as OpenAI names it; `content_filter` and `length` work for both.
        delay: seconds before the first byte; `gap`: seconds between pieces.
        usage: tokens read and written.
    """

    text: str = ""
    pieces: Sequence[str] | None = None
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    tools: Sequence[Tool] = ()
    finish: str = "stop"
    delay: float = 0.0
    gap: float = 0.0
    usage: tuple[int, int] = (11, 7)

    def cut(self) -> Sequence[str]:
        if self.pieces is not None:
            return self.pieces
        return [self.text[start : start + 4] for start in range(0, len(self.text), 4)]


@dataclass(frozen=True)
class Refuse:
    """Answer with an HTTP error, its body in the protocol of the call."""

    status: int
    message: str = "scripted failure"
    code: str = ""
    retry_after: float | None = None


@dataclass(frozen=True)
class Garbage:
    """Answer 200 with something that is no answer."""

    body: bytes = b"<html><body>It works!</body></html>"
    content_type: str = "text/html"


@dataclass(frozen=True)
class HalfStream:
    """Say something, then hang up without an end; `clean` closes as if it were the end."""

    text: str = ""
    clean: bool = False


@dataclass(frozen=True)
class Nothing:
    """Answer 200 with an answer that holds nothing; `hang_up` closes without any byte instead."""

    hang_up: bool = False


@dataclass(frozen=True)
class Hang:
    """Say something perhaps, and then never again; `headers` sends the status line first."""

    text: str = ""
    headers: bool = False


@dataclass(frozen=True)
class BlockPrompt:
    """Refuse the prompt for safety, as the protocol does it."""


@dataclass(frozen=True)
class MidStreamError:
    """Say something, then send an error object in the stream."""

    text: str = ""
    message: str = "upstream fell over"


Answer = Say | Refuse | Garbage | HalfStream | Nothing | Hang | BlockPrompt | MidStreamError


@dataclass(frozen=True)
class Recorded:
    """A request that the server got."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def messages(self) -> list[Json]:
        """The conversation of an OpenAI chat request."""
        return list(self.body.get("messages", []))

    @property
    def prompt(self) -> str:
        """All text of a chat request in one string, whichever the protocol."""
        return json.dumps(
            self.body.get("messages") or [self.body.get("systemInstruction"), self.body.get("contents")],
            ensure_ascii=False,
        )


@dataclass(frozen=True)
class Served:
    """A model that the server claims to have."""

    id: str = "test-model"
    kind: str = "llm"
    """As LM Studio names it: `llm`, `vlm` or `embeddings`."""
    loaded: bool = True
    context: int = 8192
    """What it reads as loaded."""
    max_context: int = 131072
    """What it could read at most."""
    parameters: str = ""
    """Ollama's model file parameters, such as `num_ctx 16384`."""
    extra: Mapping[str, Any] = field(default_factory=dict)


class ModelServer:
    """The server; a context manager."""

    def __init__(self, *, plays: Sequence[str] = ("openai", "gemini"), models: Sequence[Served] = (Served(),)) -> None:
        self.plays = set(plays)
        self.models = list(models)
        self.otherwise: Answer | Callable[[Recorded], Answer] = Say("test answer")
        self.key = ""
        """If set, calls with another key are refused."""
        self.requests: list[Recorded] = []
        self.hung_up = 0
        """How many hanging calls the client ended."""
        self._queue: deque[Answer] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler, bind_and_activate=True)
        self._http.model_server = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="model-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        """For the OpenAI protocol."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def gemini_url(self) -> str:
        """For Gemini's."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def chats(self) -> list[Recorded]:
        """The requests that asked for an answer, in order."""
        with self._lock:
            return [
                request for request in self.requests if "chat/completions" in request.path or "Content" in request.path
            ]

    def enqueue(self, *answers: Answer | str) -> None:
        """Script the next answers; a string is said."""
        with self._lock:
            self._queue.extend(Say(answer) if isinstance(answer, str) else answer for answer in answers)

    @property
    def waiting(self) -> int:
        """How many scripted answers were not taken yet."""
        return len(self._queue)

    def record(self, request: Recorded) -> None:
        with self._lock:
            self.requests.append(request)

    def next_answer(self, request: Recorded) -> Answer:
        with self._lock:
            if self._queue:
                return self._queue.popleft()
        return self.otherwise(request) if callable(self.otherwise) else self.otherwise

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        self._closing.wait(seconds)

    def hang(self, connection: socket.socket) -> None:
        """Do nothing until the client hangs up or the test ends."""
        connection.settimeout(0.02)
        while not self._closing.is_set():
            try:
                if not connection.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            return
        with self._lock:
            self.hung_up += 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model_server: ModelServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Say nothing on the terminal."""

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def script(self) -> ModelServer:
        return self.server.model_server

    def do_GET(self) -> None:
        self._take({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        self._take(json.loads(raw or b"{}"))

    def _take(self, body: Json) -> None:
        path = urlsplit(self.path).path
        request = Recorded(
            self.command, self.path, {key.lower(): value for key, value in self.headers.items()}, dict(body)
        )
        self.script.record(request)
        wire: _Wire
        if path.endswith("/chat/completions") and "openai" in self.script.plays:
            wire = _OpenAIWire(self, streamed=bool(body.get("stream")), model=str(body.get("model")))
        elif ":" in path and path.startswith("/v1beta/models/") and "gemini" in self.script.plays:
            wire = _GeminiWire(self, streamed="streamGenerateContent" in path, model=path.rsplit("/", 1)[1])
        else:
            page = _information(self.script, path, body)
            self.send_json(404 if page is None else 200, {"error": "not found"} if page is None else page)
            return
        if self.script.key and self.script.key not in (self.headers.get("authorization") or "") + (
            self.headers.get("x-goog-api-key") or ""
        ):
            wire.refuse(
                Refuse(wire.wrong_key_status, f"Incorrect API key provided: {self._given_key()}", wire.wrong_key_code)
            )
            return
        _play(self, wire, self.script.next_answer(request))

    def _given_key(self) -> str:
        return self.headers.get("x-goog-api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self, *, chunked: bool = True) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        if chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self._chunked = chunked

    def send_event(self, data: str) -> None:
        payload = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(payload), payload) if self._chunked else payload)
        self.wfile.flush()

    def end_stream(self) -> None:
        if self._chunked:
            self.wfile.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Hang up without an end."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class _Wire:
    """How one protocol writes an answer."""

    wrong_key_status = 401
    wrong_key_code = "invalid_api_key"

    def __init__(self, handler: _Handler, *, streamed: bool, model: str) -> None:
        self.handler = handler
        self.streamed = streamed
        self.model = model

    def refuse(self, answer: Refuse) -> None:
        raise NotImplementedError

    def events(self, answer: Say) -> Iterator[str]:
        raise NotImplementedError

    def whole(self, answer: Say) -> Json:
        raise NotImplementedError

    def text_event(self, text: str) -> str:
        raise NotImplementedError

    def blocked(self) -> None:
        raise NotImplementedError

    def error_event(self, message: str) -> str:
        raise NotImplementedError

    def retry_headers(self, answer: Refuse) -> dict[str, str]:
        return {} if answer.retry_after is None else {"retry-after": f"{answer.retry_after:g}"}


class _OpenAIWire(_Wire):
    def refuse(self, answer: Refuse) -> None:
        body = {"error": {"message": answer.message, "type": "error", "code": answer.code or None, "param": None}}
        self.handler.send_json(answer.status, body, self.retry_headers(answer))

    def _chunk(self, delta: Json, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps(
            {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": self.model, "choices": [choice]},
            ensure_ascii=False,
        )

    def text_event(self, text: str) -> str:
        return self._chunk({"role": "assistant", "content": text})

    def events(self, answer: Say) -> Iterator[str]:
        yield self._chunk({"role": "assistant", "content": ""})
        for start in range(0, len(answer.reasoning), 5):
            yield self._chunk({answer.reasoning_field: answer.reasoning[start : start + 5]})
        for piece in answer.cut():
            yield self._chunk({"content": piece})
        for index, call in enumerate(answer.tools):
            yield from self._call_chunks(index, call)
        yield self._chunk({}, "tool_calls" if answer.tools and answer.finish == "stop" else answer.finish)
        usage = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": self.model, "choices": []}
        yield json.dumps(usage | {"usage": self._usage(answer)})
        yield "[DONE]"

    def _call_chunks(self, index: int, call: Tool) -> Iterator[str]:
        arguments = _as_text(call.arguments)
        first = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield self._chunk({"tool_calls": [first]})
        for start in range(0, len(arguments), 6):
            part = {"index": index, "function": {"arguments": arguments[start : start + 6]}}
            yield self._chunk({"tool_calls": [part]})

    def _usage(self, answer: Say) -> Json:
        read, written = answer.usage
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}

    def whole(self, answer: Say) -> Json:
        message: Json = {"role": "assistant", "content": "".join(answer.cut())}
        if answer.reasoning:
            message[answer.reasoning_field] = answer.reasoning
        if answer.tools:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": _as_text(call.arguments)},
                }
                for call in answer.tools
            ]
        choice = {"index": 0, "message": message, "finish_reason": answer.finish}
        return {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model,
            "choices": [choice],
            "usage": self._usage(answer),
        }

    def blocked(self) -> None:
        self.refuse(Refuse(400, "The prompt was filtered by the content management policy.", "content_filter"))

    def error_event(self, message: str) -> str:
        return json.dumps({"error": {"message": message, "type": "server_error", "code": 500}})


class _GeminiWire(_Wire):
    wrong_key_status = 400
    wrong_key_code = "API_KEY_INVALID"

    _STATUS: ClassVar[dict[int, str]] = {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL",
        503: "UNAVAILABLE",
    }
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
        self.handler.send_json(answer.status, body)

    def _event(self, parts: Sequence[Json], finish: str = "", usage: tuple[int, int] = (0, 0)) -> Json:
        candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
        if finish:
            candidate["finishReason"] = self._FINISH.get(finish, finish)
        event: Json = {"candidates": [candidate], "modelVersion": self.model.partition(":")[0], "responseId": "r1"}
        if any(usage):
            read, written = usage
            event["usageMetadata"] = {
                "promptTokenCount": read,
                "candidatesTokenCount": written,
                "totalTokenCount": read + written,
            }
        return event

    def _parts(self, answer: Say) -> Iterator[Json]:
        for start in range(0, len(answer.reasoning), 5):
            yield {"text": answer.reasoning[start : start + 5], "thought": True}
        for piece in answer.cut():
            yield {"text": piece}
        for call in answer.tools:
            arguments = call.arguments if isinstance(call.arguments, Mapping) else {"raw": call.arguments}
            signature = base64.b64encode(b"signature of " + call.name.encode()).decode()
            yield {"functionCall": {"name": call.name, "args": dict(arguments)}, "thoughtSignature": signature}

    def events(self, answer: Say) -> Iterator[str]:
        for part in self._parts(answer):
            yield json.dumps(self._event([part]), ensure_ascii=False)
        yield json.dumps(self._event([{"text": ""}], answer.finish, answer.usage))

    def whole(self, answer: Say) -> Json:
        return self._event(list(self._parts(answer)), answer.finish, answer.usage)

    def text_event(self, text: str) -> str:
        return json.dumps(self._event([{"text": text}]), ensure_ascii=False)

    def blocked(self) -> None:
        body = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "test"}
        if not self.streamed:
            self.handler.send_json(200, body)
            return
        self.handler.begin_stream()
        self.handler.send_event(json.dumps(body))
        self.handler.end_stream()

    def error_event(self, message: str) -> str:
        return json.dumps({"error": {"code": 500, "message": message, "status": "INTERNAL"}})


def _as_text(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _play(handler: _Handler, wire: _Wire, answer: Answer) -> None:
    match answer:
        case Refuse():
            wire.refuse(answer)
        case BlockPrompt():
            wire.blocked()
        case Garbage():
            handler.send_response(200)
            handler.send_header("content-type", answer.content_type)
            handler.send_header("content-length", str(len(answer.body)))
            handler.end_headers()
            handler.wfile.write(answer.body)
        case Nothing(hang_up=True):
            handler.drop()
        case Nothing():
            _say(handler, wire, Say(""))
        case Hang():
            if answer.headers or answer.text:
                handler.begin_stream()
            if answer.text:
                handler.send_event(wire.text_event(answer.text))
            handler.script.hang(handler.connection)
            handler.drop()
        case HalfStream():
            handler.begin_stream(chunked=not answer.clean)
            handler.send_event(wire.text_event(answer.text))
            handler.drop()
        case MidStreamError():
            handler.begin_stream()
            if answer.text:
                handler.send_event(wire.text_event(answer.text))
            handler.send_event(wire.error_event(answer.message))
            handler.end_stream()
        case Say():
            _say(handler, wire, answer)


def _say(handler: _Handler, wire: _Wire, answer: Say) -> None:
    handler.script.pause(answer.delay)
    if not wire.streamed:
        handler.send_json(200, wire.whole(answer))
        return
    handler.begin_stream()
    for number, event in enumerate(wire.events(answer)):
        if number and answer.gap:
            handler.script.pause(answer.gap)
        handler.send_event(event)
    handler.end_stream()


def _information(server: ModelServer, path: str, body: Json) -> Json | None:
    """Answer what the real servers answer about themselves and their models."""
    pages: dict[str, tuple[str, Callable[[], Json | None]]] = {
        "/api/version": ("ollama", lambda: {"version": "0.12.6"}),
        "/api/tags": ("ollama", lambda: {"models": [{"name": model.id, "model": model.id} for model in server.models]}),
        "/api/ps": ("ollama", lambda: {"models": [_ollama_loaded(model) for model in server.models if model.loaded]}),
        "/api/show": ("ollama", lambda: _ollama_show(server, str(body.get("model") or body.get("name")))),
        "/api/v0/models": (
            "lmstudio",
            lambda: {"object": "list", "data": [_lm_studio(model) for model in server.models]},
        ),
        "/props": ("llamacpp", lambda: _llama_props(server.models[0])),
        "/health": ("llamacpp", lambda: {"status": "ok"}),
        "/v1/models": (
            "openai",
            lambda: {"object": "list", "data": [_listed(server, model) for model in server.models]},
        ),
        "/v1beta/models": ("gemini", lambda: {"models": [{"name": f"models/{model.id}"} for model in server.models]}),
    }
    played, page = pages.get(path, ("", lambda: None))
    return page() if played in server.plays else None


def _ollama_loaded(model: Served) -> Json:
    return {"name": model.id, "model": model.id, "context_length": model.context}


def _ollama_show(server: ModelServer, name: str) -> Json | None:
    model = next((model for model in server.models if model.id == name), None)
    if model is None:
        return None
    capabilities = {"llm": ["completion", "tools"], "vlm": ["completion", "vision"], "embeddings": ["embedding"]}
    return {
        "parameters": model.parameters,
        "model_info": {"general.architecture": "llama", "llama.context_length": model.max_context},
        "capabilities": capabilities[model.kind],
    }


def _lm_studio(model: Served) -> Json:
    state = {"state": "loaded", "loaded_context_length": model.context} if model.loaded else {"state": "not-loaded"}
    return {"id": model.id, "object": "model", "type": model.kind, "max_context_length": model.max_context, **state}


def _llama_props(model: Served) -> Json:
    return {
        "default_generation_settings": {"n_ctx": model.context},
        "total_slots": 1,
        "model_path": f"/models/{model.id}.gguf",
        "modalities": {"vision": model.kind == "vlm", "audio": False},
    }


def _listed(server: ModelServer, model: Served) -> Json:
    listed: Json = {"id": model.id, "object": "model", "owned_by": "test"}
    if "llamacpp" in server.plays:
        listed["owned_by"] = "llamacpp"
        listed["meta"] = {"n_ctx_train": model.max_context}
    if "vllm" in server.plays:
        listed["owned_by"] = "vllm"
        listed["max_model_len"] = model.context
    if "openrouter" in server.plays:
        modalities = ["text", "image"] if model.kind == "vlm" else ["text"]
        listed |= {"context_length": model.context, "architecture": {"input_modalities": modalities}}
    return listed | dict(model.extra)
