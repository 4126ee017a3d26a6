"""Fetching a model after a yes: file by file, resumed where it stopped, checked before it is used.

The registry is asked first what each file is at one revision: how large, and which hash. That is kept beside what has
come, so whoever goes on, days later too, has the same version. What comes must be that, wherever the bytes come from; a
file has its own name only then, and the model's folder counts as one only when its list of files is called `model.json`,
last. Names come from our own tables, never from the network.
"""

import os
import shutil
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import httpx

from managers.fetching.errors import (
    FetchCrowdedError,
    FetchCutError,
    FetchError,
    FetchNoRoomError,
    FetchUnreachableError,
    FetchWrongError,
)
from managers.fetching.fetched import MANIFEST, UNDER_WAY, Promise, Promised, Source
from managers.fetching.registry import ADDRESS, Registry
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.storage.files import explained, make_folder, remove_tree
from managers.storage.locks import holding
from managers.storage.opening import move, open_descriptor, unlink
from managers.transport import UnusableResponseError

SPARE_BYTES: Final = 500_000_000
"""What stays free beside a model: memories have to be written, too."""
_STOP_SECONDS: Final = 30.0
_OK, _PART, _BEYOND = 200, 206, 416
_GOES_ON: Final = (FetchUnreachableError, FetchCutError, FetchCrowdedError, FetchNoRoomError)


class _StoppedError(Exception):
    """Somebody has stopped it."""


class Fetch:
    """One model being fetched, in a thread of its own.

    Attributes:
        done, total: bytes; 0 of 0 until it is known what there is.
    """

    def __init__(self, model: Source, models: Path, address: str = ADDRESS) -> None:
        """Remember what goes where; nothing is asked yet."""
        self.model = model
        self.done = self.total = 0
        self.error: UtataneError | None = None
        self._folder = models / model.name
        self._registry = Registry(model, address)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_under_way(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        self._stopping.clear()
        self.error = None
        self._thread = threading.Thread(target=self._run, name="fetching", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop; what has come is kept."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=_STOP_SECONDS)

    def _run(self) -> None:
        try:
            with suppress(_StoppedError):
                self.run()
        except Exception as error:  # noqa: BLE001  # the edge of a thread: whatever it is, it is shown
            self.error = said(error, f"fetching {self.model.name}")

    def run(self) -> None:
        """Fetch all of it.

        Raises:
            FetchError: it could not be had, or is not what it should be.
            DiskFullError, UnwritableError, BusyError
        """
        make_folder(self._folder)
        with holding(self._folder / ".lock", self.model.title, 0.0):
            try:
                self._fetch_all()
            except FetchError as error:
                if not isinstance(error, _GOES_ON):
                    unlink(self._folder / UNDER_WAY)  # whoever begins again asks anew
                raise
            except (httpx.HTTPError, UnusableResponseError) as error:
                raise self._broken() from error
            except OSError as error:
                raise explained(error, self._folder) from error

    def _fetch_all(self) -> None:
        if (self._folder / MANIFEST).is_file():
            move(self._folder / MANIFEST, self._folder / UNDER_WAY)
        promise = Promise.read(self._folder / UNDER_WAY)
        if promise is None or not promise.is_of(self.model):
            with self._registry.client() as client:
                promise = self._registry.look_up(client)
            promise.write(self._folder / UNDER_WAY)
        self.done, self.total = 0, sum(one.size for one in promise.files)
        self._look_for_room()
        with self._registry.client(self.model.most_bytes) as client:
            for one in promise.files:
                self._fetch(client, promise.commit, one)
        promise.write(self._folder / UNDER_WAY)  # after what it tells of: `is_intact` goes by that
        move(self._folder / UNDER_WAY, self._folder / MANIFEST)

    def _look_for_room(self) -> None:
        has = sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())
        needs, free = self.total - has, shutil.disk_usage(self._folder).free
        if needs > 0 and needs + SPARE_BYTES > free:
            facts = {"needs": f"{(needs + SPARE_BYTES) / 1e9:.1f}", "free": f"{free / 1e9:.1f}"}
            raise FetchNoRoomError(title=self.model.title, **facts)

    def _fetch(self, client: httpx.Client, commit: str, one: Promised) -> None:
        target, part = self._folder / one.name, self._folder / f"{one.name}.part"
        if target.is_file() and one.is_kept(target, self._look):
            self.done += one.size
            return
        had = part.stat().st_size if part.is_file() else 0
        if had > one.size:
            unlink(part)
            had = 0
        before = self.done
        if had < one.size:
            self._take(client, commit, part, one, had)
        if not one.is_kept(part, self._look):
            unlink(part)
            self.done = before
            raise FetchWrongError(title=self.model.title, name=one.name)
        move(part, target)
        self.done = before + one.size

    def _take(self, client: httpx.Client, commit: str, part: Path, one: Promised, had: int) -> None:
        """Write what is missing of a file behind what there is."""
        with closing(self._registry.opened(client, commit, one.name, had)) as response:
            if response.status_code == _PART and response.headers.get("content-range", "").startswith(f"bytes {had}-"):
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            elif response.status_code == _OK:  # all of it, from the beginning
                flags, had = os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0
            else:
                if response.status_code == _BEYOND:
                    unlink(part)
                raise self._registry.refusal(response.status_code)
            begun = self.done
            self.done = begun + had
            descriptor = open_descriptor(part, flags)
            with os.fdopen(descriptor, "ab" if had else "wb") as file:
                for block in response.iter_bytes():
                    self._look()
                    had += len(block)
                    if had > one.size:
                        break
                    file.write(block)
                    self.done = begun + had
                file.flush()
                os.fsync(descriptor)
        if had < one.size:
            raise self._broken()
        if had > one.size:
            unlink(part)
            raise FetchWrongError(title=self.model.title, name=one.name)

    def _look(self) -> None:
        if self._stopping.is_set():
            raise _StoppedError

    def _broken(self) -> FetchError:
        if not self.done:
            return FetchUnreachableError(title=self.model.title, host=self._registry.host)
        return FetchCutError(title=self.model.title, percent=100 * self.done // max(self.total, 1))


class Fetches:
    """One model at a time, for all windows."""

    def __init__(self, models: Path, address: str = ADDRESS) -> None:
        self.current: Fetch | None = None
        self._models = models
        self._address = address
        self._guard = threading.Lock()

    def start(self, model: Source) -> None:
        """Fetch a model, or go on; while one is under way, nothing."""
        with self._guard:
            if self.current is None or not self.current.is_under_way:
                self.current = Fetch(model, self._models, self._address)
                self.current.start()

    def stop(self) -> None:
        """Stop; what has come is kept."""
        with self._guard:
            if self.current is not None:
                self.current.stop()

    def remove(self, name: str) -> None:
        """Remove a model, unless it is under way."""
        with self._guard:
            if self.current is not None and self.current.model.name == name:
                if self.current.is_under_way:
                    return
                self.current = None
            remove_tree(self._models / name)

    @property
    def mark(self) -> str:
        """What changes whenever a page would show it in another way."""
        if (one := self.current) is None:
            return ""
        return f"{one.model.name}-{100 * one.done // max(one.total, 1)}-{one.is_under_way}-{one.error}"
