"""Log files of other encodings made UTF-8: the whole of them, or message by message where they went on in UTF-8."""

from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Final

from managers.memory.log.parsing import parse
from managers.storage.encodings import decode_foreign, foreign_encoding, is_utf_8

_ENOUGH: Final = 256 * 1024
"""So many bytes tell the encoding of a whole file."""
_FEW: Final = 3
"""In fewer messages than these a byte above 127 is damage rather than an accent: any byte is a letter of Windows-1252."""
_HEAD: Final = 16 * 1024


def encoding_of(file: IO[bytes], torn: Iterable[tuple[int, int]], *, is_log: bool) -> str:
    """Return the encoding of a log file whose words are not UTF-8, empty if that cannot be told."""
    if not is_log:
        file.seek(0)
        found = foreign_encoding(file.read(_HEAD))
        return found if found is not None and found.startswith("utf-16") else ""
    pieces: list[bytes] = []
    size = 0
    for start, end in torn:
        file.seek(start)
        pieces.append(file.read(end - start))
        size += end - start
        if size > _ENOUGH:
            break
    found = foreign_encoding(b"".join(pieces)) or ""
    return "" if found == "cp1252" and len(pieces) < _FEW else found


def in_utf_8(data: bytes) -> bytes:
    """Return a log file's bytes with every message in UTF-8; what cannot be read stays as it is."""
    records = parse(data).records
    if not records:
        text = decode_foreign(data)
        return data if text is None else text.encode()
    pieces = [data[record.start : record.end] for record in records]
    encoding = foreign_encoding(b"".join(piece for piece in pieces if not is_utf_8(piece)))
    if encoding is None:
        return data
    return b"".join(_converted(piece, encoding) for piece in [*pieces, data[records[-1].end :]])


def _converted(piece: bytes, encoding: str) -> bytes:
    for one in ("utf-8", encoding):
        with suppress(UnicodeDecodeError):
            return piece.decode(one).encode()
    return piece
