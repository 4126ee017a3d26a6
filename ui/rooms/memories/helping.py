"""The shelf of what helps: ways of answering that were welcome, and what somebody complained of."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form
from fastapi.responses import Response

from agent.prompts.strategies import manner
from managers.memory.forgotten import FORGOTTEN
from managers.memory.json_documents import USER
from managers.memory.strategies import MOST_SEVERE, DecompositionPattern, FailurePattern, Pattern, words_digest
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from ui.errors import MemoryGoneError
from ui.locales import Texts
from ui.rooms.memories.shelves import day_of, evidence_of, gone, maker_name, page_of, past_of_path, past_of_record, show
from ui.rooms.memories.trust import given
from ui.server.visit import FormText, PersonaVisit, With

PAGE: Final = 15
_SHELF: Final = "helping"

router = APIRouter(prefix="/p/{persona}/memories/helping")


@router.get("")
def shelf(visit: With, page: int = 0) -> Response:
    """Show what is to be avoided, the gravest first, then what was tried, what was heard of last first."""
    store = visit.memories.strategies
    known = store.load()
    tried = page_of(visit, [*known.decompositions, *store.archived()], page, PAGE)
    avoided = sorted(known.failures, key=lambda one: -one.severity)
    kept = {one.id for one in known.entries if one.id}
    lists = [("helping.avoided", avoided), ("helping.tried", tried.items)]
    return show(
        visit,
        "memories/helping.html",
        _SHELF,
        lists=[(heading, _records(visit, some, kept)) for heading, some in lists if some],
        pages=tried,
        past=past_of_path(visit, file_part(visit.memories.paths.folder, store.path)),
    )


@router.get("/{pattern}")
def edit(visit: With, pattern: str) -> Response:
    """Show the fields to edit a pattern in."""
    found = visit.memories.strategies.load().get(pattern)
    return gone(visit, _SHELF) if found is None else _editor(visit, found)


@router.post("/{pattern}")
def save(
    visit: With,
    pattern: str,
    words: FormText = "",
    lines: FormText = "",
    severity: Annotated[int, Form(ge=1, le=MOST_SEVERE)] = 1,
    based_on: FormText = "",
) -> Response:
    """Write what a person made of a pattern; where it has changed meanwhile, both versions are shown instead."""
    store = visit.memories.strategies
    found = store.load().get(pattern)
    if found is None:
        raise MemoryGoneError(name=pattern)
    told = [line.strip() for line in lines.splitlines() if line.strip()]
    said = " ".join(words.split())
    if isinstance(found, DecompositionPattern):
        values: dict[str, object] = {"query_pattern": said or found.query_pattern, "subtasks": told}
    else:
        values = {"mitigation": said or found.mitigation, "indicators": told, "severity": severity}
    try:
        is_there = store.edit(pattern, values, based_on=based_on, author=USER)
    except ExternallyChangedError as error:
        return _editor(visit, found.model_copy(update=values), theirs=str(error.facts["theirs"]), now=found)
    if not is_there:
        raise MemoryGoneError(name=pattern)
    return visit.lead(f"{visit.at('memories/helping')}#{pattern}", visit.t("notes.saved"))


@router.post("/{pattern}/forget")
def forget(visit: With, pattern: str) -> Response:
    """Take a pattern away; the history keeps it, and the shelf of what was forgotten brings it back."""
    if visit.memories.strategies.load().get(pattern) is None:
        raise MemoryGoneError(name=pattern)
    visit.memories.strategies.delete(pattern, author=USER, reason=FORGOTTEN)
    return visit.lead(
        visit.at("memories/helping"), visit.t("memories.was_forgotten"), way=visit.at("memories/forgotten")
    )


def _editor(visit: PersonaVisit, one: Pattern, *, theirs: str | None = None, now: Pattern | None = None) -> Response:
    """Show the fields; `now` is what stands there, where somebody else has changed it meanwhile."""
    return show(
        visit,
        "memories/helping_edit.html",
        _SHELF,
        name=_title(one, visit.t),
        one=one,
        severities=range(1, MOST_SEVERE + 1),
        theirs=theirs,
        digest=words_digest(now or one),
        at=visit.at("memories/helping", one.id),
        back=visit.at("memories/helping"),
    )


def _records(visit: PersonaVisit, some: Sequence[Pattern], kept: set[str]) -> list[dict[str, Any]]:
    t = visit.t
    return [
        {
            "id": one.id,
            "title": _title(one, t),
            "day": day_of(one.updated_at, visit),
            "marks": _marks(one, t),
            "maker": maker_name(one.mind, t) if one.mind == USER else "",
            "told": [(heading, text) for heading, text in _told(one, t) if text],
            "steps": one.subtasks if isinstance(one, DecompositionPattern) else (),
            "evidence": evidence,
            "at": visit.at("memories/helping", one.id) if one.id in kept else "",
            "given": given(visit, one.evidence, one.id),
            "past": past_of_record(visit, one.id),
        }
        for one, evidence in zip(some, evidence_of(visit, [one.evidence for one in some]), strict=True)
    ]


def _title(one: Pattern, t: Texts) -> str:
    if isinstance(one, DecompositionPattern):
        return one.query_pattern
    return t.section("helping").get(f"fault_{one.pattern}", one.pattern)


def _marks(one: Pattern, t: Texts) -> list[str]:
    if isinstance(one, FailurePattern):
        return [t("helping.severity", severity=one.severity, most=MOST_SEVERE)]
    rate = t("helping.rate", rate=round(100 * one.success_rate), count=one.usage_count)
    return [rate, *([t("helping.suggested")] if one.is_proven else [])]


def _told(one: Pattern, t: Texts) -> list[tuple[str, str]]:
    if isinstance(one, DecompositionPattern):
        return [(t("helping.manner"), manner(t.lang, one.strategy))]
    with_what = t("map.comma").join(one.indicators) or t(f"helping.{'any' if one.threatens(set()) else 'once'}")
    return [(t("helping.mitigation"), one.mitigation), (t("helping.indicators"), with_what)]
