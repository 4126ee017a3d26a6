"""The history of a persona's memories: every change seen, explained, and taken back.

A git repository in `<persona>/.history/`; one commit per change, one branch. An undo is a change
like any other. Nothing in here ever touches the logs.

`objects` is the git repository itself, `entries` the commit messages, `walk` the way back through them,
`disk` what lies on disk, `managers.storage.tracking` which files are kept, `pack` keeps it small,
`managers.storage.journal` writes several files all or none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from dulwich.objects import ObjectID

from managers.storage import audit
from managers.storage.clock import Clock
from managers.storage.errors import ExternallyChangedError, NotUndoableError, UndoConflictError
from managers.storage.files import digest, files, read_bytes, sweep
from managers.storage.history.checking import check_at_night, heal_history
from managers.storage.history.diff import FileDiff, UndoConflict, unified
from managers.storage.history.entries import Draft, Entry
from managers.storage.history.merge import Flaws, merge_file, no_flaws
from managers.storage.history.merge_json import dumped, parse, records_of, with_record
from managers.storage.history.objects import ObjectDatabase
from managers.storage.history.pack import pack_loose
from managers.storage.history.parts import part_of, restricted
from managers.storage.history.reader import HistoryReader
from managers.storage.history.rewriting import Reword, Scrub, rewrite
from managers.storage.journal import journal_of, settle, settle_to_read
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.tracking import BRANCH_FILE, is_on_the_move, tracked_name

__all__ = ["OUTSIDE", "Draft", "Entry", "FileDiff", "History", "UndoConflict", "unified"]

Result = TypeVar("Result")

OUTSIDE = "outside"
"""The author of edits that were made in the person's own editor and noticed here."""


class History(HistoryReader):
    """One persona's history. Safe to use from several threads and processes."""

    def __init__(self, paths: PersonaPaths, clock: Clock, flaws: Flaws = no_flaws, *, only_look: bool = False) -> None:
        """Open the history, finishing what a killed process left half done, if that can be; nothing is begun yet.

        Args:
            paths: the persona's files.
            clock: the time.
            flaws: checks what an undo merged from several versions before it is written.
            only_look: finish nobody's work.

        Raises:
            BusyError
        """
        super().__init__(paths, clock)
        self._flaws = flaws
        if not only_look:
            settle_to_read(paths)

    # New entries

    def begin(self, *, author: str, reason: str) -> str | None:
        """Begin the history with all that is there; None if it has begun already."""
        with writing(self.paths), self._lock:
            settle(self.paths)
            if self._repository.open() is not None:
                return None
            return self._repository.begin(Draft(author, reason, kind="beginning")).decode()

    def record(
        self, *, author: str, reason: str, files: Sequence[Path], evidence: Sequence[str] = (), mind: str = ""
    ) -> str | None:
        """Record files as they are on disk now; call it after writing them, under the persona's lock.

        To be sure that edits made outside are not blamed on `author`, call `notice_outside` with the
        same files before writing them, or let `apply` write them.

        Returns:
            The entry's id, None if nothing changed.
        """
        with self._writing() as database:
            contents = self._contents(self._names(files))
            commit = self._repository.commit(database, Draft(author, reason, tuple(evidence), mind), contents)
            return None if commit is None else commit.decode()

    def notice_outside(self, files: Sequence[Path] | None = None) -> str | None:
        """Record what other programs changed on disk since the last entry, in some or all kept files, as "outside".

        Returns:
            The entry's id, None if nothing was changed.
        """
        if files is not None:
            with self._writing() as database:
                return self._notice(database, self._contents(self._names(files)))
        changed = self._files.changed(self._known())  # years of files are looked at: nobody waits for that
        if not changed and not self._files.has_news:
            return None
        with self._writing() as database:
            # Whoever was writing has finished: what still differs was somebody else's edit.
            commit = self._repository.commit(database, Draft(OUTSIDE, ""), self._files.contents(sorted(changed)))
            self._files.note_seen()
            return None if commit is None else commit.decode()

    def _known(self) -> dict[str, ObjectID]:
        """Return the kept files as the newest entry has them; the history is begun first where there is none."""
        settle(self.paths)
        with self._lock:
            database = self._repository.open()
            if database is not None and (head := database.head()) is not None:
                return database.files(database.commit(head).tree)
        with self._writing() as database:
            head = database.head()
            return {} if head is None else database.files(database.commit(head).tree)

    def apply(
        self, changes: Mapping[Path, bytes | None], draft: Draft, based_on: Mapping[Path, str | None] | None = None
    ) -> str | None:
        """Write or delete (None) whole files, all or none, as one entry; each is written where its name lies on disk.

        Args:
            changes: absolute paths in the persona's folder with their new content.
            draft: who, why, from what.
            based_on: digests of what was read; a file that is another one now refuses the whole.

        Returns:
            The entry's id, None if no kept file changed (the others are written all the same).

        Raises:
            ExternallyChangedError, DiskFullError, UnwritableError: nothing was changed.
        """
        named = {path: tracked_name(self.paths.folder, path) for path in changes}
        contents = {name: changes[path] for path, name in named.items() if name is not None}
        others = {path: changes[path] for path, name in named.items() if name is None}

        def write() -> str | None:
            for path, expected in (based_on or {}).items():
                _check_unchanged(path, expected)
            seen = self._contents(contents)
            self._notice(database, seen)
            commit = self._repository.prepare(database, draft, contents)
            self._write(contents, commit, seen, others)
            return None if commit is None else commit.decode()

        with self._writing() as database:
            return _twice(write)

    def change(
        self,
        changes: Mapping[Path, bytes | None],
        *,
        author: str,
        reason: str,
        evidence: Sequence[str] = (),
        mind: str = "",
        based_on: Mapping[Path, str | None] | None = None,
    ) -> str | None:
        """Do the same for whoever says in single words who changes what and why (see `Draft`)."""
        return self.apply(changes, Draft(author, reason, tuple(evidence), mind), based_on)

    # Taking back

    def undo(self, entry_id: str, *, author: str, reason: str = "", leave_changed: bool = False, part: str = "") -> str:
        """Take one entry back: what it did is undone, what came later stays.

        Where nothing came later, its files are again, byte for byte, what they were before it.

        Args:
            entry_id: the entry, or the beginning of its id.
            author: who takes it back.
            reason: why; the entry's own reason if empty.
            leave_changed: leave records and lines that something later changed as they are, and take back the rest.
            part: take back this part of it only (see `parts`).

        Returns:
            The id of the entry that the undo is.

        Raises:
            UndoConflictError: something later changed the same records or lines; nothing was changed.
            NotUndoableError: it is taken back already, or it is the beginning.
        """
        with self._writing() as database, self._reading(entry_id):
            entry = self._entry(entry_id, part)
            if entry.kind == "beginning":
                raise _refusal(entry, "履歴の始まりです。", "it is where the history begins.")
            if entry.undone_by:
                raise _refusal(entry, "もう元に戻してあります。", "it is taken back already.")
            draft = Draft(author, reason or entry.reason, kind="undo", target=entry.id, part=part)
            return _twice(lambda: self._reverse(database, entry, draft, "undo", leave_changed=leave_changed))

    def redo(self, entry_id: str, *, author: str, reason: str = "", leave_changed: bool = False, part: str = "") -> str:
        """Do an entry again that was taken back, as `undo` takes it back; the id may be the entry's or its undo's.

        Returns:
            The id of the entry that the redo is.

        Raises:
            UndoConflictError: something later changed the same records or lines; nothing was changed.
            NotUndoableError: it is not taken back.
        """
        with self._writing() as database, self._reading(entry_id):
            entry = self._entry(entry_id, part)
            if entry.kind == "undo" and not entry.undone_by:
                part = part or entry.part
                entry = self._entry(entry.target, part)
            if not entry.undone_by:
                raise _refusal(entry, "元に戻されていません。", "it is not taken back.")
            # To do it again is to take back what took it back: what that one left alone, this one does.
            draft = Draft(author, reason or entry.reason, kind="redo", target=entry.id, part=part)
            undo = self._entry(entry.undone_by)
            return _twice(lambda: self._reverse(database, undo, draft, "redo", leave_changed=leave_changed))

    # Upkeep

    def erase(self, scrub: Scrub, reword: Reword) -> int:
        """Rewrite every version and every entry; what had been kept of them is destroyed (see `rewriting`).

        Returns:
            how many entries read otherwise now, or are gone.
        """
        with writing(self.paths), self._lock:
            settle(self.paths)
            if self._repository.open() is None:
                return 0
            self.close()
            return rewrite(self.paths.history, scrub, reword)

    def maintain(self, *, force: bool = False) -> int:
        """Tidy up, for the night: what killed writers left, and loose objects when there are many (or `force`).

        Whether all of it can be read is noted too.

        Returns:
            How many objects were packed.
        """
        sweep(self.paths.folder)
        with self._lock:
            database = self._repository.open()
        if database is None:
            return 0
        packed = pack_loose(self.paths.history, force=force)
        check_at_night(self.paths.history)
        return packed

    def heal(self) -> int:
        """Write anew what is damaged and can be made from the files as they are; return how many parts that were."""
        with writing(self.paths), self._lock:
            self.close()
            return heal_history(self.paths.history, self._files.everything())

    # Inside

    def _names(self, files: Sequence[Path]) -> list[str]:
        return [name for name in map(self._name, files) if name]

    def _contents(self, names: Iterable[str]) -> dict[str, bytes | None]:
        return {name: self._files.content(name) for name in names}

    @contextmanager
    def _writing(self) -> Iterator[ObjectDatabase]:
        """Hold the locks, with everything repaired and the history begun."""
        with writing(self.paths), self._lock:
            settle(self.paths)
            database = self._repository.open()
            if database is None:
                self._repository.begin(Draft(OUTSIDE, "", kind="beginning"))
                database = self._repository.open()
            assert database is not None  # it has just begun
            yield database

    def _notice(self, database: ObjectDatabase, seen: Mapping[str, bytes | None]) -> str | None:
        """Record edits from outside, and what files on the move are now: what follows can be undone.

        Whoever writes these files next gives `seen` to `_write`: an edit that came after it is not in the history yet.
        """
        moving = {name: content for name, content in seen.items() if is_on_the_move(name)}
        self._repository.commit(database, Draft("utatane", "", kind="checkpoint"), moving)
        edited = {name: content for name, content in seen.items() if not is_on_the_move(name)}
        commit = self._repository.commit(database, Draft(OUTSIDE, ""), edited)
        return None if commit is None else commit.decode()

    def _write(
        self,
        contents: Mapping[str, bytes | None],
        commit: ObjectID | None,
        seen: Mapping[str, bytes | None],
        others: Mapping[Path, bytes | None] | None = None,
    ) -> None:
        """Write kept files that still are what was seen of them, others beside them, and the branch."""
        places = {name: self._files.path(name) for name in contents}
        changes = {**(others or {}), **{places[name]: content for name, content in contents.items()}}
        head = {} if commit is None else {self.paths.folder / BRANCH_FILE: commit + b"\n"}
        journal_of(self.paths).apply({**changes, **head}, {place: seen[name] for name, place in places.items()})

    def _reverse(
        self, database: ObjectDatabase, entry: Entry, draft: Draft, kind: audit.Kind, *, leave_changed: bool
    ) -> str:
        """Take back what an entry did, or a part of it, beside whatever came later."""
        concerned = (diff for diff in self._diffs(database, entry) if part_of(diff, draft.part) is not None)
        diffs = [restricted(diff, draft.part) for diff in concerned]
        for diff in list(diffs):
            diffs += _on_shelves(self.paths.folder, diff, self._files.content(diff.path))
        seen = self._contents(diff.path for diff in diffs)
        self._notice(database, seen)
        contents: dict[str, bytes | None] = {}
        conflicts: list[UndoConflict] = []
        for diff in diffs:
            current = seen[diff.path]
            merged = merge_file(diff.path, diff.after, current, diff.before, self._flaws)
            conflicts += merged.conflicts
            if merged.content != current:
                contents[diff.path] = merged.content
        if conflicts and not (leave_changed and contents):
            first = conflicts[0]
            raise UndoConflictError(
                path=first.path, part=first.part or "*", conflicts=tuple(conflicts), is_all=not contents
            )
        commit = self._repository.prepare(database, draft, contents, always=True)
        assert commit is not None  # always
        self._write(contents, commit, seen)
        audit.record(self.paths, self._clock.now(), kind, audit.Given({"files": len(contents)}))
        return commit.decode()


def _refusal(entry: Entry, reason_ja: str, reason_en: str) -> NotUndoableError:
    return NotUndoableError(entry=entry.id[:8], reason_ja=reason_ja, reason_en=reason_en)


def _twice(write: Callable[[], Result]) -> Result:
    """Write; and once more from the start where an editor saved in the midst of it, for its edit is noticed first."""
    try:
        return write()
    except ExternallyChangedError:
        return write()


def _check_unchanged(path: Path, expected: str | None) -> None:
    current = read_bytes(path)
    if (None if current is None else digest(current)) != expected:
        raise ExternallyChangedError(path=path.name, theirs=(current or b"").decode("utf-8", "replace"))


def _on_shelves(folder: Path, diff: FileDiff, current: bytes | None) -> Iterator[FileDiff]:
    """Yield, shelf by shelf, what an entry did to records that stood in a file then and stand on a shelf now.

    A list that has grown long puts its older part into `<name>_archived_NNN.json` (see `managers.memory.entry_files`).
    """
    if not diff.path.endswith(".json"):
        return
    try:
        before, after, now = (parse(side) for side in (diff.before, diff.after, current))
    except ValueError:  # no records in it
        return
    was, left, held = records_of(before), records_of(after), records_of(now)
    gone = [key for key, record in left.items() if was.get(key) != record and key not in held]
    path = folder / diff.path
    form = re.compile(rf"{re.escape(path.stem)}_archived_\d{{3,}}{re.escape(path.suffix)}")
    for shelf in files(path.parent, f"*{path.suffix}") if gone else ():
        if not form.fullmatch(shelf.name):
            continue
        try:
            value = parse(read_bytes(shelf))
        except ValueError:  # broken by hand: left alone
            continue
        found = [key for key in gone if key in records_of(value)]
        if found:
            as_left, as_was = value, value
            for key in found:
                as_left, as_was = with_record(as_left, key, after), with_record(as_was, key, before)
            yield FileDiff(shelf.relative_to(folder).as_posix(), dumped(as_was), dumped(as_left))
