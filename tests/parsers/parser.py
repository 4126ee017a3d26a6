"""A parser to be tried, and how it is tried at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Parser:
    """One of our readers.

    Attributes:
        name: in one word.
        read: reads some bytes; what it may raise for bytes that are not its own is not raised here.
        seeds: bytes that it understands.
        tokens: what its language is made of: inputs are built of them, over and over.
        most: as many bytes are ever given to it; 0: any number.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: Sequence[bytes]
    tokens: Sequence[bytes]
    most: int = 0


def text_of(data: bytes) -> str:
    """Return text of any bytes: what a file, a server or a person may say, halves of characters among it."""
    return data.decode("utf-8", "surrogateescape")


def spaced(tokens: str, with_blanks: str = "") -> tuple[bytes, ...]:
    """Return tokens that stand between blanks, those with blanks in them that stand between "¦", and every language's."""
    listed = (*tokens.split(" "), *with_blanks.split("¦"), *_EVERYWHERE)
    return tuple(token.encode("utf-8", "surrogatepass") for token in listed if token)


def keys(names: str) -> tuple[bytes, ...]:
    """Return names that stand between blanks, each as JSON has it for a key."""
    return tuple(f'"{name}"'.encode() for name in names.split())


_EVERYWHERE = ("\n", "\r\n", " ", "\t", "\\", '"', *"aあ1-./<>", "\u2028", "\u3000", "\ud83d")
