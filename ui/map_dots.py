"""The dots of the map: each a memory, its shape the kind, its colour the age, its size for how many it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from managers.memory_map.pieces import PieceKind
from managers.memory_map.scene import Dot, Scene
from ui.locales import Texts
from ui.map_canvas import HALO, SMALL_TEXT, Floats, Look, wide

_BASE, _LARGEST = 4.0, 8.5

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def radius(dot: Dot, scale: float) -> float:
    """Return how large a dot is: by how many memories it stands for."""
    return scale * min(_LARGEST, _BASE + 0.8 * float(np.sqrt(len(dot.stands_for) - 1)))


def dots(scene: Scene, spots: Floats, look: Look, scale: float) -> str:
    """Return all dots, and over them the mark of the newest."""
    drawn = "".join(
        _dot(dot, x, y, look, scale, is_first=at == 0, is_newest=dot.piece.key == scene.newest)
        for at, (dot, (x, y)) in enumerate(zip(scene.dots, spots.tolist(), strict=True))
    )
    newest = "".join(
        _ring(dot, x, y, look.t, scale)
        for dot, (x, y) in zip(scene.dots, spots.tolist(), strict=True)
        if dot.piece.key == scene.newest
    )
    return drawn + newest


def _ring(dot: Dot, x: float, y: float, t: Texts, scale: float) -> str:
    """Return the mark of the newest dot, over all others."""
    size, side = radius(dot, scale), _side(x)
    return (
        f'<g aria-hidden="true" style="pointer-events:none" transform="translate({x:.0f} {y:.0f})">'
        f'<circle r="{size + 4:.1f}" style="fill:none;stroke:var(--age-4);stroke-width:1.6"/>'
        f'<text x="{side * (size + 8):.0f}" y="4" text-anchor="{"end" if side < 0 else "start"}" '
        f'style="{SMALL_TEXT};fill:var(--ink);{HALO}">{escape(t("map.newest"))}</text></g>'
    )


def _side(x: float) -> int:
    """Return on which side of the newest dot its word stands: where it stays inside of either picture."""
    return -1 if x > 220 else 1  # noqa: PLR2004  # see above


def newest_box(dot: Dot, spot: Floats, t: Texts) -> Box:
    """Return the room that the mark of the newest dot takes."""
    size, side, width = radius(dot, 1), _side(float(spot[0])), wide(t("map.newest")) * 6.2 + 14
    left = float(spot[0]) - size - 4 if side > 0 else float(spot[0]) + size + 4 - width - size
    return (left, float(spot[1]) - 12, left + width + size, float(spot[1]) + 12)


def _dot(dot: Dot, x: float, y: float, look: Look, scale: float, *, is_first: bool, is_newest: bool) -> str:
    first, last = dot.stands_for[0].day, dot.stands_for[-1].day
    paint = f"fill:var(--age-{look.age(dot.piece.day)});stroke:var(--surface);stroke-width:1"
    label = f"{look.t('map.newest')}: {look.label(dot)}" if is_newest else look.label(dot)
    return (
        f'<g class="star" role="button" tabindex="{0 if is_first else -1}" data-key="{escape(dot.piece.key)}" '
        f'data-from="{first}" data-until="{last}" aria-label="{escape(label)}" '
        f'transform="translate({x:.0f} {y:.0f})">{shape(dot.piece.kind, radius(dot, scale), paint)}</g>'
    )


def shape(kind: PieceKind, size: float, paint: str) -> str:
    """Return the sign of a kind of memory around (0, 0)."""
    if kind == "talk":
        return f'<circle class="seen" r="{size:.1f}" style="{paint}"/>'
    points = " ".join(f"{x * size:.1f},{y * size:.1f}" for x, y in _OUTLINES[kind])
    return f'<polygon class="seen" points="{points}" style="{paint}"/>'


def _rays(corners: int, deep: float, turn: float = -90) -> list[tuple[float, float]]:
    steps = [np.radians(turn + 180 / corners * step) for step in range(2 * corners)]
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
