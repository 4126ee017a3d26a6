"""A text of any size from elsewhere, line by line, in whichever encoding it is."""

import codecs
from collections.abc import Iterator
from typing import IO, Final, NamedTuple

from charset_normalizer import from_bytes

from managers.storage.encodings import foreign_encoding

MAX_LINE: Final = 4_000_000
"""So many characters of a line are kept."""
_CHUNK: Final = 1024 * 1024
_LISTENED_TO: Final = 16 * 1024
"""So many bytes tell the encoding."""
_ENOUGH: Final = 4096
"""So many tell one of the rarer ones, which takes longer."""


class TextLine(NamedTuple):
    """One line: its number from 1, what stands there, and whether that is all of it."""

    number: int
    text: str
    is_whole: bool = True


def text_lines(file: IO[bytes]) -> Iterator[TextLine]:
    """Yield the lines of a text; bytes that are none become U+FFFD."""
    number, begun, held, lost = 1, [""], 0, False
    for text in decoded(file):
        first, *others = text.split("\n")
        room = max(MAX_LINE - held, 0)
        begun.append(first[:room])
        held, lost = held + len(first), lost or len(first) > room
        for other in others:
            yield TextLine(number, "".join(begun).removesuffix("\r"), not lost)
            number, begun, held, lost = number + 1, [other[:MAX_LINE]], len(other), len(other) > MAX_LINE
    last = "".join(begun)
    if last:
        yield TextLine(number, last.removesuffix("\r"), not lost)


def decoded(file: IO[bytes]) -> Iterator[str]:
    """Yield a file as text, piece by piece; bytes that are none become U+FFFD."""
    raw = file.read(_CHUNK)
    decoder = _decoder(raw[:_LISTENED_TO])
    while raw:
        yield decoder.decode(raw)
        raw = file.read(_CHUNK)
    yield decoder.decode(b"", final=True)


def _decoder(beginning: bytes) -> codecs.IncrementalDecoder:
    """Return what decodes a text that begins so."""
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("replace")
    try:  # the last character may be cut
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
        encoding = foreign_encoding(beginning) if b"\0" in beginning else None
    except UnicodeDecodeError:
        encoding = next(filter(None, (foreign_encoding(beginning[: len(beginning) - cut]) for cut in range(4))), None)
        encoding = encoding or _rarer(beginning)
    return codecs.getincrementaldecoder(encoding or "utf-8-sig")("replace")


def _rarer(beginning: bytes) -> str | None:
    """Return the encoding of a text that is in none of Japan's or the West's; None for a damaged one in UTF-8."""
    read = [char for char in beginning.decode("utf-8", "replace") if not char.isascii()]
    if read.count("\ufffd") * 2 <= len(read):
        return None
    best = from_bytes(beginning[:_ENOUGH]).best()
    return best.encoding if best is not None else None
