"""The one place where XML of others is read.

Expat itself, event by event: its own handler refuses a document type in whatever encoding it comes (no office program
writes one; entities, and with them bombs and foreign files, need one), and a tree that is nested or repeated a million
times over is never built. A library such as defusedxml would refuse the same, and still build the tree.
"""

from typing import Protocol
from xml.parsers import expat

_PIECE = 64 * 1024


class DocumentTypeRefusedError(Exception):
    """The document declares a type."""


class Readable(Protocol):
    """What a document is read from."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, none at the end."""


class Handler(Protocol):
    """Is told what stands in a document. Names are `namespace name`."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Words, perhaps in several pieces."""


def parse_xml(file: Readable, handler: Handler) -> None:
    """Read a document.

    Raises:
        DocumentTypeRefusedError: it has a document type.
        expat.ExpatError: it is no XML.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    while piece := file.read(_PIECE):
        parser.Parse(piece, False)
    parser.Parse(b"", True)


def _refuse(*_: object) -> None:
    raise DocumentTypeRefusedError
