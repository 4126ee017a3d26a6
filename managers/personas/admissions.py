"""Who lives here: which folders somebody let in on this computer, and which of their wishes were granted.

A folder is known by its mark, a random id in `.persona-id`, together with its name: neither a folder that takes
another's name nor a copy under another name is taken for it. What is known stands in the home folder, in a file for
each computer, and is sealed: a record that came with a home folder from elsewhere says nothing here.

An entry is written before the folder that it is about becomes visible under a name. So a process that dies in between
leaves an entry too many, which lets nobody in, and never a persona of one's own before the door.
"""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from managers.personas.folders import name_key
from managers.personas.sensitive_settings import NOTHING, Wishes, digest_of
from managers.storage.clock import Clock
from managers.storage.errors import NotPlainFileError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.paths import Home, PersonaPaths
from managers.storage.sealed_record import SealedRecord
from managers.storage.unchanged import Unchanged

_PURPOSE: Final = "admissions"
_MARK_BYTES: Final = 16
_MARK: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Admission:
    """One folder that was let in.

    Attributes:
        mark: what `.persona-id` holds, 32 hex digits.
        names: the names under which it may stand, as `name_key` has them; two while it is being renamed.
        agreed: the wishes that somebody said yes to, as they were shown.
        refused: the digest of the wishes that somebody last said no to; empty if nobody did.
        former: marks under which backups know it, each until a moment, UTC: it was brought back from one then.
    """

    mark: str
    names: tuple[str, ...]
    agreed: Wishes
    refused: str = ""
    former: tuple[tuple[str, str], ...] = ()


class Admissions:
    """The record of one home folder on this computer. Safe to use from several threads and processes."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._record = SealedRecord(home, clock, _PURPOSE, key="personas", ending=".json")
        self._marks = Unchanged[str]()

    def of(self, paths: PersonaPaths) -> Admission | None:
        """Return how a folder was let in, None if it is a guest.

        Raises:
            UnreadableError: nobody can tell: a guest would be let in anew, under another mark.
        """
        admission = self._known(self._marks.get(partial(read_mark, paths), paths.mark))
        return admission if admission and name_key(paths.name) in admission.names else None

    def is_remembered(self, paths: PersonaPaths) -> bool:
        """Tell whether a record that does not hold here (any more) names a guest: a hint for who is asked, and no yes."""
        mark, name = read_mark(paths), name_key(paths.name)
        found = (_admission(mark, entries) for entries in self._record.unsealed())
        return any(name in known.names for known in found if known)

    def mend(self) -> bool:
        """Write the record and its key anew where they are not whole; return whether one was damaged (`SealedRecord`)."""
        return self._record.mend()

    def let_in(self, folder: Path, name: str, agreed: Wishes = NOTHING, refused: str = "") -> None:
        """Let a folder in that is to stand under a name, and may not do so yet.

        Raises:
            UnreadableError, DiskFullError, UnwritableError, BusyError: it stays before the door.
        """
        paths = PersonaPaths(folder)
        mark = read_mark(paths)
        with self._record.changing() as entries:
            if not mark or mark in entries:  # a mark that came along is kept, unless it is somebody else's
                mark = secrets.token_hex(_MARK_BYTES)
                write_atomic(paths.mark, mark + "\n")
            entries[mark] = asdict(Admission(mark, (name_key(name),), agreed, refused))

    @contextmanager
    def moving(self, folder: Path, new_name: str) -> Iterator[None]:
        """Keep a folder known while it is given another name; a guest stays one.

        Raises:
            UnreadableError, DiskFullError, UnwritableError, BusyError: it was not moved.
        """
        mark = read_mark(PersonaPaths(folder))
        known = self._known(mark)
        if known is None:
            yield
            return
        self._change(mark, lambda known: replace(known, names=(*known.names, name_key(new_name))))
        yield
        self._change(mark, lambda known: replace(known, names=(name_key(new_name),)))

    def note_former(self, paths: PersonaPaths, mark: str, until: datetime) -> None:
        """Write down what a folder that was brought back from a backup was known by, if it was given another mark."""
        own, before = read_mark(paths), self._known(mark)
        if own != mark:
            earlier = ((mark, until.isoformat()), *(before.former if before else ()))
            self._change(own, lambda known: replace(known, former=(*known.former, *earlier)))

    def agree(self, paths: PersonaPaths, wishes: Wishes) -> None:
        """Write down the wishes that somebody said yes to; they count from now on, and no others."""
        self._change(read_mark(paths), lambda known: replace(known, agreed=wishes, refused=""))

    def refuse(self, paths: PersonaPaths, wishes: Wishes) -> None:
        """Write down that somebody said no to these wishes: nobody is asked about them again."""
        self._change(read_mark(paths), lambda known: replace(known, refused=digest_of(wishes)))

    def _change(self, mark: str, change: Callable[[Admission], Admission]) -> None:
        with self._record.changing() as entries:
            if (known := _admission(mark, entries)) is not None:
                entries[mark] = asdict(change(known))

    def _known(self, mark: str) -> Admission | None:
        return _admission(mark, self._record.read())


def read_mark(paths: PersonaPaths) -> str:
    """Return what a folder is known by; empty if it has no mark.

    Raises:
        UnreadableError: it may have one.
    """
    try:
        mark = (read_bytes(paths.mark) or b"").decode("ascii").strip()
    except (UnicodeDecodeError, NotPlainFileError):  # a link, which is none of ours
        return ""
    return mark if _MARK.fullmatch(mark) else ""


def _admission(mark: str, entries: Mapping[str, Any]) -> Admission | None:
    try:
        entry = entries[mark]
        known = Admission(mark, tuple(entry["names"]), entry["agreed"], entry["refused"])
        return replace(known, former=tuple((str(one), str(until)) for one, until in entry.get("former", ())))
    except (KeyError, TypeError, ValueError):
        return None
