"""An entity's file: read without refusing anything, written as it was read."""

from __future__ import annotations

from typing import Any

from managers.memory.entities.entity_facts import KINDS, Entity, Fact
from managers.memory.json_documents import USER
from managers.storage.comments import comment, commented
from managers.storage.files import digest
from managers.storage.json_text import NotJsonError, load_json

HEADING = "# Entity Memory: "
_CREATED = "Created: "
_BULLET = "- "


def parse_entity(name: str, text: str) -> Entity:
    """Read an entity's file. Nothing in it is refused: what is not ours is the person's text."""
    lines = text.replace("\r\n", "\n").lstrip("\ufeff").split("\n")
    created, about = "", dict[str, Any]()
    if lines and lines[0].startswith(HEADING.strip()):
        lines.pop(0)
    if lines and lines[0].startswith(_CREATED):
        created = lines.pop(0).removeprefix(_CREATED).strip()
    if lines and (noted := commented(lines[0])) and (noted.words, noted.kind) == ("", "entity"):
        read = _json(noted.about)
        if isinstance(read, dict):
            about = read
            lines.pop(0)
    kind = about.pop("kind", "thing")
    aliases = about.pop("aliases", [])
    body = "\n".join(lines).strip("\n")
    return Entity(
        name=name,
        kind=kind if kind in KINDS else "thing",
        created=created,
        aliases=tuple(str(alias) for alias in aliases) if isinstance(aliases, list) else (),
        mind=str(about.pop("mind", "")),
        lines=tuple(_line(line) for line in body.split("\n")) if body else (),
        extra=about,
    )


def format_entity(entity: Entity) -> str:
    """Return the file's text."""
    about = {"kind": entity.kind, "aliases": list(entity.aliases), "mind": entity.mind, **entity.extra}
    head = [HEADING + entity.name, _CREATED + entity.created, f"<!-- entity {comment(about)} -->", ""]
    return "\n".join([*head, *(format_fact(line) for line in entity.lines)]) + "\n"


def _line(line: str) -> Fact | str:
    noted = commented(line) if line.startswith(_BULLET) else None
    about = _json(noted.about) if noted and noted.kind == "fact" else None
    if noted is None or not isinstance(about, dict):
        return line
    text = noted.words.removeprefix(_BULLET.rstrip()).strip()
    changed = about.get("sum") != digest(text)[:12]
    evidence = about.get("evidence", [])
    return Fact(
        text=text,
        evidence=tuple(str(one) for one in evidence) if isinstance(evidence, list) else (),
        mind=USER if changed else str(about.get("mind", "")),
        id=str(about.get("id", "")),
        slot=str(about.get("slot", "")),
        since=str(about.get("since", "")),
        until=str(about.get("until", "")),
        confidence=about["confidence"] if isinstance(about.get("confidence"), float) else None,
        generation=about["generation"] if isinstance(about.get("generation"), int) else 0,
    )


def format_fact(line: Fact | str) -> str:
    """Return a line of an entity's file."""
    if isinstance(line, str):
        return line
    about: dict[str, Any] = {"id": line.id, "evidence": list(line.evidence), "mind": line.mind}
    about |= {key: value for key in ("slot", "since", "until") if (value := getattr(line, key))}
    if line.confidence is not None:
        about["confidence"] = line.confidence
    if line.generation:
        about["generation"] = line.generation
    return f"- {line.text} <!-- fact {comment({**about, 'sum': digest(line.text)[:12]})} -->"


def _json(text: str) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    try:
        return load_json(text)
    except NotJsonError:
        return None
