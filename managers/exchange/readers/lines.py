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
_ASCII: Final = bytes(range(128))
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
    is_first = True
    while raw.isascii() and not (is_first and b"\0" in raw[:_LISTENED_TO]):  # in whichever encoding, it says the same
        yield raw.decode("ascii")
        raw, is_first = file.read(_CHUNK), False
        if not raw:
            return
    raw += file.read(_LISTENED_TO)
    decoder = _decoder(_telling(raw, is_first=is_first))
    while raw:
        yield decoder.decode(raw)
        raw = file.read(_CHUNK)
    yield decoder.decode(b"", final=True)


def _telling(raw: bytes, *, is_first: bool) -> bytes:
    """Return the bytes that tell the encoding: the beginning of the text, or of the first line that is not plain ASCII."""
    at = len(raw) - len(raw.lstrip(_ASCII)) if not raw.isascii() else 0
    if is_first and at < _LISTENED_TO:
        return raw[:_LISTENED_TO]
    begin = max(raw.rfind(b"\n", 0, at) + 1, at - _LISTENED_TO // 2)
    return raw[begin : begin + _LISTENED_TO].replace(b"\0", b"")  # so late it is damage, no UTF-16


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
