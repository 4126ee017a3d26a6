"""The texts in a PNG file, read within limits whatever the file is; and a PNG file with texts of ours in it.

Only the list of chunks is walked through; the picture itself is never unpacked here.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
MAX_TEXT_BYTES: Final = 32_000_000
"""One text, packed or not. The largest cards with all their lorebooks are a few megabytes."""
MAX_CHUNKS: Final = 100_000
"""A picture of 64 MB has some eight thousand."""
_HEAD: Final = struct.Struct(">I4s")
_TEXTS: Final = (b"tEXt", b"zTXt", b"iTXt")
_MAX_KEYWORD: Final = 79

ChunkTrouble = Literal["no-png", "cut-off", "too-many", "too-large", "damaged"]


class BrokenPngError(Exception):
    """A PNG file, or a text in it, cannot be read; `trouble` says why."""

    def __init__(self, trouble: ChunkTrouble) -> None:
        super().__init__(trouble)
        self.trouble: ChunkTrouble = trouble


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A text in a PNG file: its keyword, and its bytes or what is wrong with it."""

    keyword: str
    data: bytes
    trouble: ChunkTrouble | None = None


def text_chunks(png: bytes, keywords: Iterable[str]) -> list[TextChunk]:
    """Return the texts of some keywords, in the order of the file; what cannot be read of them with its trouble.

    A file that ends too early gives the texts before that.

    Raises:
        BrokenPngError: it is no PNG file, or one of more chunks than any picture has.
    """
    wanted = {one.encode("latin-1") for one in keywords}
    found: list[TextChunk] = []
    for kind, begin, end in _chunks(png):
        if kind not in _TEXTS:
            continue
        keyword = png[begin : min(end, begin + _MAX_KEYWORD + 1)].partition(b"\0")[0]
        if keyword in wanted:
            found.append(_text(keyword, kind, png, begin, end))
    return found


def with_texts(png: bytes, texts: Mapping[str, bytes]) -> bytes:
    """Return a PNG file with some texts (Latin-1, by keyword) before its end, and no others under their keywords.

    Raises:
        BrokenPngError: it is no PNG file.
    """
    parts = [SIGNATURE]
    for kind, begin, end in _chunks(png):
        keyword = png[begin : min(end, begin + _MAX_KEYWORD + 1)].partition(b"\0")[0]
        if kind == b"IEND" or (kind in _TEXTS and keyword.decode("latin-1") in texts):
            continue
        parts.append(png[begin - _HEAD.size : end + 4])
    parts += [_chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + data) for keyword, data in texts.items()]
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _chunks(png: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield each chunk's kind, and where its data begin and end; up to the last one, or to one that is cut off."""
    if not png.startswith(SIGNATURE):
        raise BrokenPngError("no-png")
    at = len(SIGNATURE)
    for _ in range(MAX_CHUNKS):
        if len(png) - at < _HEAD.size:
            return
        length, kind = _HEAD.unpack_from(png, at)
        begin = at + _HEAD.size
        end = begin + length
        if end + 4 > len(png):
            return
        yield kind, begin, end
        if kind == b"IEND":
            return
        at = end + 4
    raise BrokenPngError("too-many")


def _text(keyword: bytes, kind: bytes, png: bytes, begin: int, end: int) -> TextChunk:
    name = keyword.decode("latin-1")
    if end - begin > MAX_TEXT_BYTES:
        return TextChunk(name, b"", "too-large")
    if zlib.crc32(png[begin - 4 : end]) != int.from_bytes(png[end : end + 4], "big"):
        return TextChunk(name, b"", "damaged")
    data = png[begin + len(keyword) + 1 : end]
    try:
        return TextChunk(name, _plain(kind, data))
    except BrokenPngError as error:
        return TextChunk(name, b"", error.trouble)


def _plain(kind: bytes, data: bytes) -> bytes:
    if kind == b"tEXt":
        return data
    if kind == b"zTXt":
        return _unpacked(data[1:])
    packed, (_, _, text) = data[:1] == b"\1", _three(data[2:])
    return _unpacked(text) if packed else text


def _three(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what an iTXt chunk says of its language, and its text."""
    language, _, rest = data.partition(b"\0")
    translated, _, text = rest.partition(b"\0")
    return language, translated, text


def _unpacked(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MAX_TEXT_BYTES)
    except zlib.error as error:
        raise BrokenPngError("damaged") from error
    if unpacking.unconsumed_tail:
        raise BrokenPngError("too-large")
    if not unpacking.eof:
        raise BrokenPngError("cut-off")
    return text


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
