"""The picture of the network: entities as signs of their kind, ties as lines as wide as they are strong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from managers.memory.entities import Kind
from managers.memory_map.ties import Network, Node, Tie
from ui.locales import Texts
from ui.map_picture import NARROW, WIDE, Canvas

_HALO = "paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round"
_NAME_LETTERS = 16
_FEW = 26
"""Of more entities than this a narrow picture names the strongest only."""
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
    spots = _spots(network.nodes, canvas)
    lines = "".join(_tie(tie, spots, network, t) for tie in reversed(network.ties))
    most = max([node.mentions for node in network.nodes], default=1)
    order = sorted(network.nodes, key=lambda node: (node.name != network.centre, -node.mentions, node.name))
    named = {node.name for node in order[: _FEW if canvas is NARROW else len(order)]}
    signs = "".join(
        _node(
            node,
            spots,
            kinds[node.name],
            most,
            t,
            is_first=at == 0,
            is_named=node.name in named,
            is_centre=node.name == network.centre,
        )
        for at, node in enumerate(order)
    )
    return (
        f'<svg class="{canvas.kind} sky" viewBox="0 0 {canvas.width} {canvas.height}" role="group" '
        f'aria-label="{escape(title)}">{lines}{signs}</svg>'
    )


def _spots(nodes: Sequence[Node], canvas: Canvas) -> dict[str, tuple[float, float]]:
    """Return where entities are drawn: apart from each other, and inside."""
    if not nodes:
        return {}
    edge = np.array([44.0, 30.0]) if canvas is WIDE else np.array([34.0, 28.0])
    size = np.array([canvas.width, canvas.height])
    spots = edge + np.array([(node.x, node.y) for node in nodes]) * (size - 2 * edge)
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


def _tie(tie: Tie, spots: Mapping[str, tuple[float, float]], network: Network, t: Texts) -> str:
    (x1, y1), (x2, y2) = spots[tie.one], spots[tie.other]
    strongest = max(one.count for one in network.ties)
    width = 1.2 + 4.8 * np.log1p(tie.count) / np.log1p(max(strongest, 2))
    ends = f'x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"'
    label = t("network.tie", one=tie.one, other=tie.other, count=tie.count)
    return (
        f'<g class="tie" role="button" tabindex="-1" data-one="{escape(tie.one)}" data-other="{escape(tie.other)}" '
        f'aria-label="{escape(label)}"><line {ends} style="stroke:transparent;stroke-width:14"/>'
        f'<line class="seen" {ends} style="stroke:var(--hint);stroke-width:{width:.1f};stroke-linecap:round;opacity:{0.35 + 0.06 * width:.2f}"/></g>'
    )


def _node(
    node: Node,
    spots: Mapping[str, tuple[float, float]],
    kind: Kind,
    most: int,
    t: Texts,
    *,
    is_first: bool,
    is_named: bool,
    is_centre: bool,
) -> str:
    x, y = spots[node.name]
    size = 6.0 + 9.0 * float(np.sqrt(node.mentions / max(most, 1)))
    label = t("network.node", name=node.name, kind=t(f"memories.kind_{kind}"), count=node.mentions)
    weight = 700 if is_centre else 500
    name = node.name if len(node.name) <= _NAME_LETTERS else node.name[:_NAME_LETTERS] + "…"
    text = (
        f'<text y="{size + 13:.0f}" text-anchor="middle" style="font-family:var(--sans);font-size:11.5px;'
        f'font-weight:{weight};fill:var(--ink);{_HALO}">{escape(name)}</text>'
        if is_named
        else ""
    )
    ring = f'<circle r="{size + 5:.1f}" style="fill:none;stroke:var(--ink);stroke-width:1.5"/>' if is_centre else ""
    return (
        f'<g class="star" role="button" tabindex="{0 if is_first else -1}" data-name="{escape(node.name)}" '
        f'aria-label="{escape(label)}" transform="translate({x:.0f} {y:.0f})">{ring}{sign(kind, size)}{text}</g>'
    )


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
