"""What a room knows of people and things: a card each, and the list that later versions keep of them."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from managers.exchange.items import FoundMemory
from managers.exchange.readers.moments import read_moment
from managers.exchange.readers.nexus_ark.room_folder import ENTITIES, OLD, RoomFolder
from managers.memory.entities import is_safe

_CARD: Final = re.compile(rf"(?P<stem>[^/]+)\.(?:md|txt)(?P<old>{OLD})", re.IGNORECASE)
_TITLE: Final = re.compile(r"\ufeff?\s*#[ \t]*Entity Memory[:\uff1a][ \t]*(.*?)[ \t]*(?:\n|\Z)", re.IGNORECASE)
_CREATED: Final = re.compile(r"^Created:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_UNSAFE: Final = re.compile(r'[/\\:*?"<>|\x00-\x1f]+')


def entities(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield the cards, those that are in use before older copies of missing ones. Merged ones live on in another."""
    listed = _listed(room)
    merged = {path for path, entry in listed.items() if entry.get("merged_into")}
    living: set[str] = set()
    paths = room.matching(rf"{ENTITIES}[^/]+\.(?:md|txt){OLD}")
    put_away = [
        path for path in room.matching(rf"{ENTITIES}.+/[^/]+\.(?:md|txt)") if path.lower() in listed.keys() - merged
    ]
    for path in sorted([*paths, *put_away], key=lambda path: bool(_card(path)["old"])):
        stem = _card(path)["stem"].lower()
        if path.lower() in merged:
            room.take(path)
            room.leave("merged", path)
        elif not _card(path)["old"] or stem not in living:
            living.add(stem)
            yield from _entity(room, path, listed.get(path.lower(), {}))


def _card(path: str) -> re.Match[str]:
    found = _CARD.fullmatch(PurePosixPath(path).name)
    assert found is not None
    return found


def _listed(room: RoomFolder) -> dict[str, Mapping[str, Any]]:
    """Return what the list of entities says of each file."""
    listed: dict[str, Mapping[str, Any]] = {}
    for path in room.matching(rf"{ENTITIES}_index\.json"):
        folder = path.removesuffix(PurePosixPath(path).name)
        for value in room.values(path):
            held = value.get("entities")
            for entry in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
                if isinstance(entry, dict):
                    file = entry.get("archived_file") or entry.get("filename")
                    listed[f"{folder}{file}".lower()] = entry
    return listed


def _entity(room: RoomFolder, path: str, listed: Mapping[str, Any]) -> Iterator[FoundMemory]:
    text, stem = room.text(path), _card(path)["stem"]
    title = _TITLE.match(text)
    time, body = _created(text[title.end() :] if title else text)
    if not body.strip():
        room.leave("empty", path)
        return
    told = title[1] if title else ""
    name = _UNSAFE.sub(" ", told).strip(" .") or stem
    if not is_safe(name):  # longer than a file's name may be
        name, body = stem, f"{told}\n\n{body.strip()}"
    aliases = listed.get("aliases")
    fields = {"aliases": [one for one in aliases if isinstance(one, str)]} if isinstance(aliases, list) else {}
    yield FoundMemory("entity", name=name, text=body.strip("\n"), time=time, fields=fields, place=path)


def _created(body: str) -> tuple[datetime | None, str]:
    """Return when a card was made, if the lines under its title say so, and what else it says."""
    head, gap, rest = body.strip("\n").partition("\n\n")
    found = _CREATED.search(head)
    time = read_moment(found[1]) if found else None
    if found is None or time is None:
        return None, body
    return time, f"{head[: found.start()]}{head[found.end() :]}{gap}{rest}"
