"""The text of a note as people's editors write it, and how a diary that has grown long is divided."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

DIARY_LIMIT = 60_000
"""Characters at which a diary rolls over."""
DIARY_KEPT = 20_000
"""Characters of the newest part that stay, so that the persona still has its last weeks before its eyes."""


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


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> tuple[str, Spelling]:
    """Return a note's text, and the spelling to write it back in.

    UTF-8 with or without a mark, and UTF-16 with one (what Windows' Notepad calls Unicode). Line ends
    are plain line feeds in the text when the whole file has CRLF; a file that mixes them is left alone.

    Raises:
        UnicodeDecodeError: it is something else.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    text = data[len(mark) :].decode(encoding)
    crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    return (text.replace("\r\n", "\n") if crlf else text), Spelling(encoding, mark, crlf)


def divide(text: str, limit: int = DIARY_LIMIT, kept: int = DIARY_KEPT) -> tuple[str, str]:
    """Return the older part of a diary that is too long, and the newest that stays.

    Divided where a paragraph ends if it can be, else a line, a sentence, anywhere; both parts together
    are the text.
    """
    if len(text) <= limit:
        return "", text
    start = len(text) - kept
    for boundary in ("\n\n", "\n", "。", ". "):
        found = text.find(boundary, start, -1)
        if found != -1:
            return text[: found + len(boundary)], text[found + len(boundary) :]
    return text[:start], text[start:]
