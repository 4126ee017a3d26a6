"""The picture of the map: regions as land, memories as dots on it; by likeness, or along time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from managers.memory_map.scene import Dot, Place, Scene
from ui.charts import Tick
from ui.locales import Texts
from ui.map_canvas import HALO, SMALL_TEXT, WIDE, Canvas, Floats, Look, lot
from ui.map_dots import dots, radius
from ui.map_land import coast, land, lands, reach
from ui.map_names import opening, place_name, place_names

_FILLING, _ENOUGH = 22, 90
"""Fewer dots than this leave the picture's edge free; fewer than that are drawn larger."""
_RIM = 0.08
"""What lies at the rim of the whole map is drawn near the picture's edge."""
_TOP, _BOTTOM, _SIDE = 8, 30, 26
_SMALLEST, _ROOMY = 0.6, 70.0
"""In a lane that is not so high, dots are smaller."""
_ROUNDS, _LOOK_AGAIN, _CLOSE = 24, 8, 46


def map_by_likeness(scene: Scene, canvas: Canvas, look: Look) -> str:
    """Return the map on which what is alike lies close together."""
    scale = canvas.scale * (1 + 0.5 * max(0.0, 1 - len(scene.dots) / _ENOUGH))
    spots = _seated(_across(scene, canvas), scene.dots, scale, _inside(canvas))
    far = reach(spots, canvas)
    colours = lands(scene.places)
    ground = "".join(land(place, scene.dots, spots, far, colours[place.number]) for place in scene.places)
    if not scene.places:
        ground = coast(spots, far, 0)
    names = place_names(scene, spots, canvas, look.t)
    return _svg(canvas, look.title, ground + dots(scene, spots, look, scale) + names)


def map_along_time(scene: Scene, canvas: Canvas, look: Look, ticks: Sequence[Tick]) -> str:
    """Return the map on which every region has a lane, and time goes from left to right.

    Args:
        scene: what is drawn.
        canvas: how large.
        look: colours and words.
        ticks: marks along the time, from 0 to 1.
    """
    lanes = scene.places or [Place(0, scene.names, scene.total, 0, 0, 0, 0)]
    colours = lands(lanes)
    height = (canvas.height - _TOP - _BOTTOM) / len(lanes)
    words = min(24.0, height / 3)
    rows = {place.number: at for at, place in enumerate(lanes)}
    tops = np.array([_TOP + height * rows.get(dot.place, 0) for dot in scene.dots])
    lots = np.array([lot(dot.piece.key) for dot in scene.dots])
    across = np.array([_time(dot.piece.day, look) for dot in scene.dots])
    inner = canvas.width - 2 * _SIDE
    spots = np.stack([_SIDE + inner * across, tops + words + (height - words - 8) * lots], axis=1)
    low = np.stack([np.full(len(tops), 12.0), tops + words], axis=1)
    high = np.stack([np.full(len(tops), canvas.width - 12.0), tops + height - 9], axis=1)
    scale = canvas.scale * min(1.0, max(_SMALLEST, height / _ROOMY))
    spots = _seated(spots, scene.dots, scale, (low, high), across=0.4)
    bands = "".join(_band(place, colours, _TOP + height * at, height, canvas) for at, place in enumerate(lanes))
    marks = "".join(_mark(tick, canvas) for tick in ticks)
    names = "".join(_lane_name(place, _TOP + height * at, look.t) for at, place in enumerate(lanes))
    return _svg(canvas, look.title, bands + marks + dots(scene, spots, look, scale) + names)


def _svg(canvas: Canvas, title: str, inside: str) -> str:
    return (
        f'<svg class="{canvas.kind} sky" viewBox="0 0 {canvas.width} {canvas.height}" role="group" '
        f'aria-label="{escape(title)}">{inside}</svg>'
    )


# Where things go


def _across(scene: Scene, canvas: Canvas) -> Floats:
    """Return the dots' places in the picture: what is looked at fills it."""
    spots = np.array([(dot.piece.x, dot.piece.y) for dot in scene.dots]).reshape(-1, 2)
    if not len(spots):
        return spots
    low, high = (spots.min(axis=0), spots.max(axis=0)) if scene.scope.region is not None else (_RIM, 1 - _RIM)
    size = np.array([canvas.width, canvas.height])
    edge = np.array([50.0, 48.0]) if canvas is WIDE else np.array([32.0, 34.0])
    spread = np.maximum(np.asarray(high) - np.asarray(low), 1e-6)
    fitted = np.clip((spots - low) / spread, -0.03, 1.03) if len(spots) > 1 else np.full_like(spots, 0.5)
    few = min(1.0, math.sqrt(len(scene.dots) / _FILLING))  # few memories lie together in the middle
    edge = edge * few + size / 2 * (1 - few)
    across: Floats = edge + fitted * (size - 2 * edge)
    return across


def _inside(canvas: Canvas) -> tuple[Floats, Floats]:
    return np.array([12.0, 12.0]), np.array([canvas.width - 12.0, canvas.height - 12.0])


def _seated(
    spots: Floats, dots: Sequence[Dot], scale: float, bounds: tuple[Floats, Floats], across: float = 1.0
) -> Floats:
    """Move dots that cover each other apart, a little and always the same way; `bounds` are kept."""
    if len(dots) < 2:  # noqa: PLR2004  # one covers nobody
        return spots
    sizes = np.array([radius(dot, scale) for dot in dots])
    turn = np.array([lot(dot.piece.key) for dot in dots]) * 2 * np.pi
    moved = spots + 0.01 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    one, other = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for number in range(_ROUNDS):
        if number % _LOOK_AGAIN == 0:
            one, other = _neighbours(moved)
        ways = moved[one] - moved[other]
        far = np.maximum(np.sqrt((ways**2).sum(axis=1)), 1e-3)
        short = np.maximum(sizes[one] + sizes[other] + 1.5 - far, 0)
        if not short.any():
            break
        steps = ways / far[:, None] * (0.35 * short)[:, None]
        steps[:, 0] *= across
        np.add.at(moved, one, steps)
        np.add.at(moved, other, -steps)
        moved = np.clip(moved, *bounds)
    return moved


def _neighbours(spots: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the pairs of places that may come to touch each other soon."""
    close = np.abs(spots[:, None, 0] - spots[None, :, 0]) + np.abs(spots[:, None, 1] - spots[None, :, 1]) < _CLOSE
    one, other = np.nonzero(np.triu(close, 1))
    return one, other


def _time(day: int, look: Look) -> float:
    span = max(look.last_day - look.first_day, 1)
    return min(max((day - look.first_day) / span, 0.0), 1.0) if day else 0.0


def _band(place: Place, colours: Mapping[int, int], top: float, height: float, canvas: Canvas) -> str:
    return (
        f'<rect x="6" y="{top + 2:.1f}" width="{canvas.width - 12}" height="{height - 4:.1f}" rx="12" '
        f'style="fill:var(--land-{colours[place.number]})"/>'
    )


def _lane_name(place: Place, top: float, t: Texts) -> str:
    name = place_name(place.names, t)
    style = f"font-family:var(--serif);font-size:12.5px;font-weight:600;fill:var(--ink);{HALO}"
    words = f'<text x="16" y="{top + 17:.1f}" style="{style}">{escape(name)}</text>'
    return opening(place, name, words, t) if place.anchors else words


def _mark(tick: Tick, canvas: Canvas) -> str:
    x = _SIDE + tick.at * (canvas.width - 2 * _SIDE)
    anchor = "start" if tick.at < 0.04 else "end" if tick.at > 0.96 else "middle"  # noqa: PLR2004  # at the edges
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="8" y2="{canvas.height - 26}" style="stroke:var(--line);stroke-dasharray:2 5"/>'
        f'<text x="{x:.1f}" y="{canvas.height - 10}" text-anchor="{anchor}" style="{SMALL_TEXT}">{escape(tick.label)}</text>'
    )
