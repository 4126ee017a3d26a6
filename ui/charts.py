"""Charts as SVG made by hand: a few hundred bytes a point, no library, no network, both looks.

Colours are the page's variables, so a chart follows the look; the script that saves a chart as an
image puts their values in. A chart with points exists twice, wide and narrow, because text in an
SVG that is scaled down cannot be read on a phone; the style sheet shows the one that fits.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ui.locales import Texts

_TEXT = "font-family:var(--sans);font-size:11px;fill:var(--quiet)"
_EDGE = "stroke:var(--peach-strong);stroke-dasharray:3 4;opacity:.75"
_DOT, _TOUCH = 4, 12
_BETWEEN = 8
"""So far apart are the words below a curve, at least."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: `x` from 0 to 1 along the span, `y` in the chart's own unit."""

    x: float
    y: float
    label: str = ""
    """What a screen reader says, and what is shown when the mouse rests on it."""
    key: str = ""
    """What the server is told when it is chosen."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: `at` from 0 to 1 along the span, or in the chart's unit."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the curve lies inside the picture, and the values at its lower and upper edge."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    lowest: float
    highest: float

    def x(self, at: float) -> float:
        return self.left + at * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        part = (value - self.lowest) / (self.highest - self.lowest)
        return self.height - self.bottom - part * (self.height - self.top - self.bottom)


def level_chart(points: Sequence[Point], threshold: Tick, ends: tuple[str, str], title: str) -> str:
    """Return the course of one level from 0 to 1, with its threshold as a broken line; wide and narrow."""
    frames = {"wide": _Frame(430, 120, 4, 8, 8, 24, 0, 1), "narrow": _Frame(290, 104, 4, 8, 8, 22, 0, 1)}
    return "".join(_level(points, threshold, ends, title, frame, kind) for kind, frame in frames.items())


def _level(
    points: Sequence[Point], threshold: Tick, ends: tuple[str, str], title: str, frame: _Frame, kind: str
) -> str:
    left, right = frame.x(0), frame.x(1)
    floor, edge = frame.y(0), frame.y(threshold.at)
    parts = [_line(left, right, floor, "stroke:var(--line)")]
    if len(points) > 1:
        line = _path(points, frame)
        area = f"{line} L{frame.x(points[-1].x):.1f} {floor:.1f} L{frame.x(points[0].x):.1f} {floor:.1f} Z"
        parts.append(f'<path d="{area}" style="fill:var(--accent);opacity:.12;stroke:none"/>')
        parts.append(f'<path d="{line}" style="{_LINE}"/>')
    if points:
        x, y = frame.x(points[-1].x), frame.y(points[-1].y)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="fill:var(--accent)"/>')
    parts += [
        _line(left, right, edge, _EDGE),
        *_legend((left + right) / 2, frame.height - 6, threshold.label),
        f'<text x="{left:.0f}" y="{frame.height - 6}" style="{_TEXT}">{escape(ends[0])}</text>',
        f'<text x="{right:.0f}" y="{frame.height - 6}" text-anchor="end" style="{_TEXT}">{escape(ends[1])}</text>',
    ]
    return (
        f'<svg class="{kind}" viewBox="0 0 {frame.width} {frame.height}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _legend(middle: float, y: float, label: str) -> list[str]:
    """Return what the broken line is, below the picture: in it the words would lie on the curve."""
    half, dash = letters_wide(label, 11) / 2, 18
    return [
        _line(middle - half - dash - 5, middle - half - 5, y - 4, _EDGE),
        f'<text x="{middle:.0f}" y="{y}" text-anchor="middle" style="{_TEXT}">{escape(label)}</text>',
    ]


def letters_wide(text: str, size: float) -> float:
    """Return about how wide a text is drawn, in the unit of its font's size."""
    return sum(size * (1.0 if unicodedata.east_asian_width(letter) in "WFA" else 0.56) for letter in text)


def _line(left: float, right: float, y: float, style: str) -> str:
    return f'<line x1="{left:.0f}" x2="{right:.0f}" y1="{y:.1f}" y2="{y:.1f}" style="{style}"/>'


def point_chart(
    points: Sequence[Point], across: Sequence[Tick], up: Sequence[Tick], title: str, *, lowest: float, highest: float
) -> str:
    """Return a curve whose points can be chosen; wide and narrow.

    Args:
        points: in order along the span.
        across: marks along the span.
        up: marks beside it, in the chart's unit.
        title: what the chart shows, for screen readers.
        lowest: the unit's lowest value.
        highest: its highest.
    """
    wide = _Frame(760, 300, 58, 16, 16, 34, lowest, highest)
    narrow = _Frame(350, 280, 50, 12, 14, 32, lowest, highest)
    charts = ((wide, "wide"), (narrow, "narrow"))
    return "".join(_curve(points, _fitting(across, frame), up, title, frame, kind) for frame, kind in charts)


def _fitting(marks: Sequence[Tick], frame: _Frame) -> Sequence[Tick]:
    """Return as many of the marks, evenly chosen, as stand side by side without touching."""
    for every in range(1, len(marks)):
        shown = marks[::every]
        places = [_place(mark, frame) for mark in shown]
        if all(one[1] + _BETWEEN <= other[0] for one, other in pairwise(places)):
            return shown
    return marks[:1]


def _place(mark: Tick, frame: _Frame) -> tuple[float, float]:
    """Return where a mark's words begin and end."""
    x, wide = frame.x(mark.at), letters_wide(mark.label, 11)
    begins = {"start": x, "middle": x - wide / 2, "end": x - wide}[_anchor(x, frame)]
    return begins, begins + wide


def figure(chart: str, name: str, table: str, t: Texts, *, kind: str = "") -> str:
    """Return a chart with what it can be saved as.

    Args:
        chart: the picture.
        name: the file's name when it is saved.
        table: the address of the same numbers as CSV.
        t: the page's texts.
        kind: a class for the style sheet.
    """
    return f'<figure class="chart {kind}" data-name="{escape(name)}">{chart}{_saving(table, t)}</figure>'


def table_link(address: str, t: Texts) -> str:
    """Return the link that saves a table as CSV."""
    return f'<a class="save-table" href="{escape(address)}" download>{escape(t("charts.csv"))}</a>'


def _saving(table: str, t: Texts) -> str:
    buttons = "".join(
        f'<button type="button" data-export="{kind}">{escape(t(f"charts.{kind}"))}</button>' for kind in ("png", "svg")
    )
    label = escape(t("charts.save"))
    return (
        f'<details class="export"><summary aria-label="{label}" title="{label}"></summary>'
        f"<div>{buttons}{table_link(table, t) if table else ''}</div></details>"
    )


_LINE = "fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round;stroke-linecap:round"


def _curve(
    points: Sequence[Point], across: Sequence[Tick], up: Sequence[Tick], title: str, frame: _Frame, kind: str
) -> str:
    grid = "".join(_row(tick, frame) for tick in up)
    marks = "".join(_mark(tick, frame) for tick in across)
    line = f'<path d="{_path(points, frame)}" style="{_LINE};opacity:.45"/>' if len(points) > 1 else ""
    dots = "".join(_dot(point, frame, is_last=n == len(points) - 1) for n, point in enumerate(points))
    return (
        f'<svg class="{kind}" viewBox="0 0 {frame.width} {frame.height}" role="group" aria-label="{escape(title)}">'
        f"{grid}{marks}{line}{dots}</svg>"
    )


def _row(tick: Tick, frame: _Frame) -> str:
    y, style = frame.y(tick.at), "stroke:var(--line)" + ("" if tick.at == 0 else ";stroke-dasharray:2 5")
    return (
        f'<line x1="{frame.left}" x2="{frame.width - frame.right}" y1="{y:.1f}" y2="{y:.1f}" style="{style}"/>'
        f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end" style="{_TEXT}">{escape(tick.label)}</text>'
    )


def _anchor(x: float, frame: _Frame) -> str:
    return "start" if x < frame.left + 6 else "end" if x > frame.width - frame.right - 6 else "middle"


def _mark(tick: Tick, frame: _Frame) -> str:
    x = frame.x(tick.at)
    return f'<text x="{x:.1f}" y="{frame.height - 10}" text-anchor="{_anchor(x, frame)}" style="{_TEXT}">{escape(tick.label)}</text>'


def _dot(point: Point, frame: _Frame, *, is_last: bool) -> str:
    x, y = frame.x(point.x), frame.y(point.y)
    colour = "var(--peach-strong)" if point.y < 0 else "var(--accent)"
    label = escape(point.label)
    # One stop of the tab key for the whole curve; the arrow keys go from point to point (assets/page/rooms.js).
    return (
        f'<g class="point" role="button" tabindex="{0 if is_last else -1}" data-action="point" '
        f'data-key="{escape(point.key)}" aria-label="{label}"><title>{label}</title>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_TOUCH}" style="fill:transparent"/>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}" style="fill:{colour};stroke:var(--surface);stroke-width:1.5"/></g>'
    )


def _path(points: Sequence[Point], frame: _Frame) -> str:
    """Return a curve through the points that never rises or falls beyond them (monotone in x)."""
    places = [(frame.x(point.x), frame.y(point.y)) for point in points]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(places):
        middle = (x0 + x1) / 2
        path += f" C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    return path
