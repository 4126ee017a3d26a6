"""Where the network's entities and their names are drawn: apart from each other, and inside the picture."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network, Node
from ui.components.charts import letters_wide
from ui.rooms.map.canvas import WIDE, Box, Canvas, do_meet

NAME_SIZE: Final = 11.5
_NAME_LETTERS: Final = 16
_NODES_IN_NARROW: Final = 26

Spot = tuple[float, float]


def shown_in(network: Network, canvas: Canvas) -> list[Node]:
    """Return the entities that a picture holds: the one in the middle first, then those that come up most.

    A narrow one holds those that are tied most.
    """
    order = sorted(network.nodes, key=lambda node: (node.name != network.centre, -node.mentions, node.name))
    if canvas is WIDE:
        return order
    strength: Counter[str] = Counter()
    for tie in network.ties:
        strength.update({tie.one: tie.count, tie.other: tie.count})
    chosen = sorted(order[1:], key=lambda node: (-strength[node.name], -node.mentions, node.name))
    kept = {node.name for node in [*order[:1], *chosen[: _NODES_IN_NARROW - 1]]}
    return [node for node in order if node.name in kept]


def sizes_of(nodes: Sequence[Node], canvas: Canvas) -> dict[str, float]:
    """Return how large the signs are: by how often their entities come up."""
    most = max([1, *(node.mentions for node in nodes)])
    return {node.name: canvas.scale * (6.0 + 9.0 * float(np.sqrt(node.mentions / most))) for node in nodes}


def ties_among(nodes: Sequence[Node], ties: Sequence[Tie]) -> list[Tie]:
    """Return the ties between some entities."""
    names = {node.name for node in nodes}
    return [tie for tie in ties if {tie.one, tie.other} <= names]


def spots_of(nodes: Sequence[Node], canvas: Canvas, *, is_around: bool) -> dict[str, Spot]:
    """Return where entities are drawn; around one, it stays in the middle."""
    if not nodes:
        return {}
    edge = np.array([44.0, 30.0]) if canvas is WIDE else np.array([34.0, 28.0])
    size = np.array([canvas.width, canvas.height])
    seats = np.array([(node.x, node.y) for node in nodes])
    if len(nodes) > 2:  # noqa: PLR2004  # two sit where they sit
        low, spread = seats.min(axis=0), np.maximum(np.ptp(seats, axis=0), 0.2)
        seats = np.where(is_around, seats, (seats - low) / spread)
    spots = edge + seats * (size - 2 * edge)
    wanted = np.array([58.0, 34.0]) if canvas is WIDE else np.array([36.0, 24.0])
    for _ in range(60):
        ways = spots[:, None, :] - spots[None, :, :]
        scaled = ways / wanted
        far = np.sqrt((scaled**2).sum(axis=2)) + np.eye(len(nodes)) * 1e6
        short = np.maximum(1 - far, 0)
        if not short.any():
            break
        spots = spots + ((scaled / np.maximum(far, 1e-6)[:, :, None]) * short[:, :, None] * wanted).sum(axis=1) * 0.3
        spots = np.clip(spots, edge, size - edge)
    return {node.name: (float(x), float(y)) for node, (x, y) in zip(nodes, spots, strict=True)}


def name_seats(
    nodes: Sequence[Node], spots: Mapping[str, Spot], sizes: Mapping[str, float], canvas: Canvas
) -> dict[str, Spot]:
    """Return the middle of each name's line: below its sign, or above or beside it where another name or sign is.

    A name for which there is no room is left out; its sign still says it when it is touched or read out.
    """
    taken: list[Box] = [
        (x - sizes[name], y - sizes[name], x + sizes[name], y + sizes[name])
        for name, (x, y) in ((node.name, spots[node.name]) for node in nodes)
    ]
    found: dict[str, Spot] = {}
    for node in nodes:  # the one in the middle and those that come up most choose first
        (x, y), size = spots[node.name], sizes[node.name]
        half = letters_wide(shown_name(node.name), NAME_SIZE) / 2
        beside = size + half + 4
        for at in ((x, y + size + 13), (x, y - size - 6), (x + beside, y + 4), (x - beside, y + 4)):
            box = (at[0] - half, at[1] - 10, at[0] + half, at[1] + 3)
            if _is_inside(box, canvas) and not any(do_meet(box, other) for other in taken):
                taken.append(box)
                found[node.name] = at
                break
    return found


def shown_name(name: str) -> str:
    """Return as much of a name as is written beside its sign."""
    return name if len(name) <= _NAME_LETTERS else f"{name[:_NAME_LETTERS]}…"


def _is_inside(box: Box, canvas: Canvas) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= canvas.width and box[3] <= canvas.height
