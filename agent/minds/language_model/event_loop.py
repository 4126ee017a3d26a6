"""Read a model's stream beside the caller, so that stopping works even while the server is silent.

A thread that sits in a socket's `recv` cannot be told to stop; an asyncio task can. So all streams
of the process are read in one event loop in one daemon thread, and cancelling one closes its
connection at once. The caller stays plain, synchronous code.
"""

import asyncio
import contextlib
import functools
import queue
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from managers.transport import Flow, current_flow

T = TypeVar("T")

_LOOK_SECONDS = 0.05
"""How often a waiting caller looks whether it was told to stop."""
_AHEAD_BYTES, _PAUSE_SECONDS = 256 * 1024, 0.005
"""The stream waits for a caller that is so far behind, so that nothing piles up between the two."""


class _Response(Protocol):
    extensions: Any


_held: ContextVar[list[Any] | None] = ContextVar("held", default=None)
_closing: set[asyncio.Future[None]] = set()
"""Keeps the closing of connections alive until it is done."""


async def hold(response: _Response) -> None:
    """Note the connection of a stream that is read in this task, as an event hook of its HTTP client.

    The libraries leave some connections open when a stream breaks off, or is stopped while they are
    closing it; those that were noted are closed with it.
    """
    held, connection = _held.get(), response.extensions.get("network_stream")
    if held is not None and connection is not None:
        held.append(connection)


class StalledError(Exception):
    """No piece came within the time limit."""


@dataclass(frozen=True, slots=True)
class _Raised:
    error: Exception


class _End:
    pass


@dataclass(slots=True)
class _Behind:
    """How far the caller is behind the stream, in bytes; each number is written by one thread alone."""

    put: int = 0
    taken: int = 0


_Inbox = queue.SimpleQueue[tuple[T | _Raised | _End, int]]
"""What has come and was not taken yet, each with the bytes that it came in."""


def read(
    start: Callable[[], AsyncIterator[T]],
    *,
    cancel: threading.Event,
    seconds: float,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """Yield what the stream yields; end early when `cancel` is set or the caller closes this.

    Args:
        start: makes the stream; called in the background loop.
        cancel: ends the stream within about 50 ms.
        seconds: the time limit for each next piece.
        monotonic: the clock for it.

    Raises:
        StalledError: nothing came in time.
        Exception: whatever the stream raised.
    """
    inbox: _Inbox[T] = queue.SimpleQueue()
    behind = _Behind()
    task = asyncio.run_coroutine_threadsafe(_pump(start, inbox, behind), _loop())
    deadline = monotonic() + seconds
    try:
        while not cancel.is_set():
            try:
                item, took = inbox.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if monotonic() >= deadline:
                    raise StalledError from None
                continue
            behind.taken += took
            if isinstance(item, _End) or cancel.is_set():
                return
            if isinstance(item, _Raised):
                raise item.error
            yield item
            deadline = monotonic() + seconds
    finally:
        task.cancel()


def wait_for(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Run a coroutine in the background loop and wait for its result.

    Raises:
        TimeoutError: it took too long; it was cancelled.
    """
    task = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return task.result(timeout=seconds)
    finally:
        task.cancel()


async def _pump(start: Callable[[], AsyncIterator[T]], inbox: _Inbox[T], behind: _Behind) -> None:
    held: list[Any] = []
    flow = Flow()
    _held.set(held)
    current_flow.set(flow)
    ended = False
    try:
        async with contextlib.aclosing(cast("AsyncGenerator[T, None]", start())) as stream:
            async for item in stream:
                took = flow.piece()
                behind.put += took
                inbox.put((item, took))
                while behind.put - behind.taken > _AHEAD_BYTES:  # noqa: ASYNC110  # it is a thread that is waited for
                    await asyncio.sleep(_PAUSE_SECONDS)
    except Exception as error:  # noqa: BLE001  # carried over to the caller's thread, whatever it is
        inbox.put((_Raised(error), 0))
    else:
        ended = True
        inbox.put((_End(), 0))
    finally:
        if not ended and held:
            closing = asyncio.ensure_future(_close(held))
            _closing.add(closing)
            closing.add_done_callback(_closing.discard)
            await asyncio.shield(closing)  # it goes on even if this task is stopped just now


async def _close(connections: list[Any]) -> None:
    for connection in connections:
        await connection.aclose()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="utatane-minds", daemon=True).start()
    return loop
