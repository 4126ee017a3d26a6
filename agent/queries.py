"""The questions of `recall`: one from the command line, or many from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agent.errors import BadQueriesError, NothingToSearchError, UnknownTypeError
from managers.recall.hits import MemoryType
from managers.recall.kinds import ALL_TYPES
from managers.storage.errors import NoSuchFileError
from managers.storage.files import read_bytes
from managers.storage.json_text import load_json


def read_queries(query: str | None, file: Path | None) -> Iterator[str]:
    """Yield the queries.

    Raises:
        NothingToSearchError, NoSuchFileError, UnreadableError, BadQueriesError
    """
    if file is None:
        if not query:
            raise NothingToSearchError
        yield query
        return
    data = read_bytes(file)
    if data is None:
        raise NoSuchFileError(path=file)
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            wanted = load_json(line)["query"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadQueriesError(path=file, line=number) from error
        if not isinstance(wanted, str):
            raise BadQueriesError(path=file, line=number)
        yield wanted


def as_types(name: str | None) -> tuple[MemoryType, ...] | None:
    """Return the type of memory that was named, None for all.

    Raises:
        UnknownTypeError
    """
    if name is None:
        return None
    found = tuple(kind for kind in ALL_TYPES if kind == name)
    if not found:
        raise UnknownTypeError(name=name, known=", ".join(ALL_TYPES))
    return found
