"""Several files written all or none, whatever happens in the middle.

New contents are staged as files first, old ones kept beside them; then one small journal is
written, and from there on everything is renames, which need no space. A process that dies before
the journal is there has changed nothing; one that dies after it is finished by whoever comes next
(`recover`). A rename that is refused (a file held open on Windows, say) turns the whole back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from managers.storage.errors import DiskFullError, UnwritableError, UtataneError
from managers.storage.files import digest, fsync_folder, make_folder, read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths


@dataclass(frozen=True, slots=True)
class _Step:
    """One file: digests of its content before and after, None where there is no file."""

    path: str
    before: str | None
    after: str | None


class Journal:
    """The journal of one folder; its owner holds the folder's write lock."""

    def __init__(self, folder: Path, at: Path) -> None:
        """Remember where things are.

        Args:
            folder: what the files' names are relative to.
            at: the journal's own folder, on the same file system.
        """
        self.folder = folder
        self.at = at
        self._journal = at / "journal.json"

    def is_pending(self) -> bool:
        """Tell whether a journal waits to be finished; costs one look at the disk."""
        return self._journal.exists()

    def apply(self, changes: Mapping[Path, bytes | None]) -> None:
        """Write or delete (None) every file, or none.

        Raises:
            DiskFullError, UnwritableError: nothing was changed.
        """
        for path in changes:
            _check_writable(path)
        with _explaining():
            self._clear()
        try:
            steps = self._stage(changes)
            self._decide("forward", steps)
        except UtataneError:
            self._clear_if_possible()
            raise
        try:
            self._roll_forward(steps)
        except OSError as error:
            self._decide("back", steps)
            with _explaining():
                self._roll_back(steps)
            self._clear_if_possible()
            raise _explained(error) from error
        self._clear_if_possible()

    def recover(self) -> None:
        """Finish what a dead process left half done.

        Raises:
            UnwritableError: it cannot be finished now; the journal waits on.
        """
        data = read_bytes(self._journal)
        if data is not None:
            decided = json.loads(data)
            steps = [_Step(**step) for step in decided["steps"]]
            with _explaining():
                if decided["direction"] == "forward":
                    self._roll_forward(steps)
                else:
                    self._roll_back(steps)
        with _explaining():
            self._clear()

    def _decide(self, direction: Literal["forward", "back"], steps: Sequence[_Step]) -> None:
        decided = {"direction": direction, "steps": [asdict(step) for step in steps]}
        write_atomic(self._journal, json.dumps(decided))

    def _stage(self, changes: Mapping[Path, bytes | None]) -> list[_Step]:
        steps = []
        for number, (path, content) in enumerate(changes.items()):
            make_folder(path.parent)
            before = read_bytes(path)
            if before is not None:
                _keep(path, self._old(number), before)
            if content is not None:
                mode = path.stat().st_mode & 0o777 if before is not None else 0o644
                try:
                    write_atomic(self._new(number), content, mode=mode)
                except DiskFullError as error:
                    raise DiskFullError(path=path.name) from error
            steps.append(
                _Step(
                    path.relative_to(self.folder).as_posix(),
                    None if before is None else digest(before),
                    None if content is None else digest(content),
                )
            )
        return steps

    def _roll_forward(self, steps: Sequence[_Step]) -> None:
        for number, step in enumerate(steps):
            path = self.folder / step.path
            # Whoever edited the file between a crash and now keeps the edit: it is theirs, and the
            # history will show it on top of ours.
            if _digest(path) != step.before:
                continue
            if step.after is None:
                path.unlink(missing_ok=True)
            elif self._new(number).exists():
                self._new(number).replace(path)
        self._sync(steps)

    def _roll_back(self, steps: Sequence[_Step]) -> None:
        for number, step in enumerate(steps):
            path = self.folder / step.path
            if step.before == step.after or _digest(path) != step.after:
                continue
            if step.before is None:
                path.unlink(missing_ok=True)
            elif self._old(number).exists():
                self._old(number).replace(path)
        self._sync(steps)

    def _sync(self, steps: Sequence[_Step]) -> None:
        for folder in {(self.folder / step.path).parent for step in steps}:
            fsync_folder(folder)

    def _clear(self) -> None:
        """Forget the journal first, the staged files after it."""
        if not self.at.exists():
            return
        self._journal.unlink(missing_ok=True)
        fsync_folder(self.at)
        for left in list(self.at.iterdir()):
            left.unlink()

    def _clear_if_possible(self) -> None:
        """The same, where all is done already: what cannot be removed now says nothing false, and waits for the next."""
        with suppress(OSError):
            self._clear()

    def _new(self, number: int) -> Path:
        return self.at / f"{number}.new"

    def _old(self, number: int) -> Path:
        return self.at / f"{number}.old"


def _keep(path: Path, kept: Path, content: bytes) -> None:
    make_folder(kept.parent)
    try:
        os.link(path, kept)  # takes no space
    except OSError:  # a file system without links
        write_atomic(kept, content)


def _digest(path: Path) -> str | None:
    content = read_bytes(path)
    return None if content is None else digest(content)


def journal_of(paths: PersonaPaths) -> Journal:
    """Return the journal of a persona's folder."""
    return Journal(paths.folder, paths.history / "pending")


def settle(paths: PersonaPaths) -> None:
    """Finish what a killed process left half done; costs one look at the disk when there is nothing.

    Readers of memories call it first, so that none of them sees half of a change.

    Raises:
        UnwritableError, BusyError: it cannot be finished now.
    """
    journal = journal_of(paths)
    if journal.is_pending():
        with writing(paths):
            journal.recover()


@contextmanager
def _explaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _explained(error) from error


def _explained(error: OSError) -> UnwritableError:
    return UnwritableError(path=error.filename2 or error.filename, cause=error.strerror or error)


def _check_writable(path: Path) -> None:
    if path.exists() and not os.access(path, os.W_OK):
        raise UnwritableError(path=path.name, cause="read-only")
