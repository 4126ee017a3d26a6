"""What is promised of a model's files, and what was fetched: a list beside them, `model.json`, the same before and after.

While it is `model.json.part`, the files are on their way, and whoever goes on has the version that was begun.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from managers.storage.errors import UnreadableError
from managers.storage.files import dump_json, open_binary, read_bytes, write_atomic

MANIFEST: Final = "model.json"
_BLOCK: Final = 1 << 20
_SHA256_DIGITS: Final = 64


@dataclass(frozen=True, slots=True)
class Source:
    """A model in one of our tables: what its folder is called, where it is, its files' paths there by the names they get.

    More than `most_bytes` is not fetched, whatever the registry says.
    """

    name: str
    title: str
    repository: str
    revision: str
    files: Mapping[str, str]
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Promised:
    """A file as the registry describes it: `sha256`, or in its place git's own hash of a small one."""

    name: str
    bytes: int
    sha256: str

    def is_kept(self, path: Path, look: Callable[[], object] = lambda: None) -> bool:
        """Tell whether a file is what was promised; `look` is called between blocks and may raise."""
        is_long = len(self.sha256) == _SHA256_DIGITS
        hashed = hashlib.sha256() if is_long else hashlib.sha1(b"blob %d\0" % self.bytes, usedforsecurity=False)
        with open_binary(path) as file:
            size = 0
            while size <= self.bytes and (block := file.read(_BLOCK)):
                look()
                hashed.update(block)
                size += len(block)
        return size == self.bytes and hashed.hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of a model's files at one revision."""

    repository: str
    commit: str
    files: Sequence[Promised]

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return what was kept; None where nothing of use was."""
        try:
            told = json.loads(read_bytes(path) or b"")
            return cls(str(told["repository"]), str(told["commit"]), [Promised(**one) for one in told["files"]])
        except (UnreadableError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def write(self, path: Path) -> None:
        """Keep it."""
        write_atomic(path, dump_json(asdict(self)))

    def is_of(self, source: Source) -> bool:
        """Whether it is about these files."""
        return self.repository == source.repository and {one.name for one in self.files} == source.files.keys()


def is_fetched(name: str, models: Path) -> bool:
    """Whether all of a model lies in its folder."""
    return (models / name / MANIFEST).is_file()


def is_intact(path: Path) -> bool:
    """Whether a file that was fetched is still what was promised; any other file is what it is.

    Its hash is looked at again only where it was written after its folder's list.
    """
    kept = Promise.read(manifest := path.parent / MANIFEST)
    promised = next((one for one in kept.files if one.name == path.name), None) if kept else None
    if kept is None or promised is None:
        return True
    found = path.stat()
    if found.st_size != promised.bytes or found.st_mtime_ns <= manifest.stat().st_mtime_ns:
        return found.st_size == promised.bytes
    if is_kept := promised.is_kept(path):
        kept.write(manifest)  # whoever looks again need not read all of it
    return is_kept
