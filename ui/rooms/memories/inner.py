"""The shelves of insights, goals and questions: what nights concluded, lists that live in one file each."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form
from fastapi.responses import RedirectResponse, Response

from agent.memories import Memories
from managers.hygiene.inventory import of_insight
from managers.memory.forgotten import FORGOTTEN
from managers.memory.goals import HORIZONS, Goal, GoalStore
from managers.memory.insights import Insight, InsightStore
from managers.memory.json_documents import USER
from managers.memory.questions import Question, QuestionStore
from managers.storage.history.parts import file_part
from ui.errors import MemoryGoneError
from ui.locales import Texts
from ui.rooms.memories.shelves import day_of, evidence_of, gone, maker_name, page_of, past_of_path, past_of_record, show
from ui.rooms.memories.trust import given, trust_in
from ui.server.visit import FormText, PersonaVisit, With

Shelf = Literal["insights", "goals", "questions"]
Memory = Insight | Goal | Question

PAGE: Final = 15

_HIGH, _MIDDLE = 0.7, 0.4
"""From these priorities on a question is very pressing, or pressing."""

router = APIRouter(prefix="/p/{persona}/memories")


@dataclass(frozen=True, slots=True)
class Contents:
    """What a shelf holds.

    Attributes:
        first: what stands on every page of it: the heading's text, and the memories below it.
        rest: what is shown page by page.
        heading: the text above the rest; empty for none.
        kept: the ids of those that stand in the file that is changed; older ones are only to be read.
    """

    first: Sequence[tuple[str, Sequence[Memory]]]
    rest: Sequence[Memory]
    heading: str
    kept: Collection[str]


@router.get("/{shelf}")
def read(visit: With, shelf: Shelf, page: int = 0) -> Response:
    """Show a shelf."""
    contents = _CONTENTS[shelf](visit.memories)
    rest = page_of(visit, contents.rest, page, PAGE)
    lists = [*contents.first, (contents.heading, rest.items)]
    path = file_part(visit.memories.paths.folder, _store(visit.memories, shelf)[1])
    return show(
        visit,
        "memories/inner.html",
        shelf,
        lists=[(heading, records_of(visit, some, contents.kept)) for heading, some in lists if some],
        pages=rest,
        at=visit.at(f"memories/{shelf}"),
        past=past_of_path(visit, path),
        table=visit.at(f"tables/{shelf}.csv"),
        past_table=visit.at("tables/history.csv", item=path),
    )


@router.get("/{shelf}/{memory}")
def find(visit: With, shelf: Shelf, memory: str) -> Response:
    """Lead to the page of a shelf on which a memory stands; it is named by its id, or by when it was made."""
    contents = _CONTENTS[shelf](visit.memories)
    for at, one in enumerate([*contents.rest, *(one for _, some in contents.first for one in some)]):
        if memory in {one.id, one.created_at}:
            page = at // PAGE if at < len(contents.rest) else 0
            return RedirectResponse(f"{visit.at(f'memories/{shelf}', page=page or '')}#{one.id}", status_code=303)
    return gone(visit, shelf)


@router.post("/{shelf}/{memory}/pin")
def pin(visit: With, shelf: Shelf, memory: str, on: FormText = "", back: FormText = "") -> Response:
    """Pin a memory, or take the pin off."""
    _refuse_what_is_gone(visit, shelf, memory)
    _store(visit.memories, shelf)[0].pin(memory, on=bool(on), author=USER)
    return visit.lead(_back(visit, shelf, back, memory))


@router.post("/{shelf}/{memory}/forget")
def forget(visit: With, shelf: Shelf, memory: str, back: FormText = "") -> Response:
    """Take a memory out of search and prompts; the history keeps it."""
    _refuse_what_is_gone(visit, shelf, memory)
    _store(visit.memories, shelf)[0].delete(memory, author=USER, reason=FORGOTTEN)
    visit.memories.recall.keep_up()
    visit.memories.inner_state.refresh(lang=visit.memories.sheet().language)
    return visit.lead(_back(visit, shelf, back), visit.t("memories.was_forgotten"), way=visit.at("memories/forgotten"))


@router.post("/goals/{memory}/end")
def end(
    visit: With, memory: str, status: Annotated[Literal["completed", "abandoned"], Form()], back: FormText = ""
) -> Response:
    """Say that a goal was reached, or let it go."""
    found = visit.memories.goals.load().get(memory)
    if found is None or found[1].status != "active":
        raise MemoryGoneError(name=memory)
    visit.memories.goals.end(memory, status, author=USER, reason=f"goal_{status}")
    visit.memories.inner_state.refresh(lang=visit.memories.sheet().language)
    return visit.lead(_back(visit, "goals", back, memory))


@router.post("/questions/{memory}/resolve")
def resolve(visit: With, memory: str, back: FormText = "") -> Response:
    """Say that a question is answered."""
    found = visit.memories.questions.load().get(memory)
    if found is None or found.status != "open":
        raise MemoryGoneError(name=memory)
    visit.memories.questions.resolve(memory, author=USER, reason="question_resolved")
    visit.memories.inner_state.refresh(lang=visit.memories.sheet().language)
    return visit.lead(_back(visit, "questions", back, memory))


def _refuse_what_is_gone(visit: PersonaVisit, shelf: Shelf, memory: str) -> None:
    if memory not in _CONTENTS[shelf](visit.memories).kept:
        raise MemoryGoneError(name=memory)


def insights_in(memories: Memories) -> Contents:
    """Return the insights, the pinned first, then newest first."""
    entries = memories.insights.entries(archived=True)
    kept = {entry.id for entry in memories.insights.load().entries}
    return Contents([], sorted(entries, key=lambda entry: not entry.is_pinned), "", kept)


def goals_in(memories: Memories) -> Contents:
    """Return the goals: what is striven for now, then what has ended."""
    goals = memories.goals.load()
    first = [(f"memories.{horizon}", _pinned_first(goals.active(horizon))) for horizon in HORIZONS]
    ended = [goal for horizon in HORIZONS for goal in goals.lists[horizon] if goal.status != "active"]
    kept = {goal.id for some in goals.lists.values() for goal in some}
    return Contents(first, [*_pinned_first(ended), *memories.goals.archived()], "memories.goals_ended", kept)


def questions_in(memories: Memories) -> Contents:
    """Return the questions: the open ones, most pressing first, then those that were closed."""
    questions = memories.questions.load()
    closed = [question for question in questions.entries if question.status != "open"]
    first = [("memories.questions_open", _pinned_first(questions.open))]
    kept = {question.id for question in questions.entries}
    return Contents(first, [*closed, *memories.questions.archived()], "memories.questions_closed", kept)


def records_of(visit: PersonaVisit, memories: Sequence[Memory], kept: Collection[str]) -> list[dict[str, Any]]:
    """Return memories as they are shown; one that somebody wrote by hand may have no id, and cannot be changed here."""
    evidence = evidence_of(visit, [one.evidence for one in memories])
    answered = evidence_of(visit, [one.answer_evidence if isinstance(one, Question) else [] for one in memories])
    return [
        {
            "id": one.id,
            "title": _title(one),
            "day": day_of(one.created_at, visit),
            "marks": _marks(one, visit.t),
            "maker": maker_name(one.mind, visit.t),
            "told": [(heading, text) for heading, text in _told(one, visit.t) if text.strip()],
            "notes": one.progress_notes if isinstance(one, Goal) else (),
            "evidence": rests_on,
            "answered": answer_rests_on,
            "trust": trust_in(visit, of_insight(one)) if isinstance(one, Insight) else None,
            "given": None if isinstance(one, Insight) else given(visit, one.evidence, one.id),
            "past": past_of_record(visit, one.id),
            "is_pinned": one.is_pinned,
            "is_open": isinstance(one, Goal | Question) and one.status in {"active", "open"},
            "is_kept": bool(one.id) and one.id in kept,
        }
        for one, rests_on, answer_rests_on in zip(memories, evidence, answered, strict=True)
    ]


def _pinned_first(memories: Sequence[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: not memory.is_pinned)


def _title(one: Memory) -> str:
    match one:
        case Insight():
            return one.trigger_topic
        case Goal():
            return one.goal
        case Question():
            return one.topic


def _marks(one: Memory, t: Texts) -> list[str]:
    match one:
        case Insight():
            return [t(f"memories.level_{one.level}")]
        case Goal():
            return [] if one.status == "active" else [t(f"memories.{one.status}")]
        case Question():
            if one.status == "open":
                return [t(f"memories.pressing_{_how_pressing(one)}")]
            return [t(f"memories.{one.status}")]


def _how_pressing(one: Question) -> str:
    return "high" if one.priority >= _HIGH else "middle" if one.priority >= _MIDDLE else "low"


def _told(one: Memory, t: Texts) -> list[tuple[str, str]]:
    match one:
        case Insight():
            return [(t(f"memories.{key}"), getattr(one, key)) for key in ("insight", "strategy", "log_entry")]
        case Goal():
            return [("", one.reason)]
        case Question():
            return [("", one.context), (t("memories.answer"), one.answer)]


def _back(visit: PersonaVisit, shelf: Shelf, back: str, memory: str = "") -> str:
    """Return where a button was pressed; the list itself for an address that is elsewhere."""
    whole = visit.at(f"memories/{shelf}")
    return f"{back if back.startswith(whole) else whole}{f'#{memory}' if memory else ''}"


def _store(memories: Memories, shelf: Shelf) -> tuple[InsightStore | GoalStore | QuestionStore, Path]:
    """Return who keeps a shelf, and in which file."""
    match shelf:
        case "insights":
            return memories.insights, memories.paths.insights
        case "goals":
            return memories.goals, memories.paths.goals
        case "questions":
            return memories.questions, memories.questions.path


_CONTENTS: Final[Mapping[Shelf, Callable[[Memories], Contents]]] = {
    "insights": insights_in,
    "goals": goals_in,
    "questions": questions_in,
}
