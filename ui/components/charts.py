"""Charts as small SVGs: this says where everything lies, `charts.html` draws it; no library, no network, both looks.

Colours are the page's variables, so a chart follows the look; the script that saves a chart as an image puts their
values in. Each chart is drawn twice, wide and narrow, because text in an SVG that is scaled down cannot be read on a
phone; the style sheet shows the one that fits.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

FONT_SIZE: Final = 11
_BETWEEN: Final = 8
"""So far apart are the words below a curve, at least."""
_DASH: Final = 18
Kind = Literal["wide", "narrow"]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve.

    Attributes:
        x: from 0 to 1 along the span.
        y: in the chart's unit.
        label: what a screen reader says, and what is shown when the mouse rests on it.
    """

    x: float
    y: float
    label: str = ""
    address: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: `at` from 0 to 1 along the span, or in the chart's unit."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Words in a picture, and which end of them lies at `x`."""

    x: float
    y: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Dot:
    """A point where it lies in a picture; `is_low`: below the chart's middle."""

    x: float
    y: float
    point: Point
    is_low: bool


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the curve lies inside the picture, and the values at its lower and upper edge."""

    kind: Kind
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    lowest: float
    highest: float

    def x(self, at: float) -> float:
        return round(self.left + at * (self.width - self.left - self.right), 1)

    def y(self, value: float) -> float:
        part = (value - self.lowest) / (self.highest - self.lowest)
        return round(self.height - self.bottom - part * (self.height - self.top - self.bottom), 1)


def level_chart(points: Sequence[Point], threshold: Tick, ends: tuple[str, str]) -> list[dict[str, Any]]:
    """Return the course of one level from 0 to 1, with its threshold as a broken line."""
    frames = (_Frame("wide", 430, 120, 4, 8, 8, 24, 0, 1), _Frame("narrow", 290, 104, 4, 8, 8, 22, 0, 1))
    return [_level(points, threshold, ends, frame) for frame in frames]


def point_chart(
    points: Sequence[Point], across: Sequence[Tick], up: Sequence[Tick], *, lowest: float, highest: float
) -> list[dict[str, Any]]:
    """Return a curve whose points can be opened."""
    left = 16 + round(max((letters_wide(tick.label, FONT_SIZE) for tick in up), default=0))
    wide = _Frame("wide", 760, 300, left, 16, 16, 34, lowest, highest)
    narrow = _Frame("narrow", 350, 280, left, 12, 14, 32, lowest, highest)
    return [_curve(points, across, up, frame) for frame in (wide, narrow)]


def letters_wide(text: str, size: float) -> float:
    """Return about how wide a text is drawn, in the unit of its font's size."""
    return sum(size * (1.0 if unicodedata.east_asian_width(letter) in "WFA" else 0.56) for letter in text)


def _level(points: Sequence[Point], threshold: Tick, ends: tuple[str, str], frame: _Frame) -> dict[str, Any]:
    left, right, floor = frame.x(0), frame.x(1), frame.y(0)
    line = _path(points, frame)
    area = f"{line} L{frame.x(points[-1].x)} {floor} L{frame.x(points[0].x)} {floor} Z" if line else ""
    below, middle = frame.height - 6, round((left + right) / 2)
    # The legend stands below the picture: in it the words would lie on the curve.
    begins = round(middle - letters_wide(threshold.label, FONT_SIZE) / 2) - 5
    words = [
        Mark(left, below, ends[0], "start"),
        Mark(middle, below, threshold.label),
        Mark(right, below, ends[1], "end"),
    ]
    return {
        "kind": frame.kind,
        "width": frame.width,
        "height": frame.height,
        "left": left,
        "right": right,
        "floor": floor,
        "line": line,
        "area": area,
        "last": _dot(points[-1], frame) if points else None,
        "edge": frame.y(threshold.at),
        "dash": (begins - _DASH, begins),
        "words": words,
    }


def _curve(points: Sequence[Point], across: Sequence[Tick], up: Sequence[Tick], frame: _Frame) -> dict[str, Any]:
    marks = [Mark(frame.x(tick.at), frame.height - 10, tick.label, _anchor(tick, frame)) for tick in across]
    return {
        "kind": frame.kind,
        "width": frame.width,
        "height": frame.height,
        "left": frame.left,
        "right": frame.width - frame.right,
        "floor": frame.y(frame.lowest),
        "line": _path(points, frame),
        "rows": [Mark(frame.left - 8, frame.y(tick.at), tick.label, "end") for tick in up],
        "base": frame.y(0),
        "marks": _fitting(marks),
        "dots": [_dot(point, frame) for point in points],
    }


def _anchor(tick: Tick, frame: _Frame) -> str:
    x = frame.x(tick.at)
    return "start" if x < frame.left + 6 else "end" if x > frame.width - frame.right - 6 else "middle"


def _fitting(marks: Sequence[Mark]) -> Sequence[Mark]:
    """Return as many of the marks, evenly chosen, as stand side by side without touching."""
    for every in range(1, len(marks)):
        shown = marks[::every]
        if all(_ends(one)[1] + _BETWEEN <= _ends(other)[0] for one, other in pairwise(shown)):
            return shown
    return marks[:1]


def _ends(mark: Mark) -> tuple[float, float]:
    wide = letters_wide(mark.label, FONT_SIZE)
    begins = {"start": mark.x, "middle": mark.x - wide / 2, "end": mark.x - wide}[mark.anchor]
    return begins, begins + wide


def _dot(point: Point, frame: _Frame) -> Dot:
    middle = (frame.lowest + frame.highest) / 2
    return Dot(frame.x(point.x), frame.y(point.y), point, point.y < middle)


def _path(points: Sequence[Point], frame: _Frame) -> str:
    """Return a curve through the points that never rises or falls beyond them (monotone in x)."""
    if len(points) < 2:  # noqa: PLR2004  # nothing to join
        return ""
    places = [(frame.x(point.x), frame.y(point.y)) for point in points]
    path = f"M{places[0][0]} {places[0][1]}"
    for (x0, y0), (x1, y1) in pairwise(places):
        middle = round((x0 + x1) / 2, 1)
        path += f" C{middle} {y0} {middle} {y1} {x1} {y1}"
    return path
