"""How people's editors write a text: encoding, byte order mark and line ends, kept when the program writes it again."""

import codecs
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a file is written: encoding, byte order mark and line ends are kept as they are."""

    encoding: str = "utf-8"
    mark: bytes = b""
    crlf: bool = False

    def encode(self, text: str) -> bytes:
        """Return the file's bytes for a text with plain line feeds; half surrogate pairs become `?`."""
        written = text.replace("\r\n", "\n").replace("\n", "\r\n") if self.crlf else text
        return self.mark + written.encode(self.encoding, "replace")


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def spelling_of(data: bytes) -> Spelling:
    """Return how a text is written; our own way for one that cannot be read."""
    try:
        return decode(data)[1]
    except UnicodeDecodeError:
        return Spelling()


def decode(data: bytes) -> tuple[str, Spelling]:
    """Return a text, and the spelling to write it back in.

    UTF-8 with or without a mark, and UTF-16 with one (what Windows' Notepad calls Unicode). Line ends
    are plain line feeds in the text when the whole file has CRLF; a file that mixes them is left alone.

    Raises:
        UnicodeDecodeError: it is something else.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    text = data[len(mark) :].decode(encoding)
    crlf = "\r\n" in text and not {"\r", "\n"}.intersection(text.replace("\r\n", ""))
    return (text.replace("\r\n", "\n") if crlf else text), Spelling(encoding, mark, crlf)
