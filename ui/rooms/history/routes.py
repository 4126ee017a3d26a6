"""The history of a persona's memories: what changed, and the way back, for every room that shows one."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response

from managers.storage.errors import UndoConflictError, UtataneError
from managers.storage.history.parts import file_part
from ui.rooms.history import view
from ui.server.visit import FormText, PersonaVisit, With

router = APIRouter(prefix="/p/{persona}/history")


@router.get("")
def past(visit: With, part: str = "", back: str = "") -> Response:
    """Show what happened to one memory, or to all of them."""
    return visit.part("rooms/history/past.html", past=past_of(visit, part, back))


@router.get("/{entry}")
def changed(visit: With, entry: str, part: str = "") -> Response:
    """Show what an entry changed."""
    found = visit.memories.history.diff(entry, part)
    return visit.part("rooms/history/changed.html", files=view.changed_files(found, visit.t, part))


@router.post("/{entry}")
def step_back(
    visit: With, entry: str, step: FormText, part: FormText = "", back: FormText = "", rest: FormText = ""
) -> Response:
    """Take a change back, or make it again; with `rest` what has changed since is left as it is."""
    return take_back(visit, entry, step, part=part, back=back, leave_changed=bool(rest))


def take_back(
    visit: PersonaVisit,
    entry: str,
    step: str,
    *,
    part: str = "",
    back: str = "",
    leave_changed: bool = False,
    done: str = "",
) -> Response:
    """Take a change back, or make it again, and lead to where that was asked for; or show what stands in the way.

    Args:
        visit: the request.
        entry: the change.
        step: `undo` or `redo`.
        part: which part of it (`managers.storage.history.parts`); empty: all of it.
        back: the address to lead to.
        leave_changed: leave what has changed since as it is.
        done: the sentence that says that it was done; empty for the usual one.
    """
    memories, t = visit.memories, visit.t
    act = memories.history.redo if step == "redo" else memories.history.undo
    back = back if back.startswith(visit.at()) else visit.at("heart")
    try:
        with memories.audiences.following():
            act(entry, author="user", leave_changed=leave_changed, part=part)
    except UndoConflictError as error:
        asked = {"entry": entry, "step": step, "part": part, "back": back}
        way = {"found": view.in_the_way(error, t), "is_all": bool(error.facts.get("is_all"))}
        return visit.show("rooms/history/conflict.html", status=409, **asked, **way)
    memories.recall.keep_up()
    said = done or t(f"history.{'redone' if step == 'redo' else 'taken_back'}")
    return visit.lead(back, said, problem=_refreshed(visit))


def _refreshed(visit: PersonaVisit) -> str:
    """Count anew what moves the persona; return what was in the way: the change itself is made, and the page must show it."""
    memories = visit.memories
    try:
        memories.inner_state.refresh(lang=memories.sheet().language)
    except UtataneError as error:
        return error.sentence(visit.lang)
    return ""


def past_of(visit: PersonaVisit, part: str = "", back: str = "") -> dict[str, object]:
    """Return what `past.html` shows: the history of a part of the memories; who takes back is led `back`."""
    entries = visit.memories.history.entries(view.SHOWN_ENTRIES, part=part)
    return {"changes": entries, "part": part, "back": back or visit.here, "view": view}


def past_of_file(visit: PersonaVisit, path: Path) -> dict[str, object]:
    """Return what `past.html` shows of one file in the persona's folder."""
    return past_of(visit, file_part(visit.memories.paths.folder, path))
