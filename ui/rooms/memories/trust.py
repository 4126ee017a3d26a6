"""How far memories are trusted (their C-values), in words, with what moved them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from managers.hygiene.inventory import Memory
from managers.memory.audience import ANYBODY, Given
from managers.memory.confidence import START
from ui.rooms.memories.shelves import day_of
from ui.server.visit import PersonaVisit

_WORDS: Final = ((0.75, "firm"), (0.45, "sure"), (0.25, "unsure"), (0.0, "faded"))
"""From which C-value on a memory is called how."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a memory is trusted.

    Attributes:
        level: in a word, for `memories.trust_…`.
        value: the C-value today, with two places.
        moves: what moved it, newest first: when, why (for `memories.moved_…`), and by how much, signed.
        unfaded: the C-value that it would have if it did not fade.
        last_used: the day of that in words; empty where it was never used.
        generation: how many merges lie behind it.
        memory: the memory itself.
        given: for whom it is.
        at, back: where its audience is changed, and where that leads back to.
    """

    level: str
    value: str
    moves: Sequence[tuple[str, str, str]]
    unfaded: str
    last_used: str
    generation: int
    memory: Memory
    given: Given
    at: str
    back: str


def trust_in(visit: PersonaVisit, memory: Memory) -> Trust:
    """Return how far a memory is trusted today."""
    standing = memory.standing
    value = memory.confidence(visit.now.date())
    unfaded = START[memory.origin] if standing.confidence is None else standing.confidence
    level = "kept" if memory.is_kept else next(word for least, word in _WORDS if value >= least)
    return Trust(
        level,
        f"{value:.2f}",
        [(day_of(move.day, visit), move.why, f"{move.by:+.2f}") for move in reversed(standing.moves)],
        f"{max(unfaded, value):.2f}",
        day_of(standing.last_accessed, visit),
        standing.generation,
        memory,
        given(visit, memory.evidence, memory.id, memory.place),
        visit.at("memories/audience"),
        visit.here,
    )


def given(visit: PersonaVisit, evidence: Sequence[str], memory_id: str, place: str = "") -> Given:
    """Return for whom a memory is; where nobody can tell, that is said beside the page."""
    held = visit.memories
    return held.spare("audience", lambda: held.audiences.given(evidence, memory_id, place), ANYBODY)
