"""Let Ollama fetch a model, say how far it is, and try the model when it is there.

One at a time in this process. Ollama does the work and keeps what has come, so whoever stops here, or asks again after
a failure, goes on from there. What it says of its progress is believed within limits: a server may be dead or lie.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from agent.minds.endpoint import is_loopback
from agent.minds.errors import (
    PullBrokenError,
    PullRefusedError,
    PullStalledError,
    PullUnusableError,
    StillPullingError,
)
from agent.minds.known_models import GIGABYTE, SmallModel
from agent.minds.known_servers import Server
from agent.minds.language_model import event_loop
from agent.minds.server_discovery import list_models
from agent.minds.trial import Trial
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.transport import UnusableResponseError, client_options

if TYPE_CHECKING:
    import httpx

SILENT_SECONDS: Final = 300.0
"""Nothing at all may come for so long: a large file is checked on a slow disk."""
NO_GAIN_SECONDS: Final = 900.0
"""No further byte may come for so long, whatever else is said."""
MOST_LINES: Final = 1_000_000
"""A day of progress, at twelve lines a second."""
_MOST_PARTS: Final = 64
_DETAIL_CHARACTERS: Final = 300
_CONNECT_SECONDS: Final = 10.0
_STOP_SECONDS: Final = 2.0

State = Literal["running", "trying", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Pull:
    """A model that is being fetched, or was the last one.

    Attributes:
        state: `trying` is after it has come whole.
        completed, total: bytes; a total of 0 is not known yet.
    """

    model: SmallModel
    server: Server
    state: State = "running"
    completed: int = 0
    total: int = 0
    error: UtataneError | None = None
    trial: Trial | None = None

    @property
    def is_going_on(self) -> bool:
        return self.state in {"running", "trying"}


class Pulls:
    """What is fetched in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._current: Pull | None = None

    @property
    def current(self) -> Pull | None:
        """The model that is being fetched, or was the last one; None before the first."""
        return self._current

    def start(self, server: Server, model: SmallModel, use: Callable[[], Trial]) -> None:
        """Begin, or go on with what was broken off; asked again for the same meanwhile, nothing more is done.

        Args:
            server: the Ollama of this computer that fetches it.
            model: which.
            use: makes the model speak from now on and tries it; called in a thread, when all of it is there.

        Raises:
            StillPullingError: another one is under way.
        """
        with self._lock:
            current = self._current
            if current is not None and current.is_going_on:
                if (current.model, current.server) != (model, server):
                    raise StillPullingError(model=current.model.name)
                return
            self._current = Pull(model, server)
            self._cancel = threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(self._current, self._cancel, use), name="model-pull", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Stop fetching, which takes a moment; Ollama keeps what has come. A trial is not stopped: it has its own limits."""
        self._cancel.set()
        if self._current is not None and self._current.state == "running":
            self.settle(_STOP_SECONDS)

    def forget(self) -> None:
        """Show nothing more of the last one, where it is over."""
        with self._lock:
            if self._current is not None and not self._current.is_going_on:
                self._current = None

    def settle(self, seconds: float | None = None) -> None:
        """Wait for what is under way, so many seconds at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, pull: Pull, cancel: threading.Event, use: Callable[[], Trial]) -> None:
        try:
            for completed, total in fetch(pull.server.address, pull.model, cancel):
                self._current = pull = replace(pull, completed=completed, total=total)
            if cancel.is_set():
                self._current = replace(pull, state="stopped")
                return
            self._current = pull = replace(pull, state="trying")
            self._current = replace(pull, state="done", trial=use())
        except Exception as error:  # noqa: BLE001  # the edge of a thread: whatever it is, it is shown
            self._current = replace(pull, state="failed", error=said(error, f"fetching {pull.model.name}"))


def fetch(
    address: str, model: SmallModel, cancel: threading.Event, monotonic: Callable[[], float] = time.monotonic
) -> Iterator[tuple[int, int]]:
    """Have a model fetched; yield how many bytes have come, and of how many. Ends early when `cancel` is set.

    Raises:
        PullError: why it was not fetched.
    """
    import httpx  # noqa: PLC0415  # only where a model is fetched

    root = address.removesuffix("/v1")
    progress, gained = Progress(model), monotonic()
    try:
        for line in event_loop.read(
            lambda: _lines(root, model.name), cancel=cancel, seconds=SILENT_SECONDS, monotonic=monotonic
        ):
            if progress.take(line):
                gained = monotonic()
            elif monotonic() - gained > NO_GAIN_SECONDS:
                raise PullStalledError(model=model.name, minutes=int(NO_GAIN_SECONDS // 60))
            yield progress.completed, progress.total
    except event_loop.StalledError:
        raise PullStalledError(model=model.name, minutes=int(SILENT_SECONDS // 60)) from None
    except UnusableResponseError:
        raise PullUnusableError(model=model.name) from None
    except httpx.HTTPError:
        raise PullBrokenError(model=model.name) from None
    if cancel.is_set():
        return
    if not progress.is_done:
        raise PullBrokenError(model=model.name)
    if model.name not in list_models(address):
        raise PullUnusableError(model=model.name)  # it only says so


class Progress:
    """What Ollama has said of its progress."""

    def __init__(self, model: SmallModel) -> None:
        self.completed = self.total = 0
        self.is_done = False
        self._model = model.name
        self._most = int((2 * model.gigabytes + 1) * GIGABYTE)
        self._parts: dict[str, tuple[int, int]] = {}
        self._lines = 0

    def take(self, line: str) -> bool:
        """Take in a line; return whether more has come than ever before.

        Raises:
            PullRefusedError: it says what is wrong.
            PullUnusableError: it is none of Ollama's lines, or says what cannot be.
        """
        told = self._read(line)
        if detail := told.get("error"):
            raise PullRefusedError(model=self._model, detail=_shown(detail))
        self.is_done = told.get("status") == "success"
        digest, total = told.get("digest"), _count(told.get("total"))
        if isinstance(digest, str) and total:
            self._parts[digest[:_DETAIL_CHARACTERS]] = min(_count(told.get("completed")), total), total
        self._lines += 1
        completed = sum(part for part, _ in self._parts.values())
        self.total = sum(whole for _, whole in self._parts.values())
        if self.total > self._most or len(self._parts) > _MOST_PARTS or self._lines > MOST_LINES:
            raise PullUnusableError(model=self._model)
        has_gained = completed > self.completed
        self.completed = max(self.completed, completed)
        return has_gained

    def _read(self, line: str) -> dict[str, Any]:
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            raise PullUnusableError(model=self._model)
        return told


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


async def _lines(root: str, model: str) -> AsyncIterator[str]:
    import httpx  # noqa: PLC0415  # only where a model is fetched

    url = f"{root}/api/pull"
    options = client_options(httpx, url, local=is_loopback(url), hooks=[event_loop.hold])
    async with (
        httpx.AsyncClient(**options, timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS)) as client,
        client.stream("POST", url, json={"model": model, "stream": True}) as response,
    ):
        if not response.is_success:
            raise PullRefusedError(model=model, detail=_reason(await response.aread(), response))
        async for line in response.aiter_lines():
            if line.strip():
                yield line


def _reason(body: bytes, response: httpx.Response) -> str:
    """Return why a request was refused: what the server says, or its status."""
    try:
        told = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"({response.status_code})"
    return _shown(told)


def _shown(detail: object) -> str:
    return "".join(one for one in str(detail)[:_DETAIL_CHARACTERS] if one.isprintable())
