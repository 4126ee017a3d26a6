"""The files that a log consists of, as a reader sees them at one moment, without a lock.

Moving days to the archives is two steps (append to the archives, cut `log.txt`), so a journal stands
beside the archives from before the first until after the second. While it stands and `log.txt` is
uncut, what the archives hold beyond their noted sizes does not count.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import IO, Final, NamedTuple

from managers.memory.log.file_pieces import read_forward
from managers.memory.log.format import Record
from managers.memory.log.log_index import identity
from managers.storage.copies import copies_in
from managers.storage.errors import UnreadableError
from managers.storage.files import open_binary, read_bytes
from managers.storage.json_text import load_json
from managers.storage.paths import PersonaPaths
from managers.storage.watching import Identity, Listing, listing

MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])\.txt")
_FIRST_BLOCK: Final = 4096


class Part(NamedTuple):
    """One file of a log as a reader sees it: nothing beyond `limit` counts."""

    path: Path
    identity: Identity
    limit: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The log at one moment: its files, oldest first; `log.txt`, the last one, is held open."""

    parts: tuple[Part, ...]
    log_file: IO[bytes] | None

    def is_orderly(self, today: date) -> bool:
        """Whether no archive comes from a future month: what was written last is read last."""
        return all(part.path.name <= f"{today:%Y-%m}.txt" for part in self.parts if MONTH.fullmatch(part.path.name))

    @contextmanager
    def open(self, part: Part) -> Iterator[tuple[IO[bytes], int]]:
        """Open one of the files, and say up to where it counts."""
        if part is self.parts[-1] and self.log_file is not None:
            yield self.log_file, part.limit
            return
        with open_binary(part.path) as file:
            now = Identity.of(os.fstat(file.fileno()))
            # An import replaces an archive whole: then all of the new one counts.
            yield file, part.limit if now.inode == part.identity.inode else now.size


class Journal(NamedTuple):
    """A move under way: the id that `log.txt` begins with before the cut, and the archives' old sizes."""

    first_id: str
    sizes: dict[str, int]


@contextmanager
def snapshot(paths: PersonaPaths) -> Iterator[Snapshot]:
    """Look at the log without a lock, at a moment at which its files fit together."""
    with ExitStack() as stack:
        while True:
            log_file = stack.enter_context(open_binary(paths.log)) if paths.log.exists() else None
            before = Identity.of(os.fstat(log_file.fileno())) if log_file else None
            journal = read_journal(paths)
            if journal is not None:  # they are being written into, maybe by another process
                archives_of(paths).forget()
            archives = archive_parts(paths)
            after = identity(paths.log)
            # A move replaces log.txt, whose inode cannot be given away while we hold it open.
            if (before and before.inode) == (after and after.inode) and read_journal(paths) == journal:
                break
        if journal is not None and log_file is not None and first_id(log_file) == journal.first_id:
            sizes = journal.sizes
            archives = [
                part._replace(limit=min(part.limit, sizes.get(part.path.name, part.limit))) for part in archives
            ]
        log = [Part(paths.log, before, before.size)] if before else []
        yield Snapshot((*archives, *log), log_file)


def archives_of(paths: PersonaPaths) -> Listing:
    """Return what notices a change of the archives; whoever keeps it spares everybody a look at each of them."""
    return listing(paths.log_archives, _is_archive)


def _is_archive(name: str) -> bool:
    return name.endswith(".txt")


def archive_parts(paths: PersonaPaths) -> list[Part]:
    """Return the archives in order; files with names of their own come before the months.

    What a sync service or an editor left there as a second version of one of them is none.
    """
    folder = paths.log_archives
    there = archives_of(paths).files()
    try:
        copies = copies_in(folder, there)
    except OSError as error:
        raise UnreadableError(path=folder, cause=error.strerror or error) from error
    found = [one for one in there.items() if one[0] not in copies]
    found.sort(key=lambda one: (MONTH.fullmatch(one[0]) is not None, one[0]))
    return [Part(_child(folder, name), known, known.size) for name, known in found]


@lru_cache(maxsize=4096)
def _child(folder: Path, name: str) -> Path:
    """Join a path once: the same hundred files are looked at in every turn."""
    return folder / name


def first_record(file: IO[bytes]) -> Record | None:
    """Return a file's first record."""
    size = os.fstat(file.fileno()).st_size
    return next(read_forward(file, 0, size, block=_FIRST_BLOCK), None)


def first_id(file: IO[bytes]) -> str:
    """Return the id of a file's first record, empty if it has none."""
    record = first_record(file)
    return record.message.id if record else ""


def read_journal(paths: PersonaPaths) -> Journal | None:
    """Return the move that is under way or was interrupted, None if there is none.

    A journal that cannot be understood counts as none; the next writer sets it aside.
    """
    data = read_bytes(paths.log_journal)
    if data is None:
        return None
    try:
        content = load_json(data)
        sizes = {str(name): int(size) for name, size in content["sizes"].items()}
        first = str(content["first_id"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    # What it names is cut back: nothing but archives, whoever wrote it.
    is_ours = all(MONTH.fullmatch(name) and size >= 0 for name, size in sizes.items())
    return Journal(first, sizes) if is_ours else None
