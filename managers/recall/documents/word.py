"""Word documents, by heading."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import IO

from managers.recall.documents.parts import Part, UnfoldsError, as_heading
from managers.recall.documents.xml import parse_xml

MAX_UNPACKED_BYTES = 200_000_000
"""A packed document that unfolds to more than this is a trap or a mistake."""

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main "
_FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
"""The same once more, for programs that do not know the first way."""
_IS_HEADING = re.compile(r"(?i)heading|title|見出し|[1-9]$")
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n"}


def read_word(data: bytes) -> Iterator[Part]:
    """Yield a document by its headings."""
    body = _Body()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("word/document.xml") as content:
        parse_xml(_Limited(content), body)
    heading, lines = "", list[str]()
    for is_heading, text in body.paragraphs:
        if is_heading and text.strip():
            yield Part(heading, "\n".join(lines))
            heading, lines = as_heading(text), []
        else:
            lines.append(text)
    yield Part(heading, "\n".join(lines))


class _Limited:
    """A packed file that ends in an error where it unfolds to too much, whatever it says of its size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MAX_UNPACKED_BYTES

    def read(self, size: int, /) -> bytes:
        piece = self._file.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise UnfoldsError
        return piece


class _Body:
    """Collects paragraphs. One inside another (in a text frame) stands by itself; no word is read twice."""

    def __init__(self) -> None:
        self.paragraphs: list[tuple[bool, str]] = []
        self._open: list[tuple[list[str], list[bool]]] = []  # of each paragraph: its words, whether it is a heading
        self._is_text = False
        self._skipping = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.replace(_STRICT, _W, 1)
        if name == _FALLBACK or self._skipping:
            self._skipping += 1
        elif name == f"{_W}p":
            self._open.append(([], []))
        elif not self._open:
            return
        elif name == f"{_W}pStyle":
            style = attributes.get(f"{_W}val") or attributes.get(f"{_STRICT}val", "")
            self._open[-1][1].append(_IS_HEADING.match(style) is not None)
        elif name in _BREAKS:
            self._open[-1][0].append(_BREAKS[name])
        self._is_text = name == f"{_W}t"

    def end(self, name: str) -> None:
        self._is_text = False
        if self._skipping:
            self._skipping -= 1
        elif name.replace(_STRICT, _W, 1) == f"{_W}p" and self._open:
            words, marks = self._open.pop()
            self.paragraphs.append((marks[:1] == [True], "".join(words)))

    def text(self, text: str) -> None:
        if self._is_text and self._open and not self._skipping:
            self._open[-1][0].append(text)
