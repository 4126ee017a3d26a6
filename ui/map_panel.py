"""What stands beside the map when a dot is chosen: the memories themselves, each with the way to its place."""

from __future__ import annotations

from datetime import date
from html import escape

from managers.memory_map.scene import Dot, Scene, Scope
from managers.memory_map.sheet import Placed
from managers.recall.index import Passage
from ui.map import LIKE, dot_name, item_of
from ui.map_time import day_name
from ui.search import open_button
from ui.shelves import View, around, button
from ui.times import when

SHOWN = 12
_CHARACTERS = 320


def dot_panel(view: View, scene: Scene, dot: Dot) -> str:
    """Return the memories that a dot stands for, its own first."""
    t = view.t
    shown = sorted(dot.stands_for, key=lambda piece: (piece.key != dot.piece.key, abs(piece.day - dot.piece.day)))[
        :SHOWN
    ]
    faces = view.memories.map.read([piece.face for piece in shown])
    rows = "".join(memory_row(view, piece, faces[piece.face]) for piece in shown if piece.face in faces)
    if not rows:
        return f'<p class="quiet">{escape(t("memories.gone"))}</p>'
    return (
        f'<div class="chosen">{_heading(view, dot)}<ol class="near">{rows}</ol>{_rest(view, scene, dot)}'
        f'<button type="button" class="small" data-close>{escape(t("map.close"))}</button></div>'
    )


def _heading(view: View, dot: Dot) -> str:
    return f'<h4 tabindex="-1">{escape(dot_name(dot, view.t))}</h4>'


def memory_row(view: View, piece: Placed, passage: Passage) -> str:
    """Return one memory: when, what it says, and the way to its place."""
    t = view.t
    more = t("map.messages", count=piece.count) if piece.kind == "talk" and piece.count > 1 else ""
    return passage_row(view, passage, t(f"map.kind_{piece.kind}"), more, piece.day)


def passage_row(view: View, passage: Passage, kind: str, more: str = "", day: int = 0) -> str:
    """Return one passage of a memory with the way to its place."""
    t = view.t
    stamp = ""
    if passage.time is not None:
        is_moment = passage.time.time() != passage.time.time().min
        stamp = when(passage.time, view.now, t) if is_moment else day_name(passage.time.date(), t)
    elif day:
        stamp = day_name(date.fromordinal(day), t)
    said = " ".join(passage.text.split())
    text = said if len(said) <= _CHARACTERS else said[:_CHARACTERS] + "…"
    who = passage.speaker or (passage.heading.partition(" / ")[0] if passage.type == "entity_memory" else "")
    fold = around(view, passage.message_ids[0], t("memories.in_conversation")) if passage.message_ids else ""
    facts = "".join(f"<span>{escape(one)}</span>" for one in (stamp, more) if one)
    return (
        f'<li><p class="from"><span class="kind">{escape(kind)}</span>{facts}</p>'
        f"<blockquote>{f'<b>{escape(who)}</b> ' if who else ''}{escape(text)}</blockquote>"
        f'<div class="foot">{open_button(passage.type, passage.path, t)}{fold}</div></li>'
    )


def _rest(view: View, scene: Scene, dot: Dot) -> str:
    """Return how many more there are, and the way to see them."""
    left = len(dot.stands_for) - SHOWN
    if left <= 0:
        return ""
    t = view.t
    scope = scene.scope
    inner = Scope(dot.place) if scope.region is None else Scope(scope.region, dot.place)
    closer = button(t("map.closer"), "go", shelf="map", item=item_of(LIKE, inner)) if scene.level else ""
    return f'<p class="quiet">{escape(t("map.more_like_it", count=left))}</p>{closer}'
