"""Fetching a model after a yes: file by file, resumed where it stopped, checked before it is used.

The registry is asked first what each file is at one revision: how large, and which hash. That is kept beside what has
come, so whoever goes on, days later too, has the same version. What comes must be that, wherever the bytes come from; a
file has its own name only then, and the model's folder counts as one only when its list of files is called `model.json`,
last. Names come from our own tables, never from the network.
"""

import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx

from managers.addresses import is_loopback
from managers.fetching.errors import FetchError
from managers.fetching.fetched import MANIFEST, Promise, Promised, Source
from managers.storage.files import explained, make_folder
from managers.storage.locks import holding
from managers.storage.opening import move, open_descriptor, unlink
from managers.storage.texts import Texts
from managers.transport import UnusableResponseError, client_options

ADDRESS: Final = "https://huggingface.co"
SPARE_BYTES: Final = 500_000_000
"""What stays free beside a model: memories have to be written, too."""
_say = Texts("notices/fetching")
_REDIRECTS: Final = 3
_SECONDS: Final = 30.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_OK, _PART, _BEYOND = 200, 206, 416
_MEANINGS: Final = {401: "gone", 404: "gone", 410: "gone", 429: "crowded"}  # 401: what is private, or is not
_GOES_ON: Final = frozenset({"unreachable", "cut", "crowded", "room"})


class _StoppedError(Exception):
    """Somebody has stopped it."""


@dataclass
class Fetch:
    """One model being fetched; two that are equal fetch the same.

    Attributes:
        done, total: bytes; 0 of 0 until it is known what there is.
    """

    model: Source
    models: Path
    address: str = ADDRESS
    done: int = field(default=0, compare=False)
    total: int = field(default=0, compare=False)
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def _folder(self) -> Path:
        return self.models / self.model.name

    @property
    def _under_way(self) -> Path:
        return self._folder / f"{MANIFEST}.part"

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:
        """Fetch all of it; yield how many bytes have come, and of how many. Ends early when `cancel` is set: what has come is kept.

        Raises:
            FetchError: it could not be had, or is not what it should be.
            DiskFullError, UnwritableError, BusyError
        """
        self.cancel = cancel
        make_folder(self._folder)
        with holding(self._folder / ".lock", self.model.title, 0.0), suppress(_StoppedError):
            try:
                yield from self._fetch_all()
            except FetchError as error:
                if error.facts["kind"] not in _GOES_ON:
                    unlink(self._under_way)  # whoever begins again asks anew
                raise
            except (httpx.HTTPError, UnusableResponseError) as error:
                self._look()  # whoever stops while nothing comes has stopped it
                raise self._broken() from error
            except OSError as error:
                raise explained(error, self._folder) from error

    def _fetch_all(self) -> Iterator[tuple[int, int]]:
        if (self._folder / MANIFEST).is_file():
            move(self._folder / MANIFEST, self._under_way)
        promise = Promise.read(self._under_way)
        if promise is None or not promise.is_of(self.model):
            with self._client() as client:
                promise = self._look_up(client)
            promise.write(self._under_way)
        self.done, self.total = 0, sum(one.bytes for one in promise.files)
        needs = self.total - sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file()) + SPARE_BYTES
        if SPARE_BYTES < needs > (free := shutil.disk_usage(self._folder).free):
            raise self._failed("room", needs=f"{needs / 1e9:.1f}", free=f"{free / 1e9:.1f}")
        with self._client(self.model.most_bytes) as client:
            for one in promise.files:
                yield from self._fetch(client, promise.commit, one)
                yield self.done, self.total
        promise.write(self._under_way)  # after what it tells of: `is_intact` goes by that
        move(self._under_way, self._folder / MANIFEST)

    def _client(self, file_bytes: int = 0) -> httpx.Client:
        local = is_loopback(self.address)
        options = client_options(httpx, self.address, local=local, blocking=True, file_bytes=file_bytes)
        return httpx.Client(**options, timeout=_SECONDS)

    # What there is

    def _look_up(self, client: httpx.Client) -> Promise:
        """Return what the registry says of the files, at the version's commit."""
        repository, commit = f"{self.address}/api/models/{self.model.repository}", self.model.revision
        if not _COMMIT.fullmatch(commit):
            told = self._json(client, f"{repository}/revision/{quote(commit)}")
            commit = str(told.get("sha", "")) if isinstance(told, Mapping) else ""
            if not _COMMIT.fullmatch(commit):
                raise self._failed("unknown")
        listed = self._json(client, f"{repository}/tree/{commit}?recursive=true")
        entries = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
        known = {str(one.get("path")): one for one in entries}
        promised = [self._promised(name, known.get(path)) for name, path in self.model.files.items()]
        if sum(one.bytes for one in promised) > self.model.most_bytes:
            raise self._failed("unknown")
        return Promise(self.model.repository, commit, promised)

    def _json(self, client: httpx.Client, address: str) -> Any:  # noqa: ANN401  # JSON
        response = client.get(address)
        if response.status_code != _OK:
            raise self._refused(response.status_code)
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise self._failed("unknown") from error

    def _promised(self, name: str, facts: Mapping[str, Any] | None) -> Promised:
        if facts is None:
            raise self._failed("gone")
        held = facts.get("lfs")
        large: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
        size, hashed = large.get("size", facts.get("size")), str((large or facts).get("oid", ""))
        if type(size) is not int or size <= 0 or not (_SHA256 if large else _COMMIT).fullmatch(hashed):
            raise self._failed("unknown")
        return Promised(name, size, hashed)

    # A file

    def _fetch(self, client: httpx.Client, commit: str, one: Promised) -> Iterator[tuple[int, int]]:
        target, part, before = self._folder / one.name, self._folder / f"{one.name}.part", self.done
        if not (target.is_file() and one.is_kept(target, self._look)):
            had = part.stat().st_size if part.is_file() else 0
            if had != one.bytes:
                yield from self._take(client, commit, part, one, had if had < one.bytes else 0)
            if not one.is_kept(part, self._look):
                unlink(part)
                raise self._failed("wrong", name=one.name)
            move(part, target)
        self.done = before + one.bytes

    def _take(
        self, client: httpx.Client, commit: str, part: Path, one: Promised, had: int
    ) -> Iterator[tuple[int, int]]:
        """Write what is missing of a file behind what there is."""
        begun = self.done
        with closing(self._opened(client, commit, one.name, had)) as response:
            begins = response.headers.get("content-range", "")
            is_rest = response.status_code == _PART and begins.startswith(f"bytes {had}-")
            if not is_rest and response.status_code != _OK:
                if response.status_code == _BEYOND:
                    unlink(part)
                raise self._refused(response.status_code)
            had = had if is_rest else 0  # else all of it, from the beginning
            self.done = begun + had
            descriptor = open_descriptor(part, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if had else os.O_TRUNC))
            with os.fdopen(descriptor, "ab" if had else "wb") as file:
                for block in response.iter_bytes():
                    self._look()
                    had += len(block)
                    if had > one.bytes:
                        break
                    file.write(block)
                    self.done = begun + had
                    yield self.done, self.total
                file.flush()
                os.fsync(descriptor)
        if had < one.bytes:
            raise self._broken()
        if had > one.bytes:
            unlink(part)
            raise self._failed("wrong", name=one.name)

    def _opened(self, client: httpx.Client, commit: str, name: str, had: int) -> httpx.Response:
        """Return the answer for a file, following the registry to where it keeps it; its bytes are checked anyway."""
        address = f"{self.address}/{self.model.repository}/resolve/{commit}/{quote(self.model.files[name])}"
        request = client.build_request("GET", address, headers={"range": f"bytes={had}-"} if had else {})
        for _ in range(_REDIRECTS + 1):
            response = client.send(request, stream=True)
            if response.next_request is None:
                return response
            response.close()
            request = response.next_request
            is_here = is_loopback(self.address) and is_loopback(str(request.url))
            if request.url.scheme != "https" and not is_here:
                break
        raise self._failed("unknown")

    def _look(self) -> None:
        if self.cancel.is_set():
            raise _StoppedError

    def _refused(self, status: int) -> FetchError:
        return self._failed(_MEANINGS.get(status, "refused"), status=status)

    def _broken(self) -> FetchError:
        return self._failed("cut" if self.done else "unreachable", percent=100 * self.done // max(self.total, 1))

    def _failed(self, kind: str, **facts: object) -> FetchError:
        why = _say.both(kind, host=urlsplit(self.address).hostname, **facts)
        return FetchError(title=self.model.title, kind=kind, why_ja=why["ja"], why_en=why["en"])
