"""A model's server on loopback, for tests and benchmarks: well-behaved or not, as scripted.

    with ModelServer() as server:
        server.enqueue(Say("こんにちは"), Refuse(429, retry_after=0), Say("Hello"))
        ...                       # point a mind at server.base_url (OpenAI) or server.root_url (Gemini, Anthropic)
        server.chats[-1].messages

It speaks the OpenAI protocol (`/v1/chat/completions`, `/v1/responses`, `/v1/models`), Gemini's
(`/v1beta/models/<model>:streamGenerateContent`), Anthropic's (`/v1/messages`), and the information pages of Ollama, LM Studio,
llama.cpp, vLLM and OpenRouter, as far as `plays` says. Each call takes the next answer from the
queue; when the queue is empty, `otherwise` decides (an answer, or a function of the request).
"""

import contextlib
import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.model_answers import (
    Answer,
    BlockPrompt,
    Endless,
    Garbage,
    HalfStream,
    Hang,
    Json,
    MidStreamError,
    Nothing,
    Recorded,
    Redirect,
    Refuse,
    Say,
    Served,
    Tool,
)
from tests.model_floods import flood
from tests.model_information import information
from tests.model_pulls import Fetching, play_pull
from tests.model_wires import AnthropicWire, GeminiWire, OpenAIWire, ResponsesWire, Wire, play

__all__ = [
    "NOBODY", "Answer", "BlockPrompt", "Endless", "Fetching", "Garbage", "HalfStream", "Hang", "MidStreamError",
    "ModelServer", "Nothing", "Recorded", "Redirect", "Refuse", "Say", "Served", "Tool",
]  # fmt: skip

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of emoji: JSON can hold them one by one, UTF-8 cannot."""

NOBODY = 9
"""The discard port: nobody listens there."""


class ModelServer:
    """The server; a context manager."""

    def __init__(
        self, *, plays: Sequence[str] = ("openai", "gemini", "anthropic"), models: Sequence[Served] = (Served(),)
    ) -> None:
        self.plays = set(plays)
        self.models = list(models)
        self.otherwise: Answer | Callable[[Recorded], Answer] = Say("test answer")
        self.pages: Endless | Json | None = None
        """If set, what every information page is."""
        self.fetching = Fetching()
        """What it does when a model is to be fetched, as Ollama."""
        self.fetched: dict[str, int] = {}
        """How much of each part it has."""
        self.key = ""
        """If set, calls with another key are refused."""
        self.requests: list[Recorded] = []
        self.hung_up = 0
        """How many hanging or endless calls the client ended."""
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
    def root_url(self) -> str:
        """For Gemini's and Anthropic's."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def chats(self) -> list[Recorded]:
        """The requests that asked for an answer, in order."""
        ends = ("/chat/completions", "/responses", "/messages")
        return [asked for asked in self.requests.copy() if asked.path.endswith(ends) or "Content" in asked.path]

    def enqueue(self, *answers: Answer | str) -> None:
        """Script the next answers; a string is said."""
        with self._lock:
            self._queue.extend(Say(answer) if isinstance(answer, str) else answer for answer in answers)

    def clear(self) -> None:
        """Forget the scripted answers that were not taken yet."""
        with self._lock:
            self._queue.clear()

    @property
    def waiting(self) -> int:
        """How many scripted answers were not taken yet."""
        return len(self._queue)

    def next_answer(self, request: Recorded) -> Answer:
        with self._lock:
            if self._queue:
                return self._queue.popleft()
        return self.otherwise(request) if callable(self.otherwise) else self.otherwise

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        if seconds:
            self._closing.wait(seconds)

    def until_hung_up(self, send: Callable[[], None]) -> None:
        """Send until the client hangs up, and count that."""
        try:
            send()
        except OSError:
            with self._lock:
                self.hung_up += 1

    def hang(self, connection: socket.socket) -> None:
        """Do nothing until the client hangs up or the test ends."""
        connection.settimeout(0.02)
        while not self.is_closing:
            try:
                is_there = bool(connection.recv(1))
            except TimeoutError:
                continue
            except OSError:
                is_there = False
            if not is_there:
                with self._lock:
                    self.hung_up += 1
                return


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
        script, path = self.script, urlsplit(self.path).path
        headers = {key.lower(): value for key, value in self.headers.items()}
        request = Recorded(self.command, self.path, headers, dict(body))
        script.requests.append(request)
        if path == "/api/pull" and "ollama" in script.plays:
            script.until_hung_up(lambda: play_pull(self, script.fetching, body, script.fetched, script.models))
            return
        wire = self._wire(path, body)
        if wire is None:
            self._inform(path, body)
            return
        if script.key and script.key not in self._given_key():
            told = f"Incorrect API key provided: {self._given_key()}"
            wire.refuse(Refuse(wire.wrong_key_status, told, wire.wrong_key_code))
            return
        answer = script.next_answer(request)
        if isinstance(answer, Redirect):
            self.send_json(307, {}, {"location": answer.to})
        elif isinstance(answer, Endless):
            script.until_hung_up(lambda: flood(self, wire, answer))
        else:
            play(self, wire, answer)

    def _wire(self, path: str, body: Json) -> Wire | None:
        """Return how an answer at a path is written; None where no model is asked."""
        model = str(body.get("model"))
        if "openai" in self.script.plays and path.endswith(("/responses", "/chat/completions")):
            return (ResponsesWire if path.endswith("/responses") else OpenAIWire)(self, model)
        if "anthropic" in self.script.plays and path == "/v1/messages":
            return AnthropicWire(self, model)
        if "gemini" in self.script.plays and path.startswith("/v1beta/models/") and ":" in path:
            return GeminiWire(self, path.rsplit("/", 1)[1])
        return None

    def _inform(self, path: str, body: Json) -> None:
        """Answer what is asked about the server and its models."""
        pages = self.script.pages
        if isinstance(pages, Endless):
            self.script.until_hung_up(lambda: flood(self, OpenAIWire(self, ""), pages))
            return
        page = pages or information(self.script.plays, self.script.models, path, body)
        self.send_json(404 if page is None else 200, {"error": "not found"} if page is None else page)

    def _given_key(self) -> str:
        given = self.headers.get("x-goog-api-key") or self.headers.get("x-api-key") or self.headers.get("authorization")
        return (given or "").removeprefix("Bearer ")

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        self.send_bytes(json.dumps(body, ensure_ascii=False).encode(), "application/json", status, headers)

    def send_bytes(
        self, body: bytes, content_type: str, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        length = {"content-type": content_type, "content-length": str(len(body))}
        for key, value in (length | dict(headers or {})).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def pause(self, seconds: float) -> None:
        self.script.pause(seconds)

    def hang(self) -> None:
        self.script.hang(self.connection)

    def begin_stream(self, *, chunked: bool = True, kind: str = "text/event-stream; charset=utf-8") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        if chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self._chunked = chunked

    def send_event(self, frame: str) -> None:
        payload = _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", frame).encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(payload), payload) if self._chunked else payload)
        self.wfile.flush()

    def end_stream(self) -> None:
        if self._chunked:
            self.wfile.write(b"0\r\n\r\n")

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are; the connection ends with them."""
        self.close_connection = True
        self.wfile.write(data)

    @property
    def is_closing(self) -> bool:
        """Whether the test is over."""
        return self.script.is_closing

    def drop(self) -> None:
        """Hang up without an end."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
