"""What a point of the map is: a stretch of conversation, or a memory that stands for itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from managers.memory_map.passages import Codes, Passages, Vectors
from managers.memory_map.placing import unit
from managers.recall.hits import LOG_TYPES, MemoryType
from managers.recall.index.index_writer import RUN_GAP_SECONDS
from managers.recall.index.memory_index import Passage

PieceKind = Literal["talk", "episode", "insight", "entity", "diary", "note"]
KINDS: tuple[PieceKind, ...] = ("talk", "episode", "insight", "entity", "diary", "note")

LONGEST = 14
SHORTEST = 4
"""A stretch of conversation has so many passages, where the conversation itself is long enough."""
_SIDE = 4
_MOST_WEIGHT = 40

_KIND: dict[MemoryType, PieceKind] = {
    "log_archive": "talk",
    "current_log": "talk",
    "episodic_memory": "episode",
    "dream_insight": "insight",
    "entity_memory": "entity",
    "diary": "diary",
    "note": "note",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One point.

    Attributes:
        key: names it for as long as it exists: the first message's id, a file, a file and what is meant in it.
        kind: what it is.
        bundle: what is cut anew together when anything in it changes: a day of conversation, a file.
        day: ordinal of its day; 0: undated.
        members: codes of its passages, in order.
        face: the one of them that says best what it is about.
    """

    key: str
    kind: PieceKind
    bundle: str
    day: int
    members: tuple[int, ...]
    face: int


def bundle_of(passage: Passage) -> str:
    """Return the bundle that a passage belongs to."""
    if passage.type in LOG_TYPES:
        return day_bundle(passage.time.toordinal() if passage.time else 0)
    return passage.path


def day_bundle(day: int) -> str:
    """Return the bundle of a day of conversation."""
    return f"day {day}"


def pieces_of(bundle: str, codes: Codes, passages: Passages) -> tuple[list[Piece], Vectors, bool]:
    """Cut a bundle into pieces.

    Returns:
        the pieces, a unit vector for each, and whether any passage still waits for its own vector.
    """
    held = passages.read(codes.tolist())
    there = [code for code in codes.tolist() if code in held]
    ordered = sorted(there, key=lambda code: _order(held[code], code))
    if not ordered:
        return [], np.zeros((0, 1), np.float32), False
    array = np.array(ordered, np.int64)
    vectors, lengths = passages.vectors(array), passages.lengths(array)
    is_waiting = bool((~vectors.any(axis=1)).any())
    weighted = vectors * np.sqrt(np.minimum(lengths, _MOST_WEIGHT) + 1.0)[:, None].astype(np.float32)
    pieces, rows = [], []
    for group in _groups([held[code] for code in ordered], vectors):
        middle = unit(weighted[group].sum(axis=0))
        if not middle.any():
            continue
        # Of what is nearest to the middle the longer says more.
        face = group[int(np.argmax((vectors[group] @ middle) * np.minimum(lengths[group] + 3, 15)))]
        first = held[ordered[group[0]]]
        pieces.append(
            Piece(
                key=_key(first),
                kind=_KIND[first.type],
                bundle=bundle,
                day=first.time.toordinal() if first.time else 0,
                members=tuple(ordered[at] for at in group),
                face=ordered[face],
            )
        )
        rows.append(middle)
    return pieces, np.array(rows, np.float32).reshape(len(rows), vectors.shape[1]), is_waiting


def _order(passage: Passage, code: int) -> tuple[str, int]:
    is_talk = passage.type in LOG_TYPES and passage.time is not None
    return (passage.time.isoformat() if is_talk and passage.time else "", code)


def _key(first: Passage) -> str:
    if first.type in LOG_TYPES:
        return f"talk {first.unit}"
    return first.path if first.type in ("episodic_memory", "entity_memory") else f"{first.path} {first.unit}"


def _groups(found: Sequence[Passage], vectors: Vectors) -> list[list[int]]:
    """Return which passages make a piece each, as places in the bundle."""
    places = range(len(found))
    if found[0].type in LOG_TYPES:
        return [part for talk in _talks(found) for part in _stretches(talk, vectors)]
    if found[0].type in ("episodic_memory", "entity_memory"):
        return [list(places)]
    return [list(group) for _, group in groupby(places, key=lambda place: found[place].unit)]


def _talks(found: Sequence[Passage]) -> list[list[int]]:
    """Return the conversations of a day: what an hour of silence parts."""
    talks: list[list[int]] = []
    for place, passage in enumerate(found):
        before = found[place - 1] if place else None
        gap = (passage.time - before.time).total_seconds() if before and before.time and passage.time else 0.0
        if before is None or gap > RUN_GAP_SECONDS:
            talks.append([])
        talks[-1].append(place)
    return talks


def _stretches(talk: list[int], vectors: Vectors) -> list[list[int]]:
    """Cut a conversation where what is said before is least like what is said after."""
    if len(talk) <= LONGEST:
        return [talk]
    at = min(range(SHORTEST, len(talk) - SHORTEST + 1), key=lambda cut: _likeness(talk, cut, vectors))
    return _stretches(talk[:at], vectors) + _stretches(talk[at:], vectors)


def _likeness(talk: list[int], cut: int, vectors: Vectors) -> float:
    before = unit(vectors[talk[max(0, cut - _SIDE) : cut]].sum(axis=0))
    after = unit(vectors[talk[cut : cut + _SIDE]].sum(axis=0))
    return float(before @ after)
