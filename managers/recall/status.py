"""How the indexes are: for `doctor` and the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from managers.storage.errors import DerivedDamagedError, Notice, as_notice
from managers.storage.texts import Texts

_say = Texts("notices/recall")

BROKEN = as_notice("index-broken", DerivedDamagedError(path="rag_index"))
MENDED = _say.notice("index-mended", "info")
NOT_FOLLOWED = _say.notice("index-not-followed")

LOADING = _say.notice("embedder-loading", "passing")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is that takes a while: bytes read, texts embedded or days drawn, of how many."""

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
        return sum(self.chunks.values())


def making_notice(progress: Progress | None) -> Notice:
    """Say that an index is being made, and how far it is where this process makes it."""
    if progress is None:
        return _say.notice("index-under-way.elsewhere", "passing")
    return _say.notice("index-under-way.here", "passing", share=100 * progress.done // max(progress.total, 1))
