"""Addresses of the page: `/p/Hazel/memories/people/Momo`."""

from typing import Final
from urllib.parse import quote, urlencode

_NOTHING: Final = "-"
"""Stands in an address for what can be no part of one; nothing that this program names is called so."""


def address_of(persona: str, room: str = "", *names: str, **query: object) -> str:
    """Return an address in a persona's rooms; empty values of the query are left out.

    Args:
        persona: whose room.
        room: the room, as this program writes it; may be of several parts.
        names: ids and names from elsewhere, and what follows them: each is one part, whatever stands in it.
        query: what is asked for.
    """
    return with_query(f"/p/{path_of(persona, *room.split('/'), *names)}", query)


def path_of(*parts: str) -> str:
    """Return the parts of an address as one path that nothing in them can lead out of."""
    return "/".join(map(_quoted, parts))


def _quoted(part: str) -> str:
    # A browser goes up a step at `..`, quoted or not, and a server reads a quoted stroke as one that parts.
    return _NOTHING if part in {".", ".."} or "/" in part else quote(part, safe="")


def local_path(back: str) -> str:
    """Return an address of this page that a form names to lead back to; empty for one that leads elsewhere."""
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) else ""


def with_query(path: str, query: dict[str, object]) -> str:
    """Return an address with a query; empty values are left out."""
    told = urlencode({key: value for key, value in query.items() if value not in {"", None, ()}}, doseq=True)
    return f"{path}?{told}" if told else path
