"""The shelves of the two diaries. The secret one lies covered until somebody asks to see it."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from managers.memory.json_documents import USER
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from ui.rooms.memories.shelves import gone, past_of_path, show
from ui.server.visit import FormText, PersonaVisit, With

Diary = Literal["diary", "secret-diary"]
DiaryFile = Literal["main_memory", "secret_diary"]

FILES: Final[dict[Diary, DiaryFile]] = {"diary": "main_memory", "secret-diary": "secret_diary"}
_COVERED: Final = "secret-diary"

router = APIRouter(prefix="/p/{persona}/memories")


async def diary_of(request: Request) -> Diary:
    """Return which diary an address names: `/p/Hazel/memories/secret-diary`."""
    return "secret-diary" if request.scope["path"].split("/")[4:5] == [_COVERED] else "diary"


Which = Annotated[Diary, Depends(diary_of)]


@router.get("/diary")
@router.get("/secret-diary")
def read(visit: With, diary: Which, edit: str = "", open: str = "") -> Response:  # noqa: A002  # a word of the address
    """Show a diary as it is, or the field to edit it in; the secret one only to whoever asks to see it."""
    if diary == _COVERED and not open:
        return show(visit, "memories/covered.html", diary, uncovered=_address(visit, diary))
    note = visit.memories.notes.read(FILES[diary])
    if edit:
        return _editor(visit, diary, note.text, note.digest)
    path = file_part(visit.memories.paths.folder, visit.memories.notes.path(FILES[diary]))
    volumes = visit.memories.notes.archives(FILES[diary])
    return show(
        visit,
        "memories/diary.html",
        diary,
        text=note.text,
        edit=_address(visit, diary, edit=1),
        volumes=[(path.name, _address(visit, diary, path.name)) for path in reversed(volumes)],
        table=visit.at(f"tables/{FILES[diary]}.csv"),
        past=past_of_path(visit, path),
        past_table=visit.at("tables/history.csv", item=path),
    )


@router.get("/diary/{volume}")
@router.get("/secret-diary/{volume}")
def read_volume(visit: With, diary: Which, volume: str, open: str = "") -> Response:  # noqa: A002  # as above
    """Show an older volume of a diary."""
    if diary == _COVERED and not open:
        return show(visit, "memories/covered.html", diary, uncovered=_address(visit, diary))
    notes = visit.memories.notes
    path = next((path for path in notes.archives(FILES[diary]) if path.name == volume), None)
    if path is None:
        return gone(visit, diary)
    text = notes.read_archive(path)
    return show(visit, "memories/volume.html", diary, name=path.name, text=text, whole=_address(visit, diary))


@router.post("/diary")
@router.post("/secret-diary")
def save(visit: With, diary: Which, text: FormText = "", based_on: FormText = "") -> Response:
    """Write what a person made of a diary; where the file has changed meanwhile, both versions are shown instead."""
    notes, kind = visit.memories.notes, FILES[diary]
    try:
        # Emptying it by hand is meant so, and the history keeps it.
        notes.write(kind, text, based_on=based_on or None, author=USER, reason="edited", emptied=True)
    except ExternallyChangedError as error:
        return _editor(visit, diary, text, notes.read(kind).digest, theirs=str(error.facts["theirs"]))
    visit.memories.recall.keep_up()
    return visit.lead(_address(visit, diary), visit.t("notes.saved"))


def _address(visit: PersonaVisit, diary: Diary, volume: str = "", **query: object) -> str:
    whole = f"memories/{diary}/{volume}" if volume else f"memories/{diary}"
    return visit.at(whole, open=1 if diary == _COVERED else "", **query)


def _editor(visit: PersonaVisit, diary: Diary, text: str, digest: str | None, *, theirs: str | None = None) -> Response:
    return show(
        visit,
        "memories/diary_edit.html",
        diary,
        name=visit.t(f"shelves.{diary}"),
        text=text,
        digest=digest or "",
        theirs=theirs,
        at=visit.at(f"memories/{diary}"),
        back=_address(visit, diary),
    )
