"""Rooms of another program: its logs, and the files of its memories."""

import io
from dataclasses import dataclass
from typing import IO

from managers.exchange.import_source import ImportSource
from managers.exchange.items import LINES, ReadingWishes, UnusableSourceError
from managers.exchange.readers import nexus_ark
from tests.exchange.readers.nexus_rooms import CORE, ENTITY, NOVEMBER, OCTOBER
from tests.parsers.parser import Parser, spaced

_TEXTS = ("core_memory.txt", "memory/memory_main.txt", "notes/notepad.md", "memory/entities/X.md", "SystemPrompt.txt")
_JSON = (
    "room_config.json", "goals.json", "memory/internal_state.json", "memory/emotion_log.json",
    "memory/episodic/2025-10.json", "memory/dreaming/2025-10.json", "memory/entities/_index.json"
)  # fmt: skip


@dataclass
class _Room(ImportSource):
    """A room in memory, all of whose files say the same."""

    data: bytes = b""

    def open(self, path: str) -> IO[bytes]:
        return io.BytesIO(self.data)


def _read(data: bytes, *paths: str) -> None:
    room = _Room("room", "folder", {"log.txt": len(data), **dict.fromkeys(paths, len(data))}, data=data)
    assert 0 <= nexus_ark.recognises(room) <= 1
    try:
        for item in nexus_ark.read(room, ReadingWishes()):
            LINES.dump_json(item)
    except UnusableSourceError:
        pass


_MARKS = spaced(
    "[THOUGHT] [/THOUGHT] <think> </think> 【Thoughts】 [RAW_RESULT] [/RAW_RESULT] <details> </details> 【表情】…joy…",
    "## USER:user\n¦\n\n## AGENT:みい\n¦## SYSTEM:tool_result:x:y\n¦## みい:\n¦"
    "\n\n2025-10-03 (Fri) 21:00:00 | x\n\n¦2025-10-03(金) 9:00¦```\n¦"
    '<persona_emotion category="joy"/>¦<memory_trace ¦[ファイル添付: a;b]¦THOUGHT: x\n¦'
    "--- [日記 (Diary)] ---\n¦## 永続記憶\n¦# Entity Memory: X\n¦Created: 2025-10-03\n",
)
_VALUES = spaced(
    '[ ] { } : , null true 1e999 "2025-10-03" "2025-10-01～2025-10-31" "x" [[[[[[[ "date" '
    '"summary" "key_events" "created_at" "insight" "drives" "curiosity" "open_questions" '
    '"entities" "aliases" "filename" "merged_into" "arousal" "source_date" "progress_notes" '
    '"topic" "short_term" "goal" "priority" "timestamp" "emotion" "type" "room_name"'
)
_STATE = b'{"drives": {"curiosity": {"open_questions": [{"topic": "x"}]}}, "short_term": [{"goal": "x"}]}'
_ENTRIES = b'[{"date": "2025-10-03", "created_at": "2025-10-03", "timestamp": "2025-10-03T10:00:00", "summary": "x", "emotion": "joy"}]'

PARSERS = (
    Parser("room-log", _read, [OCTOBER.encode(), NOVEMBER.encode(), NOVEMBER.encode("cp932", "replace")], _MARKS),
    Parser("room-texts", lambda data: _read(data, *_TEXTS), [CORE.encode(), ENTITY.encode()], _MARKS),
    Parser("room-json", lambda data: _read(data, *_JSON), [_STATE, _ENTRIES], _VALUES),
)  # fmt: skip
