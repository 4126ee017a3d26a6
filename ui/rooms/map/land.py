"""The land under the dots: an island for what lies close together, a colour for each region."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from managers.memory_map.scene import Place, Scene
from ui.rooms.map.canvas import WIDE, Canvas, Floats

LANDS: Final = 6


@dataclass(frozen=True, slots=True)
class Land:
    """The land of one place: its outline as an SVG path, and its colour."""

    path: str
    colour: int


def lands_of(scene: Scene, spots: Floats, canvas: Canvas) -> list[Land]:
    """Return the land of each place; one for all where there are none."""
    reach = _reach(spots, canvas)
    if not scene.places:
        return [Land(_coast(spots, reach), 0)]
    colours = colours_of(scene.places)
    islands = [(place, spots[[dot.place == place.number for dot in scene.dots]]) for place in scene.places]
    return [Land(_coast(mine, reach), colours[place.number]) for place, mine in islands if len(mine)]


def colours_of(places: Sequence[Place]) -> dict[int, int]:
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


def _reach(spots: Floats, canvas: Canvas) -> float:
    """Return how far land goes around a dot: dots that are near each other share an island."""
    if len(spots) < 3:  # noqa: PLR2004  # too few to be near or far
        return 44.0
    ways = np.sqrt(((spots[:, None, :] - spots[None, :, :]) ** 2).sum(axis=2))
    second = np.sort(ways, axis=1)[:, 2]
    return float(np.clip(np.quantile(second, 0.8) * 0.8, *((18, 46) if canvas is WIDE else (13, 34))))


def _coast(spots: Floats, reach: float) -> str:
    """Return the outline of the land around some dots: a disc around each."""
    disc = f"m{-reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {2 * reach:.0f} 0a{reach:.0f} {reach:.0f} 0 1 0 {-2 * reach:.0f} 0"
    return "".join(f"M{x:.0f} {y:.0f}{disc}" for x, y in spots)
