"""The room "Dreams": the diary night by night, the way back from each, and a dream now for who cannot wait."""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from managers.sleep.cost import DreamCost
from managers.sleep.diary import DiaryPage, DreamDiary, DreamNight
from ui.rooms.dreams import view
from ui.rooms.memories.shelves import Page
from ui.rooms.settings.routes import settings_address
from ui.server.visit import PersonaVisit, With

NIGHTS_ON_A_PAGE: Final = 10

router = APIRouter(prefix="/p/{persona}/dreams")


@router.get("")
def show(visit: With, page: int = 1) -> Response:
    """Show how it stands with the sleep, and a page of the diary, counted from 1."""
    memories, now, t = visit.memories, visit.now, visit.t
    diary = DreamDiary(memories.paths, memories.history, memories.insights, memories.log)
    found = diary.page(page - 1, NIGHTS_ON_A_PAGE)
    newest = found.nights if found.number == 0 else [night for night in [diary.latest()] if night is not None]
    sleeping = _sleeping(visit, newest)
    return visit.show(
        "rooms/dreams/dreams.html",
        sleep=sleeping.status,
        state=view.state(sleeping, now, t),
        to_switch="" if sleeping.dreams_by_itself else f"{settings_address(visit, 'sleep')}#option-sleep-dreaming",
        nights=view.nights(found, sleeping.fresh, now, t),
        pages=_pages(visit, found),
        total=found.total,
        here=_address(visit, found.number),
    )


@router.post("/now")
def dream_now(visit: With) -> Response:
    """Begin a dream of what was said until now; it goes on while one talks."""
    visit.services.sleep.dream_now(visit.memories.paths.name)
    visit.wake()
    return visit.lead(visit.at("dreams"))


@router.post("/cancel")
def cancel(visit: With) -> Response:
    """Break the dream off."""
    visit.services.sleep.cancel(visit.name)
    visit.wake()
    return visit.lead(visit.at("dreams"))


def _sleeping(visit: PersonaVisit, newest: Sequence[DreamNight]) -> view.Sleeping:
    sleeper, status = visit.services.sleeper(visit.name), visit.services.sleep.status(visit.name)
    waiting, cost = ([], DreamCost("")) if status.is_running else sleeper.outlook()
    return view.Sleeping(
        status=status,
        dreams_by_itself=sleeper.settings().dreaming,
        waiting=waiting,
        meta=visit.memories.goals.load().meta,
        nights=newest,
        cost=cost,
    )


def _pages(visit: PersonaVisit, found: DiaryPage) -> Page[DreamNight]:
    newer = _address(visit, found.number - 1) if found.number else None
    older = _address(visit, found.number + 1) if found.number < found.pages - 1 else None
    return Page(found.nights, found.total, found.number, found.pages, newer, older)


def _address(visit: PersonaVisit, number: int) -> str:
    return visit.at("dreams", page=number + 1 if number else "")
