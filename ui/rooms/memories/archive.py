"""The shelf of what was put away: memories that had faded, or that another one says as well, to be brought back."""

from fastapi import APIRouter
from fastapi.responses import Response

from managers.hygiene.inventory import memories
from managers.hygiene.limits import count, weigh
from ui.rooms.memories.shelves import day_of, page_of, show
from ui.rooms.settings.routes import settings_address
from ui.server.visit import FormText, PersonaVisit, With

PAGE = 30

router = APIRouter(prefix="/p/{persona}/memories/archive")


@router.get("")
def shelf(visit: With, page: int = 0) -> Response:
    """Show how many memories are in use, and what was put away, newest first."""
    held = visit.memories
    copy, archive = held.working_copy(), held.housekeeping().archive
    entries = archive.offered(copy)
    held.notices.post(*archive.notices)
    census = count(memories(copy), held.settings().memory.max_episodes)
    weight = weigh(held.paths)
    weights = {"files": weight.files, "index": weight.index, "estimate": census.estimate}
    figures = {"total": census.total, "limit": census.limit} | {
        one: round(size / 1000) for one, size in weights.items()
    }
    pages = page_of(visit, entries, page, PAGE)
    return show(
        visit,
        "memories/archive.html",
        "archive",
        pages=pages,
        figures=figures,
        counts=census.counts,
        day_of=day_of,
        **_retention(visit),
    )


@router.post("/now")
def put_away(visit: With) -> Response:
    """Put away what is older than it stays in use, before the night does."""
    count = visit.memories.housekeeping().expire()
    visit.memories.recall.keep_up()
    return visit.lead(visit.at("memories/archive"), visit.t("archive.done", count=count))


@router.post("")
def bring_back(visit: With, memory: FormText = "") -> Response:
    """Put one memory back, or all."""
    back = visit.memories.housekeeping().restore([memory] if memory else None)
    return _led(visit, len(back))


def _retention(visit: PersonaVisit) -> dict[str, object]:
    """Return what is older than it stays in use; where everything stays, what the specification's table would put away."""
    memory, today = visit.memories.settings().memory, visit.memories.clock.now().date()
    is_kept = memory.retention == "everything"
    shown = memory.model_copy(update={"retention": "table"}) if is_kept else memory
    due = visit.memories.housekeeping(shown).due()
    since = shown.said_since(today)
    return {
        "is_kept": is_kept,
        "change_at": settings_address(visit, "memory"),
        "due": [one.memory.text for one in due[:PAGE]],
        "due_count": len(due),
        "said_before": since and visit.day(since),
    }


def _led(visit: PersonaVisit, count: int) -> Response:
    visit.memories.recall.keep_up()
    return visit.lead(visit.at("memories/archive"), visit.t("archive.back", count=count))
