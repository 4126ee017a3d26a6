"""Fetching one address of the web: so far, so long, and from nobody but the host that was checked.

The limits sit around the connection itself, below TLS and HTTP: each byte counts, headers too, and each wait ends at the
same moment, so neither an endless answer nor one that drips holds anything up. Name resolution and connecting are one step:
what was checked is what is connected to, anew for each redirect. Sent are the address and what a cache says; no cookie, no
word of a person's. No proxy is used: it would resolve the name once more.
"""

from __future__ import annotations

import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import cache
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore
import httpx

from managers.domains.errors import (
    FetchStoppedError,
    HostUnknownError,
    PrivateAddressError,
    SourceAddressError,
    SourceAnswerError,
    SourceError,
    SourceMovedError,
    SourceSlowError,
    SourceTooLargeError,
    UnreachableError,
)
from managers.domains.public_addresses import addresses_of, is_public

MAX_BYTES: Final = 8_000_000
_HEADER_BYTES: Final = 64 * 1024
SECONDS: Final = 30.0
_REDIRECTS: Final = 4
_LOOK_SECONDS: Final = 1.0
_PORTS: Final = {"http": 80, "https": 443}
_OK, _UNCHANGED, _ERRORS = 200, 304, 400
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_SENT: Final[dict[bytes | str, bytes | str]] = {
    "user-agent": "Utatane (feed reader; a person's own computer)",
    "accept": "application/rss+xml, application/atom+xml, application/xml, text/html, text/plain, application/pdf;q=0.9",
    "accept-encoding": "identity",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be fetched.

    Attributes:
        address: where, as the person named it.
        domain: for whom, as errors name it.
        allowed: hosts in private networks that the person has allowed; they count where the address itself names them, so
            that nobody else's server can lead there.
        etag, modified: what the server said of the version that is here.
        is_stopped: whether somebody wants it to end.
        asking: called with each host before it is asked.
        seconds, most_bytes: the limits.
    """

    address: str
    domain: str = ""
    allowed: frozenset[str] = frozenset()
    etag: str = ""
    modified: str = ""
    is_stopped: Callable[[], bool] = lambda: False
    asking: Callable[[str], None] = lambda _: None
    seconds: float = SECONDS
    most_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came: the bytes, unpacked, and what was said of them."""

    body: bytes
    type: str
    charset: str
    address: str
    etag: str
    modified: str


def checked_address(address: str) -> SplitResult:
    """Return the parts of an address that may be asked.

    Raises:
        SourceAddressError: it is none of the web, or holds a name and password.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise SourceAddressError(name=address) from error
    is_plain = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None or port == 0 or not is_plain:
        raise SourceAddressError(name=address)
    return parts


def host_of(address: str) -> str:
    """Return the host that an address names, as it is allowed and noted.

    Raises:
        SourceAddressError
    """
    return (checked_address(address).hostname or "").lower().rstrip(".")


def fetch(wanted: Wanted) -> Fetched | None:
    """Return what is there, None if it is as it was.

    Raises:
        SourceError: a subclass says why not.
    """
    limits = _Limits(wanted)
    address = wanted.address
    for _ in range(_REDIRECTS + 1):
        checked_address(address)
        answer = _ask(address, limits)
        if not isinstance(answer, str):
            return answer
        if urlsplit(address).scheme == "https" and urlsplit(answer).scheme != "https":
            break
        address = answer
    raise SourceMovedError(name=wanted.address)


def _ask(address: str, limits: _Limits) -> Fetched | str | None:
    """Ask one server; return what it sent, where it leads on, or None if nothing has changed."""
    wanted, host = limits.wanted, host_of(address)
    known = {"if-none-match": wanted.etag, "if-modified-since": wanted.modified}
    # A header carries ASCII alone: where a version cannot be said back, all is fetched anew.
    said: dict[bytes | str, bytes | str] = {name: value for name, value in known.items() if value and value.isascii()}
    context = _tls() if address.startswith("https:") else None
    try:
        with (
            httpcore.ConnectionPool(ssl_context=context, network_backend=_Backend(limits), retries=0) as pool,
            pool.stream("GET", address, headers={**_SENT, **said}) as response,
        ):
            told = {name.decode("ascii", "replace").lower(): _plain(value) for name, value in response.headers}
            if response.status in _MOVED:
                return _next(address, told, wanted)
            if response.status == _UNCHANGED:
                return None
            if response.status != _OK:
                raise SourceAnswerError(name=wanted.address, code=response.status)
            body = _unpacked(response.iter_stream(), told.get("content-encoding", ""), limits)
            return _fetched(body, told, address)
    except (httpcore.TimeoutException, TimeoutError) as error:
        raise SourceSlowError(name=wanted.address, seconds=wanted.seconds) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        raise UnreachableError(name=wanted.address, host=host) from error
    except (ValueError, RuntimeError) as error:  # what no server should send
        raise UnreachableError(name=wanted.address, host=host) from error


def _next(address: str, told: Mapping[str, str], wanted: Wanted) -> str:
    try:
        following = urljoin(address, told["location"])
        checked_address(following)
    except (KeyError, ValueError, SourceAddressError) as error:
        raise SourceMovedError(name=wanted.address) from error
    return following


def _fetched(body: bytes, told: Mapping[str, str], address: str) -> Fetched:
    said = Message()
    said["content-type"] = told.get("content-type", "")
    kind = said.get_content_type() if told.get("content-type") else ""
    return Fetched(
        body, kind, str(said.get_param("charset") or ""), address, told.get("etag", ""), told.get("last-modified", "")
    )


def _unpacked(pieces: Iterable[bytes], packing: str, limits: _Limits) -> bytes:
    """Return a body, unpacked where a server packs unasked; no piece of it is larger than what may still come."""
    packing = packing.strip().lower()
    if packing not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise SourceTooLargeError(name=limits.wanted.address, megabytes=limits.wanted.most_bytes // 1_000_000)
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32) if packing not in {"", "identity"} else None
    found = bytearray()
    for piece in pieces:
        try:
            found += piece if unpacking is None else unpacking.decompress(piece, limits.wanted.most_bytes + 1)
        except zlib.error as error:
            raise UnreachableError(name=limits.wanted.address, host=host_of(limits.wanted.address)) from error
        if len(found) > limits.wanted.most_bytes or (unpacking is not None and unpacking.unconsumed_tail):
            raise SourceTooLargeError(name=limits.wanted.address, megabytes=limits.wanted.most_bytes // 1_000_000)
    return bytes(found)


def _plain(value: bytes) -> str:
    return "".join(one for one in value[:2000].decode("latin-1") if one.isprintable())


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


@dataclass
class _Limits:
    """What is left of time and size, for all requests of one fetch together."""

    wanted: Wanted
    ends: float = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.wanted.seconds
        self.left = self.wanted.most_bytes + _HEADER_BYTES * (_REDIRECTS + 1)

    def seconds(self) -> float:
        """Return how long something may still take.

        Raises:
            FetchStoppedError, SourceSlowError
        """
        if self.wanted.is_stopped():
            raise FetchStoppedError(name=self.wanted.address)
        left = self.ends - time.monotonic()
        if left <= 0:
            raise SourceSlowError(name=self.wanted.address, seconds=self.wanted.seconds)
        return left

    def take(self, count: int) -> None:
        """Count bytes that came.

        Raises:
            SourceTooLargeError
        """
        self.left -= count
        if self.left < 0:
            raise SourceTooLargeError(name=self.wanted.address, megabytes=self.wanted.most_bytes // 1_000_000)


class _Backend(httpcore.NetworkBackend):
    """Connects to nothing but an address that was looked at just now."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  # httpcore's name: ours is the whole fetch's
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        wanted, name = self._limits.wanted, host.lower().rstrip(".")
        is_allowed = name in wanted.allowed and name == host_of(wanted.address)
        try:
            found = addresses_of(host, port, self._limits.seconds())
        except OSError as error:
            raise HostUnknownError(name=wanted.address, host=name) from error
        if not is_allowed and not all(map(is_public, found)):  # one private among public ones is no accident
            raise PrivateAddressError(name=wanted.address, host=name, domain=wanted.domain)
        wanted.asking(name)
        failed: Exception | None = None
        for address in found:
            try:
                stream = self._inner.connect_tcp(
                    address, port, self._limits.seconds() / len(found), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
                continue
            return _Stream(stream, self._limits)
        raise UnreachableError(name=wanted.address, host=name) from failed

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:  # noqa: ANN401  # never used
        raise SourceError(name=self._limits.wanted.address)


class _Stream(httpcore.NetworkStream):
    """A connection whose bytes and seconds are counted."""

    def __init__(self, inner: httpcore.NetworkStream, limits: _Limits) -> None:
        self._inner = inner
        self._limits = limits

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  # as above
        while True:
            with suppress(httpcore.ReadTimeout):  # a look whether somebody wants it to end; the limit itself is raised
                data = self._inner.read(max_bytes, min(_LOOK_SECONDS, self._limits.seconds()))
                self._limits.take(len(data))
                return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  # as above
        self._inner.write(buffer, self._limits.seconds())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None  # noqa: ARG002
    ) -> httpcore.NetworkStream:  # fmt: skip
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, self._limits.seconds()), self._limits)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401  # httpcore's
        return self._inner.get_extra_info(info)
