"""Let Ollama fetch a model, and say how far it is.

Ollama does the work and keeps what has come, so whoever stops here, or asks again after a failure, goes on from there.
What it says of its progress is believed within limits: a server may be dead or lie.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent.minds.endpoint import is_loopback
from agent.minds.errors import (
    PullBrokenError,
    PullRefusedError,
    PullStalledError,
    PullUnusableError,
)
from agent.minds.known_models import GIGABYTE, SmallModel
from agent.minds.language_model import event_loop
from agent.minds.server_discovery import list_models
from managers.known_servers import Server
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


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model that an Ollama of this computer fetches (`joining.Wanted`)."""

    server: Server
    model: SmallModel

    @property
    def name(self) -> str:
        return self.model.name

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:
        """Have it fetched (see `fetch`)."""
        return fetch(self.server.address, self.model, cancel)


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
