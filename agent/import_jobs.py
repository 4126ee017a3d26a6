"""Imports that the page asks for: one at a time, in a thread, looked at first and taken over after a yes.

What was read waits on the disk between the two. Whoever reloads the page, or opens it elsewhere, sees the same import.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from agent.importing import Imported, bring_in, check_speakers, follow_up, informed, look
from managers.exchange.archives import reading as archives
from managers.exchange.errors import ImportCancelledError, ImportGoneError, ImportUnderWayError
from managers.exchange.import_engine import ImportPreview, SourceImport, Stage
from managers.exchange.items import Kind, ReadingWishes
from managers.storage.edges import said
from managers.storage.errors import UtataneError, as_notice
from managers.storage.files import explained, make_folder, remove_tree
from managers.storage.opening import PRIVATE_FOLDER
from managers.storage.paths import safe_name

if TYPE_CHECKING:
    from agent.services import Services

Sent: TypeAlias = tuple[str, Callable[[Path], object]]
"""What a file is called, with the folders that it was in, and what lays it somewhere."""
_ODD: Final = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
"""What some system does not take in a name."""
State = Literal["reading", "found", "writing", "done", "stopped", "failed"]
_STOP_SECONDS: Final = 5.0
_WHOLE: Final = 1000
"""An archive tells its share alone, which is shown as so many parts."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import is.

    Attributes:
        source: what the file or folder is called.
        done, whole: bytes read, or messages written; a whole of 0 is not known yet.
        persona: whom it is for; empty before anybody said so.
        archive: what was found instead, where the source is an archive.
    """

    source: str
    state: State = "reading"
    done: int = 0
    whole: int = 0
    persona: str = ""
    found: ImportPreview | None = None
    imported: Imported | None = None
    archive: archives.Checked | None = None
    brought: archives.Brought | None = None
    error: UtataneError | None = None

    @property
    def is_going_on(self) -> bool:
        return self.state in {"reading", "writing"}


@dataclass
class ImportJobs:
    """The import of this process."""

    services: Services
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stack: ExitStack = field(default_factory=ExitStack)
    _cancel: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _work: SourceImport | None = None
    _current: ImportState | None = None
    _passphrase: str | None = field(default=None, repr=False)
    _count: int = 0

    @property
    def current(self) -> ImportState | None:
        """The import that is under way, waits for a yes, or was the last one; None before the first."""
        return self._current

    def look(self, source: Path, kind: Kind | None, persona: str = "", passphrase: str | None = None) -> None:
        """Begin to read a file or folder of this computer; an archive may need a passphrase.

        Raises:
            ImportUnderWayError: another one is under way.
        """
        with self._lock:
            self._begin(passphrase)
            self._open(source, kind, persona)

    def look_at_upload(
        self, files: Sequence[Sent], kind: Kind | None, persona: str = "", passphrase: str | None = None
    ) -> None:
        """Begin to read files, or a folder, that a form has brought; they are kept until the import is over.

        Raises:
            ImportUnderWayError: another one is under way.
            UnsafeNameError, DiskFullError, UnwritableError: nothing is kept.
        """
        with self._lock:
            self._begin(passphrase)
            self._count += 1
            folder = self.services.home.importing / f"{os.getpid()}-upload{self._count}"
            try:
                remove_tree(folder)  # of a killed process that had the same number, as in a container
                make_folder(folder)
                self._stack.callback(_discard, folder)
                source = lay(folder, files)
            except OSError as error:
                self._stack.close()
                raise explained(error, folder) from error
            except UtataneError:
                self._stack.close()
                raise
            self._open(source, kind, persona)

    def look_again(self, kind: Kind | None, wishes: ReadingWishes) -> None:
        """Read the same source again, with what a person said about it.

        Raises:
            ImportGoneError: there is nothing that waits for a yes.
        """
        with self._lock:
            work, current = self._waiting()
            self._current = replace(current, state="reading", done=0, whole=0, persona=wishes.persona)
            self._start(lambda: self._read(work, kind, wishes))

    def take_over(self, persona: str, *, is_let_in: bool = False) -> None:
        """Take over what was found, into a persona of that name; `is_let_in`: see `agent.importing.bring_in`.

        Raises:
            ImportGoneError: there is nothing that waits for a yes.
            SpeakersUnknownError: who is who has to be said first; it goes on waiting.
            UnsafeNameError: nobody can be called so.
        """
        name = safe_name(persona)
        with self._lock:
            work, current = self._waiting()
            if current.found is not None:
                check_speakers(work)
            self._current = replace(current, state="writing", done=0, whole=0, persona=name)
            bring = self._bring_back if current.archive else partial(self._take_over, is_let_in=is_let_in)
            self._start(lambda: bring(work, name))

    def stop(self) -> None:
        """Stop what is under way; what is there by then stays, and what waits for a yes is let go of."""
        self._cancel.set()
        if self._work is not None and self._current is not None and self._current.state == "reading":
            self._work.interrupt()
        self.settle(_STOP_SECONDS)
        self.forget()

    def forget(self) -> None:
        """Let go of an import that is not going on: of what was read, too."""
        with self._lock:
            if self._current is not None and not self._current.is_going_on:
                self._let_go()
                self._current = None

    def settle(self, seconds: float | None = None) -> None:
        """Wait for what is under way, so many seconds at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """Stop for the end of the program."""
        self.stop()
        self.settle()
        self.forget()

    def _begin(self, passphrase: str | None) -> None:
        if self._current is not None and self._current.is_going_on:
            raise ImportUnderWayError(name=self._current.source)
        self._let_go()
        self._current, self._passphrase = None, passphrase

    def _let_go(self) -> None:
        self._stack.close()
        self._work = self._passphrase = None

    def _waiting(self) -> tuple[SourceImport, ImportState]:
        if self._work is None or self._current is None or self._current.state != "found":
            raise ImportGoneError
        return self._work, self._current

    def _open(self, source: Path, kind: Kind | None, persona: str) -> None:
        work = SourceImport(self.services.home, source, self.services.clock, self._is_cancelled, self._note)
        self._work = self._stack.enter_context(closing(work))
        self._current = ImportState(source.name, persona=persona)
        self._start(lambda: self._read(work, kind, ReadingWishes(persona=persona)))

    def _start(self, deed: Callable[[], ImportState]) -> None:
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(deed,), name="import", daemon=True)
        self._thread.start()

    def _run(self, deed: Callable[[], ImportState]) -> None:
        current = self._current
        assert current is not None
        try:
            told = deed()
        except ImportCancelledError as error:
            told = replace(current, state="stopped", error=error)
        except Exception as error:  # noqa: BLE001  # the edge of a thread: whatever it is, it is shown
            told = replace(current, state="failed", error=said(error, "an import"))
        if told.state != "found":
            self._let_go()
        self._current = told
        if told.imported is not None:
            self._follow_up(told.imported)

    def _read(self, work: SourceImport, kind: Kind | None, wishes: ReadingWishes) -> ImportState:
        if kind == "archive" or (kind is None and archives.is_archive(work.source)):
            checked = archives.look_through(work.source, self._passphrase, partial(self._note_share, "reading"))
            return ImportState(work.source.name, "found", persona=wishes.persona, archive=checked)
        work.read(kind, informed(self.services, wishes))
        found = look(self.services, work, wishes.persona) if wishes.persona else work.preview()
        return ImportState(work.source.name, "found", persona=wishes.persona, found=found)

    def _bring_back(self, work: SourceImport, name: str) -> ImportState:
        told, personas = partial(self._note_share, "writing"), self.services.personas
        brought = archives.bring_in(personas, work.source, self._passphrase, name, told)
        return ImportState(work.source.name, "done", persona=brought.persona.name, brought=brought)

    def _take_over(self, work: SourceImport, name: str, *, is_let_in: bool) -> ImportState:
        imported = bring_in(self.services, work, name, is_let_in=is_let_in)
        return ImportState(work.source.name, "done", persona=imported.persona, imported=imported)

    def _follow_up(self, imported: Imported) -> None:
        """Let the index learn of it; what came in is there already, and can be talked about meanwhile."""
        try:
            notices = follow_up(self.services, imported.persona)
        except Exception as error:  # noqa: BLE001  # as above; the import itself is done
            notices = (as_notice("import-index", said(error, "what follows an import")),)
        current = self._current
        if current is not None and current.imported is imported:
            self._current = replace(current, imported=replace(imported, notices=notices, is_indexed=True))

    def _is_cancelled(self) -> bool:
        return self._cancel.is_set()

    def _note_share(self, stage: Stage, done: float) -> None:
        """Note how much of an archive is done.

        Raises:
            ImportCancelledError
        """
        if self._cancel.is_set():
            raise ImportCancelledError
        self._note(stage, round(_WHOLE * done), _WHOLE)

    def _note(self, stage: Stage, done: int, whole: int) -> None:
        current = self._current
        if current is not None and current.state == stage:
            self._current = replace(current, done=done, whole=whole)


def _discard(folder: Path) -> None:
    with suppress(OSError):
        remove_tree(folder)


def lay(folder: Path, files: Sequence[Sent]) -> Path:
    """Lay files into a folder in which nothing is; return what is to be read: the one file, or the folder that holds them.

    Several that were in no folder get one, called after the first of them. Hidden files stay out: they are the system's.

    Raises:
        UnsafeNameError: the one file cannot be called so.
        OSError
    """
    if len(files) == 1 and "/" not in files[0][0]:
        [(name, put)] = files
        put(file := folder / safe_name(name))
        return file
    found: dict[PurePosixPath, Callable[[Path], object]] = {}
    for name, put in files:
        if (place := _place_of(name)) is not None:
            found[_free(place, found)] = put
    tops = {place.parts[0] if len(place.parts) > 1 else "" for place in found}
    within = folder if len(tops) == 1 and "" not in tops else folder / _together(found)
    for place, put in found.items():
        (within / place).parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        put(within / place)
    return within / tops.pop() if within == folder else within


def _together(places: Collection[PurePosixPath]) -> str:
    return f"{min(places).parts[0]} +{len(places) - 1}" if places else "-"


def _free(place: PurePosixPath, taken: Collection[PurePosixPath]) -> PurePosixPath:
    """Return a place that no other file has: two names may be the same on the disk, and none is to be lost."""
    others = (place.with_name(f"{place.stem} {number}{place.suffix}") for number in count(2))
    return next(one for one in chain([place], others) if one not in taken)


def _place_of(name: str) -> PurePosixPath | None:
    """Return where a file of a folder belongs; None for a hidden one, or one that would lead out of the folder."""
    parts = [part for part in name.split("/") if part]
    if not parts or any(part.startswith(".") for part in parts):
        return None
    return PurePosixPath(*(_ODD.sub("_", part) for part in parts))
