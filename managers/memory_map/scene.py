"""What of the map is drawn: all of it where it is little, else a sample in which every dot says for how many it stands.

The sample is drawn by the memories' names, so tomorrow's is today's; each anchor (or quarter,
in a small picture) and kind of memory has its share. What is not drawn itself is stood for by the dot of its
kind and anchor that is nearest to it in time.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from managers.memory_map.atlas import Atlas
from managers.memory_map.naming import NamingWord
from managers.memory_map.pieces import PieceKind
from managers.memory_map.sheet import Placed

_LAYERS_AT_MOST = 0.6


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of the map is looked at: all of it, a region, or a quarter of one."""

    region: int | None = None
    quarter: int | None = None


@dataclass(frozen=True, slots=True)
class Dot:
    """A point that is drawn: a memory, and those that it stands for (itself among them)."""

    piece: Placed
    place: int
    """Which of the scene's places it lies in."""
    stands_for: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A named part of what is looked at."""

    number: int
    names: tuple[str, ...]
    count: int
    x: float
    y: float
    first_day: int
    last_day: int
    anchors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is drawn. `level` says what the places are: regions, or quarters, or nothing smaller (empty)."""

    scope: Scope
    level: str
    names: tuple[str, ...]
    dots: list[Dot] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    total: int = 0
    newest: str = ""


@lru_cache(maxsize=4)  # whoever opens one memory after the other looks at the same part
def scene_of(atlas: Atlas, scope: Scope, most: int) -> Scene:
    """Return what is drawn of a part of the map.

    Args:
        atlas: the whole map.
        scope: which part.
        most: so many dots, about; one more for each anchor and kind of memory that would have none.
    """
    pieces = _within(atlas, scope)
    level = "region" if scope.region is None else "quarter" if scope.quarter is None else ""
    labels = {"region": atlas.regions.tolist(), "quarter": atlas.quarters.tolist()}.get(level)
    numbers = {piece.key: labels[piece.anchor] if labels is not None else 0 for piece in pieces}
    places = _places(pieces, numbers, atlas.names.get(level, {})) if level else []
    newest = max(pieces, key=lambda piece: (piece.day, piece.kind == "talk", piece.key), default=None)
    dots = [
        Dot(shown, numbers[shown.key], tuple(sorted(behind, key=lambda piece: (piece.day, piece.key))))
        for shown, behind in _sample(atlas, pieces, most, newest)
    ]
    order = {place.number: at for at, place in enumerate(places)}
    dots.sort(key=lambda dot: (order.get(dot.place, 0), dot.piece.day, dot.piece.key))
    return Scene(scope, level, _names(atlas, scope), dots, places, len(pieces), newest.key if newest else "")


def _within(atlas: Atlas, scope: Scope) -> list[Placed]:
    """Return the memories in a part of the map."""
    if scope.region is None and scope.quarter is None:
        return atlas.pieces
    labels = (atlas.regions if scope.quarter is None else atlas.quarters).tolist()
    wanted = scope.region if scope.quarter is None else scope.quarter
    return [piece for piece in atlas.pieces if labels[piece.anchor] == wanted]


def _names(atlas: Atlas, scope: Scope) -> tuple[str, ...]:
    found: Sequence[NamingWord] = ()
    if scope.quarter is not None:
        found = atlas.names.get("quarter", {}).get(scope.quarter, ())
    elif scope.region is not None:
        found = atlas.names.get("region", {}).get(scope.region, ())
    return tuple(word.surface for word in found)


def _places(
    pieces: Sequence[Placed], numbers: dict[str, int], names: Mapping[int, Sequence[NamingWord]]
) -> list[Place]:
    members: dict[int, list[Placed]] = defaultdict(list)
    for piece in pieces:
        members[numbers[piece.key]].append(piece)
    places = []
    for number, found in members.items():
        xs, ys = sorted(piece.x for piece in found), sorted(piece.y for piece in found)
        days = [piece.day for piece in found if piece.day]
        places.append(
            Place(
                number,
                tuple(word.surface for word in names.get(number, ())),
                len(found),
                xs[len(xs) // 2],
                ys[len(ys) // 2],
                min(days, default=0),
                max(days, default=0),
                tuple(sorted({piece.anchor for piece in found})),
            )
        )
    return sorted(places, key=lambda place: (-place.count, place.number))


def _sample(
    atlas: Atlas, pieces: Sequence[Placed], most: int, newest: Placed | None
) -> list[tuple[Placed, list[Placed]]]:
    """Return the pieces that are drawn, each with those that it stands for."""
    if len(pieces) <= most:
        return [(piece, [piece]) for piece in pieces]
    chosen: list[tuple[Placed, list[Placed]]] = []
    for layer in _layers(pieces, atlas, most):
        share = max(1, round(most * len(layer) / len(pieces)))
        drawn = sorted(layer, key=lambda piece: _lot(piece.key))[:share] if share < len(layer) else list(layer)
        if newest is not None and newest in layer and newest not in drawn:
            drawn[-1] = newest
        chosen += _standing_for(layer, drawn)
    return chosen


def _layers(pieces: Sequence[Placed], atlas: Atlas, most: int) -> list[list[Placed]]:
    """Return the pieces by kind and anchor; by kind and quarter or region where that would be too many dots."""
    for labels in (None, atlas.quarters.tolist(), atlas.regions.tolist()):
        layers: dict[tuple[int, PieceKind], list[Placed]] = defaultdict(list)
        for piece in pieces:
            layers[piece.anchor if labels is None else labels[piece.anchor], piece.kind].append(piece)
        if len(layers) <= most * _LAYERS_AT_MOST:
            break
    return list(layers.values())


def _standing_for(layer: Sequence[Placed], drawn: Sequence[Placed]) -> list[tuple[Placed, list[Placed]]]:
    """Return the pieces that are drawn, each with itself and those that are nearer to it in time than to the others.

    What is as near to several goes to the one whose key comes first.
    """
    first_of: dict[int, str] = {}
    for piece in sorted(drawn, key=lambda piece: (piece.day, piece.key)):
        first_of.setdefault(piece.day, piece.key)
    days, keys = list(first_of), list(first_of.values())
    halves = [one + other for one, other in pairwise(days)]  # of each two days twice the middle between them
    behind: dict[str, list[Placed]] = {piece.key: [] for piece in drawn}
    for piece in layer:
        key = piece.key
        if key not in behind:
            at = bisect_left(halves, 2 * piece.day)
            is_between = at < len(halves) and halves[at] == 2 * piece.day
            key = min(keys[at], keys[at + 1]) if is_between else keys[at]
        behind[key].append(piece)
    return [(piece, behind[piece.key]) for piece in drawn]


def _lot(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=8).digest()
