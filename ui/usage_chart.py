"""The chart of tokens or costs by day: bars made by hand, as the curves in `ui/charts.py` are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

_TEXT = "font-family:var(--sans);font-size:11px;fill:var(--quiet)"
_GAP = 0.28
"""Of a day's width that stays empty."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A day: what it shows from below (`lower`) and on top of that (`upper`), and what it is called.

    Attributes:
        lower, upper: in the chart's unit.
        label: what is shown when the mouse rests on it.
        tick: the mark below it; empty where there is none.
    """

    lower: float
    upper: float
    label: str
    tick: str = ""

    @property
    def height(self) -> float:
        return self.lower + self.upper


def bar_chart(bars: Sequence[Bar], title: str, spoken: Callable[[float], str]) -> str:
    """Return the bars, wide and narrow.

    Args:
        bars: in order.
        title: what a screen reader says the chart shows.
        spoken: a value of the chart's unit as people write it.
    """
    return _bars(bars, title, spoken, (760, 230), "wide", 1) + _bars(bars, title, spoken, (350, 220), "narrow", 2)


def nice_top(highest: float) -> float:
    """Return a round number not below `highest`: 1, 2 or 5 times a power of ten."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next((factor * power for factor in (1, 2, 5, 10) if factor * power >= highest), 10 * power)


def _bars(
    bars: Sequence[Bar],
    title: str,
    spoken: Callable[[float], str],
    size: tuple[int, int],
    kind: str,
    every: int,
) -> str:
    width, height = size
    left, right, top, bottom = 64, 8, 14, 30
    highest = nice_top(max((bar.height for bar in bars), default=0))
    floor, room = height - bottom, height - top - bottom
    step = (width - left - right) / max(1, len(bars))
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = floor - share * room
        dashes = "" if share == 0 else ";stroke-dasharray:2 5"
        parts.append(
            f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" style="stroke:var(--line){dashes}"/>'
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" style="{_TEXT}">{escape(spoken(share * highest))}</text>'
        )
    ticks = 0
    for number, bar in enumerate(bars):
        x = left + number * step
        parts.append(_bar(bar, x + step * _GAP / 2, step * (1 - _GAP), floor, room / highest))
        if bar.tick:
            ticks += 1
            if ticks % every == 1 or every == 1:
                parts.append(
                    f'<text x="{x + step / 2:.1f}" y="{height - 10}" text-anchor="middle" style="{_TEXT}">{escape(bar.tick)}</text>'
                )
    return f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'


def _bar(bar: Bar, x: float, width: float, floor: float, scale: float) -> str:
    lower, upper = bar.lower * scale, bar.upper * scale
    if bar.height <= 0:
        return ""
    return (
        f'<g class="bar-day"><title>{escape(bar.label)}</title>'
        f'<rect x="{x:.1f}" y="{floor - lower:.1f}" width="{width:.1f}" height="{max(lower, 0):.1f}" rx="2" '
        f'style="fill:var(--accent);opacity:.5"/>'
        f'<rect x="{x:.1f}" y="{floor - lower - upper:.1f}" width="{width:.1f}" height="{max(upper, 0):.1f}" rx="2" '
        f'style="fill:var(--accent)"/></g>'
    )
