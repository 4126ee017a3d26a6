"""What is promised of a model's files, and what was fetched: a list beside them, `model.json`, the same before and after.

While it is `model.json.part`, the files are on their way, and whoever goes on has the version that was begun.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from managers.storage.errors import UnreadableError
from managers.storage.files import dump_json, open_binary, read_bytes, write_atomic

MANIFEST: Final = "model.json"
UNDER_WAY: Final = f"{MANIFEST}.part"
_BLOCK: Final = 1 << 20
_SHA256_DIGITS: Final = 64


@dataclass(frozen=True, slots=True)
class Source:
    """A model in one of our tables.

    Attributes:
        name: what its folder is called.
        repository, revision: where it is, and which version.
        files: paths there, by the name that each gets here.
        most_bytes: more than this is not fetched, whatever the registry says.
    """

    name: str
    title: str
    repository: str
    revision: str
    files: Mapping[str, str]
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Promised:
    """A file as the registry describes it: `hash` is its SHA-256, or for a small one git's own hash of it."""

    name: str
    size: int
    hash: str

    def is_kept(self, path: Path, look: Callable[[], object] = lambda: None) -> bool:
        """Tell whether a file is what was promised; `look` is called between blocks and may raise."""
        is_long = len(self.hash) == _SHA256_DIGITS
        hashed = hashlib.sha256() if is_long else hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)
        with open_binary(path) as file:
            size = 0
            while size <= self.size and (block := file.read(_BLOCK)):
                look()
                hashed.update(block)
                size += len(block)
        return size == self.size and hashed.hexdigest() == self.hash


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of a model's files at one revision."""

    repository: str
    commit: str
    files: Sequence[Promised]

    @classmethod
    def read(cls, path: Path) -> "Promise | None":
        """Return what was kept; None where nothing of use was."""
        try:
            told = json.loads(read_bytes(path) or b"")
            files = [Promised(file, int(one["bytes"]), str(one["sha256"])) for file, one in told["files"].items()]
            return cls(str(told["repository"]), str(told["commit"]), files)
        except (UnreadableError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None

    def write(self, path: Path) -> None:
        """Keep it."""
        told = {one.name: {"bytes": one.size, "sha256": one.hash} for one in self.files}
        write_atomic(path, dump_json({"repository": self.repository, "commit": self.commit, "files": told}))

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
    manifest = path.parent / MANIFEST
    kept = Promise.read(manifest)
    promised = next((one for one in kept.files if one.name == path.name), None) if kept else None
    if kept is None or promised is None:
        return True
    found = path.stat()
    if found.st_size != promised.size or found.st_mtime_ns <= manifest.stat().st_mtime_ns:
        return found.st_size == promised.size
    if is_kept := promised.is_kept(path):
        kept.write(manifest)  # whoever looks again need not read all of it
    return is_kept
