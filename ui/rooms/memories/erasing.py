"""Erasing for good: what is meant, what would go, a ticked yes, and what became of it."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.erasing import erase, plan_erasure
from agent.errors import StillAnsweringError
from managers.hygiene.erasure import Left, Plan
from managers.hygiene.errors import PlanChangedError
from managers.storage.errors import UtataneError
from ui.locales import Texts
from ui.rooms.memories.shelves import shorten, show
from ui.server.visit import FormText, PersonaVisit, With

SHOWN: Final = 200
"""So many of what goes are shown one by one."""
_SHELF: Final = "erase"
_LETTERS: Final = 200

router = APIRouter(prefix="/p/{persona}/memories/erase")


@router.get("")
def look(visit: With, what: str = "", about: str = "") -> Response:
    """Ask what is meant, or show what would go."""
    if not what and not about.strip():
        return _page(visit, None)
    return _shown(visit, what, about.strip())


@router.post("")
def carry_out(
    visit: With, what: FormText = "", about: FormText = "", seen: FormText = "", yes: FormText = ""
) -> Response:
    """Erase what was shown, if somebody has said yes to it; where it has changed since, it is shown once more."""
    if not yes or not seen:
        return _shown(visit, what, about, is_unticked=True)
    if visit.companion.turn is not None:
        raise StillAnsweringError(name=visit.name)
    try:
        report = erase(visit.memories, plan_erasure(visit.memories, what, about=about), seen=seen)
    except PlanChangedError as error:
        return _shown(visit, what, about, error)
    told = [
        visit.t("erasing.done", kinds=counted(report.counts, visit.t)),
        *(stays(one, visit.t) for one in report.left),
    ]
    return visit.lead(visit.at("memories/erase"), *told, visit.t("erasing.outside"))


def counted(counts: Mapping[str, int], t: Texts) -> str:
    """Return how many of which kind, in words."""
    return t("erasing.joint").join(t(f"erasing.kinds.{kind}", count=count) for kind, count in counts.items())


def stays(one: Left, t: Texts) -> str:
    """Return what an erasure does not reach, and why."""
    return f"{one.file}: {t(f'erasing.why_{one.why}')}"


def shown_of(plan: Plan, t: Texts, most: int = SHOWN) -> dict[str, object]:
    """Return what is shown of what would go."""
    return {
        "goes": [(one.file, shorten(one.text, _LETTERS)) for one in plan.taken[:most]],
        "more": max(0, len(plan.taken) - most),
        "stays": [stays(one, t) for one in plan.left],
        "kinds": counted(plan.counts, t),
    }


def _shown(
    visit: PersonaVisit, what: str, about: str, problem: UtataneError | None = None, *, is_unticked: bool = False
) -> Response:
    """Show what would go; where nothing would, say so and ask anew."""
    try:
        plan = plan_erasure(visit.memories, what, about=about)
    except UtataneError as error:
        return _page(visit, None, about=about, problem=error)
    return _page(visit, plan, what=what, about=about, problem=problem, is_unticked=is_unticked)


def _page(visit: PersonaVisit, plan: Plan | None, **values: object) -> Response:
    return show(
        visit,
        "memories/erase.html",
        _SHELF,
        plan=plan,
        **(shown_of(plan, visit.t) if plan else {}),
        **{"what": "", "about": "", "is_unticked": False, **values},
    )
