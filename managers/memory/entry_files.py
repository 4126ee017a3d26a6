"""Files of entries, the newest first: the part that is rewritten, its shelves, and pure changes of it.

Older parts are put on shelves. A shelf is a file that is written once. So no file that is rewritten grows for ever,
and nothing is lost.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from managers.memory.json_documents import (
    PINNED,
    Apply,
    JsonFile,
    OfOneFile,
    Remembered,
    as_plain,
    encode,
    pin_reason,
    write_plainly,
)
from managers.storage.clock import Clock
from managers.storage.files import files, read_bytes
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths

E = TypeVar("E", bound=Remembered)


def shelve(entries: Sequence[E], keep: int) -> tuple[list[E], list[E]]:
    """Split entries (newest first) into what stays and what goes on a shelf: nothing until twice `keep`.

    What a person pinned, wrote or changed stays, and is not counted.
    """
    loose = [one for one in entries if not one.is_kept]
    older = loose[keep:] if len(loose) >= 2 * keep else []
    gone = set(map(id, older))
    return [one for one in entries if id(one) not in gone], older


def shelves(path: Path) -> list[Path]:
    """Return the shelves of a file, oldest first: `insights_archived_001.json` for `insights.json`."""
    found = files(path.parent, f"{path.stem}_archived_[0-9][0-9][0-9]*{path.suffix}")
    return sorted(
        (one for one in found if one.stem.rpartition("_")[2].isdecimal()), key=lambda one: (len(one.name), one.name)
    )


def next_shelf(path: Path) -> Path:
    """Return the file for the next shelf."""
    taken = shelves(path)
    number = int(taken[-1].stem.rsplit("_", 1)[1]) + 1 if taken else 1
    return path.with_name(f"{path.stem}_archived_{number:03d}{path.suffix}")


class EntryList(Generic[E]):
    """Entries of one kind as they stand in their file, and pure changes of them."""

    KEPT: ClassVar[int]
    """So many stay when the older ones go on a shelf."""

    def __init__(self, entries: Sequence[E], odd: Sequence[Any] = ()) -> None:
        """Hold entries (newest first) and whatever else was in the file."""
        self.entries = list(entries)
        self.odd = list(odd)

    @property
    def all(self) -> list[E]:
        return self.entries

    def get(self, entry_id: str) -> E | None:
        return next((one for one in self.entries if one.id == entry_id), None)

    def edited(self, entry_id: str, **values: object) -> Self:
        changed = (one.model_copy(update=values) if one.id == entry_id else one for one in self.entries)
        return type(self)([*changed], self.odd)

    def without(self, entry_id: str) -> Self:
        return type(self)([one for one in self.entries if one.id != entry_id], self.odd)

    def changes(self, path: Path) -> dict[Path, bytes | None]:
        """Return the files to write: the entries, and a shelf when they have become many."""
        kept, older = self._divided()
        written: dict[Path, bytes | None] = {path: encode(as_plain(kept, self.odd))}
        if older:
            written[next_shelf(path)] = encode(as_plain(older))
        return written

    def _divided(self) -> tuple[list[E], list[E]]:
        """Return what stays in the file, and what goes on a shelf."""
        return shelve(self.entries, self.KEPT)


class _Entries(Protocol[E]):
    @property
    def all(self) -> list[E]: ...

    def edited(self, entry_id: str, **values: object) -> Self: ...

    def without(self, entry_id: str) -> Self: ...

    def changes(self, path: Path) -> dict[Path, bytes | None]: ...


D = TypeVar("D", bound=_Entries[Any])


class EntryStore(OfOneFile, Generic[D, E]):
    """One file of entries and its shelves; each change is written with an entry in the history."""

    def __init__(
        self, paths: PersonaPaths, path: Path, clock: Clock, apply: Apply | None, parse: Callable[[Any], D],
        outermost: type[list[Any] | dict[str, Any]] = list,
    ) -> None:  # fmt: skip
        """Remember the file; `parse` reads its value, and `apply` writes."""
        self.path = path
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self._parse = parse
        self._file = JsonFile(paths, path, clock, outermost)
        self._held: tuple[bytes, D] | None = None

    def load(self) -> D:
        """Return the newest part: what is not on a shelf."""
        data = read_bytes(self.path)
        held = self._held
        if held is not None and data == held[0]:  # asked for several times in a turn, and mostly as it was
            return held[1]
        found = self._parse(self._file.value_of(data))
        self._held = None if data is None else (data, found)
        return found

    def archived(self) -> list[E]:
        """Return the entries that were put on shelves, the newest shelf first."""
        known, found = {one.id for one in self.load().all}, list[E]()
        for path in reversed(shelves(self.path)):
            file = JsonFile(self._paths, path, self._clock, self._file.expected)
            older = self._parse(file.read()).all
            self._file.notices += file.take_notices()
            # A change that was taken back brings back what it had put on a shelf.
            found += [one for one in older if not one.id or one.id not in known]  # by hand they are written without
            known |= {one.id for one in older}
        return found

    def change(self, change: Callable[[D], D], *, author: str, reason: str, evidence: Sequence[str] = ()) -> D:
        """Apply a pure change to what the file holds now, and write it."""
        with writing(self._paths):
            entries = change(self.load())
            self._apply(entries.changes(self.path), author=author, reason=reason, evidence=evidence)
            return entries

    def delete(self, entry_id: str, *, author: str, reason: str) -> None:
        """Delete an entry (the history keeps it)."""
        self.change(lambda entries: entries.without(entry_id), author=author, reason=reason)

    def pin(self, entry_id: str, *, on: bool, author: str) -> None:
        self.change(lambda entries: entries.edited(entry_id, **{PINNED: on}), author=author, reason=pin_reason(on=on))
