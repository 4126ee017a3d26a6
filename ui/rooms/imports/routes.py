"""The room for imports: choose a source, look at what is in it, say yes, see what came of it.

One import at a time goes on in the server, so every window shows the same one. A folder, or a file too large to be sent, is
named by its place; that is taken from a browser on this computer alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.responses import Response

from managers.memory.errors import NoSuchFileError
from managers.memory.messages import Role
from managers.sleep.cost import DreamCost
from managers.storage.errors import UtataneError
from managers.storage.texts import Texts
from ui.errors import NotFromHereError, NothingChosenError
from ui.server.access import LOOPBACK
from ui.server.addresses import address_of, with_query
from ui.server.uploads import LaidFile, WithLargeUploads
from ui.server.visit import Beside, FormText, Visit

if TYPE_CHECKING:  # no start loads what imports need
    from agent.import_jobs import ImportState
    from managers.exchange.items import Kind

router = APIRouter(prefix="/import", route_class=WithLargeUploads)
_HERE = "/import"
_say = Texts("notices/imports")


@router.get("")
def show(visit: Beside, persona: str = "") -> Response:
    """Show how far the import is; where none goes on, ask for a source."""
    from agent import import_told as told  # noqa: PLC0415  # see above

    current = visit.services.imports.current
    for_whom = current.persona if current and current.found else persona
    names = visit.services.personas.list_names()
    return visit.show(
        "rooms/imports/imports.html",
        current=current,
        names=names,
        chosen=for_whom if for_whom in names else "",
        kinds=[(kind, told.kind_name(kind, visit.lang)) for kind in told.KINDS],
        told=told,
        say=_say,
        is_here=_is_here(visit),
        cost=_cost(visit, current),
        new_name=told.suggested_name(current.found) if current and current.found else "",
        to_dreams=address_of(current.persona, "dreams") if current and current.imported else "",
        to_talk=f"{address_of(current.persona)}#latest" if current and current.state == "done" else "",
    )


@router.post("")
def choose(
    visit: Beside,
    file: Annotated[list[UploadFile] | None, File()] = None,
    path: FormText = "",
    kind: FormText = "",
    persona: FormText = "",
    passphrase: FormText = "",
) -> Response:
    """Begin to read what was chosen."""
    jobs, wanted = visit.services.imports, _kind(kind)
    try:
        if sent := [(one.filename, cast("LaidFile", one.file).move_to) for one in file or () if one.filename]:
            jobs.look_at_upload(sent, wanted, persona, passphrase or None)
        elif path.strip():
            jobs.look(_place(visit, path), wanted, persona, passphrase or None)
        else:
            raise NothingChosenError  # said where all else that is wrong with a form is
    except UtataneError as error:
        return visit.lead(with_query(_HERE, {"persona": persona}), problem=error.sentence(visit.lang))
    return visit.lead(_HERE)


@router.post("/again")
def look_again(
    visit: Beside,
    kind: FormText = "",
    persona: FormText = "",
    speaker: Annotated[list[str] | None, Form()] = None,
    role: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Read the same source once more, with what was said about who is who."""
    from managers.exchange.items import ReadingWishes  # noqa: PLC0415  # see above

    roles = {
        name: cast("Role", one)
        for name, one in zip(speaker or [], role or [], strict=False)
        if one in get_args(Role) and name
    }
    return _do(
        visit, lambda: visit.services.imports.look_again(_kind(kind), ReadingWishes(persona=persona, roles=roles))
    )


@router.post("/yes")
def take_over(visit: Beside, persona: FormText = "", new_name: FormText = "", let_in: FormText = "") -> Response:
    """Take over what was found."""
    return _do(visit, lambda: visit.services.imports.take_over(persona or new_name, is_let_in=bool(let_in)))


@router.post("/stop")
def stop(visit: Beside) -> Response:
    """Stop what goes on."""
    return _do(visit, visit.services.imports.stop)


@router.post("/forget")
def forget(visit: Beside) -> Response:
    """Let go of what was looked at, or show the result no longer."""
    return _do(visit, visit.services.imports.forget)


@router.post("/dream")
def dream(visit: Beside, persona: FormText, built_in: FormText = "") -> Response:
    """Let the persona dream of the days that came in, and lead to where that is seen."""
    try:
        visit.services.sleep.dream_now(persona, built_in=bool(built_in))
    except UtataneError as error:
        return visit.lead(_HERE, problem=error.sentence(visit.lang))
    return visit.lead(address_of(persona, "dreams"))


def _do(visit: Visit, deed: Callable[[], None]) -> Response:
    try:
        deed()
    except UtataneError as error:
        return visit.lead(_HERE, problem=error.sentence(visit.lang))
    return visit.lead(_HERE)


def _kind(given: str) -> Kind | None:
    from managers.exchange.items import Kind  # noqa: PLC0415  # see above

    return cast("Kind", given) if given in get_args(Kind) else None


def _is_here(visit: Visit) -> bool:
    """Whether a browser on this computer asks, under this computer's own name: no tunnel's and no other machine's."""
    client = visit.request.client
    return client is not None and client.host in LOOPBACK and (visit.request.url.hostname or "") in LOOPBACK


def _place(visit: Visit, given: str) -> Path:
    if not _is_here(visit):
        raise NotFromHereError
    place = Path(given.strip().strip("\"'")).expanduser()
    if not place.is_absolute() or not place.exists():
        raise NoSuchFileError(path=given.strip()[:200])
    return place


def _cost(visit: Visit, current: ImportState | None) -> DreamCost | None:
    """Return what a dream of the days that wait would cost the mind; None where there is nothing to dream of."""
    if current is None or current.imported is None:
        return None
    from agent.importing import dream_cost  # noqa: PLC0415  # see above

    return dream_cost(visit.services, current.imported)
