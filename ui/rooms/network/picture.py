"""The picture of the network: entities as signs of their kind, ties as lines as wide as they are strong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from managers.memory.entities import Kind
from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network, Node
from ui.locales import Texts
from ui.rooms.map.canvas import Canvas
from ui.rooms.map.dots import Sign
from ui.rooms.network.seats import Spot, name_seats, shown_in, shown_name, sizes_of, spots_of, ties_among

COLOURS: Final[Mapping[Kind, str]] = {
    "person": "age-4",
    "pet": "age-3",
    "place": "accent",
    "work": "age-2",
    "organisation": "age-1",
    "thing": "quiet",
}


@dataclass(frozen=True, slots=True)
class DrawnTie:
    """A tie where it is drawn."""

    one: str
    other: str
    line: tuple[int, int, int, int]
    width: float
    opacity: float
    label: str


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """An entity where it is drawn.

    Attributes:
        x, y: the middle of its sign.
        sign, colour: of its kind.
        label: what it is, for screen readers and where the mouse rests.
        written: its name as it is written, and where; None where there is no room for it.
        ring: the radius of the mark of the one in the middle; 0 for the others.
    """

    name: str
    x: int
    y: int
    sign: Sign
    colour: str
    label: str
    written: tuple[int, int, str] | None
    ring: float


@dataclass(frozen=True, slots=True)
class NetworkPicture:
    """All that is drawn in one size: the ties, the weakest first, and the entities."""

    canvas: Canvas
    title: str
    ties: Sequence[DrawnTie]
    nodes: Sequence[DrawnNode]


def network_picture(
    network: Network, kinds: Mapping[str, Kind], canvas: Canvas, title: str, t: Texts
) -> NetworkPicture:
    """Return the entities and their ties in one size."""
    shown = shown_in(network, canvas)
    spots = spots_of(shown, canvas, is_around=bool(network.centre))
    sizes = sizes_of(shown, canvas)
    seats = name_seats(shown, spots, sizes, canvas)
    ties = ties_among(shown, network.ties)
    strongest = max([2, *(tie.count for tie in ties)])
    return NetworkPicture(
        canvas,
        title,
        [_tie(tie, spots, strongest, t) for tie in reversed(ties)],
        [
            _node(node, kinds[node.name], spots[node.name], sizes[node.name], seats.get(node.name), network.centre, t)
            for node in shown
        ],
    )


def sign(kind: Kind, size: float) -> Sign:
    """Return the sign of a kind of entity around (0, 0): its shape tells it without the colour."""
    if kind == "person":
        return Sign(radius=round(size, 1))
    return Sign(points=" ".join(f"{x * size:.1f},{y * size:.1f}" for x, y in _OUTLINES[kind]))


def _tie(tie: Tie, spots: Mapping[str, Spot], strongest: int, t: Texts) -> DrawnTie:
    (x1, y1), (x2, y2) = spots[tie.one], spots[tie.other]
    width = 1.2 + 4.8 * float(np.log1p(tie.count) / np.log1p(strongest))
    label = t("network.tie", one=tie.one, other=tie.other, count=tie.count)
    line = (round(x1), round(y1), round(x2), round(y2))
    return DrawnTie(tie.one, tie.other, line, round(width, 1), round(0.35 + 0.06 * width, 2), label)


def _node(node: Node, kind: Kind, spot: Spot, size: float, seat: Spot | None, centre: str, t: Texts) -> DrawnNode:
    label = t("network.node", name=node.name, kind=t(f"memories.kind_{kind}"), count=node.mentions)
    return DrawnNode(
        node.name,
        round(spot[0]),
        round(spot[1]),
        sign(kind, size),
        COLOURS[kind],
        label,
        (round(seat[0]), round(seat[1]), shown_name(node.name)) if seat else None,
        round(size + 5, 1) if node.name == centre else 0,
    )


def _ring(corners: int, turn: float) -> list[tuple[float, float]]:
    steps = [np.radians(turn + 360 / corners * step) for step in range(corners)]
    return [(float(np.cos(step)) * 1.15, float(np.sin(step)) * 1.15) for step in steps]


_OUTLINES: Mapping[Kind, Sequence[tuple[float, float]]] = {
    "pet": _ring(5, -90),
    "place": _ring(4, -90),
    "work": [(-0.85, -1), (0.85, -1), (0.85, 1), (-0.85, 1)],
    "organisation": _ring(6, 0),
    "thing": _ring(3, -90),
}
