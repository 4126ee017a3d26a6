"""Where each kind of memory is opened."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from managers.memory.json_documents import TIME
from managers.recall.hits import MemoryType
from ui.server.visit import PersonaVisit

_VOLUME: Final = "memory_archived_"
"""How the names of the files begin that the diary has rolled over into."""


def place_of(visit: PersonaVisit, kind: MemoryType, path: str, time: datetime | None) -> str:  # noqa: PLR0911  # one a kind
    """Return the address at which a memory is opened; empty for what was said: that is shown in the conversation.

    Args:
        visit: the request.
        kind: of the memory.
        path: its file.
        time: when it was made; tells one insight from the others.
    """
    match kind:
        case "entity_memory":
            return visit.at("memories/people", PurePosixPath(path).stem)
        case "episodic_memory":
            return visit.at(f"memories/days/{PurePosixPath(path).stem}")
        case "dream_insight":
            return visit.at(f"memories/insights/{time:{TIME}}" if time else "memories/insights")
        case "diary":
            name = PurePosixPath(path).name
            return visit.at(f"memories/diary/{name}" if name.startswith(_VOLUME) else "memories/diary")
        case "note":
            return visit.at(f"notes/{PurePosixPath(path).stem}")
        case "knowledge":
            return visit.at("knowledge")
        case "log_archive" | "current_log":
            return ""
