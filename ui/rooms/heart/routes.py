"""The room "Heart": the drives, the questions, the feelings and the goals of a persona, and what one may put right."""

from datetime import date
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form
from fastapi.responses import Response

from managers.memory.goals import HORIZONS
from managers.sleep.diary import DreamDiary
from ui.rooms.heart import view
from ui.rooms.heart.drives import drive_cards
from ui.rooms.heart.feelings import behind, feelings
from ui.rooms.heart.growth import growth
from ui.rooms.heart.look import DAYS, Look, look_at
from ui.rooms.heart.spans import LENGTHS, Length
from ui.rooms.history import view as history
from ui.server.visit import FormText, PersonaVisit, With

_SHOWN_CHANGES: Final = 10
_LATELY: Final = 100
"""Changes are looked for among so many entries of the history; each memory's own history has those of years ago."""

router = APIRouter(prefix="/p/{persona}/heart")


@router.get("")
def show(
    visit: With, days: int = DAYS[0], span: Length = "week", day: date | None = None, point: str = "", figures: str = ""
) -> Response:
    """Show the room as it is now."""
    look = look_at(visit, days, span, day, point, figures)
    memories = visit.memories
    night = DreamDiary(memories.paths, memories.history, memories.insights, memories.log).latest()
    return visit.show(
        "rooms/heart/heart.html",
        look=look,
        days=DAYS,
        lengths=LENGTHS,
        motive=view.motive(look),
        drives=drive_cards(look),
        growth=growth(look),
        questions=memories.questions.load(),
        feelings=feelings(look),
        behind=behind(look),
        goals=memories.goals.load(),
        horizons=HORIZONS,
        dream=view.last_dream(night, visit),
        view=view,
        past=_past(look),
    )


@router.post("/questions")
def close_question(
    visit: With, question: FormText, step: Annotated[Literal["resolve", "delete"], Form()], back: FormText = ""
) -> Response:
    """Mark a question as answered, or delete it; curiosity follows."""
    memories, t = visit.memories, visit.t
    found = memories.questions.load().get(question)
    if found is None or found.status != "open":
        return visit.lead(_back(visit, back), problem=t("heart.question_gone"))
    before = memories.inner_state.levels().curiosity
    end, done = {"resolve": (memories.questions.resolve, "resolved"), "delete": (memories.questions.delete, "deleted")}[
        step
    ]
    end(question, author="user", reason=f"question_{done}")
    memories.inner_state.refresh(lang=memories.sheet().language)
    settled = t("heart.settled") if memories.inner_state.levels().curiosity < before else ""
    return visit.lead(_back(visit, back), " ".join([t(f"heart.{done}"), settled]).strip())


@router.post("/goals")
def end_goal(
    visit: With, goal: FormText, step: Annotated[Literal["complete", "abandon"], Form()], back: FormText = ""
) -> Response:
    """Mark a goal as completed, or give it up."""
    memories, t = visit.memories, visit.t
    found = memories.goals.load().get(goal)
    if found is None or found[1].status != "active":
        return visit.lead(_back(visit, back), problem=t("heart.goal_gone"))
    status: Literal["completed", "abandoned"] = "completed" if step == "complete" else "abandoned"
    memories.goals.end(goal, status, author="user", reason=f"goal_{status}")
    memories.inner_state.refresh(lang=memories.sheet().language)
    return visit.lead(_back(visit, back), t(f"heart.{status}", goal=found[1].goal))


def _back(visit: PersonaVisit, back: str) -> str:
    """Return where a form leads to: the look that it was sent from."""
    return back if back.startswith(visit.at("heart")) else visit.at("heart")


def _past(look: Look) -> dict[str, object]:
    """Return what people changed of the questions and the goals, for `rooms/history/past.html`."""
    memories = look.visit.memories
    lists = {
        path.relative_to(memories.paths.folder).as_posix() for path in (memories.questions.path, memories.paths.goals)
    }
    lately = memories.history.entries(_LATELY)
    ours = [entry for entry in lately if entry.author == "user" and not lists.isdisjoint(entry.files)]
    return {"changes": ours[:_SHOWN_CHANGES], "part": "", "back": look.to(), "view": history}
