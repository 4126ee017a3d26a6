"""The picture of the network: entities as signs of their kind, ties as lines as wide as they are strong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from managers.memory.entities import Kind
from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network, Node
from ui.charts import letters_wide
from ui.locales import Texts
from ui.map_canvas import HALO, WIDE, Canvas

_NAME_LETTERS = 16
_NAME_SIZE = 11.5
_NODES_IN_NARROW = 26
COLOURS: Mapping[Kind, str] = {
    "person": "peach-strong",
    "pet": "age-3",
    "place": "accent",
    "work": "age-2",
    "organisation": "age-1",
    "thing": "quiet",
}


def network_picture(network: Network, kinds: Mapping[str, Kind], canvas: Canvas, title: str, t: Texts) -> str:
    """Return the entities and their ties in one size."""
    order = sorted(network.nodes, key=lambda node: (node.name != network.centre, -node.mentions, node.name))
    shown = order if canvas is WIDE else _strongest(order, network.ties)
    ties = [tie for tie in network.ties if {tie.one, tie.other} <= {node.name for node in shown}]
    spots = _spots(shown, canvas, is_around=bool(network.centre))
    most = max([node.mentions for node in shown], default=1)
    sizes = {node.name: canvas.scale * (6.0 + 9.0 * float(np.sqrt(node.mentions / max(most, 1)))) for node in shown}
    strongest = max([tie.count for tie in ties], default=1)
    lines = "".join(_tie(tie, spots, strongest, t) for tie in reversed(ties))
    signs = "".join(
        _node(node, spots[node.name], sizes[node.name], kinds[node.name], t, is_first=at == 0)
        for at, node in enumerate(shown)
    )
    seats = _name_seats(shown, spots, sizes, canvas)
    names = "".join(_name(node.name, spots[node.name], sizes[node.name], seats, network.centre) for node in shown)
    return (
        f'<svg class="{canvas.kind} sky" viewBox="0 0 {canvas.width} {canvas.height}" role="group" '
        f'aria-label="{escape(title)}">{lines}{signs}<g aria-hidden="true" style="pointer-events:none">{names}</g></svg>'
    )


def _strongest(nodes: Sequence[Node], ties: Sequence[Tie]) -> list[Node]:
    """Return as many entities as a narrow picture holds: the one in the middle, and those that are tied most."""
    strength: Counter[str] = Counter()
    for tie in ties:
        strength.update({tie.one: tie.count, tie.other: tie.count})
    chosen = sorted(nodes[1:], key=lambda node: (-strength[node.name], -node.mentions, node.name))
    kept = {node.name for node in [*nodes[:1], *chosen[: _NODES_IN_NARROW - 1]]}
    return [node for node in nodes if node.name in kept]


def _spots(nodes: Sequence[Node], canvas: Canvas, *, is_around: bool) -> dict[str, tuple[float, float]]:
    """Return where entities are drawn: apart from each other, and inside."""
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


def _tie(tie: Tie, spots: Mapping[str, tuple[float, float]], strongest: int, t: Texts) -> str:
    (x1, y1), (x2, y2) = spots[tie.one], spots[tie.other]
    width = 1.2 + 4.8 * np.log1p(tie.count) / np.log1p(max(strongest, 2))
    ends = f'x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"'
    label = t("network.tie", one=tie.one, other=tie.other, count=tie.count)
    return (
        f'<g class="tie" role="button" tabindex="-1" data-one="{escape(tie.one)}" data-other="{escape(tie.other)}" '
        f'aria-label="{escape(label)}"><line {ends} style="stroke:transparent;stroke-width:14"/>'
        f'<line class="seen" {ends} style="stroke:var(--hint);stroke-width:{width:.1f};stroke-linecap:round;opacity:{0.35 + 0.06 * width:.2f}"/></g>'
    )


def _node(node: Node, spot: tuple[float, float], size: float, kind: Kind, t: Texts, *, is_first: bool) -> str:
    label = t("network.node", name=node.name, kind=t(f"memories.kind_{kind}"), count=node.mentions)
    return (
        f'<g class="star" role="button" tabindex="{0 if is_first else -1}" data-name="{escape(node.name)}" '
        f'aria-label="{escape(label)}" transform="translate({spot[0]:.0f} {spot[1]:.0f})"><title>{escape(label)}</title>{sign(kind, size)}</g>'
    )


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _name_seats(
    nodes: Sequence[Node], spots: Mapping[str, tuple[float, float]], sizes: Mapping[str, float], canvas: Canvas
) -> dict[str, tuple[float, float]]:
    """Return the middle of each name's line: below its sign, or above or beside it where another name or sign is.

    A name for which there is no room is left out; its sign still says it when it is touched or read out.
    """
    taken: list[Box] = [
        (x - sizes[name], y - sizes[name], x + sizes[name], y + sizes[name])
        for name, (x, y) in ((node.name, spots[node.name]) for node in nodes)
    ]
    found: dict[str, tuple[float, float]] = {}
    for node in nodes:  # the one in the middle and those that come up most choose first
        (x, y), size = spots[node.name], sizes[node.name]
        half = letters_wide(_short(node.name), _NAME_SIZE) / 2
        beside = size + half + 4
        for at in ((x, y + size + 13), (x, y - size - 6), (x + beside, y + 4), (x - beside, y + 4)):
            box = (at[0] - half, at[1] - 10, at[0] + half, at[1] + 3)
            if _is_inside(box, canvas) and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found[node.name] = at
                break
    return found


def _is_inside(box: Box, canvas: Canvas) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= canvas.width and box[3] <= canvas.height


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _short(name: str) -> str:
    return name if len(name) <= _NAME_LETTERS else name[:_NAME_LETTERS] + "…"


def _name(
    name: str, spot: tuple[float, float], size: float, seats: Mapping[str, tuple[float, float]], centre: str
) -> str:
    ring = ""
    if name == centre:
        ring = f'<circle cx="{spot[0]:.0f}" cy="{spot[1]:.0f}" r="{size + 5:.1f}" style="fill:none;stroke:var(--ink);stroke-width:1.5"/>'
    if name not in seats:
        return ring
    x, y = seats[name]
    weight = 700 if name == centre else 500
    style = f"font-family:var(--sans);font-size:{_NAME_SIZE}px;font-weight:{weight};fill:var(--ink);{HALO}"
    return f'{ring}<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" style="{style}">{escape(_short(name))}</text>'


def sign(kind: Kind, size: float) -> str:
    """Return the sign of a kind of entity around (0, 0): its shape tells it without the colour."""
    paint = f"fill:var(--{COLOURS[kind]});stroke:var(--surface);stroke-width:1.5"
    if kind == "person":
        return f'<circle class="seen" r="{size:.1f}" style="{paint}"/>'
    points = " ".join(f"{x * size:.1f},{y * size:.1f}" for x, y in _OUTLINES[kind])
    return f'<polygon class="seen" points="{points}" style="{paint}"/>'


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
