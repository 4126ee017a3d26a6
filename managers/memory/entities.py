"""Entities: people, pets, places, works, organisations and recurring things, one `<name>.md` each.

A file is the specification's: a heading, `Created:`, and text. What a dream knows is a list of bullet
lines, each with a trailing HTML comment (invisible where Markdown is rendered) that says in JSON where
it comes from. Everything else in the file, and every bullet whose words a person changed, is the
person's: kept to the letter, never changed by a dream.

    # Entity Memory: 田中さん
    Created: 2026-01-01 12:00:00
    <!-- entity {"kind": "person", "aliases": ["田中", "Tanaka"]} -->

    - 京都に住んでいる <!-- fact {"id": "f_12ab34cd", "evidence": ["m1"], "since": "2025-12-31", ...} -->
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from managers.memory.documents import TIME, USER, Apply, short_id, write_plainly
from managers.storage.clock import Clock
from managers.storage.comments import comment
from managers.storage.errors import ExternallyChangedError, Lang, Notice, UnsafeNameError
from managers.storage.files import digest, read_bytes, set_aside
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths, safe_name

Kind = Literal["person", "pet", "place", "work", "organisation", "thing"]
KINDS: tuple[Kind, ...] = ("person", "pet", "place", "work", "organisation", "thing")
HEADING = "# Entity Memory: "
_SUFFIX = ".md"
_CREATED = "Created: "
_ENTITY = re.compile(r"^<!-- entity (\{.*\}) -->\s*$")
_FACT = re.compile(r"^- (.*?) ?<!-- fact (\{.*\}) -->\s*$")
KEPT_FACTS = 60
_HONORIFICS = ("さん", "くん", "君", "ちゃん", "様", "さま", "先生", "先輩", "氏", "殿")
_TITLES = ("mr.", "mrs.", "ms.", "dr.", "mr", "mrs", "ms", "dr", "the")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known about an entity.

    Attributes:
        text: what people read, in one line.
        evidence: the messages in which it was said.
        mind: what made it; `user` if a person wrote or changed it.
        slot: what it is about, where only one value is true at a time (`home`, `work`, ...); or empty.
        since: the day on which it was said or from which it holds.
        until: when it ceased to hold (`2026-03` or a day); empty: it holds.
    """

    text: str
    evidence: tuple[str, ...] = ()
    mind: str = USER
    id: str = ""
    slot: str = ""
    since: str = ""
    until: str = ""
    confidence: float | None = None
    generation: int = 0

    @property
    def is_users(self) -> bool:
        return self.mind == USER


@dataclass(frozen=True, slots=True)
class Entity:
    """What is known about somebody or something.

    `lines` are the file's lines after the header, each a fact of ours or a person's own text.
    """

    name: str
    kind: Kind = "thing"
    created: str = ""
    aliases: tuple[str, ...] = ()
    mind: str = ""
    lines: tuple[Fact | str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> list[Fact]:
        """All facts, the ended ones too."""
        return [line for line in self.lines if isinstance(line, Fact)]

    @property
    def current_facts(self) -> list[Fact]:
        """The facts that hold."""
        return [fact for fact in self.facts if not fact.until]

    @property
    def evidence(self) -> tuple[str, ...]:
        """All messages that the facts rest on."""
        return tuple(dict.fromkeys(one for fact in self.facts for one in fact.evidence))

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases."""
        return (self.name, *self.aliases)

    def text(self) -> str:
        """Return what people read: the lines without the comments."""
        return "\n".join(f"- {line.text}" if isinstance(line, Fact) else line for line in self.lines).strip()


def name_key(name: str) -> str:
    """Return what two names of the same thing have in common: width, case, honorifics and titles aside."""
    plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" 。、.,!?！？「」『』\"'")
    for title in _TITLES:
        if plain.startswith(title + " "):
            plain = plain[len(title) + 1 :]
            break
    for honorific in _HONORIFICS:
        if plain.endswith(honorific) and len(plain) > len(honorific):
            return plain[: -len(honorific)]
    return plain


def parse_entity(name: str, text: str) -> Entity:
    """Read an entity's file. Nothing in it is refused: what is not ours is the person's text."""
    lines = text.replace("\r\n", "\n").lstrip("\ufeff").split("\n")
    created, about = "", dict[str, Any]()
    if lines and lines[0].startswith(HEADING.strip()):
        lines.pop(0)
    if lines and lines[0].startswith(_CREATED):
        created = lines.pop(0).removeprefix(_CREATED).strip()
    if lines and (match := _ENTITY.match(lines[0])) and isinstance(read := _json(match.group(1)), dict):
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


def with_fact(entity: Entity, fact: Fact) -> Entity:
    """Return the entity knowing one thing more.

    The same thing said again adds its evidence. Where only one value of a slot can be true, the fact
    that held until now is kept as history with its end; what a person wrote stays as it is.
    """
    told = replace(
        fact, text=_one_line(fact.text), id=fact.id or short_id("f_", entity.name, fact.text, *fact.evidence)
    )
    for index, line in enumerate(entity.lines):
        if isinstance(line, Fact) and not line.until and _same(line.text, told.text):
            if line.is_users:
                return entity
            merged = replace(line, evidence=tuple(dict.fromkeys([*line.evidence, *told.evidence])))
            return replace(entity, lines=(*entity.lines[:index], merged, *entity.lines[index + 1 :]))
        if isinstance(line, Fact) and line.id == told.id:
            return entity  # ended, or reworded by a person, since it was first told
    lines = [_ended(line, told) if _gives_way(line, told) else line for line in entity.lines]
    return replace(entity, lines=(*lines, told))


def ended(entity: Entity, fact_id: str, until: str, lang: Lang) -> Entity:
    """Return the entity with one fact kept as history; a person's own words are left alone."""
    lines = tuple(
        replace(line, text=until_text(line.text, until, lang), until=until)
        if isinstance(line, Fact) and line.id == fact_id and not line.until and not line.is_users
        else line
        for line in entity.lines
    )
    return replace(entity, lines=lines)


def bounded(entity: Entity) -> tuple[Entity, list[Fact]]:
    """Return the entity as its file should hold it, and the facts that are put on a shelf.

    Nothing moves until a dream has noted twice `KEPT_FACTS` things; then the oldest go. What a person
    wrote, and what only one value can be true of, stays.
    """
    ours = [fact for fact in entity.facts if not fact.is_users and not fact.slot]
    if len(ours) < 2 * KEPT_FACTS:
        return entity, []
    older = sorted(ours, key=lambda fact: (fact.since, len(fact.evidence)))[: len(ours) - KEPT_FACTS]
    gone = {fact.id for fact in older}
    left = tuple(line for line in entity.lines if not (isinstance(line, Fact) and line.id in gone))
    return replace(entity, lines=left), older


def until_text(text: str, until: str, lang: Lang) -> str:
    """Return how a fact that no longer holds reads."""
    return f"{until}まで: {text}" if lang == "ja" else f"until {until}: {text}"


def _gives_way(line: Fact | str, told: Fact) -> bool:
    return (
        isinstance(line, Fact)
        and bool(told.slot)
        and line.slot == told.slot
        and not line.until
        and not line.is_users
        and line.since <= told.since
    )


def _ended(line: Fact | str, told: Fact) -> Fact | str:
    if isinstance(line, str):
        return line
    lang: Lang = "ja" if re.search(r"[ぁ-んァ-ヶ一-龯]", line.text) else "en"
    until = told.since[:7]
    return replace(line, text=until_text(line.text, until, lang), until=until)


def _same(one: str, other: str) -> bool:
    return (
        re.sub(r"[\s。、.,!！?？「」\"]", "", one).casefold() == re.sub(r"[\s。、.,!！?？「」\"]", "", other).casefold()
    )


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("<!--", "").replace("-->", "")


def _line(line: str) -> Fact | str:
    match = _FACT.match(line)
    about = _json(match.group(2)) if match else None
    if match is None or not isinstance(about, dict):
        return line
    text = match.group(1).strip()
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
        return json.loads(text)
    except json.JSONDecodeError:
        return None


class EntityStore:
    """The entities of a persona. Files are read once and again only when they changed."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        """Remember the folder; `apply` writes with a history entry."""
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self._read: dict[str, tuple[tuple[int, int], Entity]] = {}
        self.notices: list[Notice] = []

    def path(self, name: str) -> Path:
        """Return the file of an entity.

        Raises:
            UnsafeNameError: the name cannot be a file's name.
        """
        return self._paths.entity_memory / f"{safe_name(name)}.md"

    def names(self) -> list[str]:
        """Return the names of all entities."""
        folder = self._paths.entity_memory
        if not folder.is_dir():
            return []
        return sorted(unicodedata.normalize("NFC", p.stem) for p in folder.glob("*.md") if not p.name.startswith("."))

    def get(self, name: str) -> Entity | None:
        """Return an entity by its file's name, None if there is none."""
        path = self.path(name)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        return self._entity(name, path, (stat.st_mtime_ns, stat.st_size))

    def _entity(self, name: str, path: Path, stamp: tuple[int, int]) -> Entity | None:
        known = self._read.get(name)
        if known and known[0] == stamp:
            return known[1]
        data = read_bytes(path)
        if data is None:
            return None
        try:
            entity = parse_entity(safe_name(name), data.decode("utf-8"))
        except UnicodeDecodeError:
            with writing(self._paths):
                self.notices.append(set_aside(path, self._clock.now()))
            return None
        self._read[name] = (stamp, entity)
        return entity

    def all(self) -> list[Entity]:
        """Return all entities."""
        # The folder is read in one go: asking for each file by its name takes half as long again.
        entries: dict[str, os.DirEntry[str]] = {}
        if self._paths.entity_memory.is_dir():
            with os.scandir(self._paths.entity_memory) as folder:
                for entry in folder:
                    if entry.name.endswith(_SUFFIX) and not entry.name.startswith("."):
                        entries[unicodedata.normalize("NFC", entry.name.removesuffix(_SUFFIX))] = entry
        found = (self._listed(name, entries[name]) for name in sorted(entries))
        return [entity for entity in found if entity is not None]

    def _listed(self, name: str, entry: os.DirEntry[str]) -> Entity | None:
        if entry.name != name + _SUFFIX:  # written in another normal form of Unicode
            return self.get(name)
        try:
            stat = entry.stat()
        except FileNotFoundError:  # deleted meanwhile
            return None
        return self._entity(name, Path(entry.path), (stat.st_mtime_ns, stat.st_size))

    def find(self, name: str) -> Entity | None:
        """Return the entity that a name or an alias means."""
        key = name_key(name)
        return next((entity for entity in self.all() if key in {name_key(n) for n in entity.names}), None)

    def search(self, keyword: str, limit: int = 10) -> list[Entity]:
        """Return entities whose name, alias or text holds the keyword; those named so come first."""
        key = name_key(keyword)
        if not key:
            return []
        named = [e for e in self.all() if any(key in name_key(n) for n in e.names)]
        told = [e for e in self.all() if e not in named and key in unicodedata.normalize("NFKC", e.text()).casefold()]
        return [*named, *told][:limit]

    def read_text(self, name: str) -> tuple[str, str | None]:
        """Return the whole file as text for an editor, and the digest to base an edit on."""
        data = read_bytes(self.path(name))
        return ((data or b"").decode("utf-8", "replace"), digest(data) if data is not None else None)

    def write_text(self, name: str, text: str, *, based_on: str | None, author: str, reason: str) -> None:
        """Write what a person edited.

        Raises:
            ExternallyChangedError: the file on disk is another one now.
        """
        path = self.path(name)
        with writing(self._paths):
            current = read_bytes(path)
            if (digest(current) if current is not None else None) != based_on:
                raise ExternallyChangedError(path=path.name, theirs=(current or b"").decode("utf-8", "replace"))
            self._apply({path: text.encode()}, author=author, reason=reason)

    def note(
        self, name: str, text: str, *, author: str, mind: str, evidence: Sequence[str] = (), kind: Kind = "thing"
    ) -> Entity:
        """Write something down about an entity (the persona's own tool); a new one is made if needed."""
        now = self._clock.now()
        with writing(self._paths):
            entity = self.find(name) or Entity(safe_name(name), kind, f"{now:{TIME}}", mind=mind)
            fact = Fact(text, tuple(evidence), mind, since=f"{now:%Y-%m-%d}")
            entity = with_fact(entity, fact)
            files = {self.path(entity.name): format_entity(entity).encode()}
            self._apply(files, author=author, reason=text, evidence=evidence)
            return entity

    def delete(self, name: str, *, author: str, reason: str) -> None:
        """Delete an entity (the history keeps it)."""
        with writing(self._paths):
            self._apply({self.path(name): None}, author=author, reason=reason)


def is_safe(name: str) -> bool:
    """Whether a name can be an entity's."""
    try:
        return bool(safe_name(name)) and "\n" not in name
    except UnsafeNameError:
        return False


def find_by_name(entities: Iterable[Entity], names: Iterable[str]) -> Entity | None:
    """Return the first of the entities that any of the names means."""
    keys = {name_key(name) for name in names}
    return next((entity for entity in entities if any(name_key(own) in keys for own in entity.names)), None)
