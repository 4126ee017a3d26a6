"""What a scripted model server can be told to do, and what it remembers of its requests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


class Line(Protocol):
    """The connection to a client, as an answer uses it."""

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None: ...
    def send_bytes(self, body: bytes, content_type: str) -> None: ...
    def begin_stream(self, *, chunked: bool = True, kind: str = ...) -> None: ...
    def send_event(self, frame: str) -> None: ...
    def end_stream(self) -> None: ...
    def send_raw(self, data: bytes) -> None: ...
    @property
    def is_closing(self) -> bool: ...
    def drop(self) -> None: ...
    def hang(self) -> None: ...
    def pause(self, seconds: float) -> None: ...


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
        usage: tokens read and written; noughts: the server does not report any.
    """

    text: str = ""
    pieces: Iterable[str] | None = None
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    tools: Sequence[Tool] = ()
    finish: str = "stop"
    delay: float = 0.0
    gap: float = 0.0
    usage: tuple[int, int] = (11, 7)

    def cut(self) -> Iterable[str]:
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


@dataclass(frozen=True)
class Redirect:
    """Send the client elsewhere, with all that it brought."""

    to: str


@dataclass(frozen=True)
class Endless:
    """Say something, and then send without an end, until the client hangs up.

    Attributes:
        what: `body`, `error` (status 500), `line`, `hollow` (pieces
            with nothing in them), `text`, `thought`, `arguments` and `calls` (of tools), `gzip` (a body that unpacks to
            a thousand times as much) or `headers`.
        text: said before.
        size: characters in each piece.
    """

    what: str
    text: str = ""
    size: int = 400


Answer = Endless | Say | Refuse | Redirect | Garbage | HalfStream | Nothing | Hang | BlockPrompt | MidStreamError


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
        keys = ("system", "messages", "systemInstruction", "contents")
        return json.dumps([self.body[key] for key in keys if key in self.body], ensure_ascii=False)


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
