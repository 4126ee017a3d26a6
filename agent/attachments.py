"""Files that are sent in chat: kept in the persona's folder, read by the mind as text or as pictures."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from agent.errors import AttachmentTooLargeError, AttachmentUnreadableError
from managers.mind import Image
from managers.storage.clock import Clock, new_id
from managers.storage.errors import UnsafeNameError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.paths import PersonaPaths, safe_name

MAX_BYTES = 20_000_000
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


@dataclass(frozen=True, slots=True)
class Attached:
    """What was attached to a message, as a mind takes it.

    Attributes:
        paths: where the files are kept, relative to the persona's folder.
        texts: name and content of the text files.
        images: the pictures.
    """

    paths: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    images: tuple[Image, ...] = ()


def take(files: Sequence[Path], paths: PersonaPaths, clock: Clock, rng: Random, *, keep: bool = True) -> Attached:
    """Read files and keep them in `attachments/` under names of their own; off the record, keep nothing.

    Raises:
        AttachmentTooLargeError, AttachmentUnreadableError: nothing was kept.
    """
    contents = [(_tidy(file.name), _read(file)) for file in files]
    read = [_understood((), name, data) for name, data in contents]
    kept: list[str] = []
    if keep:
        for name, data in contents:
            target = paths.attachments / f"{new_id(clock, rng)}-{name}"
            write_atomic(target, data)
            kept.append(target.relative_to(paths.folder).as_posix())
    return Attached(
        tuple(kept), tuple(t for a in read for t in a.texts), tuple(image for a in read for image in a.images)
    )


def again(paths: PersonaPaths, kept: Sequence[str]) -> Attached:
    """Read what a message in the log has attached; what is gone is left out."""
    read = []
    for path in kept:
        file = (paths.folder / path).resolve()
        if not file.is_relative_to(paths.attachments.resolve()):
            continue  # a log edited by hand points outside
        data = read_bytes(file)
        if data is not None:
            read.append(_understood((path,), file.name, data))
    return Attached(
        tuple(kept), tuple(t for a in read for t in a.texts), tuple(image for a in read for image in a.images)
    )


def image_type(data: bytes) -> str | None:
    """Return the media type of a picture by its content, None if it is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)


def _read(file: Path) -> bytes:
    data = read_bytes(file)
    if data is None:
        raise AttachmentUnreadableError(name=file.name)
    if len(data) > MAX_BYTES:
        raise AttachmentTooLargeError(name=file.name, megabytes=MAX_BYTES // 1_000_000)
    return data


def _understood(paths: tuple[str, ...], name: str, data: bytes) -> Attached:
    if kind := image_type(data):
        return Attached(paths, images=(Image(kind, data),))
    if b"\x00" in data:
        raise AttachmentUnreadableError(name=name)
    try:
        return Attached(paths, texts=((name, data.decode("utf-8-sig")),))
    except UnicodeDecodeError as error:
        raise AttachmentUnreadableError(name=name) from error


def _tidy(name: str) -> str:
    """Make a sender's file name safe: odd characters go, the ending stays."""
    stem, dot, ending = name.rpartition(".")
    kept = "".join(c for c in (stem if dot else ending) if unicodedata.category(c)[0] in "LN" or c in "-_ ")[
        :30
    ].strip()
    try:
        return safe_name(f"{kept or 'file'}{'.' + ending[:8] if dot else ''}")
    except UnsafeNameError:
        return "file"
