"""The user's documents as text: what each kind of file holds, by heading or page."""

from functools import cache
from importlib.metadata import version
from pathlib import Path

from managers.recall.documents.parts import Part
from managers.recall.documents.process import READER, UnreadError
from managers.recall.errors import (
    DocumentBrokenError,
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentReaderError,
    DocumentSlowError,
    DocumentTooLargeError,
    DocumentTypeError,
    DocumentUnfoldsError,
)

DOCUMENTS = (".txt", ".md", ".pdf", ".html", ".htm", ".csv", ".docx")
"""Kinds of files that a knowledge base takes."""

MAX_BYTES = 50_000_000

_READING = "1"
"""Raised when files are read in another way: what could not be read is tried again then."""


@cache
def reading_version() -> str:
    """Return what changes when documents are read in another way, by us or by the library for PDF."""
    return f"{_READING}/{version('pypdf')}"


def look_at(name: str, size: int, kind: str = "") -> None:
    """Refuse what need not even be opened; it is of the kind that its name says, or of `kind`.

    Raises:
        DocumentTypeError, DocumentTooLargeError
    """
    if (kind or Path(name).suffix.lower()) not in DOCUMENTS:
        raise DocumentTypeError(name=name)
    if size > MAX_BYTES:
        raise DocumentTooLargeError(name=name, megabytes=MAX_BYTES // 1_000_000)


def read_document(name: str, data: bytes, seconds: float, wait: float = -1, *, kind: str = "") -> list[Part]:
    """Return the parts of a document that hold words.

    Args:
        name: the file's name, whose ending tells the kind.
        data: the file.
        seconds: how long reading it may take.
        wait: how long to wait for other documents that are being read; -1: until they are.
        kind: one of `DOCUMENTS`, where the name does not tell it.

    Raises:
        DocumentTypeError, DocumentTooLargeError, DocumentBrokenError, DocumentEncryptedError, DocumentSlowError,
        DocumentUnfoldsError, DocumentEmptyError, DocumentReaderError: with the sentence to show.
    """
    look_at(name, len(data), kind)
    parts = [part for part in _parts(name, kind or Path(name).suffix.lower(), data, seconds, wait) if part.text.strip()]
    if not parts:
        raise DocumentEmptyError(name=name)
    return parts


def _parts(name: str, kind: str, data: bytes, seconds: float, wait: float) -> list[Part]:
    try:
        return READER.read(kind, data, seconds, wait)
    except OSError as error:
        raise DocumentReaderError(name=name, cause=error.strerror or error) from error
    except UnreadError as error:
        if error.why == "slow":
            raise DocumentSlowError(name=name, seconds=seconds) from error
        if error.why == "unfolds":
            raise DocumentUnfoldsError(name=name) from error
        if error.why == "encrypted":
            raise DocumentEncryptedError(name=name) from error
        raise DocumentBrokenError(name=name) from error
