"""The map of memory as its page shows it: which part is looked at and how, what lies beside the picture, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from managers.memory_map.atlas import Atlas
from managers.memory_map.pieces import KINDS
from managers.memory_map.scene import Dot, Place, Scene, Scope, scene_of
from ui.locales import Texts
from ui.rooms.map.canvas import CANVASES, Look, turns_of
from ui.rooms.map.dots import Sign, sign
from ui.rooms.map.names import place_name
from ui.rooms.map.picture import along_time, by_likeness
from ui.rooms.map.timeline import day_in_full, time_range
from ui.rooms.memories.shelves import shorten
from ui.server.visit import PersonaVisit

Arrangement = Literal["like", "time"]

ARRANGEMENTS: Final[tuple[Arrangement, ...]] = ("like", "time")
_EXCERPT: Final = 48


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of the map is looked at, and how it is arranged."""

    scope: Scope
    arrangement: Arrangement = "like"

    def address(self, visit: PersonaVisit, scope: Scope | None = None, by: str = "", **query: object) -> str:
        """Return its address, or that of another part or arrangement; more of a query opens something in it."""
        which = self.scope if scope is None else scope
        numbers = [str(one) for one in (which.region, which.quarter) if one is not None]
        arrangement = by or self.arrangement
        told = {"by": arrangement if arrangement != ARRANGEMENTS[0] else "", **query}
        return visit.at("/".join(["memories/map", *numbers]), **told)


@dataclass(frozen=True, slots=True)
class Row:
    """A place in the list beside the picture."""

    number: int
    name: str
    about: str
    address: str


def map_page(visit: PersonaVisit, atlas: Atlas, part: Part) -> dict[str, Any] | None:
    """Return what `map.html` shows of a part of the map; None where nothing lies there any more."""
    t = visit.t
    scenes = [scene_of(atlas, part.scope, canvas.most) for canvas in CANVASES]
    scene = scenes[0]
    if not scene.dots:
        return None
    name = place_name(scene.names, t)
    title = t("map.title") if part.scope.region is None else name
    days = [piece.day for piece in atlas.pieces if piece.day]
    look = Look(min(days, default=0), max(days, default=0), turns_of(days), t)
    draw = along_time if part.arrangement == "time" else by_likeness
    pieces = [piece for dot in scene.dots for piece in dot.stands_for]
    rows = [_row(visit, place, part) for place in scene.places]
    return {
        "title": title,
        "shown": title if part.scope.region is None else t("map.title_of", name=name),
        "around": _ways_around(visit, part),
        "arrangements": [(one, part.address(visit, by=one), one == part.arrangement) for one in ARRANGEMENTS],
        "here": "" if part.arrangement == ARRANGEMENTS[0] else f"by={part.arrangement}&",
        "held": _held(scene, t),
        "sampled": [
            (canvas.kind, t("map.sampled", count=max(2, round(one.total / len(one.dots)))))
            for canvas, one in zip(CANVASES, scenes, strict=True)
            if len(one.dots) < one.total
        ],
        "pictures": [draw(one, canvas, look) for one, canvas in zip(scenes, CANVASES, strict=True)],
        "labels": _labels(visit, scenes),
        "time": time_range(pieces, look),
        "signs": _signs(scene, t),
        "level": {"region": "regions", "quarter": "quarters"}.get(scene.level, ""),
        "rows": rows,
        "ways": {row.number: row.address for row in rows},
        "notes": _notes(visit, atlas),
        "name": f"{visit.name}-{t('map.file')}",
    }


def dot_name(dot: Dot, t: Texts) -> str:
    """Return when a dot's memory is from and what it is, and for how many it stands."""
    day = day_in_full(date.fromordinal(dot.piece.day), t) if dot.piece.day else t("map.undated")
    kind = t(f"map.kind_{dot.piece.kind}")
    if len(dot.stands_for) == 1:
        return t("map.one", day=day, kind=kind)
    return t("map.several", day=day, kind=kind, count=len(dot.stands_for) - 1)


def months(first: date, last: date, t: Texts) -> str:
    """Return from which month to which something reaches."""
    names = [
        t("map.month_form", year=day.year, month=day.month, month_name=t(f"heart.short_{day.month}"))
        for day in (first, last)
    ]
    return names[0] if names[0] == names[1] else t("map.from_to", first=names[0], last=names[1])


def _labels(visit: PersonaVisit, scenes: Sequence[Scene]) -> dict[str, str]:
    """Return what each dot is, by its key; read anew each time, so that what is forgotten is in none of them."""
    t, told = visit.t, visit.memories.map.read({dot.piece.face for scene in scenes for dot in scene.dots})
    labels = {}
    for scene in reversed(scenes):  # a dot of the wide picture, which stands for fewer, has the last word
        for dot in scene.dots:
            passage = told.get(dot.piece.face)
            label = f"{dot_name(dot, t)} {t('map.quoted', text=shorten(passage.text, _EXCERPT))}" if passage else ""
            labels[dot.piece.key] = f"{t('map.newest')}: {label}" if dot.piece.key == scene.newest else label
    return labels


def _ways_around(visit: PersonaVisit, part: Part) -> list[tuple[str, str]]:
    ways = []
    if part.scope.region is not None:
        ways.append((part.address(visit, Scope()), visit.t("map.whole")))
    if part.scope.quarter is not None:
        ways.append((part.address(visit, Scope(part.scope.region)), visit.t("map.around_it")))
    return ways


def _held(scene: Scene, t: Texts) -> str:
    counts = Counter(piece.kind for dot in scene.dots for piece in dot.stands_for)
    kinds = t("map.comma").join(t(f"map.count_{kind}", count=f"{counts[kind]:,}") for kind in KINDS if counts[kind])
    return t("map.holds", count=f"{scene.total:,}", kinds=kinds)


def _signs(scene: Scene, t: Texts) -> list[tuple[Sign, str]]:
    drawn = {dot.piece.kind for dot in scene.dots}
    return [(sign(kind, 5), t(f"map.kind_{kind}")) for kind in KINDS if kind in drawn]


def _row(visit: PersonaVisit, place: Place, part: Part) -> Row:
    t = visit.t
    inner = Scope(place.number) if part.scope.region is None else Scope(part.scope.region, place.number)
    about = t("map.memory") if place.count == 1 else t("map.memories", count=f"{place.count:,}")
    if place.first_day:
        first, last = (date.fromordinal(day) for day in (place.first_day, place.last_day))
        about += t("map.comma") + months(first, last, t)
    return Row(place.number, place_name(place.names, t), about, part.address(visit, inner))


def _notes(visit: PersonaVisit, atlas: Atlas) -> str:
    t = visit.t
    said = [t("map.left_out")]
    if atlas.is_waiting:
        said.append(t("map.some_waiting"))
    if visit.memories.map.is_drawing:
        said.append(t("map.being_redrawn"))
    return (" " if t.lang == "en" else "").join(said)
