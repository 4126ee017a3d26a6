"""The user's documents: added as they are, listed, looked into, removed. Recall finds what is in the folder."""

import builtins
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from managers.recall.documents.document_loader import DOCUMENTS, look_at, read_document
from managers.recall.documents.parts import Part
from managers.recall.errors import DocumentNotFoundError
from managers.storage.files import files, fsync_folder, make_folder, read_bytes, write_atomic
from managers.storage.locks import writing
from managers.storage.opening import move
from managers.storage.paths import PersonaPaths, is_text, safe_name
from managers.storage.settings import RecallSettings

PREVIEW_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Document:
    """A document in the knowledge base."""

    name: str
    size: int
    added: datetime


class KnowledgeBase:
    """The documents of one persona, in its folder `knowledge/`."""

    def __init__(self, paths: PersonaPaths, settings: RecallSettings) -> None:
        self._paths = paths
        self._settings = settings

    def add(self, file: Path) -> Document:
        """Copy a file into the knowledge base; it is read first, so that nothing unreadable gets in.

        A document of the same name and content is there already; one of another content is kept
        beside it under a new name.

        Raises:
            DocumentNotFoundError, DocumentError, DocumentReaderError, UnsafeNameError, DiskFullError
        """
        data, _ = self._read(file)
        with writing(self._paths):
            target = _free(self._paths.knowledge / safe_name(file.name), data)
            if not target.exists():
                write_atomic(target, data)
        return self._document(target)

    def list(self) -> builtins.list[Document]:
        """Return all documents by name; of one whose name is no text the index tells."""
        listed = files(self._paths.knowledge)
        return [self._document(one) for one in listed if one.suffix.lower() in DOCUMENTS and is_text(one.name)]

    def preview(self, name: str, characters: int = PREVIEW_CHARACTERS) -> str:
        """Return the beginning of what is read in a document.

        Raises:
            DocumentNotFoundError, and what `add` raises for a document that cannot be read.
        """
        parts = []
        for part in self._read(_listed(self._paths.knowledge, name))[1]:
            parts.append(f"{part.heading}\n{part.text.strip()}" if part.heading else part.text.strip())
            if sum(map(len, parts)) >= characters:
                break
        return "\n\n".join(parts)[:characters]

    def remove(self, name: str) -> None:
        """Put a document into the trash; no search finds it from now on.

        Raises:
            DocumentNotFoundError
        """
        with writing(self._paths):
            path = _listed(self._paths.knowledge, name)
            make_folder(self._trash)
            move(path, _free(self._trash / path.name))
            fsync_folder(self._trash)
            fsync_folder(path.parent)

    def removed(self) -> builtins.list[Document]:
        """Return what is in the trash, by name."""
        return [self._document(path) for path in files(self._trash) if is_text(path.name)]

    def restore(self, name: str) -> Document:
        """Bring a document back from the trash, under a free name.

        Raises:
            DocumentNotFoundError
        """
        with writing(self._paths):
            path = _listed(self._trash, name)
            target = _free(self._paths.knowledge / path.name)
            move(path, target)
            fsync_folder(target.parent)
            fsync_folder(self._trash)
        return self._document(target)

    def _read(self, file: Path) -> tuple[bytes, builtins.list[Part]]:
        if not file.is_file():
            raise DocumentNotFoundError(name=file.name)
        look_at(file.name, file.stat().st_size)
        data = read_bytes(file)
        if data is None:
            raise DocumentNotFoundError(name=file.name)
        return data, read_document(file.name, data, self._settings.document_seconds)

    @property
    def _trash(self) -> Path:
        return self._paths.knowledge / ".trash"

    @staticmethod
    def _document(path: Path) -> Document:
        status = path.stat()
        return Document(path.name, status.st_size, datetime.fromtimestamp(status.st_mtime))  # noqa: DTZ006  # local time


def _listed(folder: Path, name: str) -> Path:
    """Return the file of this name in a folder, whoever named it: what is shown can be looked into and put away.

    Raises:
        DocumentNotFoundError
    """
    there = {path.name: path for path in files(folder)}
    alike = {unicodedata.normalize("NFC", known): path for known, path in there.items()}
    found = there.get(name) or alike.get(unicodedata.normalize("NFC", name).strip())
    if found is None:
        raise DocumentNotFoundError(name=name)
    return found


def _free(path: Path, data: bytes | None = None) -> Path:
    """Return the path, with a number if something else than `data` is there under that name."""
    free, number = path, 1
    while free.exists() and (data is None or read_bytes(free) != data):
        number += 1
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return free
