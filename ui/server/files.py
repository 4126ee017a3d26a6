"""What the server hands out of a persona's folder besides pages: its picture, files that were sent, whole messages.

Each address leads to one kind of file of one persona; none leads to a log, a memory or a secret.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from agent.file_contents import PICTURES
from managers.storage.files import read_bytes
from managers.storage.paths import safe_name
from ui.server.visit import With

_PICTURE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}
PLAIN: Final[Mapping[str, str]] = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "private",
}
"""For what people and minds made: shown, never run, not even when opened by itself."""

router = APIRouter(prefix="/p/{persona}")


@router.get("/avatar")
def avatar(visit: With) -> Response:
    """Answer with the persona's picture."""
    path = visit.services.personas.get(visit.name).avatar
    return _file(path, is_shown=True) if path else Response(status_code=404)


@router.get("/attachments/{file}")
def attachment(visit: With, file: str) -> Response:
    """Answer with a file that was sent in the conversation; what is no picture is offered to be saved."""
    path = visit.services.personas.get(visit.name).paths.attachments / safe_name(file)
    return _file(path, is_shown=path.suffix.lower() in PICTURES)


@router.get("/messages/{message_id}")
def message(visit: With, message_id: str) -> Response:
    """Answer with a whole message."""
    found = visit.memories.log.get(message_id)
    return PlainTextResponse(found.text, headers=PLAIN) if found else Response(status_code=404)


def _file(path: Path, *, is_shown: bool) -> Response:
    data = read_bytes(path)
    if data is None:
        return Response(status_code=404)
    kind = _PICTURE_TYPES.get(path.suffix.lower(), "application/octet-stream")
    shown = "inline" if is_shown else "attachment"
    saved_as = {"content-disposition": f"{shown}; filename*=utf-8''{quote(path.name)}"}
    return Response(data, media_type=kind, headers={**PLAIN, **saved_as})
