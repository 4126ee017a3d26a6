"""The names of remembered entities, read from their files' names, for spotting them in a message."""

import re
from functools import lru_cache
from pathlib import Path

from managers.memory.entities import kanji_alone, name_key
from managers.recall.index.terms import is_japanese
from managers.storage.files import files
from managers.storage.paths import PersonaPaths

_SHORTEST = 2


def names_entity(paths: PersonaPaths, text: str) -> bool:
    """Whether a text names an entity that is remembered; the folder is read anew when it has changed."""
    try:
        stamp = paths.entity_memory.stat().st_mtime_ns
    except FileNotFoundError:
        return False
    pattern = _pattern(paths.entity_memory, stamp)
    return pattern is not None and pattern.search(text.casefold()) is not None


@lru_cache(maxsize=16)
def _pattern(folder: Path, _: int) -> re.Pattern[str] | None:
    keys = sorted(name_key(path.stem) for path in files(folder, "*.md"))
    parts = [
        kanji_alone(key) or (re.escape(key) if is_japanese(key) else rf"(?<![a-z]){re.escape(key)}(?![a-z])")
        for key in keys
        if len(key) >= _SHORTEST or kanji_alone(key)
    ]
    return re.compile("|".join(parts)) if parts else None
