"""The names of places on the map: written where there is room, each the way to come closer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from managers.memory_map.scene import Place, Scene
from ui.locales import Texts
from ui.rooms.map.canvas import NARROW, Box, Canvas, Floats, do_meet, wide
from ui.rooms.map.dots import newest_box


@dataclass(frozen=True, slots=True)
class Name:
    """A place's name as it is written on the map.

    Attributes:
        number: the place's.
        label: what choosing it does; empty where there is nothing closer to come to.
        lines: (x, y, words) of each.
        size: of the letters.
        anchor: whether x is the lines' middle or where they start.
    """

    number: int
    label: str
    lines: Sequence[tuple[int, int, str]]
    size: float
    anchor: str = "middle"


def place_name(names: Sequence[str], t: Texts) -> str:
    """Return how a place is called."""
    return t("map.between").join(names) if names else t("map.unnamed")


def closer_label(place: Place, t: Texts) -> str:
    """Return what choosing a place's name does."""
    return t("map.look_closer_at", name=place_name(place.names, t), count=place.count)


def written_names(scene: Scene, spots: Floats, canvas: Canvas, t: Texts) -> list[Name]:
    """Return the names of the places where there is room for them, the largest place's first."""
    places, dots, newest = scene.places, scene.dots, scene.newest
    taken = [newest_box(dot, spot, t) for dot, spot in zip(dots, spots, strict=True) if dot.piece.key == newest]
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
    return written


def _name(place: Place, lines: Sequence[str], size: float, box: Box, t: Texts) -> Name:
    x, top = round((box[0] + box[2]) / 2), box[1]
    rows = [(x, round(top + size * (1.05 + 1.25 * at)), line) for at, line in enumerate(lines)]
    return Name(place.number, closer_label(place, t), rows, round(size, 1))


def _lines(names: Sequence[str], letters: int, t: Texts) -> list[str]:
    """Return a name in lines; put together again they are the name, to the letter."""
    between = t("map.between")
    lines = [names[0]]
    for name in names[1:]:
        if wide(lines[-1]) + wide(name) + 1 <= letters:
            lines[-1] += between + name
        else:
            lines[-1] += between
            lines.append(name)
    return lines


def _free_box(
    mine: Floats, spots: Floats, lines: Sequence[str], size: float, canvas: Canvas, taken: Sequence[Box]
) -> Box | None:
    width = max(wide(line) for line in lines) * size * 0.56 + 8
    height = len(lines) * size * 1.25 + 4
    heart = np.median(mine, axis=0)
    best: tuple[float, Box] | None = None
    for down in range(-72, 73, 18):
        for right in range(-72, 73, 36):
            x = float(np.clip(heart[0] + right, width / 2 + 6, canvas.width - width / 2 - 6))
            y = float(np.clip(heart[1] + down, height / 2 + 6, canvas.height - height / 2 - 6))
            box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            if any(do_meet(box, other) for other in taken):
                continue
            hidden = ((np.abs(spots[:, 0] - x) < width / 2) & (np.abs(spots[:, 1] - y) < height / 2 + 2)).sum()
            near = np.sqrt(((mine - (x, y)) ** 2).sum(axis=1).min())
            cost = 2.5 * float(hidden) + near / 14 + float(np.hypot(right, down)) / 40
            if best is None or cost < best[0]:
                best = (cost, box)
    return best[1] if best else None
