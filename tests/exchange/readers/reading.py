"""A source on the disk, read as the importing process reads it."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from managers.exchange.import_source import open_source
from managers.exchange.items import (
    LINES,
    FoundMemory,
    FoundMessage,
    FoundPersona,
    Item,
    Kind,
    NotTaken,
    ReadingWishes,
    UnusableSourceError,
)
from managers.exchange.readers import recognise


def folder_of(folder: Path, files: Mapping[str, str | bytes | object]) -> Path:
    """Write files: text as it is, values as JSON."""
    for name, told in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes_of(told))
    return folder


def zip_of(path: Path, files: Mapping[str, str | bytes | object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, told in files.items():
            archive.writestr(name, bytes_of(told))
    return path


def bytes_of(told: str | bytes | object) -> bytes:
    if isinstance(told, bytes):
        return told
    return told.encode() if isinstance(told, str) else json.dumps(told, ensure_ascii=False).encode()


def items_of(path: Path, kind: Kind, wishes: ReadingWishes | None = None) -> list[Item]:
    """Return what a reader finds in a source that it recognises by itself, as it comes from the other process."""
    with open_source(path) as source:
        found = recognise(source)
        assert found is not None
        assert found[0] == kind
        return [LINES.validate_json(LINES.dump_json(item)) for item in found[1].read(source, wishes or ReadingWishes())]


def messages_of(items: list[Item]) -> list[FoundMessage]:
    return [item for item in items if isinstance(item, FoundMessage)]


def said(items: list[Item]) -> list[tuple[str, str, str]]:
    """Return role, speaker and text of each message."""
    return [(one.role, one.speaker, one.text) for one in messages_of(items)]


def persona_of(items: list[Item]) -> FoundPersona:
    return next(item for item in items if isinstance(item, FoundPersona))


def left(items: list[Item]) -> dict[str, int]:
    """Return how many things were not taken, by their codes."""
    counted: dict[str, int] = {}
    for item in items:
        if isinstance(item, NotTaken):
            counted[item.code] = counted.get(item.code, 0) + item.count
    return counted


def trouble_of(path: Path, kind: Kind) -> str:
    """Return why a source cannot be read as a kind at all."""
    with open_source(path) as source:
        found = recognise(source, kind)
        if found is None:
            return "engine.not-of-kind"
        try:
            list(found[1].read(source, ReadingWishes()))
        except UnusableSourceError as error:
            return error.code
    return ""


def room_of(tmp_path: Path, files: Mapping[str, str | bytes | object], name: str = "猫_の部屋") -> list[Item]:
    """Return what is in a room of Nexus Ark with these files."""
    return items_of(folder_of(tmp_path / name, files), "nexus-ark")


def memories_of(items: list[Item], kind: str) -> list[FoundMemory]:
    return [item for item in items if isinstance(item, FoundMemory) and item.kind == kind]


def notes_of(message: FoundMessage) -> dict[str, str]:
    return dict(message.notes)
