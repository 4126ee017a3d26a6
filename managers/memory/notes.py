"""Notes: the text memories that people and personas write by hand.

Core memory, notepad, diary (`memory_main.txt`) and secret diary. Written against the hash that was
read, with an entry in the history; a diary that has grown long rolls over into numbered archives.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from managers.memory.errors import EditTargetError
from managers.personas.errors import ShrinkRefusedError
from managers.storage.clock import Clock
from managers.storage.encodings import text_of
from managers.storage.errors import ExternallyChangedError, Notice, UnreadableError, UnwritableError, as_notice
from managers.storage.files import digest, files, read_bytes, set_aside
from managers.storage.history import History, unified
from managers.storage.journal import settle, settle_to_read
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.spelling import Spelling, decode

NoteKind = Literal["core_memory", "notepad", "main_memory", "secret_diary"]
DIARY_LIMIT = 60_000
"""Characters at which a diary rolls over."""
DIARY_KEPT = 20_000
"""Characters of the newest part that stay, so that the persona still has its last weeks before its eyes."""
_DIARIES = frozenset({"main_memory", "secret_diary"})


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was read: its text, and the digest of its bytes (None: there is no such file)."""

    text: str
    digest: str | None


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of an edit: the text `old`, which stands there exactly once, becomes `new`.

    An empty `old` adds `new` at the end; an empty `new` takes `old` away.
    """

    old: str
    new: str


class Notes:
    """The notes of one persona."""

    def __init__(self, paths: PersonaPaths, history: History, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._history = history
        self._notices: dict[tuple[NoteKind, str], Notice] = {}

    def path(self, kind: NoteKind) -> Path:
        path: Path = getattr(self._paths, kind)
        return path

    def archives(self, kind: NoteKind = "main_memory") -> list[Path]:
        """Return the files that a diary has rolled over into, oldest first."""
        form = re.compile(rf"{_archive_stem(kind)}_\d{{3,}}\.txt")
        found = (path for path in files(self.path(kind).parent, "*.txt") if form.fullmatch(path.name))
        return sorted(found, key=lambda path: (len(path.name), path.name))

    def read_archive(self, path: Path) -> str:
        """Return the text of a file that a diary has rolled over into (see `archives`)."""
        return text_of(read_bytes(path) or b"")

    def take_notices(self) -> list[Notice]:
        taken = list(self._notices.values())
        self._notices = {}
        return taken

    def read(self, kind: NoteKind) -> Note:
        """Return a note as it is on disk; one that is no text is set aside, with a notice."""
        settle_to_read(self._paths)
        return self._read(kind)[0]

    def write(
        self,
        kind: NoteKind,
        text: str,
        *,
        based_on: str | None,
        author: str,
        reason: str,
        evidence: Sequence[str] = (),
        emptied: bool = False,
    ) -> Note:
        """Write a whole note.

        Returns:
            The note as it is now (a diary that rolled over is shorter than `text`).

        Raises:
            ExternallyChangedError: it is another one now, `facts["theirs"]`; nothing was changed.
            ShrinkRefusedError: it would be emptied, and `emptied` is not set; nothing was changed.
            UnreadableError: what is there cannot be read and is therefore not overwritten.
        """
        path = self.path(kind)
        with writing(self._paths):
            settle(self._paths)
            current = read_bytes(path)
            if (None if current is None else digest(current)) != based_on:
                raise ExternallyChangedError(path=path.name, theirs=self._read(kind)[0].text)
            before, spelling = self._read(kind)
            if before.text.strip() and not text.strip() and not emptied:
                raise ShrinkRefusedError(path=path.name)
            older, newest = divide(text) if kind in _DIARIES else ("", text)
            changes: dict[Path, bytes | None] = {path: spelling.encode(newest)}
            if older:
                changes[self._next_archive(kind)] = Spelling().encode(older)
            self._history.change(changes, author=author, reason=reason, evidence=evidence, based_on={path: based_on})
            return self._read(kind)[0]

    def append(self, kind: NoteKind, text: str, *, author: str, reason: str, evidence: Sequence[str] = ()) -> str:
        """Add a paragraph at the end; return the change as a unified diff."""
        return self.apply_edit(kind, [Edit("", text)], author=author, reason=reason, evidence=evidence)

    def apply_edit(
        self, kind: NoteKind, edits: Sequence[Edit], *, author: str, reason: str, evidence: Sequence[str] = ()
    ) -> str:
        """Make several edits, one after the other, all or none; return the change as a unified diff.

        Raises:
            EditTargetError: a text to replace is not there exactly once; nothing was changed.
            ShrinkRefusedError: nothing would be left; nothing was changed.
            ExternallyChangedError: an editor outside changed it this very moment; nothing was changed.
        """
        with writing(self._paths):
            note, text = self.edited(kind, edits)
            self.write(kind, text, based_on=note.digest, author=author, reason=reason, evidence=evidence)
        return self.diff(kind, note.text, text)

    def edited(self, kind: NoteKind, edits: Sequence[Edit]) -> tuple[Note, str]:
        """Return a note, and its text as several edits would leave it; nothing is written.

        Raises:
            EditTargetError: a text to replace is not there exactly once.
        """
        note = self.read(kind)
        text = note.text
        for edit in edits:
            text = _edited(text, edit, self.path(kind).name)
        return note, text

    def diff(self, kind: NoteKind, before: str, after: str) -> str:
        """Return the change of a note as a unified diff."""
        return unified(before, after, self.path(kind).relative_to(self._paths.folder).as_posix())

    def _read(self, kind: NoteKind) -> tuple[Note, Spelling]:
        path = self.path(kind)
        try:
            try:
                return _decoded(read_bytes(path))
            except UnicodeDecodeError:
                return self._mended_or_set_aside(kind, path)
        except UnreadableError as error:
            # Not moved: another program may hold it for a moment. Nothing can overwrite it either,
            # for it cannot be compared with what was read.
            self._notices[kind, "unreadable"] = as_notice("note-unreadable", error)
        except UnwritableError as error:
            self._notices[kind, "broken"] = as_notice("note-broken", error)
        return Note("", None), Spelling()

    def _mended_or_set_aside(self, kind: NoteKind, path: Path) -> tuple[Note, Spelling]:
        """Return a note that somebody has mended who was writing just then; one that is no text still is set aside."""
        with writing(self._paths):
            with suppress(UnicodeDecodeError):
                return _decoded(read_bytes(path))
            self._notices[kind, "broken"] = set_aside(path, self._clock.now())
            return Note("", None), Spelling()

    def _next_archive(self, kind: NoteKind) -> Path:
        taken = self.archives(kind)
        number = int(taken[-1].stem.rsplit("_", 1)[1]) + 1 if taken else 1
        return self.path(kind).with_name(f"{_archive_stem(kind)}_{number:03d}.txt")


def _decoded(data: bytes | None) -> tuple[Note, Spelling]:
    if data is None:
        return Note("", None), Spelling()
    text, spelling = decode(data)
    return Note(text, digest(data)), spelling


def divide(text: str, limit: int = DIARY_LIMIT, kept: int = DIARY_KEPT) -> tuple[str, str]:
    """Return the older part of a diary that is too long, and the newest that stays.

    Divided where a paragraph ends if it can be, else a line, a sentence, anywhere; both parts together
    are the text.
    """
    if len(text) <= limit:
        return "", text
    start = len(text) - kept
    for boundary in ("\n\n", "\n", "。", ". "):
        found = text.find(boundary, start, -1)
        if found != -1:
            return text[: found + len(boundary)], text[found + len(boundary) :]
    return text[:start], text[start:]


def _archive_stem(kind: NoteKind) -> str:
    return "memory_archived" if kind == "main_memory" else f"{kind}_archived"


def _edited(text: str, edit: Edit, name: str) -> str:
    if not edit.old:
        return text + ("" if not text or text.endswith("\n") else "\n") + edit.new.rstrip("\n") + "\n"
    count = text.count(edit.old)
    if count != 1:
        raise EditTargetError(path=name, old=edit.old[:60], count=count)
    return text.replace(edit.old, edit.new)
