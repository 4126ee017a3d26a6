"""The shelf of people and things: cards, and for each what was true when and who said so."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.memories import Memories
from managers.hygiene.inventory import of_entity
from managers.memory.entities import KINDS, Entity, Fact, reworded
from managers.memory.entity_cards import format_entity
from managers.memory.forgotten import FORGOTTEN
from managers.memory.json_documents import USER
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from managers.storage.paths import safe_name
from ui.errors import MemoryGoneError
from ui.rooms.memories.shelves import Evidence, day_of, evidence_of, gone, maker_name, page_of, past_of_path, show
from ui.rooms.memories.trust import Trust, trust_in
from ui.server.visit import FormText, PersonaVisit, With

PAGE: Final = 24
_SHELF: Final = "people"

router = APIRouter(prefix="/p/{persona}/memories/people")


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact with the time that it holds for, in words."""

    text: str
    span: str
    maker: str
    evidence: Evidence | None
    trust: Trust
    is_over: bool


@router.get("")
def shelf(visit: With, query: str = "", kind: str = "", page: int = 0) -> Response:
    """Show the cards."""
    found = listed(visit.memories, query, {kind} & set(KINDS))
    cards = page_of(visit, found, page, PAGE)
    table = visit.at("tables/entities.csv", query=query, kinds=kind)
    shown = [(entity, told_of(entity)) for entity in cards.items]
    return show(
        visit,
        "memories/people.html",
        _SHELF,
        cards=shown,
        pages=cards,
        query=query,
        kind=kind,
        kinds=KINDS,
        table=table,
    )


@router.post("")
def begin(visit: With, name: FormText = "") -> Response:
    """Lead to the editor for somebody new, or to the one who is called so already."""
    named = safe_name(name)
    known = visit.memories.entities.find(named)
    return visit.lead(visit.at("memories/people", known.name) if known else visit.at("memories/people", named, edit=1))


@router.get("/{name}")
def person(visit: With, name: str, edit: str = "") -> Response:
    """Show all that is known of one, or the fields to edit it in; somebody new is begun there."""
    entity = visit.memories.entities.get(name)
    if edit:
        return _editor(visit, entity or Entity(safe_name(name)))
    if entity is None:
        return gone(visit, _SHELF)
    path = file_part(visit.memories.paths.folder, visit.memories.entities.path(name))
    facts = _facts_of(visit, entity)
    return show(
        visit,
        "memories/person.html",
        _SHELF,
        person=entity,
        aliases=visit.t("map.comma").join(entity.aliases),
        since=visit.t("memories.known_since", day=day_of(entity.created, visit)) if entity.created else "",
        now=[fact for fact in facts if not fact.is_over],
        once=[fact for fact in facts if fact.is_over],
        own="\n".join(line for line in entity.lines if isinstance(line, str)).strip(),
        at=visit.at("memories/people", entity.name),
        past=past_of_path(visit, path),
        table=visit.at("tables/history.csv", item=path),
    )


@router.post("/{name}")
def save(
    visit: With, name: str, text: FormText = "", kind: FormText = "", aliases: FormText = "", based_on: FormText = ""
) -> Response:
    """Write what a person made of an entity; where the file has changed meanwhile, both versions are shown instead."""
    store = visit.memories.entities
    before = store.get(name) or store.begun(name, mind=USER)
    chosen = next((one for one in KINDS if one == kind), before.kind)
    called = tuple(dict.fromkeys(one for one in _names(aliases) if one != before.name))
    after = replace(before, kind=chosen, aliases=called, lines=reworded(before, text))
    try:
        store.write_text(name, format_entity(after), based_on=based_on or None, author=USER, reason="edited")
    except ExternallyChangedError:
        return _editor(visit, replace(before, kind=chosen, aliases=called), text=text, theirs=before.text())
    visit.memories.recall.keep_up()
    return visit.lead(visit.at("memories/people", before.name), visit.t("notes.saved"))


@router.post("/{name}/pin")
def pin(visit: With, name: str, on: FormText = "") -> Response:
    """Pin an entity, or take the pin off."""
    _refuse_what_is_gone(visit, name)
    visit.memories.entities.pin(name, on=bool(on), author=USER)
    return visit.lead(visit.at("memories/people", name))


@router.post("/{name}/forget")
def forget(visit: With, name: str) -> Response:
    """Take an entity out of search and prompts; the history keeps it."""
    _refuse_what_is_gone(visit, name)
    visit.memories.entities.delete(name, author=USER, reason=FORGOTTEN)
    visit.memories.recall.keep_up()
    return visit.lead(
        visit.at("memories/people"), visit.t("memories.was_forgotten"), way=visit.at("memories/forgotten")
    )


def _refuse_what_is_gone(visit: PersonaVisit, name: str) -> None:
    if visit.memories.entities.get(name) is None:
        raise MemoryGoneError(name=name)


def listed(memories: Memories, query: str, kinds: Collection[str]) -> list[Entity]:
    """Return what the shelf holds: the pinned first, then by name; of some kinds, or with a word, if asked for."""
    store = memories.entities
    if not query.strip():
        everybody = [entity for entity in store.all() if not kinds or entity.kind in kinds]
        return sorted(everybody, key=lambda entity: (not entity.is_pinned, entity.name))
    return [entity for entity in store.search(query, limit=len(store.names())) if not kinds or entity.kind in kinds]


def told_of(entity: Entity) -> list[str]:
    """Return what is known of an entity now; where no dream noted anything, the lines that a person wrote."""
    return [fact.text for fact in entity.current_facts] or [line for line in entity.text().split("\n") if line.strip()]


def _facts_of(visit: PersonaVisit, entity: Entity) -> list[ShownFact]:
    """Return the facts about an entity, newest first."""
    pairs = zip(entity.facts, of_entity(entity), strict=True)
    by_day = sorted(pairs, key=lambda pair: pair[0].since, reverse=True)
    evidence = evidence_of(visit, [fact.evidence for fact, _ in by_day])
    return [
        _shown(visit, fact, found, trust_in(visit, memory))
        for (fact, memory), found in zip(by_day, evidence, strict=True)
    ]


def _shown(visit: PersonaVisit, fact: Fact, evidence: Evidence | None, trust: Trust) -> ShownFact:
    t = visit.t
    since, until = (day_of(day, visit) for day in (fact.since, fact.until))
    key = "memories.from_until" if fact.until else "memories.known_from"
    span = t(key, since=since, until=until) if fact.since else ""
    return ShownFact(fact.text, span, maker_name(fact.mind, t), evidence, trust, is_over=bool(fact.until))


def _editor(visit: PersonaVisit, entity: Entity, *, text: str | None = None, theirs: str | None = None) -> Response:
    _, digest = visit.memories.entities.read_text(entity.name)
    return show(
        visit,
        "memories/person_edit.html",
        _SHELF,
        name=entity.name,
        kind=entity.kind,
        kinds=KINDS,
        aliases=", ".join(entity.aliases),
        text=entity.text() if text is None else text,
        theirs=theirs,
        digest=digest or "",
        at=visit.at("memories/people", entity.name),
        back=visit.at("memories/people", *([entity.name] if digest else [])),
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("、", ",").split(",") if name.strip()]
