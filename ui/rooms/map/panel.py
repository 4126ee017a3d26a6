"""What lies open beside a picture: the memories behind a dot or a line, each with the way to its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from managers.memory_map.atlas import Atlas
from managers.memory_map.scene import Dot, Scene, Scope, scene_of
from managers.recall.index.memory_index import Passage
from ui.rooms.map.canvas import CANVASES, WIDE
from ui.rooms.map.timeline import day_in_full
from ui.rooms.map.view import Part, dot_name
from ui.rooms.memories.places import place_of
from ui.rooms.memories.search import moment
from ui.rooms.memories.shelves import shorten
from ui.server.visit import PersonaVisit

SHOWN: Final = 12
_CHARACTERS: Final = 320


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A memory: what it is, when, who said it, its words, where it is opened, and where it was said."""

    kind: str
    facts: Sequence[str]
    who: str
    text: str
    place: str
    around: str


def opened_dot(visit: PersonaVisit, atlas: Atlas, part: Part, key: str, size: str) -> dict[str, Any]:
    """Return what `panel.html` shows of a dot: the memories that it stands for, its own first; none where they are gone.

    Args:
        visit: the request.
        atlas: the map.
        part: what is looked at.
        key: the dot's.
        size: of the picture in which it was chosen: a smaller one has fewer dots, which stand for more.
    """
    canvas = next((one for one in CANVASES if one.kind == size), WIDE)
    scene = scene_of(atlas, part.scope, canvas.most)
    dot = next((one for one in scene.dots if one.piece.key == key), None) or _drawn_since(atlas, key)
    close = part.address(visit)
    if dot is None:
        return {"rows": (), "close": close}
    own = dot.piece
    shown = sorted(dot.stands_for, key=lambda piece: (piece.key != own.key, abs(piece.day - own.day)))[:SHOWN]
    faces = visit.memories.map.read([piece.face for piece in shown])
    t = visit.t
    rows = [
        shown_passage(
            visit,
            faces[piece.face],
            t(f"map.kind_{piece.kind}"),
            t("map.messages", count=piece.count) if piece.kind == "talk" and piece.count > 1 else "",
            piece.day,
        )
        for piece in shown
        if piece.face in faces
    ]
    left = len(dot.stands_for) - SHOWN
    return {
        "title": dot_name(dot, t),
        "rows": rows,
        "left": t("map.more_like_it", count=left) if left > 0 else "",
        "closer": _closer(visit, part, scene, dot) if left > 0 else "",
        "close": close,
    }


def _drawn_since(atlas: Atlas, key: str) -> Dot | None:
    """Return a dot by itself that stands elsewhere since the picture was drawn anew."""
    return next((Dot(piece, 0, (piece,)) for piece in atlas.pieces if piece.key == key), None)


def shown_passage(visit: PersonaVisit, passage: Passage, kind: str, more: str = "", day: int = 0) -> ShownPassage:
    """Return a passage of a memory with the way to its place; `day` (an ordinal) where it has none itself."""
    stamp = ""
    if passage.time is not None:
        stamp = moment(passage.time, visit)
    elif day:
        stamp = day_in_full(date.fromordinal(day), visit.t)
    who = passage.speaker or (passage.heading.partition(" / ")[0] if passage.type == "entity_memory" else "")
    return ShownPassage(
        kind,
        [fact for fact in (stamp, more) if fact],
        who,
        shorten(passage.text, _CHARACTERS),
        place_of(visit, passage.type, passage.path, passage.time),
        visit.at("around", passage.message_ids[0]) if passage.message_ids else "",
    )


def _closer(visit: PersonaVisit, part: Part, scene: Scene, dot: Dot) -> str:
    """Return where more of the memories that are like a dot's are seen; empty where one cannot come closer."""
    if not scene.level:
        return ""
    inner = Scope(dot.place) if part.scope.region is None else Scope(part.scope.region, dot.place)
    return part.address(visit, inner)
