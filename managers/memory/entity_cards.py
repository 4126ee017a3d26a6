"""The file of an entity, `<name>.md`: a heading, `Created:`, and text.

What a dream knows is a list of bullet lines, each with a trailing HTML comment (invisible where Markdown is rendered) that
says in JSON where it comes from. Everything else in the file, and every bullet whose words a person changed, is the
person's: kept to the letter, never changed by a dream.

    # Entity Memory: 田中さん
    Created: 2026-01-01 12:00:00
    <!-- entity {"kind": "person", "aliases": ["田中", "Tanaka"]} -->

    - 京都に住んでいる <!-- fact {"id": "f_12ab34cd", "evidence": ["m1"], "since": "2025-12-31", ...} -->
"""

import unicodedata
from typing import Any, Final
from weakref import WeakValueDictionary

from managers.memory.confidence import Standing
from managers.memory.entities import KINDS, Entity, Fact
from managers.memory.json_documents import USER
from managers.memory.messages import origins_in
from managers.storage.comments import comment, commented
from managers.storage.files import digest
from managers.storage.json_text import NotJsonError, load_json

_STANDING = Standing.model_fields.keys()
HEADING = "# Entity Memory: "
_CREATED = "Created: "
_BULLET = "- "


def parse_entity(name: str, text: str) -> Entity:
    """Read an entity's file. Nothing in it is refused: what is not ours is the person's text."""
    lines = text.replace("\r\n", "\n").lstrip("\ufeff").split("\n")
    heading = unicodedata.normalize("NFC", _taken(lines, HEADING.strip())).removeprefix(HEADING.strip()).strip()
    created = _taken(lines, _CREATED).removeprefix(_CREATED).strip()
    noted = commented(line := _taken(lines, "<!--"))
    read = _json(noted.about) if noted and (noted.words, noted.kind) == ("", "entity") else None
    about: dict[str, Any] = read if isinstance(read, dict) else {}
    if line and read is not about:
        lines.insert(0, line)
    added = heading.removeprefix(name)
    if added not in {"", heading} and not added[0].isalnum():  # a person's words behind the name
        lines.insert(0, added.strip())
    kind, aliases = about.pop("kind", "thing"), about.pop("aliases", [])
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


def _taken(lines: list[str], start: str) -> str:
    """Take the next line off the front, past blank ones, if it begins so; else nothing."""
    at = next((number for number, line in enumerate(lines) if line.strip()), -1)
    if at < 0 or not lines[at].startswith(start):
        return ""
    taken, lines[: at + 1] = lines[at], []
    return taken


def format_entity(entity: Entity) -> str:
    """Return the file's text."""
    about = {"kind": entity.kind, "aliases": list(entity.aliases), "mind": entity.mind, **entity.extra}
    head = [HEADING + entity.name, _CREATED + entity.created, f"<!-- entity {comment(about)} -->", ""]
    return "\n".join([*head, *(format_fact(line) for line in entity.lines)]) + "\n"


_facts_by_line: Final[WeakValueDictionary[str, Fact]] = WeakValueDictionary()
"""Facts by their lines, as long as somebody holds them: of a card a night changes few, and the index reads each again."""


def _line(line: str) -> Fact | str:
    if (known := _facts_by_line.get(line)) is not None:
        return known
    noted = commented(line) if line.startswith(_BULLET) else None
    about = _json(noted.about) if noted and noted.kind == "fact" else None
    if noted is None or not isinstance(about, dict):
        return line
    text = noted.words.removeprefix(_BULLET.rstrip()).strip()
    changed = about.get("sum") != digest(text)[:12]
    evidence = about.get("evidence", [])
    fact = _facts_by_line[line] = Fact(
        text=text,
        evidence=tuple(str(one) for one in evidence) if isinstance(evidence, list) else (),
        mind=USER if changed else str(about.get("mind", "")),
        id=str(about.get("id", "")),
        slot=str(about.get("slot", "")),
        since=str(about.get("since", "")),
        until=str(about.get("until", "")),
        standing=Standing.model_validate({key: about[key] for key in _STANDING & about.keys()}),
        origins=tuple(origins_in(about.get("origins"))),
    )
    return fact


def format_fact(line: Fact | str) -> str:
    """Return a line of an entity's file."""
    if isinstance(line, str):
        return line
    about: dict[str, Any] = {"id": line.id, "evidence": list(line.evidence), "mind": line.mind}
    about |= {key: value for key in ("slot", "since", "until", "origins") if (value := getattr(line, key))}
    about |= line.standing.model_dump(mode="json", exclude_defaults=True)
    return f"- {line.text} <!-- fact {comment({**about, 'sum': digest(line.text)[:12]})} -->"


def _json(text: str) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    try:
        return load_json(text)
    except NotJsonError:
        return None
