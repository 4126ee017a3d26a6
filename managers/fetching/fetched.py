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


def is_fetched(name: str, models: Path) -> bool:
    """Whether all of a model lies in its folder."""
    return (models / name / MANIFEST).is_file()


def write_promised(source: Source, folder: Path, commit: str, files: Sequence[Promised]) -> None:
    """Keep what is promised of the files while they are on their way."""
    about = {"name": source.name, "repository": source.repository, "commit": commit}
    told = {one.name: {"bytes": one.size, "sha256": one.hash} for one in files}
    write_atomic(folder / UNDER_WAY, dump_json({**about, "files": told}))


def read_promised(source: Source, path: Path) -> tuple[str, list[Promised]] | None:
    """Return the commit and what is promised of its files; None where that is not known, or of another model."""
    try:
        told = json.loads(read_bytes(path) or b"")
        files = [Promised(file, int(one["bytes"]), str(one["sha256"])) for file, one in told["files"].items()]
        is_same = told["repository"] == source.repository and {one.name for one in files} == source.files.keys()
        return (str(told["commit"]), files) if is_same else None
    except (UnreadableError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
