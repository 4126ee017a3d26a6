"""The page's own scripts, styles and pictures: one script and one style sheet, kept by browsers until they change."""

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from markupsafe import Markup

from managers.storage.paths import CHECKOUT
from ui.components.palette import palette_css

FOLDER = CHECKOUT / "ui" / "static"
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}
_ALWAYS_ASK = {"cache-control": "no-cache"}
_PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files joined into one.

    Attributes:
        plain, packed: its bytes, and the same compressed.
        version: changes with them.
        kind: the media type.
    """

    plain: bytes
    packed: bytes
    version: str
    kind: str


@cache
def bundle(name: str) -> Bundle:
    """Return the script `page.js` or the style sheet `page.css`: all files of their folder, in the order of their names."""
    if name == "page.js":
        files, before, kind = sorted((FOLDER / "scripts").glob("*.js")), "", "text/javascript; charset=utf-8"
    else:
        files, before = sorted((FOLDER / "styles").glob("*.css")), palette_css() + _signs_css()
        kind = "text/css; charset=utf-8"
    plain = "\n".join([before, *(_without_comments(file.read_text("utf-8")) for file in files)]).encode()
    return Bundle(plain, gzip.compress(plain, mtime=0), hashlib.sha256(plain).hexdigest()[:12], kind)


def _without_comments(text: str) -> str:
    """Leave out comments, but at the end of a line those with quotes: they are for whoever reads the file, not sent."""
    whole_lines_gone = re.sub(r"^\s*(//.*|/\*.*\*/)\n", "", text, flags=re.MULTILINE)
    return re.sub(r" // [^\"'`\n]*$", "", whole_lines_gone, flags=re.MULTILINE)


def _signs_css() -> str:
    """Return the signs: a class each, by the name of its file, for a mask in the text's colour, there as soon as the styles are.

    They stand below each other in one picture, and each class says where: a browser needs over a millisecond for
    each picture.
    """
    files = sorted((FOLDER / "signs").glob("*.svg"))
    places = "".join(f".{file.stem}{{--sign:0 {100 * at / (len(files) - 1):.4f}%}}" for at, file in enumerate(files))
    one = "<svg y='{}' width='24' height='24' "
    signs = "".join(
        file.read_text("utf-8").strip().replace("<svg ", one.format(24 * at), 1) for at, file in enumerate(files)
    )
    picture = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 {24 * len(files)}'>{signs}</svg>"
    quoted = picture.replace('"', "'").replace("<", "%3C").replace(">", "%3E")
    return f':root{{--signs:url("data:image/svg+xml,{quoted}");--signs-size:100% {100 * len(files)}%}}{places}'


@cache
def styles() -> Markup:
    """Return the style sheet for a page that holds it (`Visit.is_opened_here`)."""
    return Markup(bundle("page.css").plain.decode())  # noqa: S704  # our own files


@cache
def version() -> str:
    """Return what changes with any file of ours."""
    rest = b"".join(file.read_bytes() for file in sorted(FOLDER.rglob("*")) if file.is_file())
    return hashlib.sha256(rest).hexdigest()[:12]


def static(name: str) -> str:
    """Return the address of one of the page's own files."""
    return f"/static/{bundle(name).version if name in {'page.js', 'page.css'} else version()}/{name}"


@router.get("/static/{version}/{name:path}")
def serve(version: str, name: str, request: Request) -> Response:
    """Answer with a file; what has another version now is asked for again."""
    if name in {"page.js", "page.css"}:
        found = bundle(name)
        headers = (_FOR_EVER if version == found.version else _ALWAYS_ASK) | {"vary": "accept-encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(found.packed, media_type=found.kind, headers={**headers, "content-encoding": "gzip"})
        return Response(found.plain, media_type=found.kind, headers=headers)
    path = FOLDER / name
    if path.suffix not in _PICTURES or not path.resolve().is_relative_to(FOLDER) or not path.is_file():
        return Response(status_code=404)
    return FileResponse(path, media_type=_PICTURES[path.suffix], headers=_FOR_EVER)


@router.get("/favicon.ico")
def favicon() -> Response:
    """Answer with the sign of the page."""
    return FileResponse(FOLDER / "moon.svg", media_type=_PICTURES[".svg"], headers=_ALWAYS_ASK)
