"""The one edge at which whatever a route raised becomes a page with one sentence."""

from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from agent.errors import GroupNotFoundError, StillAnsweringError
from managers.hygiene.errors import NotInArchiveError
from managers.memory.errors import BranchNotFoundError, MessageNotFoundError, NoSuchMemoryError, NotHeldError
from managers.personas.errors import GuestError, PersonaNotFoundError
from managers.recall.errors import DocumentNotFoundError
from managers.storage.edges import said
from managers.storage.errors import BusyError, EntryNotFoundError, ExternallyChangedError, UtataneError
from ui.errors import MemoryGoneError, TooManyUploadsError, UploadTooLargeError
from ui.locales import texts
from ui.server.programs.ways import way_to
from ui.server.visit import PersonaVisit, Visit, language_of

_NOT_FOUND: Final = (
    GroupNotFoundError,
    PersonaNotFoundError,
    MessageNotFoundError,
    BranchNotFoundError,
    DocumentNotFoundError,
    EntryNotFoundError,
    MemoryGoneError,
    NoSuchMemoryError,
    NotHeldError,
    NotInArchiveError,
)
"""Another persona's, gone, or never there: nobody can tell which."""
_STATUS: Final[tuple[tuple[type[UtataneError], int], ...]] = (
    *((kind, 404) for kind in _NOT_FOUND),
    (GuestError, 403),
    (ExternallyChangedError, 409),
    (StillAnsweringError, 409),
    (UploadTooLargeError, 413),
    (TooManyUploadsError, 413),
    (BusyError, 503),
)


def add_to(app: FastAPI) -> None:
    """Have every failure of a route answered with a page."""
    app.add_exception_handler(UtataneError, _tell)
    app.add_exception_handler(Exception, _tell)
    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(RequestValidationError, _no_page)


def status_of(error: UtataneError) -> int:
    """Return the HTTP status of a failure."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


async def _tell(request: Request, error: Exception) -> Response:
    visit = _visit(request)
    told = said(error, "a page")
    status = status_of(told) if isinstance(error, UtataneError) else 500
    if way_to(request.url.path) is not None:
        return JSONResponse({"detail": told.sentence(visit.lang)}, status)
    name = str(request.path_params.get("persona", ""))
    moved = visit.services.personas.renamed_to(name) if isinstance(told, PersonaNotFoundError) else None
    return visit.show("components/failure.html", status=status, sentence=told.sentence(visit.lang), moved=moved)


async def _no_page(request: Request, error: Exception) -> Response:
    visit = _visit(request)
    status = error.status_code if isinstance(error, HTTPException) else _status_of_invalid(error)
    if way_to(request.url.path) is not None:
        detail = error.detail if isinstance(error, HTTPException) else visit.t("access.not_plain")
        return JSONResponse({"detail": detail}, status)
    return visit.show("components/failure.html", status=status, sentence=visit.t("page.no_such_page"), moved="")


def _status_of_invalid(error: Exception) -> int:
    """Return 404 where a part of the address itself names nothing, and 400 where what was sent along is wrong."""
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    return 404 if any(problem["loc"][0] == "path" for problem in problems) else 400


def _visit(request: Request) -> Visit:
    """Return the request as one to the house, or to the persona's room that its address lies in."""
    services = request.app.state.services
    t = texts(language_of(services, request))
    place, name = [*str(request.scope["path"]).split("/")[1:3], "", ""][:2]
    if place == "p" and name in services.personas.list_names():
        return PersonaVisit(request, services, t, name)
    return Visit(request, services, t)
