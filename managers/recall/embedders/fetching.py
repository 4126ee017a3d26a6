"""Fetching a model after a yes: file by file, resumed where it stopped, checked before it is used.

The registry is asked first what each file is at the pinned revision: how large, and which hash. What comes must be
that, wherever the bytes come from; a file has its own name only then, and the model's folder counts as one only when
its list of files is written, last. Names come from our own table, never from the network.
"""

import hashlib
import os
import re
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

import httpx

from managers.recall.embedders.offered import MANIFEST, OfferedModel
from managers.recall.errors import FetchError
from managers.storage.errors import UtataneError
from managers.storage.files import dump_json, explained, make_folder, open_binary, remove_tree, write_atomic
from managers.storage.locks import holding
from managers.storage.opening import move, open_descriptor, unlink
from managers.transport import UnusableResponseError, client_options

ADDRESS: Final = "https://huggingface.co"
_BLOCK: Final = 1 << 20
_REDIRECTS: Final = 3
_SECONDS: Final = 30.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_OK, _PART, _BEYOND = 200, 206, 416
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file as the registry describes it: `sha256`, or for a small one git's own hash of it."""

    name: str
    path: str
    size: int
    sha256: str
    blob: str


class _StoppedError(Exception):
    """Somebody has stopped it."""


class Fetch:
    """One model being fetched, in a thread of its own.

    Attributes:
        done, total: bytes; 0 of 0 until the registry has answered.
    """

    def __init__(self, model: OfferedModel, models: Path, address: str = ADDRESS) -> None:
        """Remember what goes where; nothing is asked yet."""
        self.model = model
        self.done = self.total = 0
        self.error: UtataneError | None = None
        self._folder = models / model.name
        self._address = address.rstrip("/")
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
            self._thread.join(timeout=_SECONDS)

    def _run(self) -> None:
        with suppress(_StoppedError):
            try:
                self.run()
            except UtataneError as error:
                self.error = error

    def run(self) -> None:
        """Fetch all of it.

        Raises:
            FetchError: it could not be had, or is not what it should be.
            DiskFullError, UnwritableError, BusyError
        """
        make_folder(self._folder)
        with holding(self._folder / ".lock", self.model.title, 0.0):
            try:
                with self._client() as client:
                    commit, wanted = self._look_up(client)
                self.total = sum(one.size for one in wanted)
                with self._client(self.model.most_bytes) as client:
                    for one in wanted:
                        self._fetch(client, commit, one)
            except (httpx.HTTPError, UnusableResponseError) as error:
                raise self._failed(f"通信: {type(error).__name__}", f"network: {type(error).__name__}") from error
            except OSError as error:
                raise explained(error, self._folder) from error
            about = {"name": self.model.name, "repository": self.model.repository, "commit": commit}
            files = {one.name: {"bytes": one.size, "sha256": one.sha256 or one.blob} for one in wanted}
            write_atomic(self._folder / MANIFEST, dump_json({**about, "files": files}))

    def _client(self, file_bytes: int = 0) -> httpx.Client:
        local = _is_loopback(self._address)
        options = client_options(httpx, self._address, local=local, blocking=True, file_bytes=file_bytes)
        return httpx.Client(**options, timeout=_SECONDS)

    # What there is

    def _look_up(self, client: httpx.Client) -> tuple[str, list[_Wanted]]:
        """Return the version's commit, and what the registry says of the files."""
        repository = f"{self._address}/api/models/{self.model.repository}"
        commit = self.model.revision
        if not _COMMIT.fullmatch(commit):
            told = self._json(client, f"{repository}/revision/{quote(commit)}")
            commit = str(told.get("sha", "")) if isinstance(told, Mapping) else ""
            if not _COMMIT.fullmatch(commit):
                raise self._failed("版が分かりません", "no version is told")
        listed = self._json(client, f"{repository}/tree/{commit}?recursive=true")
        known = (
            {str(one.get("path")): one for one in listed if isinstance(one, Mapping)}
            if isinstance(listed, list)
            else {}
        )
        wanted = [self._wanted(name, path, known.get(path)) for name, path in self.model.files.items()]
        if sum(one.size for one in wanted) > self.model.most_bytes:
            raise self._failed("大きすぎます", "too large")
        return commit, wanted

    def _json(self, client: httpx.Client, address: str) -> Any:  # noqa: ANN401  # JSON
        response = client.get(address)
        if response.status_code != _OK:
            raise self._failed(f"応答 {response.status_code}", f"answer {response.status_code}")
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise self._failed("読めない応答", "an unreadable answer") from error

    def _wanted(self, name: str, path: str, facts: Mapping[str, Any] | None) -> _Wanted:
        facts = facts or {}
        held = facts.get("lfs")
        large: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
        size, sha256, blob = large.get("size", facts.get("size")), str(large.get("oid", "")), str(facts.get("oid", ""))
        is_hashed = _SHA256.fullmatch(sha256) if large else _COMMIT.fullmatch(blob)
        if type(size) is not int or size <= 0 or not is_hashed:
            raise self._failed(f"{name} が登録されていません", f"{name} is not registered")
        return _Wanted(name, path, size, sha256, blob)

    # A file

    def _fetch(self, client: httpx.Client, commit: str, one: _Wanted) -> None:
        target, part = self._folder / one.name, self._folder / f"{one.name}.part"
        if target.is_file() and _is_right(target, one):
            self.done += one.size
            return
        had = part.stat().st_size if part.is_file() else 0
        if had > one.size:
            unlink(part)
            had = 0
        before = self.done
        if had < one.size:
            address = f"{self._address}/{self.model.repository}/resolve/{commit}/{quote(one.path)}"
            self._take(client, address, part, one, had)
        if not _is_right(part, one):
            unlink(part)
            self.done = before
            raise self._failed(f"{one.name} が登録されたものと違います", f"{one.name} is not what is registered")
        move(part, target)
        self.done = before + one.size

    def _take(self, client: httpx.Client, address: str, part: Path, one: _Wanted, had: int) -> None:
        """Write what is missing of a file behind what there is."""
        with closing(self._opened(client, address, had)) as response:
            if response.status_code == _PART and response.headers.get("content-range", "").startswith(f"bytes {had}-"):
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            elif response.status_code == _OK:  # all of it, from the beginning
                flags, had = os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0
            else:
                if response.status_code == _BEYOND:
                    unlink(part)
                raise self._failed(f"応答 {response.status_code}", f"answer {response.status_code}")
            begun = self.done
            self.done = begun + had
            descriptor = open_descriptor(part, flags)
            with os.fdopen(descriptor, "ab" if had else "wb") as file:
                for block in response.iter_bytes(_BLOCK):
                    if self._stopping.is_set():
                        raise _StoppedError
                    had += len(block)
                    if had > one.size:
                        break
                    file.write(block)
                    self.done = begun + had
                file.flush()
                os.fsync(descriptor)
        if had > one.size:
            unlink(part)
            raise self._failed("登録より大きなファイルです", "a file larger than registered")
        if had < one.size:
            raise self._failed("途中で切れました", "it broke off")

    def _opened(self, client: httpx.Client, address: str, had: int) -> httpx.Response:
        """Return the answer for a file, following the registry to where it keeps it; its bytes are checked anyway."""
        for _ in range(_REDIRECTS + 1):
            request = client.build_request("GET", address, headers={"range": f"bytes={had}-"} if had else {})
            response = client.send(request, stream=True)
            if not response.has_redirect_location:
                return response
            response.close()
            address = urljoin(address, response.headers["location"])
            parts = urlsplit(address)
            if parts.scheme != "https" and not (_is_loopback(self._address) and _is_loopback(address)):
                break
        raise self._failed("別の場所へ送られました", "it led elsewhere")

    def _failed(self, cause_ja: str, cause_en: str) -> FetchError:
        return FetchError(title=self.model.title, cause_ja=cause_ja, cause_en=cause_en)


class Fetches:
    """One model at a time, for all windows."""

    def __init__(self, models: Path, address: str = ADDRESS) -> None:
        self.current: Fetch | None = None
        self._models = models
        self._address = address
        self._guard = threading.Lock()

    def start(self, model: OfferedModel) -> None:
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

    def remove(self, model: OfferedModel) -> None:
        """Remove a model, unless it is under way."""
        with self._guard:
            if self.current is not None and self.current.model == model:
                if self.current.is_under_way:
                    return
                self.current = None
            remove_tree(self._models / model.name)

    @property
    def mark(self) -> str:
        """What changes whenever a page would show it in another way."""
        if (one := self.current) is None:
            return ""
        return f"{one.model.name}-{100 * one.done // max(one.total, 1)}-{one.is_under_way}-{one.error}"


def _is_right(path: Path, wanted: _Wanted) -> bool:
    hashed = hashlib.sha256() if wanted.sha256 else hashlib.sha1(b"blob %d\0" % wanted.size, usedforsecurity=False)
    with open_binary(path) as file:
        size = 0
        while block := file.read(_BLOCK):
            hashed.update(block)
            size += len(block)
    return size == wanted.size and hashed.hexdigest() == (wanted.sha256 or wanted.blob)


def _is_loopback(address: str) -> bool:
    return (urlsplit(address).hostname or "") in _LOOPBACK
