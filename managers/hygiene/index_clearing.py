"""The search indexes and maps of a persona after an erasure: they follow the files, and are looked through for what went."""

from pathlib import Path
from typing import Final

from managers.hygiene.traces import Traces
from managers.recall.engine import Recall
from managers.recall.index.connection import remove_database
from managers.storage.errors import UtataneError
from managers.storage.files import open_binary
from managers.storage.opening import is_folder, walk
from managers.storage.paths import PersonaPaths

_MAPS: Final = ("memory_map.sqlite", "entity_network.sqlite", "kpi.duckdb")
"""They name regions by words, and entities, and count messages: made anew when somebody looks."""
_BLOCK: Final = 8_000_000
_OVERLAP: Final = 64_000
"""Longer than any name, and than all but the longest message."""


def clear_indexes(paths: PersonaPaths, recall: Recall, traces: Traces) -> bool:
    """Let the indexes follow the files as they are now, and leave no byte of what was erased in them.

    Returns:
        False, where that could not be had by following: then they were thrown away.
    """
    if not is_folder(paths.rag_index):
        return True
    for name in _MAPS:
        remove_database(paths.rag_index / name)
    recall.keep_up()
    try:
        recall.tidy()
        is_tidy = True
    except UtataneError:
        is_tidy = False
    if is_tidy and not any(_holds(path, traces) for path, kind in walk(paths.rag_index) if kind == "file"):
        return True
    for index in recall.indexes.values():
        index.discard()
    recall.keep_up()
    return False


def _holds(path: Path, traces: Traces) -> bool:
    before = b""
    with open_binary(path) as file:
        while block := file.read(_BLOCK):
            if traces.is_in_bytes(before + block):
                return True
            before = block[-_OVERLAP:]
    return False
