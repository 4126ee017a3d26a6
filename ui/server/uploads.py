"""Files that a form has brought, until they are where they belong."""

import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from secrets import token_hex
from typing import Any

from fastapi import HTTPException, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser

from agent.attachments import Upload
from agent.services import Services
from managers.storage.files import explained, make_folder
from managers.storage.opening import is_folder
from managers.storage.paths import Home, safe_name
from ui.errors import TooManyUploadsError, UploadTooLargeError

LARGEST_FORM = 200_000_000
"""Bytes; a single file has a limit of its own, which depends on what it is for."""
LARGEST_IMPORT = 4_000_000_000
"""Bytes of a form that brings what another program has exported, with years of pictures."""
LONGEST_TEXT = 20_000_000
"""Bytes of a field that is no file; a megabyte, which is Starlette's own limit, is less than some people's notes."""
MOST_FILES = 20_000
"""Of a folder; one that holds more is packed, or its place is named."""
_FOLDER = ".uploads"
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class WithUploads(APIRoute):
    """A route whose form may hold files: of one that is too large nothing is kept, and a sentence says so.

    FastAPI's own `max_body_size` answers with two English words, and hangs up on a browser that is still sending.
    """

    largest = LARGEST_FORM

    def get_route_handler(self) -> Handler:
        """Return what answers a request."""
        handle = super().get_route_handler()

        async def look_first(request: Request) -> Response:
            # A body of unknown length is no browser's.
            if "transfer-encoding" in request.headers or int(request.headers.get("content-length", 0)) > self.largest:
                async for _ in request.stream():  # a browser hears an answer after it has sent all
                    pass
                raise UploadTooLargeError(megabytes=self.largest // 1_000_000)
            return await self.answer(request, handle)

        return look_first

    async def answer(self, request: Request, handle: Handler) -> Response:
        """Read a form, and let it be answered."""
        await request.form(max_part_size=LONGEST_TEXT)  # kept by the request; FastAPI would take less
        return await handle(request)


class WithLargeUploads(WithUploads):
    """A route whose form may bring what another program has exported, a folder of thousands of files among it.

    They lie on the disk as `LaidFile`, for whoever handles the form to move them; what is not moved goes with the request.
    """

    largest = LARGEST_IMPORT

    async def answer(self, request: Request, handle: Handler) -> Response:
        """Read a form to the disk, and let it be answered."""
        if not request.headers.get("content-type", "").startswith("multipart/form-data"):
            return await super().answer(request, handle)
        folder = request.app.state.services.home.folder / _FOLDER / token_hex(8)
        try:
            request._form = await _form_of(request, folder)  # noqa: SLF001  # what `form` finds there, it returns
            return await handle(request)
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)


async def _form_of(request: Request, folder: Path) -> FormData:
    try:
        await run_in_threadpool(make_folder, folder)
        return await _ToDisk(request, folder).parse()
    except MultiPartException as error:
        raise HTTPException(400, error.message) from error  # no browser's, as Starlette has it
    except OSError as error:
        raise explained(error, folder.parent) from error


class LaidFile:
    """A file of a form that lies on the disk, and is not held open: as much of a file as a form's parser needs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, data: bytes) -> int:
        """Append to it."""
        with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            return file.write(data)

    def seek(self, _place: int) -> int:
        """Be there, when all was written, though nothing was."""
        return self.write(b"")

    def close(self) -> None:
        """Have nothing to close."""

    def move_to(self, place: Path) -> None:
        """Lay it somewhere else, in the same home."""
        self._path.replace(place)


class _ToDisk(MultiPartParser):
    """Reads a form: its files go to the disk one by one, for Starlette holds each of them in memory, or open."""

    def __init__(self, request: Request, folder: Path) -> None:
        super().__init__(request.headers, request.stream(), max_files=inf, max_part_size=LONGEST_TEXT)
        self._folder = folder
        self._count = 0

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        if (upload := self._current_part.file) is None:
            return
        self._count += 1
        if self._count > MOST_FILES:
            raise TooManyUploadsError(count=MOST_FILES)
        upload.file.close()
        upload.file = LaidFile(self._folder / str(self._count))  # type: ignore[assignment]  # as much of one as is needed


@contextmanager
def kept_uploads(home: Home, files: Sequence[UploadFile]) -> Iterator[list[Path]]:
    """Lay files of a form into a folder of their own, under their own names; afterwards they are gone.

    Raises:
        UnsafeNameError: a file's name cannot be a file's name.
        DiskFullError, UnwritableError: nothing is kept.
    """
    with _laid(home, [(safe_name(Path(str(file.filename)).name), file) for file in files if file.filename]) as paths:
        yield paths


@contextmanager
def sent_files(home: Home, files: Sequence[UploadFile]) -> Iterator[list[Upload]]:
    """Lay the files of a message aside, with what their sender calls them, which may be no name that a file can have.

    Raises:
        DiskFullError, UnwritableError: nothing is kept.
    """
    given = [(str(file.filename), file) for file in files if file.filename]
    with _laid(home, [("sent", file) for _, file in given]) as paths:
        yield [Upload(path, name) for path, (name, _) in zip(paths, given, strict=True)]


def forget_uploads(services: Services) -> None:
    """Delete what a killed process left behind; in a home that can only be read nothing is sent."""
    if not services.only_look:
        shutil.rmtree(services.home.folder / _FOLDER, ignore_errors=True)
        if is_folder(services.home.importing):
            from managers.exchange.spool import sweep_spools  # noqa: PLC0415  # hardly ever, and no start waits for it

            sweep_spools(services.home)


@contextmanager
def _laid(home: Home, files: Sequence[tuple[str, UploadFile]]) -> Iterator[list[Path]]:
    if not files:
        yield []
        return
    uploads = home.folder / _FOLDER
    with ExitStack() as kept:
        try:
            uploads.mkdir(mode=0o700, exist_ok=True)
            folder = Path(kept.enter_context(tempfile.TemporaryDirectory(dir=uploads)))
            paths = [_keep(file, folder / str(number), name) for number, (name, file) in enumerate(files)]
        except OSError as error:
            raise explained(error, uploads) from error
        yield paths


def _keep(file: UploadFile, folder: Path, name: str) -> Path:
    folder.mkdir(mode=0o700)
    path = folder / name
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as kept:
        shutil.copyfileobj(file.file, kept)
    return path
