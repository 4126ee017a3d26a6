"""What comes from a server has an end: the limits that every HTTP client of this program gets.

A broken, looping or hostile server sends without end: a body, one line, an error, a kilobyte that unpacks to a
gigabyte. The limits sit where the bytes come in, below the vendors' libraries, because none of those has any.
"""

import functools
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

ERROR_BYTES = 64 * 1024
"""What is read of an error's body; the rest is left, for its beginning says what is wrong."""
BODY_BYTES = 4 * 1024 * 1024
"""The most of any other body: a list of models, the vectors of a batch of texts."""
PIECE_BYTES = 1024 * 1024
"""The most that may come of a stream before it makes a piece: one line, one event, or nothing in many words."""
PIECE_BRACKETS, BODY_BRACKETS = 10_000, 100_000
"""The most objects and lists in either: a library makes a hundred bytes of JSON of each, or a thousand, and takes a
tenth of a millisecond for it, in which nothing can be stopped."""
BODY_SECONDS = 120.0
"""How long a body may take that whoever waits for it cannot stop."""
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/jsonl", "text/plain", "application/octet-stream")
"""What comes piece by piece: events, or a line of JSON each; some servers do not say so."""


class UnusableResponseError(ValueError):
    """What a server sent cannot be used; none of it is in here."""


class TooMuchError(UnusableResponseError):
    """It went on beyond a limit."""


class NotAnAnswerError(UnusableResponseError):
    """It is no answer: a web page, a way to another server, or compressed though nobody asked for that."""


class Flow:
    """How much of a stream has come since its last piece, or of a body since its beginning."""

    def __init__(self, most_bytes: int = PIECE_BYTES, most_brackets: int = PIECE_BRACKETS) -> None:
        self._most = most_bytes, most_brackets
        self._bytes = self._brackets = 0

    def take(self, chunk: bytes) -> None:
        """Note what has come.

        Raises:
            TooMuchError: it is too much.
        """
        self._bytes += len(chunk)
        self._brackets += chunk.count(b"{") + chunk.count(b"[")
        if self._bytes > self._most[0] or self._brackets > self._most[1]:
            raise TooMuchError

    def piece(self) -> int:
        """Note that a piece is whole; return how many bytes it took."""
        took, self._bytes, self._brackets = self._bytes, 0, 0
        return took


current_flow: ContextVar[Flow | None] = ContextVar("current_flow", default=None)
"""Set by whoever reads streams piece by piece. A stream that nobody watches so has the limits of a body."""


def fits_header(key: str) -> bool:
    """Tell whether a key can stand in a header: libraries quote one that cannot in what they raise, and log that."""
    return all("!" <= character <= "~" for character in key)


def client_options(
    library: ModuleType,
    address: str,
    *,
    local: bool,
    hooks: Sequence[Callable[[Any], Any]] = (),
    blocking: bool = False,
    when_connected: Callable[[], None] | None = None,
    file_bytes: int = 0,
) -> dict[str, Any]:
    """Return what every client is made with.

    Args:
        library: `httpx` or its fork `httpx2`, whichever makes the client.
        address: the URL that the client is for.
        local: the server is on this computer: no proxy, and no connection is left behind, for a new one costs nothing.
        hooks: what else looks at each response.
        blocking: for a client that is not asynchronous.
        when_connected: called with each connection, before anything is sent on it; what it raises ends the request.
        file_bytes: a file of at most so many bytes is fetched, however long it takes; a way to another server is handed
            on to the caller, who decides about it.
    """
    kind = _mixed(_Blocking, library.HTTPTransport) if blocking else _mixed(_Awaited, library.AsyncHTTPTransport)
    transport = kind(
        verify=not address.startswith("http:"),  # certificates take time to load
        proxy=None if local else _proxy(address),
        **({"limits": library.Limits(max_keepalive_connections=0)} if local else {}),
    )
    transport.when_connected = when_connected
    transport.file_bytes = file_bytes
    transport.streams = library.SyncByteStream if blocking else library.AsyncByteStream
    return {
        "transport": transport,
        "follow_redirects": False,  # the key and what was said would go along
        "headers": {"accept-encoding": "identity"},
        "event_hooks": {"response": list(hooks)},
    }


def _proxy(address: str) -> str | None:
    """Return the proxy that the environment or the system names for an address: with a transport of one's own, httpx does not ask."""
    parts = urlsplit(address)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.hostname or ""):
        return None
    return found if "://" in found else f"http://{found}"


@functools.cache
def _mixed(first: type, second: type) -> type[Any]:
    """Return a class of both: the same for httpx and for its fork."""
    return type(first.__name__, (first, second), {})


def _check(response: Any, *, is_file: bool) -> None:  # noqa: ANN401  # httpx's, or that of its fork
    """Refuse what is no answer.

    Raises:
        NotAnAnswerError
    """
    if response.has_redirect_location and not is_file:
        raise NotAnAnswerError("redirect")
    if response.headers.get("content-encoding", "").strip().lower() not in {"", "identity"}:
        raise NotAnAnswerError("compressed")


_CONNECTED = "connection.connect_tcp.complete"
"""What httpcore calls the moment in which there is a connection, in what it tells a `trace`."""


class _Awaited:
    """A transport whose answers have limits."""

    streams: Any
    when_connected: Callable[[], None] | None
    file_bytes: int

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  # as above
        if self.when_connected is not None:
            request.extensions = {**request.extensions, "trace": self._look}
        response = await super().handle_async_request(request)  # type: ignore[misc]  # a mixin
        response.stream = _mixed(_AsyncStream, self.streams)(response, self.file_bytes)
        try:
            _check(response, is_file=self.file_bytes > 0)
        except NotAnAnswerError:
            await response.stream.aclose()
            raise
        return response

    async def _look(self, event: str, info: Mapping[str, Any]) -> None:
        if event == _CONNECTED and self.when_connected is not None:
            try:
                self.when_connected()
            except Exception:
                await info["return_value"].aclose()
                raise


class _Blocking:
    """The same for a client that blocks."""

    streams: Any
    when_connected: Callable[[], None] | None
    file_bytes: int

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  # as above
        if self.when_connected is not None:
            request.extensions = {**request.extensions, "trace": self._look}
        response = super().handle_request(request)  # type: ignore[misc]  # a mixin
        response.stream = _mixed(_SyncStream, self.streams)(response, self.file_bytes)
        try:
            _check(response, is_file=self.file_bytes > 0)
        except NotAnAnswerError:
            response.stream.close()
            raise
        return response

    def _look(self, event: str, info: Mapping[str, Any]) -> None:
        if event == _CONNECTED and self.when_connected is not None:
            try:
                self.when_connected()
            except Exception:
                info["return_value"].close()
                raise


class _Stream:
    """The bytes of a response, as far as its limits go."""

    def __init__(self, response: Any, file_bytes: int) -> None:  # noqa: ANN401  # as above
        self._inner = response.stream
        self._is_error = response.status_code >= 400  # noqa: PLR2004  # HTTP's errors
        is_stream = response.headers.get("content-type", _STREAMS[0]).strip().lower().startswith(_STREAMS)
        watched = current_flow.get() if is_stream else None
        whole = Flow(file_bytes, file_bytes) if file_bytes else Flow(BODY_BYTES, BODY_BRACKETS)
        self._flow = watched or whole
        self._ends = None if watched or file_bytes else time.monotonic() + BODY_SECONDS
        self._came = 0

    def _passed(self, chunk: bytes) -> bytes:
        """Return what is passed on of a chunk.

        Raises:
            TooMuchError
        """
        if self._is_error:
            room = ERROR_BYTES - self._came
            self._came += len(chunk)
            return chunk[:room]
        self._flow.take(chunk)
        if self._ends is not None and time.monotonic() > self._ends:
            raise TooMuchError
        return chunk

    @property
    def _is_cut(self) -> bool:
        """Whether enough of an error has been read."""
        return self._is_error and self._came >= ERROR_BYTES


class _AsyncStream(_Stream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._inner.__aiter__()) as chunks:
            async for chunk in chunks:
                yield self._passed(chunk)
                if self._is_cut:
                    return

    async def aclose(self) -> None:
        await self._inner.aclose()


class _SyncStream(_Stream):
    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            yield self._passed(chunk)
            if self._is_cut:
                return

    def close(self) -> None:
        self._inner.close()
