"""The picture of the map: regions as land, memories as dots on it; by likeness, or along time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from html import escape

import numpy as np
import numpy.typing as npt

from managers.memory_map.pieces import PieceKind
from managers.memory_map.scene import Dot, Place, Scene
from ui.charts import Tick
from ui.locales import Texts

AGES = 5
_LANDS = 6
_FILLING, _ENOUGH = 22, 90
"""Fewer dots than this leave the picture's edge free; fewer than that are drawn larger."""
_RIM = 0.08
"""What lies at the rim of the whole map is drawn near the picture's edge."""
_BASE, _LARGEST = 4.0, 8.5
_TOP, _BOTTOM, _SIDE = 8, 30, 26
_SMALLEST, _ROOMY = 0.6, 70.0
"""In a lane that is not so high, dots are smaller."""
_ROUNDS, _LOOK_AGAIN, _CLOSE = 24, 8, 46
_SMALL_TEXT = "font-family:var(--sans);font-size:11px;fill:var(--quiet)"
_HALO = "paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Canvas:
    """A size in which the picture is drawn; `most` is how many dots it holds."""

    kind: str
    width: int
    height: int
    most: int
    letters: int
    """So many letters across are seen as one line of a name."""
    scale: float
    """How large signs are."""
    words: int
    """So many words of a name are written."""


WIDE = Canvas("wide", 680, 560, 420, 24, 1.0, 3)
NARROW = Canvas("narrow", 350, 440, 170, 14, 0.85, 2)
CANVASES = {canvas.kind: canvas for canvas in (WIDE, NARROW)}


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture is drawn with besides its scene.

    Attributes:
        label: what is said of a dot.
        first_day, last_day: between which the time goes.
        turns: the days on which the colours change, so that each stands for as many memories.
        title: what the picture shows, for screen readers.
        t: the page's texts.
    """

    label: Callable[[Dot], str]
    first_day: int
    last_day: int
    turns: Sequence[int]
    title: str
    t: Texts

    def age(self, day: int) -> int:
        """Return which of the colours a day has."""
        return bisect_right(self.turns, day) if day else 0


def turns_of(days: Sequence[int]) -> list[int]:
    """Return the days on which the colours change."""
    ordered = sorted(days)
    found = [ordered[len(ordered) * share // AGES] for share in range(1, AGES)] if ordered else []
    return [day for day in found if day > ordered[0]]


def map_by_likeness(scene: Scene, canvas: Canvas, look: Look) -> str:
    """Return the map on which what is alike lies close together."""
    scale = canvas.scale * (1 + 0.5 * max(0.0, 1 - len(scene.dots) / _ENOUGH))
    spots = _seated(_across(scene, canvas), scene.dots, scale, _inside(canvas))
    reach = _reach(spots, canvas)
    lands = _lands(scene.places)
    land = "".join(_land(place, scene.dots, spots, reach, lands[place.number]) for place in scene.places)
    if not scene.places:
        land = _coast(spots, reach, 0)
    names = _names(scene, spots, canvas, look.t)
    return _svg(canvas, look.title, land + _dots(scene, spots, look, scale) + names)


def map_along_time(scene: Scene, canvas: Canvas, look: Look, ticks: Sequence[Tick]) -> str:
    """Return the map on which every region has a lane, and time goes from left to right.

    Args:
        scene: what is drawn.
        canvas: how large.
        look: colours and words.
        ticks: marks along the time, from 0 to 1.
    """
    lanes = scene.places or [Place(0, scene.names, scene.total, 0, 0, 0, 0)]
    lands = _lands(lanes)
    height = (canvas.height - _TOP - _BOTTOM) / len(lanes)
    words = min(24.0, height / 3)
    rows = {place.number: at for at, place in enumerate(lanes)}
    tops = np.array([_TOP + height * rows.get(dot.place, 0) for dot in scene.dots])
    lots = np.array([_lot(dot.piece.key) for dot in scene.dots])
    across = np.array([_time(dot.piece.day, look) for dot in scene.dots])
    inner = canvas.width - 2 * _SIDE
    spots = np.stack([_SIDE + inner * across, tops + words + (height - words - 8) * lots], axis=1)
    low = np.stack([np.full(len(tops), 12.0), tops + words], axis=1)
    high = np.stack([np.full(len(tops), canvas.width - 12.0), tops + height - 9], axis=1)
    scale = canvas.scale * min(1.0, max(_SMALLEST, height / _ROOMY))
    spots = _seated(spots, scene.dots, scale, (low, high), across=0.4)
    bands = "".join(_band(place, lands, _TOP + height * at, height, canvas) for at, place in enumerate(lanes))
    marks = "".join(_mark(tick, canvas) for tick in ticks)
    names = "".join(_lane_name(place, _TOP + height * at, look.t) for at, place in enumerate(lanes))
    return _svg(canvas, look.title, bands + marks + _dots(scene, spots, look, scale) + names)


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
    turn = np.array([_lot(dot.piece.key) for dot in dots]) * 2 * np.pi
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


def _lot(key: str) -> float:
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "big") / 2**32


# Land


def _reach(spots: Floats, canvas: Canvas) -> float:
    """Return how far land goes around a dot: dots that are near each other share an island."""
    if len(spots) < 3:  # noqa: PLR2004  # too few to be near or far
        return 44.0
    ways = np.sqrt(((spots[:, None, :] - spots[None, :, :]) ** 2).sum(axis=2))
    second = np.sort(ways, axis=1)[:, 2]
    return float(np.clip(np.quantile(second, 0.8) * 0.8, *((18, 46) if canvas is WIDE else (13, 34))))


def _land(place: Place, dots: Sequence[Dot], spots: Floats, reach: float, colour: int) -> str:
    mine = spots[[dot.place == place.number for dot in dots]]
    return _coast(mine, reach, colour) if len(mine) else ""


def _lands(places: Sequence[Place]) -> dict[int, int]:
    """Return the colour of each place: those that lie near each other differ."""
    chosen: dict[int, int] = {}
    spots = {place.number: (place.x, place.y) for place in places}
    for number in sorted(spots):
        nearest = [
            min(
                (math.dist(spots[number], spots[other]) for other, held in chosen.items() if held == colour),
                default=9.0,
            )
            for colour in range(_LANDS)
        ]
        chosen[number] = nearest.index(max(nearest))
    return chosen


def _coast(spots: Floats, reach: float, colour: int) -> str:
    """Return the land around some dots: one path drawn twice, so that only its outer edge shows."""
    disc = f"m{-reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {2 * reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {-2 * reach:.0f} 0"
    path = "".join(f"M{x:.0f} {y:.0f}{disc}" for x, y in spots)
    fill = f"fill:var(--land-{colour})"
    return (
        f'<path d="{path}" style="{fill};stroke:var(--surface);stroke-width:7"/>'
        f'<path d="{path}" style="{fill};stroke:var(--line);stroke-width:2"/><path d="{path}" style="{fill}"/>'
    )


def _band(place: Place, lands: Mapping[int, int], top: float, height: float, canvas: Canvas) -> str:
    return (
        f'<rect x="6" y="{top + 2:.1f}" width="{canvas.width - 12}" height="{height - 4:.1f}" rx="12" '
        f'style="fill:var(--land-{lands[place.number]})"/>'
    )


def _lane_name(place: Place, top: float, t: Texts) -> str:
    name = place_name(place.names, t)
    style = f"font-family:var(--serif);font-size:12.5px;font-weight:600;fill:var(--ink);{_HALO}"
    words = f'<text x="16" y="{top + 17:.1f}" style="{style}">{escape(name)}</text>'
    return _opening(place, name, words, t) if place.anchors else words


def _mark(tick: Tick, canvas: Canvas) -> str:
    x = _SIDE + tick.at * (canvas.width - 2 * _SIDE)
    anchor = "start" if tick.at < 0.04 else "end" if tick.at > 0.96 else "middle"  # noqa: PLR2004  # at the edges
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="8" y2="{canvas.height - 26}" style="stroke:var(--line);stroke-dasharray:2 5"/>'
        f'<text x="{x:.1f}" y="{canvas.height - 10}" text-anchor="{anchor}" style="{_SMALL_TEXT}">{escape(tick.label)}</text>'
    )


# Names of places


def place_name(names: Sequence[str], t: Texts) -> str:
    """Return how a place is called."""
    return t("map.between").join(names) if names else t("map.unnamed")


def _names(scene: Scene, spots: Floats, canvas: Canvas, t: Texts) -> str:
    """Return the names of the places where there is room for them, the largest place's first."""
    places, dots, newest = scene.places, scene.dots, scene.newest
    taken = [_newest_box(dot, spot, t) for dot, spot in zip(dots, spots, strict=True) if dot.piece.key == newest]
    written = []
    for place in places:
        mine = spots[[dot.place == place.number for dot in dots]]
        if not len(mine) or not place.names:
            continue
        size = 12.5 + min(4.0, place.count / max(sum(one.count for one in places), 1) * 14)
        size *= 0.88 if canvas is NARROW else 1
        lines = _lines(place.names[: canvas.words], canvas.letters, t)
        box = _free_box(mine, spots, lines, size, canvas, taken)
        if box is None:
            continue
        taken.append(box)
        written.append(_name(place, lines, size, box, t))
    return "".join(written)


def _lines(names: Sequence[str], letters: int, t: Texts) -> list[str]:
    """Return a name in lines; put together again they are the name, to the letter."""
    between = t("map.between")
    lines = [names[0]]
    for name in names[1:]:
        if _wide(lines[-1]) + _wide(name) + 1 <= letters:
            lines[-1] += between + name
        else:
            lines[-1] += between
            lines.append(name)
    return lines


def _wide(text: str) -> float:
    """Return how wide a text is, in letters of the alphabet."""
    return sum(1.0 if ord(char) < 0x2000 else 1.8 for char in text)  # noqa: PLR2004  # kana and kanji come later


def _free_box(
    mine: Floats,
    spots: Floats,
    lines: Sequence[str],
    size: float,
    canvas: Canvas,
    taken: Sequence[tuple[float, float, float, float]],
) -> tuple[float, float, float, float] | None:
    width = max(_wide(line) for line in lines) * size * 0.56 + 8
    height = len(lines) * size * 1.25 + 4
    heart = np.median(mine, axis=0)
    best: tuple[float, tuple[float, float, float, float]] | None = None
    for down in range(-72, 73, 18):
        for right in range(-72, 73, 36):
            x = float(np.clip(heart[0] + right, width / 2 + 6, canvas.width - width / 2 - 6))
            y = float(np.clip(heart[1] + down, height / 2 + 6, canvas.height - height / 2 - 6))
            box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            if any(_meet(box, other) for other in taken):
                continue
            hidden = ((np.abs(spots[:, 0] - x) < width / 2) & (np.abs(spots[:, 1] - y) < height / 2 + 2)).sum()
            near = np.sqrt(((mine - (x, y)) ** 2).sum(axis=1).min())
            cost = 2.5 * float(hidden) + near / 14 + float(np.hypot(right, down)) / 40
            if best is None or cost < best[0]:
                best = (cost, box)
    return best[1] if best else None


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _name(place: Place, lines: Sequence[str], size: float, box: tuple[float, float, float, float], t: Texts) -> str:
    x, top = (box[0] + box[2]) / 2, box[1]
    style = f"font-family:var(--serif);font-size:{size:.1f}px;font-weight:600;fill:var(--ink);{_HALO}"
    words = "".join(
        f'<text x="{x:.0f}" y="{top + size * (1.05 + 1.25 * at):.0f}" text-anchor="middle" style="{style}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    return _opening(place, place_name(place.names, t), words, t)


def _opening(place: Place, name: str, inside: str, t: Texts) -> str:
    label = t("map.look_closer_at", name=name, count=place.count)
    return (
        f'<g class="place" role="button" tabindex="-1" data-place-number="{place.number}" '
        f'aria-label="{escape(label)}">{inside}</g>'
    )


# Dots


def radius(dot: Dot, scale: float) -> float:
    """Return how large a dot is: by how many memories it stands for."""
    return scale * min(_LARGEST, _BASE + 0.8 * float(np.sqrt(len(dot.stands_for) - 1)))


def _dots(scene: Scene, spots: Floats, look: Look, scale: float) -> str:
    dots = "".join(
        _dot(dot, x, y, look, scale, is_first=at == 0, is_newest=dot.piece.key == scene.newest)
        for at, (dot, (x, y)) in enumerate(zip(scene.dots, spots.tolist(), strict=True))
    )
    newest = "".join(
        _ring(dot, x, y, look.t, scale)
        for dot, (x, y) in zip(scene.dots, spots.tolist(), strict=True)
        if dot.piece.key == scene.newest
    )
    return dots + newest


def _ring(dot: Dot, x: float, y: float, t: Texts, scale: float) -> str:
    """Return the mark of the newest dot, over all others."""
    size, side = radius(dot, scale), _side(x)
    return (
        f'<g aria-hidden="true" style="pointer-events:none" transform="translate({x:.0f} {y:.0f})">'
        f'<circle r="{size + 4:.1f}" style="fill:none;stroke:var(--age-4);stroke-width:1.6"/>'
        f'<text x="{side * (size + 8):.0f}" y="4" text-anchor="{"end" if side < 0 else "start"}" '
        f'style="{_SMALL_TEXT};fill:var(--ink);{_HALO}">{escape(t("map.newest"))}</text></g>'
    )


def _side(x: float) -> int:
    """Return on which side of the newest dot its word stands: where it stays inside of either picture."""
    return -1 if x > 220 else 1  # noqa: PLR2004  # see above


def _newest_box(dot: Dot, spot: Floats, t: Texts) -> tuple[float, float, float, float]:
    size, side, width = radius(dot, 1), _side(float(spot[0])), _wide(t("map.newest")) * 6.2 + 14
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


def day_of(ordinal: int) -> date | None:
    """Return the day of an ordinal; None for what has no day."""
    return date.fromordinal(ordinal) if ordinal else None
