"""The notes room: core memory and notepad, edited safely, with their history."""

from typing import Final, Literal, get_args

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from agent.prompt_prefix import what_is_cut
from managers.memory.audience import NOTES
from managers.memory.notes import Note
from managers.storage.errors import ExternallyChangedError
from ui.rooms.history.routes import past_of_file
from ui.rooms.memories.trust import given
from ui.server.visit import FormText, PersonaVisit, With

Kind = Literal["core_memory", "notepad"]
"""The notes that a person edits here; the diaries have rooms of their own."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

router = APIRouter(prefix="/p/{persona}/notes")


@router.get("")
def first(visit: With) -> Response:
    """Lead to the first note."""
    return RedirectResponse(visit.at(f"notes/{KINDS[0]}"))


@router.get("/{kind}")
def show(visit: With, kind: Kind) -> Response:
    """Show a note as it is on disk."""
    return _page(visit, kind, visit.memories.notes.read(kind))


@router.post("/{kind}")
def save(visit: With, kind: Kind, text: FormText = "", based_on: FormText = "", keep_mine: FormText = "") -> Response:
    """Write the note; where the file has changed since the form was shown, both versions are shown instead."""
    notes = visit.memories.notes
    begun: str | None = based_on or None
    if keep_mine:
        begun = notes.read(kind).digest
    try:
        # Emptying one's own note on purpose is allowed: the editor was emptied by hand, and the history keeps it.
        reason = "kept_mine" if keep_mine else "edited"
        notes.write(kind, text, based_on=begun, author="user", reason=reason, emptied=True)
    except ExternallyChangedError as error:
        return _page(visit, kind, Note(text, begun), theirs=str(error.facts["theirs"]))
    return visit.lead(visit.at(f"notes/{kind}"), visit.t("notes.saved"))


def _page(visit: PersonaVisit, kind: Kind, note: Note, *, theirs: str | None = None) -> Response:
    path = visit.memories.notes.path(kind)
    table = visit.at("tables/history.csv", item=path.relative_to(visit.memories.paths.folder).as_posix())
    return visit.show(
        "rooms/notes/notes.html",
        status=200 if theirs is None else 409,
        kinds=KINDS,
        kind=kind,
        note=note,
        file=NOTES[kind],
        given=given(visit, [], NOTES[kind]),
        theirs=theirs,
        cut=[one for one in what_is_cut(visit.memories, visit.companion.choice().mind) if one.code == f"cut-{kind}"],
        past=past_of_file(visit, path),
        table=table,
    )
