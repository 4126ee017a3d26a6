"""The persona room: who the persona is, how it knows you; copying, deleting, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import Response

from agent.growing import Growth
from agent.memories import Memories
from managers.personas import Persona
from managers.sessions.long_term import Chunk
from managers.storage.history.parts import file_part
from ui.components.faces import face
from ui.rooms.persona.editing import Conflicts, SentSheet, Sheet, conflicts, save, sheet_of
from ui.server.addresses import address_of
from ui.server.once import new_number
from ui.server.uploads import WithUploads
from ui.server.visit import Beside, FormText, PersonaVisit, With

router = APIRouter(prefix="/p/{persona}/persona", route_class=WithUploads)
trash_router = APIRouter(prefix="/trash")

_BROKEN: Final = frozenset({"persona-broken", "prompt-broken"})
"""Notices of files that the history may have a good version of."""
_MOST_PUT_AWAY: Final = 30


@dataclass(frozen=True, slots=True)
class Shared:
    """Whether it shares, who else does, and what comes of it.

    Attributes:
        given: how many memories of the others it may be given.
        put_away: what was put away of those that are for it, newest first.
    """

    on: bool
    others: Sequence[str]
    given: int
    put_away: Sequence[Chunk]


@router.get("")
def show(visit: With) -> Response:
    """Show the persona as it stands in its folder."""
    persona = visit.services.personas.get(visit.name)
    sheet = sheet_of(persona)
    return _page(visit, persona, sheet, sheet.marks)


@router.post("")
def write(visit: With, sent: SentSheet, based_on: FormText = "", keep_mine: FormText = "") -> Response:
    """Write what was changed; what was changed elsewhere too is shown instead, beside what the form holds."""
    persona = visit.services.personas.get(visit.name)
    theirs = () if keep_mine else conflicts(persona, sent, based_on)
    if theirs:
        return _page(visit, persona, sent, based_on, theirs)
    name = save(visit.services, persona, sent, based_on)
    return visit.lead(address_of(name, "persona"), visit.t("notes.saved"))


@router.post("/picture")
def set_picture(visit: With, picture: Annotated[UploadFile, File()]) -> Response:
    """Take a picture as the persona's face."""
    if picture.filename:
        visit.services.personas.set_avatar(visit.name, picture.file.read())
    return visit.lead(visit.at("persona"))


@router.post("/mend")
def mend(visit: With) -> Response:
    """Bring the last good versions of broken files back."""
    kept = visit.services.personas.mend(visit.name).notices
    return visit.lead(visit.at("persona"), visit.t("mending.done"), *(notice.sentence(visit.lang) for notice in kept))


@router.post("/share")
def share(visit: With, on: FormText = "") -> Response:
    """Let the persona share what it knows of the user, or not any more; what is shared is made anew at once."""
    visit.services.personas.set_settings(visit.name, "memory", shared=True if on else None)
    visit.memories.shared.renew()
    return visit.lead(f"{visit.at('persona')}#shared")


@router.post("/shared/restore")
def restore_shared(visit: With, chunk: FormText) -> Response:
    """Bring back what was put away of what is shared."""
    visit.memories.shared.store().restore([chunk])
    visit.memories.shared.renew()
    return visit.lead(f"{visit.at('persona')}#shared", visit.t("persona.shared_back"))


@router.post("/duplicate")
def duplicate(visit: With, number: FormText = "") -> Response:
    """Make a copy with all that the persona remembers."""
    personas = visit.services.personas
    name = visit.once.make(
        "duplicate", number, lambda: personas.duplicate(visit.name, personas.free_name(visit.name)).name
    )
    return visit.lead(address_of(name, "persona"), visit.t("persona.duplicated", name=name))


@router.post("/delete")
def delete(visit: With, number: FormText = "") -> Response:
    """Move the persona to the trash, and lead to where it can be brought back."""

    def throw_away() -> str:
        visit.services.personas.get(visit.name)  # a guest has a page of its own
        with visit.services.away(visit.name):
            return visit.services.personas.delete(visit.name).name

    name = visit.once.make("delete", number, throw_away)
    names = visit.services.personas.list_names()
    there = address_of(names[0], "persona") if names else "/new"
    return visit.lead(f"{there}#trash", visit.t("persona.deleted", name=name), way=f"{there}#trash")


@trash_router.post("/{entry}")
def restore(visit: Beside, entry: str, name: FormText, number: FormText = "") -> Response:
    """Bring a persona back from the trash, under a free name."""
    personas = visit.services.personas
    restored = visit.once.make("restore", number, lambda: personas.restore(entry, personas.free_name(name)))
    is_guest = restored not in personas.list_names()
    there = "/guests" if is_guest else address_of(restored, "persona")
    return visit.lead(there, visit.t("persona.restored", name=restored))


def _page(visit: PersonaVisit, persona: Persona, sheet: Sheet, begun: str, theirs: Conflicts = ()) -> Response:
    paths, growth = persona.paths, Growth(visit.memories)
    files = (("prompt", paths.system_prompt), ("sheet", paths.persona_json))
    return visit.show(
        "rooms/persona/persona.html",
        status=409 if theirs else 200,
        face=face(persona),
        sheet=sheet,
        begun=begun,
        theirs=theirs,
        broken=[notice for notice in persona.notices if notice.code in _BROKEN],
        trash=visit.services.personas.trashed(),
        new_number=new_number,
        shared=_shared_of(visit.memories),
        grown=growth.adapters.all(),
        in_use=growth.adapters.in_use,
        can_learn=bool(growth.settings.base),
        pasts=[(kind, file_part(paths.folder, path)) for kind, path in files],
    )


def _shared_of(memories: Memories) -> Shared:
    """Return what a persona shares now."""
    store, name = memories.shared.store(), memories.paths.name
    held = store.load()
    away = [one for one in store.put_away() if one.is_for(name)]
    return Shared(
        memories.settings().memory.shared,
        sorted(held.stamps.keys() - {name}),
        sum(one.is_for(name) for one in held.in_use),
        away[:_MOST_PUT_AWAY],
    )
