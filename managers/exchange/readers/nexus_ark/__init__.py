"""Rooms of Nexus Ark: a persona with its logs and memories, in every layout that the app has had.

What each file becomes is told in `docs/moving-in.md`. Pickled indexes are never opened.
"""

import re
from collections.abc import Iterator
from typing import Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import Item, ReadingWishes, UnusableSourceError
from managers.exchange.readers.moments import read_moment
from managers.exchange.readers.nexus_ark import room_memories, room_texts
from managers.exchange.readers.nexus_ark.room_folder import CONFIG, MARKERS, find_room
from managers.exchange.readers.nexus_ark.room_log import RoomNames
from managers.exchange.readers.nexus_ark.room_messages import RoomMessages, conversation

_HEADER: Final = re.compile(r"^##[ \t]?(?:USER|AGENT|SYSTEM):.", re.MULTILINE)
_OWN: Final = 4
"""So many files of a room's are no chance."""
_KINDS_OF_FILE: Final = (
    MARKERS,
    r"(?:memory/)?(?:internal_state|emotion_log|insights|episodic_memory)\.json",
    r"goals\.json|memory/dreaming/.*\.json",
    r"notepad\.(?:txt|md)|notes/.*\.md",
    r"log\.txt\.migrat.*",
    r"private/secret_diary\.txt|spaces/world_settings\.txt",
    r"profile\.png|rag_data/.*",
)
_FILES: Final = re.compile("|".join(_KINDS_OF_FILE))


def recognises(source: ImportSource) -> float:
    """Tell how surely a source is a room (see `SourceReader`)."""
    if source.shape == "file":
        path = next(iter(source.files))
        return 0.8 if _HEADER.search(source.beginning(path).decode("utf-8", "replace")) else 0.0
    if any(path.lower().rpartition("/")[2] == CONFIG for path in source.files):
        return 0.95
    room = find_room(source)
    if any(path == "persona.json" for path in room.files):
        return 0.2  # a folder of this program has most of the files, too
    kinds = {found[0].partition("/")[0] for path in room.files if (found := _FILES.fullmatch(path.lower()))}
    return 0.85 if len(kinds) >= _OWN else 0.2 * len(kinds)


def read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield what is in a room (see `SourceReader`).

    Raises:
        UnusableSourceError: there is nothing of a room in it, or there are several rooms.
    """
    room = find_room(source)
    who, own, made = room_texts.persona(room)
    felt, felt_itself = room_memories.emotions(room)
    names = RoomNames(frozenset({who.user_name, wishes.user} - {""}), own | ({wishes.persona} - {""}))
    said = conversation(room, names, read_moment(made))
    messages = RoomMessages(room, said, names.personas)
    messages.feel(felt_itself)
    memories = [
        *room_memories.episodes(room),
        *room_memories.insights(room),
        *room_memories.goals(room),
        *room_memories.inner_state(room),
        *room_memories.purpose(room),
        *felt,
        *room_texts.texts(room),
    ]
    if not (said or memories or who.system_prompt):
        raise UnusableSourceError("nexus_ark.no-room")
    yield who
    yield from messages.found()
    yield from memories
    yield from room.left()
