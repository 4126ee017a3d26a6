"""The shelf of people and things: cards, and for each what was true when and who said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from agent.memories import Memories
from managers.memory.documents import USER
from managers.memory.entities import KINDS, Entity, Fact, format_entity, reworded
from managers.memory.forgotten import FORGOTTEN
from managers.storage.errors import ExternallyChangedError
from ui.shelves import (
    Conflict,
    Shelf,
    View,
    button,
    conflict_note,
    crumbs,
    day_of,
    empty,
    evidence,
    forget_button,
    history_of,
    leave_button,
    made_by,
    page_of,
    pager,
    pin_button,
    pin_mark,
    saving,
)

PAGE = 24
_FACTS_ON_CARD = 3


def show(view: View) -> str:
    """Return the cards, or the one that is open."""
    if view.place.editing:
        return _editor(view)
    if view.place.item:
        entity = view.memories.entities.get(view.place.item)
        return _opened(view, entity) if entity else empty(view.t("memories.gone"))
    found = listed(view)
    form = _filter(view)
    if not found:
        return form + empty(view.t("memories.entities_empty"))
    cards = "".join(_card(view, entity) for entity in page_of(view.place, found, PAGE))
    save = saving(view, "entities", query=view.place.query, kinds=view.place.kinds)
    return f'{form}<ul class="cards">{cards}</ul>{pager(view.place, len(found), PAGE, view.t)}{save}'


def listed(view: View) -> list[Entity]:
    """Return what the shelf holds: the pinned first, then by name; of one kind, or with a word, if asked for."""
    store, place = view.memories.entities, view.place
    found = store.search(place.query, limit=len(store.names())) if place.query.strip() else store.all()
    kinds = [entity for entity in found if not place.kinds or entity.kind in place.kinds]
    return sorted(kinds, key=lambda entity: (not entity.is_pinned, entity.name)) if not place.query else kinds


def forget(memories: Memories, name: str) -> None:
    """Take an entity out of search and prompts; the history keeps it."""
    memories.entities.delete(name, author=USER, reason=FORGOTTEN)


def pin(memories: Memories, name: str, *, on: bool) -> None:
    """Pin an entity, or take the pin off."""
    memories.entities.pin(name, on=on, author=USER)


def save(memories: Memories, name: str, told: Mapping[str, str]) -> Conflict | None:
    """Write what a person made of an entity; where the file has changed meanwhile, nothing is written."""
    store = memories.entities
    before = store.get(name) or store.begun(name, mind=USER)
    kind = next((kind for kind in KINDS if kind == told.get("kind")), before.kind)
    aliases = tuple(dict.fromkeys(one for one in _names(told.get("aliases", "")) if one != name))
    after = replace(before, kind=kind, aliases=aliases, lines=reworded(before, told.get("text", "")))
    try:
        based_on = told.get("digest") or None
        store.write_text(name, format_entity(after), based_on=based_on, author=USER, reason="edited")
    except ExternallyChangedError:
        return Conflict(told.get("text", ""), before.text())
    return None


def _filter(view: View) -> str:
    place, t = view.place, view.t
    options = "".join(
        f'<option value="{kind}"{" selected" if kind in place.kinds else ""}>{escape(t(f"memories.kind_{kind}"))}</option>'
        for kind in KINDS
    )
    return (
        f'<form class="lookup" data-submit="search"><div class="line">'
        f'<input type="search" id="entity-query" name="query" value="{escape(place.query)}" '
        f'aria-label="{escape(t("memories.entity_query"))}" placeholder="{escape(t("memories.entity_query"))}">'
        f'<select name="kinds" aria-label="{escape(t("memories.kinds"))}"><option value="">'
        f"{escape(t('memories.all_kinds'))}</option>{options}</select>"
        f'<button class="small primary">{escape(t("memories.look"))}</button></div></form>'
        f'<details class="new"><summary>{escape(t("memories.entity_new"))}</summary>'
        f'<form class="line" data-submit="new_entity"><label>{escape(t("memories.entity_name"))}'
        f'<input type="text" name="name" required maxlength="60"></label>'
        f'<button class="small">{escape(t("memories.entity_begin"))}</button></form></details>'
    )


def _card(view: View, entity: Entity) -> str:
    t = view.t
    facts = entity.current_facts
    told = [fact.text for fact in facts] or [line for line in entity.text().split("\n") if line.strip()]
    rows = "".join(f"<li>{escape(text)}</li>" for text in told[:_FACTS_ON_CARD])
    count = t("memories.facts", count=len(told))
    return (
        f'<li class="card"><button type="button" data-action="go" data-shelf="entities" data-item="{escape(entity.name)}">'
        f'<span class="from"><span class="kind">{escape(t(f"memories.kind_{entity.kind}"))}</span>'
        f"{pin_mark(t, pinned=entity.is_pinned)}</span><b>{escape(entity.name)}</b>"
        f'<span class="quiet">{escape(count)}</span></button><ul>{rows}</ul></li>'
    )


def _opened(view: View, entity: Entity) -> str:
    t = view.t
    aliases = f'<p class="quiet">{escape(t("memories.also", names="、".join(entity.aliases) if t.lang == "ja" else ", ".join(entity.aliases)))}</p>'
    known = since(view, entity)
    ended = [fact for fact in entity.facts if fact.until]
    own = "\n".join(line for line in entity.lines if isinstance(line, str)).strip()
    pinned = entity.is_pinned
    return (
        f"{crumbs(view, entity.name)}"
        f'<p class="from"><span class="kind">{escape(t(f"memories.kind_{entity.kind}"))}</span>{known}'
        f"{pin_mark(t, pinned=pinned)}</p>"
        f"{aliases if entity.aliases else ''}"
        f"{_facts(view, t('memories.holds_now'), entity.current_facts)}"
        f"{_facts(view, t('memories.held_once'), ended)}"
        f"{_own(view, own)}"
        f'<div class="deeds">{button(t("memories.edit"), "edit", item=entity.name)}'
        f"{pin_button(view, entity.name, pinned=pinned)}{forget_button(view, entity.name)}</div>"
        f"{history_of(view, view.memories.entities.path(entity.name))}"
    )


def since(view: View, entity: Entity) -> str:
    """Return since when an entity is known."""
    if not entity.created:
        return ""
    return f"<time>{escape(view.t('memories.known_since', day=day_of(entity.created, view)))}</time>"


def _facts(view: View, title: str, facts: Sequence[Fact]) -> str:
    if not facts:
        return ""
    rows = "".join(_fact(view, fact) for fact in sorted(facts, key=lambda fact: fact.since, reverse=True))
    return f'<h4>{escape(title)}</h4><ul class="facts">{rows}</ul>'


def _fact(view: View, fact: Fact) -> str:
    t = view.t
    span = ""
    if fact.since and fact.until:
        span = t("memories.from_until", since=day_of(fact.since, view), until=day_of(fact.until, view))
    elif fact.since:
        span = t("memories.known_from", since=day_of(fact.since, view))
    stamp = f"<time>{escape(span)}</time>" if span else ""
    return (
        f'<li><p>{escape(fact.text)}</p><p class="from">{stamp}{made_by(fact.mind, view)}</p>'
        f"{evidence(view, fact.evidence)}</li>"
    )


def _own(view: View, text: str) -> str:
    if not text:
        return ""
    return f'<h4>{escape(view.t("memories.in_own_words"))}</h4><div class="words">{escape(text)}</div>'


def _editor(view: View) -> str:
    t, place, store = view.t, view.place, view.memories.entities
    entity = store.get(place.item) or Entity(place.item)
    _, digest = store.read_text(place.item)
    text = view.conflict.mine if view.conflict else entity.text()
    options = "".join(
        f'<option value="{kind}"{" selected" if kind == entity.kind else ""}>{escape(t(f"memories.kind_{kind}"))}</option>'
        for kind in KINDS
    )
    return (
        f"{crumbs(view, place.item)}{conflict_note(view)}"
        f'<form class="editing-memory" id="memory-editor" data-editor data-submit="save" data-item="{escape(place.item)}" '
        f'data-digest="{escape(digest or "")}">'
        f'<label>{escape(t("memories.kinds"))}<select name="kind">{options}</select></label>'
        f"<label>{escape(t('memories.aliases'))}"
        f'<input type="text" name="aliases" value="{escape(", ".join(entity.aliases))}"></label>'
        f"<label>{escape(t('memories.entity_text'))}"
        f'<textarea name="text" rows="12">{escape(text)}</textarea></label>'
        f'<p class="quiet">{escape(t("memories.entity_text_info"))}</p>'
        f'<div class="deeds"><button class="small primary">{escape(t("notes.save"))}</button>'
        f"{leave_button(view)}</div></form>"
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("、", ",").split(",") if name.strip()]


SHELF = Shelf(show, save=save, forget=forget, pin=pin)
