"""An archive that was exported comes back as a persona: whole, checked, and under a name that is free."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import Response

from managers.exchange.archives.reading import bring_in
from managers.storage.errors import UtataneError
from ui.errors import NothingChosenError
from ui.server.addresses import address_of
from ui.server.uploads import WithLargeUploads, kept_uploads
from ui.server.visit import Beside, FormText

_HERE: Final = "/import/archive"
router = APIRouter(prefix=_HERE, route_class=WithLargeUploads)


@router.get("")
def show(visit: Beside) -> Response:
    """Ask for the archive."""
    return visit.show("rooms/imports/archive.html")


@router.post("")
def bring(
    visit: Beside, file: Annotated[UploadFile | None, File()] = None, name: FormText = "", passphrase: FormText = ""
) -> Response:
    """Make a persona of it, and lead there; where that cannot be, say why."""
    services = visit.services
    try:
        with kept_uploads(services.home, [file] if file is not None else []) as paths:
            if not paths:
                raise NothingChosenError
            brought = bring_in(services.personas, paths[0], passphrase or None, name.strip())
    except UtataneError as error:
        return visit.lead(_HERE, problem=error.sentence(visit.lang))
    said = [visit.t("exports.back", name=brought.persona.name, count=brought.count)]
    if brought.is_masked:
        said.append(visit.t("exports.back_masked"))
    return visit.lead(f"{address_of(brought.persona.name)}#latest", *said)
