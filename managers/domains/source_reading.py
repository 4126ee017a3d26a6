"""What a source holds now, as items: text, title, where it can be read, when it was published."""

import atexit
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from managers.domains.bounded_fetch import Fetched, Wanted, fetch, host_of
from managers.domains.domain_store import Plan, Source
from managers.domains.errors import (
    FetchStoppedError,
    SourceAddressError,
    SourceBrokenError,
    SourceEmptyError,
    SourceInsideHomeError,
    SourceSlowError,
    SourceTooLargeError,
    SourceTypeError,
)
from managers.recall.documents.document_loader import DOCUMENTS, MAX_BYTES, read_document
from managers.recall.documents.parts import Part
from managers.recall.documents.process import DocumentReader, UnreadError
from managers.recall.errors import DocumentEmptyError
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes
from managers.storage.opening import walk
from managers.storage.paths import Home, is_text

SECONDS: Final = 60.0
"""How long reading one document, feed or page may take."""
MOST_FILES: Final = 2000
MOST_CHARACTERS: Final = 2_000_000
"""Of one file."""
_XML: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"}
)
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_FEED: Final = re.compile(rb"<(?:\?xml|rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)
_FEED_WITHIN: Final = 1024
_BLANKS: Final = re.compile(r"\n{3,}")

_reader = DocumentReader("managers.domains.feed_child")
atexit.register(_reader.close)


@dataclass(frozen=True, slots=True)
class Item:
    """One document of a source."""

    key: str
    text: str
    title: str = ""
    address: str = ""
    origin: str = ""
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source holds.

    Attributes:
        items: all that it shows now.
        is_all: what it does not show is no longer there: a folder, a file, a page; a feed shows its newest entries only.
        etag, modified: what the server said of this version.
        unread: files of a folder that could not be read, with why.
    """

    items: list[Item]
    is_all: bool
    etag: str = ""
    modified: str = ""
    unread: tuple[tuple[str, UtataneError], ...] = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """Who reads, and what it is told: whether to stop, and whom it is about to ask."""

    home: Home
    domain: str
    is_stopped: Callable[[], bool]
    asking: Callable[[str], None]


def as_source(home: Home, address: str) -> Source:
    """Return what a person named, as a source that has not been read yet.

    Raises:
        SourceAddressError, SourceInsideHomeError
    """
    address = address.strip()
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", address):
        host_of(address)
        return Source(id="", address=address.partition("#")[0], kind="web")
    try:
        path = Path(address).expanduser().resolve(strict=True) if address else None
    except (OSError, ValueError, RuntimeError):
        path = None
    if path is None or not is_text(str(path)) or not (path.is_dir() or path.suffix.lower() in DOCUMENTS):
        raise SourceAddressError(name=address)
    _check_outside(home, path)
    return Source(id="", address=str(path), kind="folder" if path.is_dir() else "file", agreed=True)


def read_source(source: Source, plan: Plan, asking: Asking) -> Reading | None:
    """Return what a source holds; None: just what it held.

    Raises:
        SourceError, UnreadableError: why nothing can be had of it now.
        DocumentError, DocumentReaderError: of a single file.
    """
    if source.kind == "web":
        return _read_web(source, plan, asking)
    path = Path(source.address)
    _check_outside(asking.home, path)
    if source.kind == "folder":
        return _read_folder(source, path, asking)
    item = _read_file(path, path.name)
    return Reading([replace(item, origin=path.name)], is_all=True)


def _check_outside(home: Home, path: Path) -> None:
    """Refuse the home folder: what lies there is a persona's, not everybody's."""
    inner, outer = path.resolve(), home.folder.resolve()
    if inner.is_relative_to(outer) or outer.is_relative_to(inner):
        raise SourceInsideHomeError(name=path)


def _read_folder(source: Source, folder: Path, asking: Asking) -> Reading:
    if not folder.is_dir():
        raise SourceAddressError(name=source.address)
    items, unread = list[Item](), list[tuple[str, UtataneError]]()
    for path in _documents_in(folder):
        if asking.is_stopped():
            raise FetchStoppedError(name=source.address)
        name = path.relative_to(folder).as_posix()
        try:
            items.append(replace(_read_file(path, name), origin=f"{folder.name}/{name}"))
        except DocumentEmptyError:
            continue
        except UtataneError as error:
            unread.append((name, error))
    return Reading(items, is_all=True, unread=tuple(unread))


def _documents_in(folder: Path) -> Iterator[Path]:
    """Yield the documents beneath a folder, the first so many; hidden ones and links are passed over."""
    try:
        found = [
            path
            for path, kind in walk(folder)
            if kind == "file" and path.suffix.lower() in DOCUMENTS and is_text(str(path))
            if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        ]
    except OSError as error:
        raise SourceAddressError(name=folder) from error
    yield from found[:MOST_FILES]


def _read_file(path: Path, key: str) -> Item:
    data = read_bytes(path, MAX_BYTES)
    if data is None:
        raise SourceAddressError(name=path)
    parts = read_document(path.name, data, SECONDS)
    changed = datetime.fromtimestamp(os.stat(path).st_mtime, UTC)  # noqa: PTH116  # a number is wanted
    return Item(key, _joined(parts)[:MOST_CHARACTERS], path.stem, str(path), published=changed)


def _joined(parts: list[Part]) -> str:
    return normalised("\n\n".join(f"## {part.heading}\n\n{part.text}" if part.heading else part.text for part in parts))


# The web


def _read_web(source: Source, plan: Plan, asking: Asking) -> Reading | None:
    wanted = Wanted(
        source.address,
        asking.domain,
        frozenset(plan.allowed),
        source.etag,
        source.modified,
        asking.is_stopped,
        asking.asking,
    )
    found = fetch(wanted)
    if found is None:
        return None
    is_feed, parts = _parts(source.address, found)
    items = [one for one in map(_item, parts) if one.text]
    if not items and not is_feed:
        raise SourceEmptyError(name=source.address)
    origin = host_of(found.address)
    items = [
        replace(one, key=one.key or source.address, address=_link(one.address) or found.address, origin=origin)
        for one in items
    ]
    return Reading(items, not is_feed, found.etag, found.modified)


def _link(address: str) -> str:
    """Return the address of an entry, if it is one that a person may open."""
    return address if re.match(r"https?://[^\s]+\Z", address) and len(address) <= 2000 else ""  # noqa: PLR2004  # as servers take


def _parts(name: str, found: Fetched) -> tuple[bool, list[Part]]:
    """Return whether it is a feed, and its items as the limited process read them."""
    kind, beginning = found.type, found.body[:_FEED_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n")
    if kind in _XML or (kind in {"", "text/plain", *_PAGES} and _FEED.match(beginning) and b"<html" not in beginning):
        return True, _read(name, "feed", _with_charset(found))
    if kind in _PAGES or (not kind and beginning[:1] == b"<"):
        return False, _read(name, "page", _with_charset(found))
    if kind in {"", "text/plain", "text/markdown", "application/pdf"}:
        ending = ".pdf" if kind == "application/pdf" else ".txt"
        parts = read_document(name, found.body, SECONDS, kind=ending)
        return False, [Part("{}", _joined(parts))]
    raise SourceTypeError(name=name, type=kind)


def _with_charset(found: Fetched) -> bytes:
    charset = "".join(one for one in found.charset[:40] if one.isalnum() or one in "-_.")
    return charset.encode() + b"\n" + found.body


def _read(name: str, kind: str, data: bytes) -> list[Part]:
    try:
        return _reader.read(kind, data, SECONDS)
    except UnreadError as error:
        if error.why == "slow":
            raise SourceSlowError(name=name, seconds=SECONDS) from error
        if error.why == "unfolds":
            raise SourceTooLargeError(name=name, megabytes=MAX_BYTES // 1_000_000) from error
        raise SourceBrokenError(name=name) from error


def _item(part: Part) -> Item:
    facts = json.loads(part.heading)
    return Item(
        key=str(facts.get("key", ""))[:1000],
        text=normalised(part.text),
        title=" ".join(str(facts.get("title", "")).split())[:300],
        address=str(facts.get("address", "")),
        published=_moment(str(facts.get("published", ""))),
    )


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def normalised(text: str) -> str:
    """Return a text in NFC, without characters that nobody sees, lines trimmed, no more than one empty line in a row."""
    plain = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    plain = "".join(one for one in plain if one in "\n\t" or unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Co"})
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in plain.split("\n"))).strip()
