"""The land under the dots: an island for what lies close together, a colour for each region."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from managers.memory_map.scene import Dot, Place
from ui.map_canvas import WIDE, Canvas, Floats

LANDS = 6


def reach(spots: Floats, canvas: Canvas) -> float:
    """Return how far land goes around a dot: dots that are near each other share an island."""
    if len(spots) < 3:  # noqa: PLR2004  # too few to be near or far
        return 44.0
    ways = np.sqrt(((spots[:, None, :] - spots[None, :, :]) ** 2).sum(axis=2))
    second = np.sort(ways, axis=1)[:, 2]
    return float(np.clip(np.quantile(second, 0.8) * 0.8, *((18, 46) if canvas is WIDE else (13, 34))))


def land(place: Place, dots: Sequence[Dot], spots: Floats, reach: float, colour: int) -> str:
    """Return the land of one place."""
    mine = spots[[dot.place == place.number for dot in dots]]
    return coast(mine, reach, colour) if len(mine) else ""


def lands(places: Sequence[Place]) -> dict[int, int]:
    """Return the colour of each place: those that lie near each other differ."""
    chosen: dict[int, int] = {}
    spots = {place.number: (place.x, place.y) for place in places}
    for number in sorted(spots):
        nearest = [
            min(
                (math.dist(spots[number], spots[other]) for other, held in chosen.items() if held == colour),
                default=9.0,
            )
            for colour in range(LANDS)
        ]
        chosen[number] = nearest.index(max(nearest))
    return chosen


def coast(spots: Floats, reach: float, colour: int) -> str:
    """Return the land around some dots: one path drawn twice, so that only its outer edge shows."""
    disc = f"m{-reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {2 * reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {-2 * reach:.0f} 0"
    path = "".join(f"M{x:.0f} {y:.0f}{disc}" for x, y in spots)
    fill = f"fill:var(--land-{colour})"
    return (
        f'<path d="{path}" style="{fill};stroke:var(--surface);stroke-width:7"/>'
        f'<path d="{path}" style="{fill};stroke:var(--line);stroke-width:2"/><path d="{path}" style="{fill}"/>'
    )
