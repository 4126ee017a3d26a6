"""Files that are sent in chat: refused or kept in the persona's folder, and read once more when they are asked about."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from random import Random

from agent.errors import (
    AttachmentForKnowledgeError,
    AttachmentTooLargeError,
    AttachmentTypeError,
    AttachmentUnreadableError,
)
from agent.file_contents import AS_DOCUMENT, PICTURES, PLAIN, ending_of, is_picture, read_sent
from managers.memory.messages import Message
from managers.mind import Image, SentFile
from managers.recall.documents import document_loader
from managers.storage.clock import Clock, new_id
from managers.storage.errors import FileTooLargeError, UnsafeNameError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.opening import NotPlainError, inside
from managers.storage.paths import PersonaPaths, safe_name

ACCEPTED: tuple[str, ...] = (*PICTURES, *document_loader.DOCUMENTS, *AS_DOCUMENT, *PLAIN)
"""The endings of names that a message takes, for the page's file field."""

MAX_BYTES = 20_000_000
_LATELY = 3
_MAX_NAME = 200
_OWN_ID = re.compile(r"^\d{8}T\d{6}-[0-9a-z]{8}-")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send, and what its sender calls it, where the file itself lies under another name."""

    file: Path
    name: str = ""

    @property
    def own_name(self) -> str:
        """The name that is shown: on one line, without folders."""
        given = unicodedata.normalize("NFC", self.name or self.file.name).replace("\\", "/").rpartition("/")[2]
        printed = "".join(char if char.isprintable() else " " for char in given)
        tidy = PurePosixPath(" ".join(printed.split()) or "file")
        return tidy.stem[: _MAX_NAME - len(tidy.suffix)] + tidy.suffix


@dataclass(frozen=True, slots=True)
class Taken:
    """A file that was read: its own name, its bytes, and what a mind gets of it."""

    name: str
    data: bytes
    read: SentFile | Image


@dataclass(frozen=True, slots=True)
class Attached:
    """What was attached to a message, as a mind takes it.

    Attributes:
        paths: where the files are kept, relative to the persona's folder; none off the record.
        names: what the sender calls them.
        texts: those that are read, earlier messages' behind the message's own.
        images: the pictures.
    """

    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    texts: tuple[SentFile, ...] = ()
    images: tuple[Image, ...] = ()

    @property
    def noted_names(self) -> tuple[str, ...]:
        """The names that the message must say: none where each is told by what its file is kept as."""
        return () if tuple(name_of(path) for path in self.paths) == self.names else self.names


@dataclass(frozen=True, slots=True)
class Sent:
    """A file of a message, to be shown: its own name, and where it is kept (empty off the record)."""

    name: str
    path: str

    @property
    def is_picture(self) -> bool:
        return is_picture(self.path or self.name)


def check(name: str, size: int) -> None:
    """Refuse a file that no message takes, as soon as it is chosen.

    Raises:
        AttachmentTypeError, AttachmentTooLargeError, AttachmentUnreadableError: it cannot be sent.
        AttachmentForKnowledgeError: it cannot be sent, but the room Knowledge takes it.
    """
    ending = ending_of(name)
    if ending not in ACCEPTED:
        raise AttachmentTypeError(name=name)
    if size > MAX_BYTES:
        is_for_knowledge = ending in document_loader.DOCUMENTS and size <= document_loader.MAX_BYTES
        error = AttachmentForKnowledgeError if is_for_knowledge else AttachmentTooLargeError
        raise error(name=name, megabytes=MAX_BYTES // 1_000_000)
    if not size:
        raise AttachmentUnreadableError(name=name)


def take(files: Iterable[Path | Upload], *, seconds: float) -> list[Taken]:
    """Read files that are sent; nothing is kept yet.

    Raises:
        AttachmentError, DocumentError, DocumentReaderError: one cannot be read.
    """
    uploads = [file if isinstance(file, Upload) else Upload(file) for file in files]
    contents = [(upload.own_name, _bytes(upload)) for upload in uploads]
    return [Taken(name, data, read_sent(name, data, seconds)) for name, data in contents]


def keep(taken: Sequence[Taken], paths: PersonaPaths, clock: Clock, rng: Random) -> Attached:
    """Keep files in `attachments/` under names of their own."""
    kept: list[str] = []
    for file in taken:
        target = paths.attachments / f"{new_id(clock, rng)}-{_tidy(file.name)}"
        write_atomic(target, file.data)
        kept.append(target.relative_to(paths.folder).as_posix())
    return _gathered(kept, [file.name for file in taken], [file.read for file in taken])


def unkept(taken: Sequence[Taken]) -> Attached:
    """Return files as a mind takes them that are kept nowhere: off the record."""
    return _gathered((), [file.name for file in taken], [file.read for file in taken])


def again(paths: PersonaPaths, message: Message, *, seconds: float, pictures: bool = True) -> Attached:
    """Read what a message in the log has attached; what is gone is left out.

    Raises:
        AttachmentError, DocumentError, DocumentReaderError: one cannot be read.
    """
    found: list[Sent] = []
    read: list[SentFile | Image] = []
    for sent in sent_with(message):
        if sent.is_picture and not pictures:
            continue
        try:
            file = inside(paths.folder, sent.path)
        except NotPlainError:
            continue  # a log edited by hand points outside
        if file.parent == paths.attachments and (data := _read(file)) is not None:
            found.append(sent)
            read.append(read_sent(sent.name, data, seconds))
    return _gathered([sent.path for sent in found], [sent.name for sent in found], read)


def sent_lately(paths: PersonaPaths, window: Sequence[Message], *, seconds: float) -> tuple[SentFile, ...]:
    """Return the texts that came with the last messages before this one: people send a file, and then ask.

    Raises:
        AttachmentError, DocumentError, DocumentReaderError: one cannot be read any more.
    """
    said = [message for message in window if message.role == "user"][-_LATELY:]
    with_files = [message for message in reversed(said) if message.attachments]
    read = [again(paths, message, seconds=seconds, pictures=False) for message in with_files]
    return tuple(replace(text, is_earlier=True) for attached in read for text in attached.texts)


def sent_with(message: Message) -> list[Sent]:
    """Return the files of a message, to be shown; older messages know them by what they are kept as."""
    pairs = zip_longest(message.attachments, message.attachment_names, fillvalue="")
    return [Sent(name or name_of(path), path) for path, name in pairs]


def name_of(path: str) -> str:
    """Return the name of a kept file without the id in front."""
    return _OWN_ID.sub("", PurePosixPath(path).name)


def _read(file: Path) -> bytes | None:
    try:
        return read_bytes(file, MAX_BYTES)
    except FileTooLargeError as error:
        raise AttachmentTooLargeError(name=file.name, megabytes=error.facts["megabytes"]) from error


def _bytes(upload: Upload) -> bytes:
    try:
        data = read_bytes(upload.file, MAX_BYTES)
    except FileTooLargeError:
        check(upload.own_name, upload.file.stat().st_size)  # it says where a file of this size can go
        raise
    if data is None:
        raise AttachmentUnreadableError(name=upload.own_name)
    check(upload.own_name, len(data))
    return data


def _gathered(paths: Sequence[str], names: Sequence[str], read: Sequence[SentFile | Image]) -> Attached:
    places = [*paths, *[""] * (len(read) - len(paths))]
    texts = tuple(replace(one, path=path) for one, path in zip(read, places, strict=True) if isinstance(one, SentFile))
    images = tuple(one for one in read if isinstance(one, Image))
    return Attached(tuple(paths), tuple(names), texts, images)


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
