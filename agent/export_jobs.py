"""Exports that are made while their page goes on, and wait to be saved.

What is made lies in the home folder, in a folder that nobody else may enter, until it is thrown away, an hour has passed,
something is erased for good, or the program ends. A passphrase is known to the thread that encrypts with it, and to nobody else.
"""

import shutil
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_urlsafe
from typing import Final, Literal

from agent.exporting import ExportWishes, Form, export, file_name
from agent.memories import Memories
from managers.exchange.archives.making import Exported
from managers.exchange.exports.chat_page import Render
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.storage.files import explained
from managers.storage.opening import look
from managers.storage.paths import Home

KEPT: Final = timedelta(hours=1)
_STEP: Final = 0.02
"""A page is told of progress when so much more is done."""

State = Literal["making", "made", "failed"]


@dataclass(frozen=True, slots=True)
class ExportJob:
    """One export.

    Attributes:
        id: random; whoever knows it may save the file.
        done: the share that is done, 0 to 1.
    """

    id: str
    persona: str
    form: Form
    name: str
    begun: datetime
    path: Path
    state: State = "making"
    done: float = 0.0
    exported: Exported | None = None
    error: UtataneError | None = None
    is_encrypted: bool = False


class _StoppedError(Exception):
    """Nobody wants the export any more."""


class ExportJobs:
    """The exports of one home folder in this process. Safe to use from several threads."""

    def __init__(self, home: Home, *, only_look: bool = False) -> None:
        """With `only_look`, where nothing can be written in the home folder, files lie in the system's temporary folder."""
        self._home = home
        self._only_look = only_look
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._changes = 0
        self._jobs: dict[str, ExportJob] = {}
        self._threads: dict[str, threading.Thread] = {}

    @property
    def mark(self) -> str:
        """What changes whenever a page that shows them would be drawn in another way; it tells nothing of them."""
        return str(self._changes)

    def of(self, persona: str, now: datetime) -> list[ExportJob]:
        """Return a persona's, newest first; what has waited for an hour goes."""
        for one in list(self._jobs.values()):
            if (one.state != "making" and now - one.begun > KEPT) or _is_erased(one):
                self.remove(one.persona, one.id)
        return [one for one in reversed(list(self._jobs.values())) if one.persona == persona]

    def get(self, persona: str, job_id: str) -> ExportJob | None:
        """Return one of a persona's exports; None where there is none (any more)."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.persona == persona and not _is_erased(job) else None

    def begin(self, memories: Memories, wishes: ExportWishes, render: Render) -> ExportJob:
        """Begin to make an export.

        Raises:
            UnwritableError, DiskFullError: nothing can be kept here.
        """
        name, job_id = file_name(memories, wishes), token_urlsafe(12)
        with self._lock:
            folder = self._made_folder() / job_id
            try:
                folder.mkdir(mode=0o700)
            except OSError as error:
                raise explained(error, folder) from error
            job = ExportJob(
                job_id, memories.paths.name, wishes.form, name, memories.clock.now(), folder / name,
                is_encrypted=wishes.passphrase is not None,
            )  # fmt: skip
            self._jobs[job_id] = job
            self._changes += 1
            thread = threading.Thread(target=self._make, args=(job, memories, wishes, render), name="export")
            self._threads[job_id] = thread
        thread.start()
        return job

    def remove(self, persona: str, job_id: str) -> None:
        """Throw an export away, or stop making it; one that is gone stays so."""
        job = self._jobs.get(job_id)
        if job is not None and job.persona == persona:
            with self._lock:
                self._jobs.pop(job_id, None)
                self._changes += 1
            if job.state != "making":  # whoever makes it notices, and throws it away
                shutil.rmtree(job.path.parent, ignore_errors=True)

    def wait(self) -> None:
        """Wait until none is being made."""
        for thread in list(self._threads.values()):
            thread.join()

    def stop(self) -> None:
        """Stop what is being made, and throw everything away."""
        with self._lock:
            self._jobs.clear()
        self.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _make(self, job: ExportJob, memories: Memories, wishes: ExportWishes, render: Render) -> None:
        def told(done: float) -> None:
            current = self._jobs.get(job.id)
            if current is None or _is_erased(job):
                raise _StoppedError
            if done >= current.done + _STEP:
                self._change(job.id, done=done)

        try:
            exported = export(memories, job.path, wishes, render, told)
            self._change(job.id, state="made", done=1.0, exported=exported)
        except _StoppedError:
            self.remove(job.persona, job.id)
        except Exception as error:  # noqa: BLE001  # the edge of a thread: it is logged whole, and said on the page
            self._change(job.id, state="failed", error=said(error, "an export"))
        finally:
            self._threads.pop(job.id, None)
            if job.id not in self._jobs:
                shutil.rmtree(job.path.parent, ignore_errors=True)

    def _change(self, job_id: str, **values: object) -> None:
        with self._lock, suppress(KeyError):
            self._changes += 1
            self._jobs[job_id] = replace(self._jobs[job_id], **values)  # type: ignore[arg-type]  # fields of it

    def _made_folder(self) -> Path:
        """Return the folder that the files lie in; what a killed process left there goes."""
        if self._folder is None:
            if self._only_look:
                self._folder = Path(tempfile.mkdtemp(prefix="utatane-"))
            else:
                self._folder = self._home.exports
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder.mkdir(mode=0o700)
        return self._folder


def _is_erased(job: ExportJob) -> bool:
    """Tell whether an erasure has taken an export along, here or in another process."""
    return job.state != "failed" and look(job.path.parent) is None
