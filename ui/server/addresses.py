"""Addresses of the page: `/p/Hazel/memories/people/Momo`."""

from urllib.parse import quote, urlencode


def address_of(persona: str, room: str = "", **query: object) -> str:
    """Return an address in a persona's rooms; empty values of the query are left out."""
    return with_query(
        f"/p/{quote(persona, safe='')}/{'/'.join(quote(part, safe='') for part in room.split('/'))}", query
    )


def local_path(back: str) -> str:
    """Return an address of this page that a form names to lead back to; empty for one that leads elsewhere."""
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) else ""


def with_query(path: str, query: dict[str, object]) -> str:
    """Return an address with a query; empty values are left out."""
    told = urlencode({key: value for key, value in query.items() if value not in {"", None, ()}}, doseq=True)
    return f"{path}?{told}" if told else path
