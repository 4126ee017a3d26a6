"""A sent file as a mind takes it: a picture, or text that the limited reading process has read."""

import hashlib
from pathlib import PurePosixPath
from threading import Lock

from agent.errors import AttachmentUnreadableError
from managers.mind import Image, SentFile
from managers.recall.documents import document_loader

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
AS_DOCUMENT = {".markdown": ".md", ".tsv": ".csv"}
PLAIN = tuple(
    ".text .log .json .jsonl .yaml .yml .toml .ini .cfg .xml .tex .rst .org .srt .vtt "  # noqa: SIM905  # endings read best as words
    ".py .js .ts .css .sh .sql .java .c .h .cpp .rs .go .rb".split()
)
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_KEPT = 4

Parts = tuple[tuple[str, str], ...]


def read_sent(name: str, data: bytes, seconds: float) -> SentFile | Image:
    """Return what a file holds.

    Args:
        name: what its sender calls it.
        data: the file.
        seconds: how long reading it may take, and how long it waits for others that are being read.

    Raises:
        AttachmentUnreadableError: its name says that it is a picture, and it is none.
        DocumentError, DocumentReaderError: it cannot be read.
    """
    if kind := image_type(data):
        return Image(kind, data)
    if is_picture(name):
        raise AttachmentUnreadableError(name=name)
    ending = ending_of(name)
    ending = ending if ending in document_loader.DOCUMENTS else AS_DOCUMENT.get(ending, ".txt")
    key = (hashlib.sha256(data).digest(), ending)
    parts = _lately.get(key)
    if parts is None:
        read = document_loader.read_document(name, data, seconds, wait=seconds, kind=ending)
        parts = tuple((part.heading, part.text) for part in read)
        _keep(key, parts)
    return SentFile(name, parts)


def ending_of(name: str) -> str:
    """Return the ending of a name, `.pdf`, in small letters."""
    return PurePosixPath(name).suffix.lower()


def is_picture(name: str) -> bool:
    """Tell from its name whether a file is a picture."""
    return ending_of(name) in PICTURES


def image_type(data: bytes) -> str | None:
    """Return the media type of a picture by its content, None if it is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)


_lately: dict[tuple[bytes, str], Parts] = {}
_changing = Lock()


def _keep(key: tuple[bytes, str], parts: Parts) -> None:
    """Keep what was read last: who asks about a file asks more than once, and regenerates."""
    with _changing:
        _lately[key] = parts
        for oldest in list(_lately)[:-_KEPT]:
            del _lately[oldest]
