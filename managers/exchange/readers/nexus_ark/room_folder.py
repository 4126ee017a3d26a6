"""A room's folder as its readers see it: where it begins, which files are taken, and what is left in the end."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from managers.exchange.import_source import ImportSource
from managers.exchange.items import FoundFile, NotTaken, UnusableSourceError
from managers.storage.json_text import NotJsonError, load_json

CONFIG: Final = "room_config.json"
OLD: Final = r"(?:\.migrat[^/]*)?(?:\.bak)?"
"""How the names of older copies end."""
ENTITIES: Final = r"(?:memory/)?(?:entities|entity_memory)/"
"""Where the cards of people and things lie."""
_TOPIC: Final = "nexus_ark"
MARKERS: Final = (
    r"systemprompt\.txt|core_memory\.txt|log\.txt|logs/\d{4}-\d{2}\.txt|log_archives/.+"
    r"|memory/memory_(?:main|identity|diary)\.txt|(?:memory/)?(?:entities|entity_memory|episodic|episodic_memory)/.+"
)
"""The files that tell a room which has no configuration."""
_LONGEST_LOG: Final = 150_000_000
"""Bytes: ten years of much talk in one file."""
_LONGEST_PATH: Final = 500
_CAME: Final = frozenset({"repeated", "repeated-memory"})
"""Why something is not taken that came from another file."""
_LEFT: Final[tuple[tuple[str, str], ...]] = (
    (r"(?:rag_data|rag_index|faiss\w*|vector\w*)/.*|.*\.(?:pkl|pickle|faiss)", "index"),
    (r"backups?/.*", "backup"),
    (r"(?:audio_cache|cache|scratch|temp|tmp)/.*|.*\.(?:lock|tmp)", "cache"),
    (
        r"(?:avatar|spaces/images|generated_images|attachments|images)/.*|.*\.(?:png|jpe?g|webp|gif|mp4|webm)",
        "unnamed-file",
    ),
    (r"(?:room_config|expressions|alarms|redaction_rules|config)\.json(?:\.\w+)*|metadata/.*", "settings"),
    (rf"{ENTITIES}(?:_.*|archived)/.*", "merged"),
    (rf"{ENTITIES}.*(?:\.migrat[^/]*|\.bak)", "backup"),
    (rf"{ENTITIES}_[^/]*", "bookkeeping"),
    (r"memory/.+", "no-counterpart"),
    (r"(?:.*/)?\.[^/]*|current_location\.txt|(?:.*/)?processed_\w{1,60}\.json", "bookkeeping"),
)
"""Why a file that nothing took is left, by the form of its path."""


@dataclass
class RoomFolder:
    """A room of a source.

    Attributes:
        source: where it lies.
        base: the folder of the source that is the room, with a slash; empty where it is the source itself.
        files: the paths of its files, below `base`.
    """

    source: ImportSource
    base: str = ""
    files: tuple[str, ...] = ()
    _named: tuple[str, ...] = ()
    _taken: set[str] = field(default_factory=set)
    _left: dict[tuple[str, str, tuple[tuple[str, str], ...]], int] = field(default_factory=dict)
    _by_name: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = tuple(
            sorted(path.removeprefix(self.base) for path in self.source.files if path.startswith(self.base))
        )
        for path in self.files:
            self._by_name.setdefault(PurePosixPath(path).name.lower(), []).append(path)
        self._named = tuple(path for path in self.files if len(path) <= _LONGEST_PATH)

    @property
    def name(self) -> str:
        """What the folder is called, which is what the app calls the persona in its logs."""
        return PurePosixPath(self.base).name if self.base else self.source.name.removesuffix(".zip")

    def matching(self, form: str) -> list[str]:
        """Return the files whose path below the room has a form, whatever its case, that were not taken yet."""
        pattern = re.compile(form, re.IGNORECASE)
        return [path for path in self._named if path not in self._taken and pattern.fullmatch(path)]

    def take(self, path: str) -> None:
        self._taken.add(path)

    def is_empty(self, path: str) -> bool:
        return self.source.files[self.base + path] == 0

    def text(self, path: str) -> str:
        """Return a file's text, and count the file as taken."""
        self.take(path)
        return self.source.text(self.base + path, _LONGEST_LOG)

    def beginning(self, path: str) -> str:
        """Return how a file begins, and leave it to others."""
        return self.source.beginning(self.base + path, 4096).decode("utf-8", "replace")

    def file(self, path: str, name: str = "") -> FoundFile:
        """Return a file to be fetched later, and count it as taken."""
        self.take(path)
        return FoundFile(self.base + path, name)

    def named(self, words: str) -> FoundFile | None:
        """Return the file that a message names, by whichever path it had on the other computer."""
        path, _, rest = words.partition(";")
        parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in {"", "."}]
        there = self._by_name.get(parts[-1].lower(), []) if parts else []
        for start in range(len(parts)):
            if (tail := "/".join(parts[start:])) in there:
                return self.file(tail, rest.partition(";")[0].strip())
        return self.file(there[0], rest.partition(";")[0].strip()) if len(there) == 1 else None

    def values(self, path: str) -> list[dict[str, Any]]:
        """Return the objects that a JSON file holds, one or a list; of a broken one those before the break."""
        text = self.text(path)
        if not text.strip():
            return []
        try:
            value = load_json(text)
        except NotJsonError:
            value = _whole_objects(text)
            self.leave("broken-json", path, name=path)
        found = value if isinstance(value, list) else [value]
        odd = sum(not isinstance(one, dict) for one in found)
        if odd:
            self.leave("odd-entry", path, odd)
        return [one for one in found if isinstance(one, dict)]

    def leave(self, why: str, place: str, count: int = 1, **facts: str) -> None:
        """Count something that is not taken over: a file may hold a million of them."""
        key = (why, place, tuple(sorted(facts.items())))
        self._left[key] = self._left.get(key, 0) + count

    def left(self) -> Iterator[NotTaken]:
        """Yield what was not taken, the files that nothing took among it."""
        for (why, place, facts), count in self._left.items():
            yield NotTaken(f"{_TOPIC}.{why}", place, count, dict(facts), is_changed=why in _CAME)
        for path in self.files:
            if path not in self._taken:
                why = "empty" if self.is_empty(path) else _why_left(path)
                is_one = why in {"unknown", "empty", "bookkeeping"}
                folder = f"{path.partition('/')[0]}/" if "/" in path and not is_one else path
                yield NotTaken(f"{_TOPIC}.{why}", folder if why != "empty" else "")
        outside = len(self.source.files) - len(self.files)
        if outside:
            yield NotTaken(f"{_TOPIC}.outside", "", outside)


def find_room(source: ImportSource) -> RoomFolder:
    """Find the room in a source.

    Raises:
        UnusableSourceError: there are several; each is a persona of its own.
    """
    if source.shape == "file":
        return RoomFolder(source)
    configs = [path for path in source.files if PurePosixPath(path).name.lower() == CONFIG]
    bases = {path[: -len(CONFIG)] for path in configs}
    if not bases or "" in bases:
        return RoomFolder(source, "" if bases else _marked(source))
    if len(bases) > 1:
        names = sorted(PurePosixPath(base).name for base in bases)
        raise UnusableSourceError(f"{_TOPIC}.several-rooms", rooms=", ".join(names[:8]))
    return RoomFolder(source, bases.pop())


def _marked(source: ImportSource) -> str:
    """Return the folder nearest to the top that has what a room has."""
    for depth in range(4):
        for path in source.files:
            parts = path.split("/")
            base = "".join(f"{part}/" for part in parts[:depth])
            if len(parts) > depth and re.fullmatch(MARKERS, path.removeprefix(base).lower()):
                return base
    return ""


def _why_left(path: str) -> str:
    if len(path) > _LONGEST_PATH:
        return "unknown"
    return next((why for form, why in _LEFT if re.fullmatch(form, path.lower())), "unknown")


def _whole_objects(text: str) -> list[Any]:
    """Return the objects of a list that stand whole before the place where it breaks off."""
    decoder, found = json.JSONDecoder(), list[Any]()
    at = text.find("[") + 1
    while at > 0:
        start = text.find("{", at)
        if start < 0 or text[at:start].strip(" \t\r\n,"):
            break
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def text_of(value: object) -> str:
    """Return a value of a JSON file as text; the empty text for what is none."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) else ""
