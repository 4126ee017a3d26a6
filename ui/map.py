"""The shelf with the map of memory: a picture of all that is remembered, by likeness and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from html import escape
from urllib.parse import quote

from managers.memory_map.atlas import Atlas, MemoryMap
from managers.memory_map.pieces import KINDS
from managers.memory_map.scene import Dot, Place, Scene, Scope, scene_of
from ui.charts import figure
from ui.locales import Texts
from ui.map_canvas import NARROW, WIDE, Canvas, Look, turns_of
from ui.map_dots import shape
from ui.map_names import place_name
from ui.map_picture import map_along_time, map_by_likeness
from ui.map_time import day_name, time_range, time_ticks
from ui.presenters import persona_address
from ui.shelves import Shelf, View, button, empty

LIKE, TIME = "like", "time"
_EXCERPT = 48
_TICKS = {"wide": 9, "narrow": 5}


def show(view: View) -> str:
    """Return the map, or why there is none yet."""
    memory_map = view.memories.map
    atlas = memory_map.look()
    if atlas is None:
        return drawing(memory_map, view)
    if all(piece.kind == "note" for piece in atlas.pieces):  # what stands under Notes is no landscape yet
        return empty(view.t("map.waiting" if atlas.is_waiting else "map.empty"))
    return _map(view, atlas, memory_map)


def drawing(memory_map: MemoryMap, view: View) -> str:
    """Return how far the drawing is; the page's script asks again until the map is there."""
    t = view.t
    done = memory_map.progress
    share = f' value="{done.done}" max="{max(done.total, 1)}"' if done and done.done else ""
    again = button(t("map.look_again"), "show")
    return (
        f'<div class="drawing" data-watch="{escape(state_address(view.persona))}" role="status">'
        f'<p>{escape(t("map.drawing"))}</p><progress{share} aria-label="{escape(t("map.drawing"))}"></progress>{again}</div>'
    )


def parsed(item: str) -> tuple[str, Scope]:
    """Return what an address within the shelf means: `like`, `time/3`, `like/3/17`."""
    arrangement, _, rest = item.partition("/")
    numbers = [int(part) for part in rest.split("/")[:2] if part.isdecimal()]
    return TIME if arrangement == TIME else LIKE, Scope(*numbers)


def item_of(arrangement: str, scope: Scope) -> str:
    """Return the address of a part of the map."""
    numbers = [str(one) for one in (scope.region, scope.quarter) if one is not None]
    return "/".join([arrangement, *numbers])


def state_address(persona: str) -> str:
    """Return where one asks how far the drawing is."""
    return f"{persona_address(persona)}/map/state"


def look_for(view: View, atlas: Atlas, scenes: Sequence[Scene], title: str) -> Look:
    """Return what pictures of a part of the map are drawn with."""
    days = [piece.day for piece in atlas.pieces if piece.day]
    dots = {dot.piece.face for scene in scenes for dot in scene.dots}
    told = {code: " ".join(passage.text.split()) for code, passage in view.memories.map.read(dots).items()}
    t = view.t

    def label(dot: Dot) -> str:
        text = told.get(dot.piece.face, "")
        words = text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"
        return f"{dot_name(dot, t)} {t('map.quoted', text=words)}"

    return Look(label, min(days, default=0), max(days, default=0), turns_of(days), title, t)


def dot_name(dot: Dot, t: Texts) -> str:
    """Return when a dot's memory is from and what it is, and for how many it stands."""
    day = day_name(date.fromordinal(dot.piece.day), t) if dot.piece.day else t("map.undated")
    kind = t(f"map.kind_{dot.piece.kind}")
    if len(dot.stands_for) == 1:
        return t("map.one", day=day, kind=kind)
    return t("map.several", day=day, kind=kind, count=len(dot.stands_for) - 1)


def _map(view: View, atlas: Atlas, memory_map: MemoryMap) -> str:
    t = view.t
    arrangement, scope = parsed(view.place.item)
    scenes = {canvas.kind: scene_of(atlas, scope, canvas.most) for canvas in (WIDE, NARROW)}
    scene = scenes[WIDE.kind]
    if not scene.dots:
        return crumbs(view, arrangement, scope, scene) + empty(t("memories.gone"))
    title = t("map.title_of", name=place_name(scene.names, t)) if scope.region is not None else t("map.title")
    look = look_for(view, atlas, list(scenes.values()), title)
    pictures = "".join(_picture(scenes[canvas.kind], canvas, look, arrangement) for canvas in (WIDE, NARROW))
    table = f"{persona_address(view.persona)}/map/memories.csv?lang={t.lang}&item={quote(item_of(arrangement, scope))}"
    name = f"{view.persona}-{t('map.file')}"
    held = [piece for dot in scene.dots for piece in dot.stands_for]
    return (
        f'<div class="above">{crumbs(view, arrangement, scope, scene)}{_switch(arrangement, scope, t)}</div>'
        f"{_told(scene, scenes[NARROW.kind], t)}"
        f'<p class="visually-hidden">{escape(t("map.keys"))}</p>'
        f'<div class="charted" data-look="{escape(look_address(view, scope))}">'
        f"<div>{figure(pictures, name, table, t, kind='starry')}{time_range(held, look)}{_legend(scene, t)}</div>"
        f'<div class="beside" aria-live="polite" tabindex="-1">{_places(view, arrangement, scope, scene)}</div></div>'
        f"{_notes(memory_map, atlas, t)}"
    )


def look_address(view: View, scope: Scope) -> str:
    """Return where a dot's memories are told; the dot's key and the picture's size are added."""
    return f"{persona_address(view.persona)}/map/dot?lang={view.t.lang}&item={quote(item_of(LIKE, scope))}"


def _picture(scene: Scene, canvas: Canvas, look: Look, arrangement: str) -> str:
    if arrangement == TIME:
        ticks = time_ticks(look.first_day, look.last_day, look.t, _TICKS[canvas.kind])
        return map_along_time(scene, canvas, look, ticks)
    return map_by_likeness(scene, canvas, look)


def crumbs(view: View, arrangement: str, scope: Scope, scene: Scene) -> str:
    """Return the heading, and the way back to what this is a part of."""
    t = view.t
    if scope.region is None:
        return f'<h3 tabindex="-1" data-focus>{escape(t("map.title"))}</h3>'
    whole = button(t("map.whole"), "go", shelf="map", item=item_of(arrangement, Scope()))
    region = ""
    if scope.quarter is not None:
        region = button(t("map.around_it"), "go", shelf="map", item=item_of(arrangement, Scope(scope.region)))
    name = place_name(scene.names, t)
    return f'<h3 tabindex="-1" data-focus>{escape(name)}</h3><div class="deeds">{whole}{region}</div>'


def _told(scene: Scene, narrow: Scene, t: Texts) -> str:
    """Return how much there is to see, and what a dot stands for."""
    counts = Counter(piece.kind for dot in scene.dots for piece in dot.stands_for)
    kinds = t("map.comma").join(t(f"map.count_{kind}", count=f"{counts[kind]:,}") for kind in KINDS if counts[kind])
    sampled = "".join(
        f' <span class="only-{canvas.kind}">{escape(t("map.sampled", count=max(2, round(one.total / len(one.dots)))))}</span>'
        for canvas, one in ((WIDE, scene), (NARROW, narrow))
        if len(one.dots) < one.total
    )
    return f'<p class="quiet">{escape(t("map.holds", count=f"{scene.total:,}", kinds=kinds))}{sampled}</p>'


def _switch(arrangement: str, scope: Scope, t: Texts) -> str:
    buttons = "".join(
        f'<button type="button" data-action="go" data-shelf="map" data-item="{item_of(one, scope)}" '
        f'aria-pressed="{str(one == arrangement).lower()}">{escape(t(f"map.by_{one}"))}</button>'
        for one in (LIKE, TIME)
    )
    return f'<div class="scopes choice" role="group" aria-label="{escape(t("map.arrangement"))}">{buttons}</div>'


def _legend(scene: Scene, t: Texts) -> str:
    held = {dot.piece.kind for dot in scene.dots}
    rows = "".join(
        f'<li><svg viewBox="-8 -8 16 16" aria-hidden="true">{shape(kind, 5, "fill:var(--quiet)")}</svg>'
        f"{escape(t(f'map.kind_{kind}'))}</li>"
        for kind in KINDS
        if kind in held
    )
    return f'<ul class="signs" aria-label="{escape(t("map.signs"))}">{rows}</ul>'


def _places(view: View, arrangement: str, scope: Scope, scene: Scene) -> str:
    """Return the places as a list: what the picture shows, for whoever would rather read after all."""
    t = view.t
    if not scene.places:
        return f'<p class="quiet">{escape(t("map.choose_dot"))}</p>'
    rows = "".join(_place_row(place, arrangement, scope, t) for place in scene.places)
    title = t("map.regions" if scene.level == "region" else "map.quarters")
    return f'<h4>{escape(title)}</h4><p class="quiet">{escape(t("map.choose"))}</p><ul class="regions">{rows}</ul>'


def _place_row(place: Place, arrangement: str, scope: Scope, t: Texts) -> str:
    inner = Scope(place.number) if scope.region is None else Scope(scope.region, place.number)
    span = ""
    if place.first_day:
        first, last = (date.fromordinal(day) for day in (place.first_day, place.last_day))
        span = months(first, last, t)
    return (
        f'<li><button type="button" data-action="go" data-shelf="map" data-item="{item_of(arrangement, inner)}" '
        f'data-place-row="{place.number}"><b>{escape(place_name(place.names, t))}</b>'
        f"<span>{escape(t('map.memories', count=f'{place.count:,}'))}"
        f"{escape(t('map.comma') + span if span else '')}</span></button></li>"
    )


def months(first: date, last: date, t: Texts) -> str:
    """Return from which month to which something reaches."""
    names = [
        t("map.month_form", year=day.year, month=day.month, month_name=t(f"heart.short_{day.month}"))
        for day in (first, last)
    ]
    return names[0] if names[0] == names[1] else t("map.from_to", first=names[0], last=names[1])


def _notes(memory_map: MemoryMap, atlas: Atlas, t: Texts) -> str:
    said = [t("map.left_out")]
    if atlas.is_waiting:
        said.append(t("map.some_waiting"))
    if memory_map.is_drawing:
        said.append(t("map.being_redrawn"))
    return f'<p class="quiet">{escape(" ".join(said))}</p>'


SHELF = Shelf(show)
