"""The dots of the map: each a memory, its shape the kind, its colour the age, its size for how many it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from managers.memory_map.pieces import PieceKind
from managers.memory_map.scene import Dot, Scene
from ui.locales import Texts
from ui.rooms.map.canvas import Box, Floats, Look, wide

_BASE, _LARGEST = 4.0, 8.5
_RIGHT_OF: Final = 220
"""A newest dot further right has its word on its left: there it stays inside of either picture."""


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign of a kind of memory around (0, 0): a circle of some radius, or a polygon's points."""

    radius: float = 0.0
    points: str = ""


@dataclass(frozen=True, slots=True)
class DrawnDot:
    """A dot where it is drawn.

    Attributes:
        x, y: its middle.
        sign: its shape.
        age: which of the colours it has.
        first, last: the days (ordinals) between which its memories lie.
    """

    key: str
    x: int
    y: int
    sign: Sign
    age: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ring:
    """The mark of the newest dot: its circle, and the word beside it."""

    x: int
    y: int
    radius: float
    word_x: int
    anchor: str


def radius(dot: Dot, scale: float) -> float:
    """Return how large a dot is: by how many memories it stands for."""
    return scale * min(_LARGEST, _BASE + 0.8 * float(np.sqrt(len(dot.stands_for) - 1)))


def drawn_dots(scene: Scene, spots: Floats, look: Look, scale: float) -> list[DrawnDot]:
    """Return all dots."""
    return [
        DrawnDot(
            dot.piece.key,
            round(x),
            round(y),
            sign(dot.piece.kind, radius(dot, scale)),
            look.age(dot.piece.day),
            dot.stands_for[0].day,
            dot.stands_for[-1].day,
        )
        for dot, (x, y) in zip(scene.dots, spots.tolist(), strict=True)
    ]


def newest_ring(scene: Scene, spots: Floats, scale: float) -> Ring | None:
    """Return the mark of the newest dot; None where nothing is drawn."""
    for dot, (x, y) in zip(scene.dots, spots.tolist(), strict=True):
        if dot.piece.key == scene.newest:
            size, side = radius(dot, scale), _side(x)
            return Ring(
                round(x), round(y), round(size + 4, 1), round(side * (size + 8)), "end" if side < 0 else "start"
            )
    return None


def newest_box(dot: Dot, spot: Floats, t: Texts) -> Box:
    """Return the room that the mark of the newest dot takes."""
    size, side, width = radius(dot, 1), _side(float(spot[0])), wide(t("map.newest")) * 6.2 + 14
    left = float(spot[0]) - size - 4 if side > 0 else float(spot[0]) + size + 4 - width - size
    return (left, float(spot[1]) - 12, left + width + size, float(spot[1]) + 12)


def sign(kind: PieceKind, size: float) -> Sign:
    """Return the sign of a kind of memory."""
    if kind == "talk":
        return Sign(radius=round(size, 1))
    return Sign(points=" ".join(f"{x * size:.1f},{y * size:.1f}" for x, y in _OUTLINES[kind]))


def _side(x: float) -> int:
    return -1 if x > _RIGHT_OF else 1


def _rays(corners: int, deep: float) -> list[tuple[float, float]]:
    steps = [np.radians(180 / corners * step - 90) for step in range(2 * corners)]
    return [
        (float(np.cos(step)) * far, float(np.sin(step)) * far)
        for far, step in zip([1.35, deep] * corners, steps, strict=True)
    ]


_OUTLINES: Mapping[PieceKind, Sequence[tuple[float, float]]] = {
    "episode": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "insight": _rays(4, 0.55),
    "entity": [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
    "diary": [(0, -1.3), (1.25, 1), (-1.25, 1)],
    "note": [(0, 1.3), (1.25, -1), (-1.25, -1)],
}
