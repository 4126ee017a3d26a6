"""What a persona shares of the user, as its room shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent.memories import Memories
from managers.sessions.long_term import Chunk

_MOST: Final = 30


@dataclass(frozen=True, slots=True)
class Shared:
    """Whether it shares, who else does, and what comes of it.

    Attributes:
        given: how many memories of the others it may be given.
        put_away: what was put away of those that are for it, newest first.
    """

    on: bool
    others: Sequence[str]
    given: int
    put_away: Sequence[Chunk]


def shared_of(memories: Memories) -> Shared:
    """Return what a persona shares now."""
    store, name = memories.shared.store(), memories.paths.name
    held = store.load()
    away = [one for one in store.put_away() if one.is_for(name)]
    return Shared(
        memories.settings().memory.shared,
        sorted(held.stamps.keys() - {name}),
        sum(one.is_for(name) for one in held.in_use),
        away[:_MOST],
    )
