"""Several files written all or none, whatever happens in the middle.

New contents are staged as files first, old ones kept beside them; then one small journal is
written, and from there on everything is renames, which need no space. A process that dies before
the journal is there has changed nothing; one that dies after it is finished by whoever comes next
(`recover`). A rename that is refused (a file held open on Windows, say) turns the whole back.

A folder from somebody else may bring a journal along, and a journal says what is to be overwritten. So
only one that this installation sealed is followed, and it names nothing but what transactions write.
Any other is put aside with what was staged for it.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from managers.storage import opening
from managers.storage.errors import (
    DiskFullError,
    ExternallyChangedError,
    FileTooLargeError,
    Notice,
    NotPlainFileError,
    UnreadableError,
    UnwritableError,
    UtataneError,
    as_notice,
)
from managers.storage.files import (
    check_writable,
    digest,
    entries,
    explained,
    fsync_folder,
    make_folder,
    read_bytes,
    unread,
    write_atomic,
    write_together,
)
from managers.storage.installation import Installation
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.tracking import may_be_changed

Direction = Literal["forward", "back"]

_SEALED: Final = "journal"
_PUT_ASIDE: Final = ".journal.broken-"


@dataclass(frozen=True, slots=True)
class _Step:
    """One file: digests of its content before and after, None where there is no file."""

    path: str
    before: str | None
    after: str | None


class Journal:
    """The journal of one folder; its owner holds the folder's write lock."""

    def __init__(self, folder: Path, at: Path, installation: Installation) -> None:
        self.folder = folder
        self.at = at
        self._journal = at / "journal.json"
        self._installation = installation

    def is_pending(self) -> bool:
        """Tell whether a journal waits to be finished, or something stands in its way; two looks at the disk.

        Raises:
            UnreadableError: nobody can tell.
        """
        try:
            return opening.kind(self.at) not in {"folder", None} or opening.look(self._journal) is not None
        except OSError as error:
            raise unread(error, self.at) from error

    def apply(self, changes: Mapping[Path, bytes | None], seen: Mapping[Path, bytes | None] | None = None) -> None:
        """Write or delete (None) every file, or none.

        Args:
            changes: the files with their new content.
            seen: what some of them held when they were read; one that is another now refuses the whole.

        Raises:
            ExternallyChangedError, DiskFullError, UnwritableError: nothing was changed.
        """
        with _explaining():
            for path in changes:
                check_writable(path)
            self._clear()
        try:
            with _explaining():
                steps = self._stage(changes, seen)
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
        """Finish what a dead process left half done; what this installation did not leave is put aside.

        Raises:
            UnwritableError: it cannot be done now; the journal waits on.
        """
        decided = self._read()
        with _explaining():
            if decided is None:
                self._set_aside()
                return
            direction, steps = decided
            if direction == "forward":
                self._roll_forward(steps)
            else:
                self._roll_back(steps)
            self._clear()

    def _decide(self, direction: Direction, steps: Sequence[_Step]) -> None:
        decided = {"direction": direction, "steps": [asdict(step) for step in steps]}
        seal = self._installation.seal(_SEALED, json.dumps(decided).encode())
        write_atomic(self._journal, json.dumps({**decided, "seal": seal}))

    def _read(self) -> tuple[Direction, list[_Step]] | None:
        """Return what is to be done; None for anything but a journal that this installation wrote."""
        try:
            decided: dict[str, Any] = json.loads(read_bytes(self._journal) or b"")
            seal = decided.pop("seal")
            if not self._installation.is_sealed(_SEALED, json.dumps(decided).encode(), seal):
                return None
            steps = [_Step(**step) for step in decided["steps"]]
        except (NotPlainFileError, FileTooLargeError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return (decided["direction"], steps) if all(may_be_changed(step.path) for step in steps) else None

    def _set_aside(self) -> None:
        number = 1
        while opening.look(kept := self.folder / f"{_PUT_ASIDE}{number}") is not None:
            number += 1
        opening.move(self.at, kept)
        fsync_folder(self.folder)

    def _stage(
        self, changes: Mapping[Path, bytes | None], seen: Mapping[Path, bytes | None] | None = None
    ) -> list[_Step]:
        steps, staged = [], dict[Path, bytes]()
        for number, (path, content) in enumerate(changes.items()):
            name = path.relative_to(self.folder).as_posix()
            assert may_be_changed(name)  # or nobody would finish it
            make_folder(path.parent)
            before = read_bytes(path)
            if seen is not None and before != seen.get(path, before):
                raise ExternallyChangedError(path=path.name, theirs=(before or b"").decode("utf-8", "replace"))
            if before is not None:
                _keep(path, self._old(number), before)
            if content is not None:
                staged[self._new(number)] = content
            steps.append(
                _Step(name, None if before is None else digest(before), None if content is None else digest(content))
            )
        try:
            write_together(staged)
        except DiskFullError as error:
            raise DiskFullError(path=", ".join(path.name for path in list(changes)[:3])) from error
        return steps

    def _roll_forward(self, steps: Sequence[_Step]) -> None:
        for number, step in enumerate(steps):
            path = self.folder / step.path
            # Whoever edited the file between a crash and now keeps the edit: it is theirs, and the
            # history will show it on top of ours.
            if _digest(path) != step.before:
                continue
            if step.after is None:
                opening.unlink(path)
            elif _digest(self._new(number)) == step.after:
                opening.move(self._new(number), path)
        self._sync(steps)

    def _roll_back(self, steps: Sequence[_Step]) -> None:
        for number, step in enumerate(steps):
            path = self.folder / step.path
            if step.before == step.after or _digest(path) != step.after:
                continue
            if step.before is None:
                opening.unlink(path)
            elif _digest(self._old(number)) == step.before:
                opening.move(self._old(number), path)
        self._sync(steps)

    def _sync(self, steps: Sequence[_Step]) -> None:
        for folder in {(self.folder / step.path).parent for step in steps}:
            fsync_folder(folder)

    def _clear(self) -> None:
        """Forget the journal first, the staged files after it."""
        if not opening.is_folder(self.at):
            return
        opening.unlink(self._journal)
        fsync_folder(self.at)
        for left in opening.entries(self.at):
            opening.unlink(self.at / left.name)

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
    return Journal(paths.folder, paths.pending, Installation(paths.home))


def put_aside(paths: PersonaPaths) -> list[str]:
    """Return the names in the persona's folder of journals that were put aside because they were not made here."""
    found = entries(paths.folder, {*opening.PLAIN, "link"})
    return sorted(entry.name for entry in found if entry.name.startswith(_PUT_ASIDE))


def settle_to_read(paths: PersonaPaths) -> Notice | None:
    """Finish what a killed process left half done, so that readers of memories do not see half of a change.

    Returns:
        what a person should know, where it cannot be finished now: what is there is read all the same, and nothing
        is written over it.

    Raises:
        BusyError
    """
    try:
        settle(paths)
    except (UnreadableError, UnwritableError, DiskFullError) as error:
        return as_notice("change-unfinished", error)
    return None


def settle(paths: PersonaPaths) -> None:
    """Finish what a killed process left half done, before something is written; one look at the disk if there is nothing.

    Raises:
        UnwritableError, BusyError: it cannot be finished now.
        UnreadableError: nobody can tell whether there is anything.
    """
    journal = journal_of(paths)
    if journal.is_pending():
        with writing(paths):
            if journal.is_pending():  # it was somebody's who was writing just then, and is done
                journal.recover()


@contextmanager
def _explaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _explained(error) from error


def _explained(error: OSError) -> UtataneError:
    return explained(error, Path(error.filename2 or error.filename))
