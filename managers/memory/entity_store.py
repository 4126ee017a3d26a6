"""The folder of entities: `entity_memory/<name>.md`, each read again only when it has changed."""

import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from managers.memory.entities import Entity, Fact, Kind, name_key, with_fact, without_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.json_documents import PINNED, TIME, Apply, pin_reason, write_plainly
from managers.storage.clock import Clock
from managers.storage.copies import copies_in
from managers.storage.errors import ExternallyChangedError, Notice
from managers.storage.files import digest, read_bytes, set_aside
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths, may_be_written, safe_name
from managers.storage.printable import shown
from managers.storage.texts import Texts
from managers.storage.tracking import locate
from managers.storage.watching import Identity, listing

Told = Callable[[Entity, Fact], Entity]
_SUFFIX = ".md"
_say = Texts("notices/memory")


class _Known(NamedTuple):
    """Entities, and under which names and aliases they are known."""

    entities: Sequence[Entity]
    named: Mapping[str, Entity]


class _Cards(dict[str, tuple[Identity, Entity]]):
    """The cards of a folder that were read, by their names: for all stores of it, as long as one of them lives."""


_read: WeakValueDictionary[Path, _Cards] = WeakValueDictionary()
_guard = threading.Lock()


def _cards_read(folder: Path) -> _Cards:
    with _guard:
        return _read.setdefault(folder, _Cards())


class EntityStore:
    """The entities of a persona. Files are read once and again only when they changed."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self._read = _cards_read(paths.entity_memory)
        self._folder = listing(paths.entity_memory)
        self._folder.forget()
        self._known: tuple[Mapping[str, Identity], _Known] | None = None
        self._told: set[str] = set()
        self.notices: list[Notice] = []

    def path(self, name: str) -> Path:
        """Return the file of an entity, in whichever normal form of Unicode its name is written.

        Raises:
            UnsafeNameError: the name cannot be a file's name.
        """
        path = self._paths.entity_memory / f"{safe_name(name)}{_SUFFIX}"
        return locate(self._paths.folder, path.relative_to(self._paths.folder).as_posix())

    def names(self) -> list[str]:
        return sorted(self._named(self._folder.files()))

    def get(self, name: str) -> Entity | None:
        """Return an entity by its file's name, None if there is none."""
        path = self.path(name)
        try:
            now = Identity.of(path.stat())
        except FileNotFoundError:
            return None
        return self._entity(name, path, now)

    def _entity(self, name: str, path: Path, now: Identity) -> Entity | None:
        known = self._read.get(name)
        if known and known[0] == now:
            return known[1]
        data = read_bytes(path)
        if data is None:
            return None
        try:
            entity = parse_entity(safe_name(name), data.decode("utf-8"))
        except UnicodeDecodeError:
            return self._mended_or_set_aside(name, path)
        self._read[name] = (now, entity)
        return entity

    def _mended_or_set_aside(self, name: str, path: Path) -> Entity | None:
        """Return a card that somebody has mended who was writing just then; one that is no text still is set aside."""
        with writing(self._paths):
            data = read_bytes(path)
            if data is None:
                return None
            with suppress(UnicodeDecodeError):
                return parse_entity(safe_name(name), data.decode("utf-8"))
            self.notices.append(set_aside(path, self._clock.now()))
            return None

    def all(self) -> list[Entity]:
        return list(self._all().entities)

    def find(self, name: str) -> Entity | None:
        """Return the entity that a name or an alias means."""
        return self._all().named.get(name_key(name))

    def _all(self) -> _Known:
        """Return all entities; nothing is looked at but their folder as long as nothing in it changes."""
        there = self._folder.files()
        if self._known is None or self._known[0] is not there:
            named = self._named(there)
            folder = self._paths.entity_memory
            found = (self._entity(name, folder / file, there[file]) for name, file in sorted(named.items()))
            entities = [entity for entity in found if entity is not None]
            keys = {name_key(alias): entity for entity in reversed(entities) for alias in entity.aliases}
            keys |= {name_key(entity.name): entity for entity in reversed(entities)}  # names count before aliases
            self._known = (there, _Known(entities, keys))
        return self._known[1]

    def _named(self, there: Mapping[str, Identity]) -> dict[str, str]:
        """Return the entities' files by name, without copies that sync tools left of them, and without misnamed ones."""
        found = [name for name in there if name.endswith(_SUFFIX)]
        copies = copies_in(self._paths.entity_memory, found)
        named = {_stem(name): name for name in found if name not in copies}
        self._tell_of([file for name, file in named.items() if not may_be_written(name)])
        return {name: file for name, file in named.items() if may_be_written(name)}

    def _tell_of(self, misnamed: Sequence[str]) -> None:
        if not self._told.issuperset(misnamed):
            self._told = set(misnamed)
            self.notices.append(about_misnamed(sorted(misnamed)))

    def search(self, keyword: str, limit: int = 10, among: Sequence[Entity] | None = None) -> list[Entity]:
        """Return entities whose name, alias or text holds the keyword, named ones first; `among` what may be read, or all.

        Where none holds several words as they stand, those that hold each of them.
        """
        cards = self._all().entities if among is None else among
        return (_holding([keyword], cards) or _holding(keyword.split(), cards))[:limit]

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

    def begun(self, name: str, kind: Kind = "thing", *, mind: str) -> Entity:
        """Return an entity of which nothing is known yet; nothing is written."""
        return Entity(safe_name(name), kind, f"{self._clock.now():{TIME}}", mind=mind)

    def note(
        self,
        name: str,
        text: str,
        *,
        author: str,
        mind: str,
        evidence: Sequence[str] = (),
        kind: Kind = "thing",
        instead_of: str = "",
        told: Told = with_fact,
    ) -> Entity:
        """Write something down about an entity (the persona's own tool); a new one is made if needed.

        Raises:
            NoSuchFactError, UnsafeNameError: nothing was written.
        """
        with writing(self._paths):
            _, entity = self.noted(
                name, text, mind=mind, evidence=evidence, kind=kind, instead_of=instead_of, told=told
            )
            files = {self.path(entity.name): format_entity(entity).encode()}
            self._apply(files, author=author, reason=text or instead_of, evidence=evidence)
            return entity

    def noted(
        self,
        name: str,
        text: str,
        *,
        mind: str,
        evidence: Sequence[str] = (),
        kind: Kind = "thing",
        instead_of: str = "",
        told: Told = with_fact,
    ) -> tuple[Entity | None, Entity]:
        """Return an entity as it is, and as it would be with one thing more, or in another's place; nothing is written.

        Args:
            name: of the entity, or an alias.
            text: the fact; empty where one only ends.
            mind: what thought of it.
            evidence: the messages that say it.
            kind: of an entity that is made now.
            instead_of: the words of a fact that holds no longer; it is kept as history.
            told: what becomes of an entity that is told a fact.

        Raises:
            NoSuchFactError: there is no such fact that this could end.
            UnsafeNameError: the name cannot be a file's name.
        """
        found, today = self.find(name), f"{self._clock.now():%Y-%m-%d}"
        known = self.get(found.name if found else name)  # an editor may have saved it since it was listed
        entity = known or self.begun(name, kind, mind=mind)
        if instead_of:
            entity = without_fact(entity, instead_of, today[:7])
        return known, told(entity, Fact(text, tuple(evidence), mind, since=today)) if text else entity

    def pin(self, name: str, *, on: bool, author: str) -> None:
        with writing(self._paths):
            entity = self.get(name)
            if entity is None:
                return
            extra = {key: value for key, value in entity.extra.items() if key != PINNED} | (
                {PINNED: True} if on else {}
            )
            files = {self.path(name): format_entity(replace(entity, extra=extra)).encode()}
            self._apply(files, author=author, reason=pin_reason(on=on))

    def delete(self, name: str, *, author: str, reason: str) -> None:
        """Delete an entity (the history keeps it)."""
        with writing(self._paths):
            self._apply({self.path(name): None}, author=author, reason=reason)


def misnamed_entities(names: Iterable[str]) -> list[str]:
    """Return which of the files in the folder of entities are none, for nothing may be written under their names."""
    return sorted(name for name in names if name.endswith(_SUFFIX) and not may_be_written(_stem(name)))


def about_misnamed(names: Sequence[str]) -> Notice:
    """Return what is told of such files."""
    name = f"entity_memory/{shown(names[0])}"
    others = _say.both("others", count=len(names) - 1) if len(names) > 1 else ""
    return _say.notice("entity-misnamed", name=name, others=others)


def _stem(name: str) -> str:
    return unicodedata.normalize("NFC", name.removesuffix(_SUFFIX))


def _holding(keywords: Sequence[str], cards: Sequence[Entity]) -> list[Entity]:
    keys = [key for keyword in keywords if (key := name_key(keyword))]
    if not keys:
        return []
    named: list[Entity] = []
    told: list[Entity] = []
    for entity in cards:
        names = [name_key(name) for name in entity.names]
        text = unicodedata.normalize("NFKC", entity.text()).casefold()
        if any(key in name for key in keys for name in names) and all(
            key in text or any(key in name for name in names) for key in keys
        ):
            named.append(entity)
        elif all(key in text for key in keys):
            told.append(entity)
    return [*named, *told]
