"""How the indexes are: for `doctor` and the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from managers.storage.errors import Notice


@dataclass(frozen=True, slots=True)
class Progress:
    """A rebuild under way: bytes of memories read, of how many; or texts embedded, of how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How the indexes of a persona are.

    Attributes:
        chunks: how many passages each index holds.
        unembedded: how many of them wait for their vectors (words find them already).
        embedder: what makes the vectors.
        notices: what a person should know about reduced ways.
    """

    chunks: Mapping[str, int]
    unembedded: int
    embedder: str
    notices: tuple[Notice, ...] = field(default_factory=tuple)

    @property
    def total(self) -> int:
        """How many passages there are in all."""
        return sum(self.chunks.values())
