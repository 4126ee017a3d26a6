"""Personas that are exported and brought back, and how two folders are compared."""

import hashlib
from contextlib import closing
from pathlib import Path
from random import Random

from managers.exchange.archives.making import ArchiveWishes, Exported, make_archive
from managers.exchange.archives.writing import Progress, nobody_asks
from managers.memory.log.reader import LogReader
from managers.personas import PersonaStore
from managers.storage.history import History
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock
from tests.small_life import NOW

DERIVED = ("rag_index/", ".lock", ".export.lock", "rag_index.lock", ".history/pending")


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder that is no index and no lock; empty for folders in which nothing is."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name.startswith(DERIVED):
            continue
        if path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif path.is_dir() and not any(path.iterdir()):
            found[name] = ""
    return found


def export(
    paths: PersonaPaths,
    file: Path,
    wishes: ArchiveWishes = ArchiveWishes(),  # noqa: B008  # frozen
    progress: Progress = nobody_asks,
) -> Exported:
    clock = HandClock(NOW)
    with closing(History(paths, clock)) as history:
        return make_archive(paths, LogReader(paths, clock, keeps_indexes=False), history, file, NOW, wishes, progress)


def store_at(folder: Path) -> PersonaStore:
    return PersonaStore(Home(folder), HandClock(NOW), Random(1))
