"""The picture of the map: regions as land, memories as dots on it; by likeness, or along time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.memory_map.placing import lot
from managers.memory_map.scene import Dot, Place, Scene
from ui.components.charts import Mark, Tick
from ui.rooms.map.canvas import WIDE, Canvas, Floats, Look
from ui.rooms.map.dots import DrawnDot, Ring, drawn_dots, newest_ring, radius
from ui.rooms.map.land import Land, colours_of, lands_of
from ui.rooms.map.names import Name, closer_label, place_name, written_names
from ui.rooms.map.timeline import time_ticks

_FILLING, _ENOUGH = 22, 90
"""Fewer dots than this leave the picture's edge free; fewer than that are drawn larger."""
_RIM: Final = 0.08
"""What lies at the rim of the whole map is drawn near the picture's edge."""
_TOP, _BOTTOM, _SIDE = 8, 30, 26
_SMALLEST, _ROOMY = 0.6, 70.0
"""In a lane that is not so high, dots are smaller."""
_ROUNDS, _LOOK_AGAIN, _CLOSE = 24, 8, 46
_AT_EDGE: Final = 0.04
_TICKS: Final = {"wide": 9, "narrow": 5}
_KEPT: Final = 4
"""So many pictures are kept, for whoever opens one memory after the other in them."""


@dataclass(frozen=True, slots=True)
class Band:
    """The lane of a region along time."""

    top: float
    height: float
    colour: int


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn in one size, from the ground up."""

    canvas: Canvas
    lands: Sequence[Land]
    bands: Sequence[Band]
    marks: Sequence[Mark]
    dots: Sequence[DrawnDot]
    ring: Ring | None
    names: Sequence[Name]


@lru_cache(maxsize=_KEPT)
def by_likeness(scene: Scene, canvas: Canvas, look: Look) -> Picture:
    """Return the map on which what is alike lies close together."""
    scale = canvas.scale * (1 + 0.5 * max(0.0, 1 - len(scene.dots) / _ENOUGH))
    inside = np.array([12.0, 12.0]), np.array([canvas.width - 12.0, canvas.height - 12.0])
    spots = _seated(_across(scene, canvas), scene.dots, scale, inside)
    return Picture(
        canvas,
        lands_of(scene, spots, canvas),
        [],
        [],
        drawn_dots(scene, spots, look, scale),
        newest_ring(scene, spots, scale),
        written_names(scene, spots, canvas, look.t),
    )


@lru_cache(maxsize=_KEPT)
def along_time(scene: Scene, canvas: Canvas, look: Look) -> Picture:
    """Return the map on which every region has a lane, and time goes from left to right."""
    ticks = time_ticks(look.first_day, look.last_day, look.t, _TICKS[canvas.kind])
    lanes = scene.places or [Place(0, scene.names, scene.total, 0, 0, 0, 0)]
    colours = colours_of(lanes)
    height = (canvas.height - _TOP - _BOTTOM) / len(lanes)
    scale = canvas.scale * min(1.0, max(_SMALLEST, height / _ROOMY))
    spots = _in_lanes(scene, canvas, look, lanes, scale)
    tops = [_TOP + height * at for at in range(len(lanes))]
    return Picture(
        canvas,
        [],
        [
            Band(round(top + 2, 1), round(height - 4, 1), colours[place.number])
            for place, top in zip(lanes, tops, strict=True)
        ],
        [_mark(tick, canvas) for tick in ticks],
        drawn_dots(scene, spots, look, scale),
        newest_ring(scene, spots, scale),
        [_lane_name(place, top, look) for place, top in zip(lanes, tops, strict=True)],
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


def _in_lanes(scene: Scene, canvas: Canvas, look: Look, lanes: Sequence[Place], scale: float) -> Floats:
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
    return _seated(spots, scene.dots, scale, (low, high), across=0.4)


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


def _lane_name(place: Place, top: float, look: Look) -> Name:
    label = closer_label(place, look.t) if place.anchors else ""
    return Name(place.number, label, [(16, round(top + 17), place_name(place.names, look.t))], 12.5, "start")


def _mark(tick: Tick, canvas: Canvas) -> Mark:
    x = _SIDE + tick.at * (canvas.width - 2 * _SIDE)
    anchor = "start" if tick.at < _AT_EDGE else "end" if tick.at > 1 - _AT_EDGE else "middle"
    return Mark(round(x, 1), canvas.height - 10, tick.label, anchor)
