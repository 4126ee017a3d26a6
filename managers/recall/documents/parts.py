"""What a reader gives: pieces of a document, each with the heading or the page that it stands under."""

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Part(NamedTuple):
    """A piece of a document: what is read, and the heading, page or row that it stands under."""

    heading: str
    text: str


Reader = Callable[[bytes], Iterator[Part]]
"""Reads a file's bytes. Whatever it raises, the file is broken, but for the errors below."""

HEADING_CHARACTERS = 300
"""A longer heading is cut: it is repeated with every passage of its section."""


class EncryptedError(Exception):
    """The document wants a password."""


class UnfoldsError(Exception):
    """The document unfolds to more than is taken."""


def as_heading(text: str) -> str:
    """Return a heading on one line and no longer than headings may be."""
    return " ".join(text[: 4 * HEADING_CHARACTERS].split())[:HEADING_CHARACTERS]
