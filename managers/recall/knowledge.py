"""The user's documents: added as they are, listed, looked into, removed. Recall finds what is in the folder."""

from __future__ import annotations

import builtins
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from managers.recall.documents import read_document
from managers.recall.sources import DOCUMENTS
from managers.storage.errors import DocumentNotFoundError
from managers.storage.files import fsync_folder, make_folder, read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths, safe_name

PREVIEW_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Document:
    """A document in the knowledge base."""

    name: str
    size: int
    added: datetime


class KnowledgeBase:
    """The documents of one persona, in its folder `knowledge/`."""

    def __init__(self, paths: PersonaPaths) -> None:
        """Remember the folder."""
        self._paths = paths

    def add(self, file: Path) -> Document:
        """Copy a file into the knowledge base; it is read first, so that nothing unreadable gets in.

        A document of the same name and content is there already; one of another content is kept
        beside it under a new name.

        Raises:
            DocumentNotFoundError, DocumentTypeError, DocumentTooLargeError, DocumentBrokenError,
            DocumentEncryptedError, DocumentEmptyError, UnsafeNameError, DiskFullError
        """
        if not file.is_file():
            raise DocumentNotFoundError(name=file.name)
        read_document(file)
        data = read_bytes(file)
        if data is None:
            raise DocumentNotFoundError(name=file.name)
        with writing(self._paths):
            target = self._free(safe_name(file.name), data)
            if not target.exists():
                write_atomic(target, data)
        return self._document(target)

    def list(self) -> builtins.list[Document]:
        """Return all documents by name."""
        if not self._paths.knowledge.is_dir():
            return []
        found = [path for path in self._paths.knowledge.iterdir() if path.is_file() and not path.name.startswith(".")]
        return [self._document(path) for path in sorted(found) if path.suffix.lower() in DOCUMENTS]

    def preview(self, name: str, characters: int = PREVIEW_CHARACTERS) -> str:
        """Return the beginning of what is read in a document.

        Raises:
            DocumentNotFoundError, and what `add` raises for a document that cannot be read.
        """
        parts = []
        for section in read_document(self._existing(name)):
            parts.append(f"{section.heading}\n{section.text.strip()}" if section.heading else section.text.strip())
            if sum(map(len, parts)) >= characters:
                break
        return "\n\n".join(parts)[:characters]

    def remove(self, name: str) -> None:
        """Put a document into the trash; no search finds it from now on.

        Raises:
            DocumentNotFoundError
        """
        with writing(self._paths):
            path = self._existing(name)
            make_folder(self._trash)
            os.replace(path, _beside(self._trash / path.name))  # noqa: PTH105  # crash tests intercept calls of os
            fsync_folder(self._trash)
            fsync_folder(path.parent)

    def removed(self) -> builtins.list[Document]:
        """Return what is in the trash, by name."""
        if not self._trash.is_dir():
            return []
        return [self._document(path) for path in sorted(self._trash.iterdir()) if path.is_file()]

    def restore(self, name: str) -> Document:
        """Bring a document back from the trash, under a free name.

        Raises:
            DocumentNotFoundError, UnsafeNameError
        """
        with writing(self._paths):
            path = self._trash / safe_name(name)
            if not path.is_file():
                raise DocumentNotFoundError(name=name)
            target = _beside(self._paths.knowledge / path.name)
            os.replace(path, target)  # noqa: PTH105  # as above
            fsync_folder(target.parent)
            fsync_folder(self._trash)
        return self._document(target)

    @property
    def _trash(self) -> Path:
        return self._paths.knowledge / ".trash"

    def _existing(self, name: str) -> Path:
        path = self._paths.knowledge / safe_name(name)
        if not path.is_file():
            raise DocumentNotFoundError(name=name)
        return path

    def _free(self, name: str, data: bytes) -> Path:
        path = self._paths.knowledge / name
        number = 1
        while path.exists() and read_bytes(path) != data:
            number += 1
            path = self._paths.knowledge / f"{Path(name).stem} ({number}){Path(name).suffix}"
        return path

    @staticmethod
    def _document(path: Path) -> Document:
        status = path.stat()
        return Document(path.name, status.st_size, datetime.fromtimestamp(status.st_mtime))  # noqa: DTZ006  # local time


def _beside(path: Path) -> Path:
    """Return the path, with a number if something of that name is there."""
    free, number = path, 1
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return free
