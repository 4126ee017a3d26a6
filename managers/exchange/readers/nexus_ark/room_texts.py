"""What a room has as text: who the persona is, its core memory, notes, diaries, entities, and documents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from managers.exchange.items import FoundMemory, FoundPersona, MemoryKind
from managers.exchange.readers.nexus_ark.room_dates import date_line
from managers.exchange.readers.nexus_ark.room_entities import entities
from managers.exchange.readers.nexus_ark.room_folder import CONFIG, OLD, RoomFolder, text_of
from managers.exchange.readers.nexus_ark.room_log import UNNAMED

_BLOCK: Final = re.compile(r"^-{2,}[ \t]*\[(.+?)\][ \t]*-{2,}[ \t]*$", re.MULTILINE)
_SECTION: Final = re.compile(r"^##[ \t]+(\S.*)$", re.MULTILINE)
_PERMANENT: Final = ("永続記憶", "permanent", "自己同一性", "self identity")
_DIARY: Final = ("日記", "diary")
_ARCHIVE: Final = ("アーカイブ", "archive")
_LONGEST_NOTE: Final = 8_000
"""Characters. A longer note is a document to look things up in: the notepad is before the persona's eyes all the time."""
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')
_CONFIGURED: Final = {"room_name", "agent_display_name", "user_display_name", "description", "created_at", "version"}
"""What of a configuration is taken."""


def persona(room: RoomFolder) -> tuple[FoundPersona, frozenset[str], str]:
    """Return who the persona and the user are, under which names the persona speaks, and when the room was made."""
    config = _config(room)
    if more := set(config) - _CONFIGURED:
        room.leave("settings", CONFIG, len(more))
    if text_of(config.get("description")):
        room.leave("description", CONFIG)
    prompt = ""
    for path in room.matching(r"system_?prompt\.(?:txt|md)"):
        prompt = prompt or _without_date(room.text(path))
    user = text_of(config.get("user_display_name"))
    found = FoundPersona(
        name=text_of(config.get("agent_display_name")) or text_of(config.get("room_name")) or room.name,
        user_name="" if user.lower() in UNNAMED else user,
        system_prompt=prompt,
    )
    names = {found.name, room.name, text_of(config.get("room_name"))} - {""}
    folders = {_UNSAFE.sub("", name.replace(" ", "_")) for name in names}  # what the app calls the room's folder, and
    return found, frozenset(names | folders), text_of(config.get("created_at"))  # with that the persona in its logs


def _config(room: RoomFolder) -> Mapping[str, object]:
    """Return the room's configuration; where it is damaged, the newest copy that the app made of it."""
    copies = sorted(room.matching(rf"backups?/(?:.*/)?[^/]*{re.escape(CONFIG)}[^/]*"), reverse=True)
    for path in [*room.matching(re.escape(CONFIG)), *copies]:
        if found := room.values(path):
            return found[0]
    return {}


def texts(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield all that is text, the older before the newer."""
    yield from _core_memory(room)
    yield from _diaries(room)
    yield from _secret_diaries(room)
    yield from _notes(room)
    yield from entities(room)
    yield from _letters(room)
    yield from _documents(room)


def _core_memory(room: RoomFolder) -> Iterator[FoundMemory]:
    for path in room.matching(r"(?:memory/)?core_memory\.txt"):
        text = room.text(path)
        before, blocks = _parted(text, list(_BLOCK.finditer(text)))
        yield from _found("core_memory", before, path)
        for title, inside in blocks:
            yield from _section(title, inside, path, keeps_title=True)
    for path in room.matching(r"memory/memory_identity\.txt"):
        yield from _sections(room.text(path), path, "core_memory")


def _diaries(room: RoomFolder) -> Iterator[FoundMemory]:
    for path in sorted(room.matching(r"(?:memory/)?memory_(?:archived|diary_archived)_[^/]*\.txt")):
        yield from _found("diary", room.text(path), path)
    is_parted = any(not room.is_empty(path) for path in room.files if path.lower() == "memory/memory_identity.txt")
    for path in room.matching(rf"(?:memory/)?memory(?:_main)?\.txt{OLD}"):
        is_older = is_parted and not path.endswith(".txt")
        for one in _sections(room.text(path), path, "diary"):
            if one.kind == "core_memory" and is_older:
                room.leave("replaced", path)
            else:
                yield one
    for path in room.matching(rf"(?:memory/)?memory_diary\.txt{OLD}"):
        yield from _sections(room.text(path), path, "diary")


def _secret_diaries(room: RoomFolder) -> Iterator[FoundMemory]:
    for path in sorted(room.matching(r"(?:private/|memory/)?secret_diary[^/]*\.txt"), key=lambda one: (-len(one), one)):
        yield from _found("secret_diary", room.text(path), path)


def _notes(room: RoomFolder) -> Iterator[FoundMemory]:
    for path in room.matching(r"(?:notes/)?notepad\.(?:txt|md)"):
        yield from _found("notepad", room.text(path), path)
    for path in room.matching(r"notes/.*\.(?:txt|md)|(?:research_notes|creative_notes|working_memory)\.(?:txt|md)"):
        text, name = room.text(path), PurePosixPath(path).stem
        title = "working_memory" if path.endswith("working_memories/main.md") else name
        if len(text) > _LONGEST_NOTE or "/archives/" in path:
            yield from _document(f"{name}.md", text, path)
        else:
            yield from _found("notepad", text, path, title)


def _letters(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield the letters that later versions let the persona write, as one document, the oldest first."""
    for path in room.matching(r"letterbox/letters\.json"):
        found = [value.get("letters", value) for value in room.values(path)]
        letters = [
            one for some in found for one in (some if isinstance(some, list) else [some]) if isinstance(one, dict)
        ]
        told = [
            f"## {text_of(one.get('title'))}\n\n{text_of(one.get('created_at'))}\n\n{text_of(one.get('body'))}"
            for one in sorted(letters, key=lambda one: text_of(one.get("created_at")))
            if text_of(one.get("body"))
        ]
        yield from _document("letters.md", "\n\n".join(told), path)


def _documents(room: RoomFolder) -> Iterator[FoundMemory]:
    for path in room.matching(
        r"knowledge/.+|spaces/world_settings\.(?:txt|md)|memory/(?!entit\w+/(?:_|archived/))[^.].*\.(?:md|txt)"
    ):
        if not room.is_empty(path):
            yield FoundMemory("knowledge", name=PurePosixPath(path).name, file=room.file(path), place=path)
    for path in room.matching(r"profile\.(?:png|jpe?g|webp)")[:1]:
        yield FoundMemory("avatar", file=room.file(path), place=path)


def _sections(text: str, path: str, otherwise: MemoryKind) -> Iterator[FoundMemory]:
    """Yield the parts of a text that are headed by what they are."""
    before, sections = _parted(text, [one for one in _SECTION.finditer(text) if _kind(one[1])])
    yield from _found(otherwise, before, path)
    for title, inside in sections:
        yield from _section(title, inside, path, keeps_title=False)


def _parted(text: str, titles: Sequence[re.Match[str]]) -> tuple[str, list[tuple[str, str]]]:
    """Return what stands before the first of some titles, and each title with what stands under it."""
    starts = [one.start() for one in titles] + [len(text)]
    inside = [(one[1], text[one.end() : end]) for one, end in zip(titles, starts[1:], strict=True)]
    return text[: starts[0]], inside


def _section(title: str, text: str, path: str, *, keeps_title: bool) -> Iterator[FoundMemory]:
    kind = _kind(title)
    is_named = kind == "archive" or (keeps_title and kind in {"diary", None})
    where: MemoryKind = "core_memory" if kind in {"core_memory", None} else "diary"
    yield from _found(where, text, path, title.strip() if is_named else "")


def _kind(title: str) -> str | None:
    named = title.lower()
    for kind, words in (("core_memory", _PERMANENT), ("archive", _ARCHIVE), ("diary", _DIARY)):
        if any(word in named for word in words):
            return kind
    return None


def _found(kind: MemoryKind, text: str, place: str, title: str = "") -> Iterator[FoundMemory]:
    if text.strip():
        headed = f"## {title}\n\n{text.strip()}" if title else text.strip("\n")
        yield FoundMemory(kind, text=headed, place=place)


def _document(name: str, text: str, place: str) -> Iterator[FoundMemory]:
    if text.strip():
        yield FoundMemory("knowledge", name=name, text=text, place=place)


def _without_date(text: str) -> str:
    """Return a prompt without the date that an import from elsewhere put above it."""
    first, _, rest = text.partition("\n")
    line = date_line(first)
    return rest if line is not None and line.has_clock else text
