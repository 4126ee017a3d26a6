"""One file without what is to be erased: from bytes to bytes, the same for a file, an earlier version and a copy of it.

What a person wrote goes sentence by sentence, what was dreamt record by record: a summary of ten messages of which one
is erased may hold its words in others, so it goes, and the next night makes it anew of those that are left.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pydantic import ValidationError

from managers.hygiene.archive import unpacked
from managers.hygiene.file_kinds import FileKind, How, What, kind_of
from managers.hygiene.inventory import of_entity, of_episode
from managers.hygiene.traces import Traces
from managers.memory.audience import Marked, read_marks
from managers.memory.entities import Entity, Fact, revived
from managers.memory.entity_cards import format_entity, format_fact, parse_entity
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.json_documents import USER, encode
from managers.memory.log.log_erasing import said_in, without
from managers.storage.files import digest, open_binary
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.spelling import decode

_GONE: Final = object()
_MOST_HEAD: Final = 16 << 20
"""Bytes."""
_OF_ITS_OWN: Final = frozenset({"fact", "event"})
"""Kinds of which one says a single thing: it stands as long as another message says it too."""
_DEPTHS: Final[Mapping[What, int]] = {"import": 0, "recall": 1}
"""How deep a record of a kind is one thing: what it says itself, in records of its own, else in lists of them as well."""
_HEADS: Final = frozenset({"title", "name", "summary"})
"""What tells of a whole conversation that was imported: where it goes, the conversation stays."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Something that an erasure takes: as what it counts, in which file it stands, and how it reads."""

    what: What
    file: str
    text: str


def read_head(path: Path) -> bytes:
    """Return the head of an adapter's file, in the safetensors format, without its tensors."""
    with open_binary(path) as file:
        length = file.read(8)
        return length + file.read(min(int.from_bytes(length, "little"), _MOST_HEAD))


def learned_by(head: bytes) -> list[str] | None:
    """Return the ids of the messages that an adapter has learned, by its head; None where it does not tell."""
    try:
        return [str(one) for one in json.loads(load_json(head[8:])["__metadata__"]["utatane"])["messages"]]
    except (NotJsonError, ValueError, KeyError, TypeError):
        return None


class Scrubber:
    """Goes through files; what it takes out is noted in `taken`."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self.taken: list[Taken] = []
        self._file = ""
        self._ways: Mapping[How, Callable[[FileKind, bytes], bytes | None]] = {
            "log": self._log,
            "episode": self._episode,
            "card": self._card,
            "shelf": self._shelf,
            "records": self._records,
            "lines": self._lines,
            "archive": self._archive,
            "text": self._text,
            "source": self._source,
            "marks": self._marks,
            "audience": self._audience,
            "adapter": self._adapter,
        }

    def scrub(self, name: str, data: bytes) -> bytes | None:
        """Return what is left of a file: the same bytes, if it holds nothing of it; None, if nothing is left.

        Args:
            name: where it stands, or stood, in the persona's folder.
            data: its content.
        """
        kind = kind_of(name)
        self._file = name
        way = self._ways.get(kind.how)
        return data if way is None else way(kind, data)

    def _take(self, what: What, text: str) -> None:
        self.taken.append(Taken(what, self._file, text))

    # The conversation

    def _log(self, kind: FileKind, data: bytes) -> bytes | None:
        traces = self._traces
        for said in said_in(data):
            message = said.message
            if message.text and (said.id in traces.messages or traces.is_named(message.text)):
                self._take(kind.what, message.text)
        return without(data, traces.messages, traces.is_named, traces.touches, traces.readings) or None

    def _source(self, kind: FileKind, data: bytes) -> bytes | None:
        """What was imported came from any program: JSON, a JSON object a line, or text."""
        with suppress(NotJsonError):
            load_json(data)
            return self._records(kind, data)
        with suppress(NotJsonError):
            load_json(next((line for line in data.splitlines() if line.strip()), b""))
            return self._lines(kind, data)
        return self._text(kind, data)

    # What was dreamt

    def _episode(self, kind: FileKind, data: bytes) -> bytes | None:
        traces = self._traces
        try:
            value = load_json(data)
            episode = Episode.model_validate({"date": PurePosixPath(self._file).name[:10], **value})
        except (NotJsonError, ValidationError, TypeError):
            return self._period(kind, data)
        day, *_ = memories = list(of_episode(episode))
        is_dreamt_of_them = not episode.is_users and not traces.messages.isdisjoint(episode.evidence)
        if day.id in traces.memories or is_dreamt_of_them:
            self._take(kind.what, episode.summary)
            return None
        events = [
            event
            for event, memory in zip(episode.events, memories[1:], strict=True)
            if not self._is_taken(kind, event, episode, is_meant=memory.id in traces.memories)
        ]
        summary = self._rest_of(kind, episode.summary)
        if summary == episode.summary and len(events) == len(episode.events):
            return self._without_ids(value, data)
        if not summary.strip() and not events:
            return None
        left = episode.with_events(events).model_copy(update={"summary": summary})
        return self._without_ids(json.loads((left if episode.is_users else left.sealed()).dump()), b"")

    def _period(self, kind: FileKind, data: bytes) -> bytes | None:
        """A week or a month in brief is made anew of its days, which stay; what a person made of it is theirs."""
        with suppress(NotJsonError):
            value = load_json(data)
            events = value.get("key_events", []) if isinstance(value, dict) else []
            is_named = any(self._traces.touches(str(one)) for one in events)
            if isinstance(value, dict) and value.get("mind") != USER and (is_named or self._is_meant(value, 2)):
                self._take(kind.what, str(value.get("summary", "")))
                return None
        return self._records(kind, data)

    def _is_taken(self, kind: FileKind, event: KeyEvent, episode: Episode, *, is_meant: bool) -> bool:
        is_unfounded = bool(event.evidence) and self._traces.messages.issuperset(event.evidence)
        if not is_meant and not (is_unfounded and not episode.is_users) and not self._traces.touches(event.text):
            return False
        self._take(kind.what, event.text)
        return True

    def _card(self, kind: FileKind, data: bytes) -> bytes | None:
        name = PurePosixPath(self._file).name.partition(".md")[0]
        try:
            text = decode(data)[0]
        except UnicodeDecodeError:
            return self._text(kind, data)
        entity = parse_entity(name, text)
        if self._traces.is_named(name):
            self._take(kind.what, entity.text() or name)
            return None
        left = self._entity(entity)
        if left == entity:
            return data
        return format_entity(left).encode() if left.lines or entity.mind == USER else None

    def _entity(self, entity: Entity) -> Entity:
        """Return an entity without what goes; what a fact that goes had ended holds again."""
        traces, lines, gone = self._traces, list[Fact | str](), list[Fact]()
        ids = {id(fact): memory.id for fact, memory in zip(entity.facts, of_entity(entity), strict=True)}
        for line in entity.lines:
            if isinstance(line, str):
                left = self._rest_of(_FACTS, line)
                lines += [left] if left or not line else []
                continue
            evidence = tuple(one for one in line.evidence if one not in traces.messages)
            is_unfounded = bool(line.evidence) and not evidence and not line.is_users
            if is_unfounded or ids[id(line)] in traces.memories or traces.touches(line.text):
                self._take(_FACTS.what, line.text)
                gone.append(line)
            else:
                lines.append(replace(line, evidence=evidence, origins=traces.marks(line.origins, line.evidence)))
        aliases = tuple(alias for alias in entity.aliases if not traces.is_named(alias))
        extra = self._value(_FACTS, entity.extra)
        changed = replace(entity, lines=tuple(lines), aliases=aliases, extra=extra)
        for fact in gone:
            changed = revived(changed, fact)
        return changed

    def _shelf(self, kind: FileKind, data: bytes) -> bytes | None:
        """Facts that were put on a shelf: the lines of cards, under their names."""
        try:
            value = load_json(data)
            left = {}
            for name, lines in value.items():
                entity = self._entity(parse_entity(name, "\n".join(lines)))
                if self._traces.is_named(name):
                    self._take(kind.what, entity.text())
                elif entity.lines:
                    left[name] = [format_fact(line) for line in entity.lines]
        except (NotJsonError, AttributeError, TypeError):
            return self._text(kind, data)
        return data if left == value else encode(left) if left else None

    # Records

    def _records(self, kind: FileKind, data: bytes) -> bytes | None:
        try:
            value = load_json(data)
        except NotJsonError:
            return self._text(kind, data)
        left = self._value(kind, value)
        return data if left == value else encode(left)

    def _lines(self, kind: FileKind, data: bytes) -> bytes | None:
        left = []
        for line in data.splitlines(keepends=True):
            try:
                value = load_json(line)
            except NotJsonError:
                rest = self._text(kind, line)
                left += [rest] if rest else []
                continue
            kept = self._item(kind, value)
            if kept == value:
                left.append(line)
            elif kept is not _GONE:
                left.append(json.dumps(kept, ensure_ascii=False).encode() + b"\n")
        return b"".join(left)

    def _archive(self, kind: FileKind, data: bytes) -> bytes | None:
        """Records that were packed; of what cannot be unpacked nobody can say what it holds, so it goes."""
        try:
            content = unpacked(data)
        except zlib.error:
            self._take(kind.what, "")
            return None
        left = self._records(kind, content)
        if left == content:
            return data
        return gzip.compress(left, mtime=0) if left and load_json(left) else None

    def _value(self, kind: FileKind, value: Any) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
        if isinstance(value, str):
            return self._rest_of(kind, value)
        if isinstance(value, list):
            return [left for one in value if (left := self._item(kind, one)) is not _GONE]
        if isinstance(value, dict):
            gone = self._traces.ids
            kept = {key: one for key, one in value.items() if key not in gone and not self._traces.is_named(key)}
            if kind.what == "import":
                kept = {key: one for key, one in kept.items() if not isinstance(one, dict) or not _ids(one) & gone}
            return self._traces.with_marks(value, {key: self._value(kind, one) for key, one in kept.items()})
        return value

    def _item(self, kind: FileKind, one: Any) -> Any:  # noqa: ANN401  # the same
        """Return what is left of a part of a list, `_GONE` if nothing is."""
        traces = self._traces
        if isinstance(one, str):
            if one in traces.ids:
                return _GONE
            if not traces.touches(one):
                return one
            self._take(kind.what, one)
            return _GONE
        if isinstance(one, dict) and self._is_meant(one, _DEPTHS.get(kind.what, 2)):
            self._take(kind.what, next((text for text in _texts(one, 2) if traces.touches(text)), _gist(one)))
            return _GONE
        return self._value(kind, one)

    def _is_meant(self, record: dict[str, Any], depth: int) -> bool:
        """Tell whether a record goes: it is one of those, is about one of those messages, quotes or names."""
        traces = self._traces
        if _ids(record) & traces.ids or any(map(traces.touches, _texts(record, depth))):
            return True
        evidence = set(_evidence(record))
        if traces.messages.isdisjoint(evidence) or USER in (record.get("mind"), _inner(record).get("mind")):
            return False
        return str(record.get("kind")) not in _OF_ITS_OWN or evidence <= traces.messages

    def _without_ids(self, value: Any, data: bytes) -> bytes:  # noqa: ANN401  # the same
        """Return a record of which nothing but the ids of messages is to go."""
        left = self._traces.with_marks(value, _without(value, self._traces.messages))
        return data if left == value and data else encode(left)

    def _adapter(self, kind: FileKind, data: bytes) -> bytes | None:
        """Nothing can be taken out of what a model has learned: it goes, also where nobody can tell what it learned."""
        learned = learned_by(data)
        if learned is not None and self._traces.messages.isdisjoint(learned):
            return data
        self._take(kind.what, self._file)
        return None

    # Texts

    def _text(self, kind: FileKind, data: bytes) -> bytes | None:
        try:
            text, spelling = decode(data)
        except UnicodeDecodeError:
            if not self._traces.is_in(data):
                return data
            self._take(kind.what, "")
            return None  # in no encoding that could be written back
        left = self._rest_of(kind, text)
        return data if left == text else spelling.encode(left)

    def _rest_of(self, kind: FileKind, text: str) -> str:
        """Return a text without the sentences that go; each line of them is noted."""
        left = self._traces.cleaned(text)
        if left != text:
            kept = set(left.splitlines())
            for line in text.splitlines():
                if line not in kept:
                    self._take(kind.what, line)
        return left

    def _audience(self, kind: FileKind, data: bytes) -> bytes | None:
        """Marks of what goes, go; of the others what they name of it. A person's own files stay, and so do their marks."""
        try:
            limits = load_json(data)
            read = read_marks(limits)
        except (NotJsonError, ValidationError, KeyError, TypeError, AttributeError):
            return self._records(kind, data)
        left = {limit: self._marks_left(marks, limits[limit]) for limit, marks in read.items() if limit in limits}
        return data if all(left[one] == limits[one] for one in left) else encode(left)

    def _marks_left(self, read: Mapping[str, Marked], plain: Mapping[str, Any]) -> dict[str, Any]:
        gone = self._traces.ids
        left = {}
        for one, mark in read.items():
            rests = [message for message in mark.messages if message not in gone]
            if one not in gone and (rests or not mark.messages) and not self._traces.is_named(mark.place):
                left[one] = {**plain[one], "messages": rests} if rests != mark.messages else plain[one]
        return left

    def _marks(self, kind: FileKind, data: bytes) -> bytes | None:
        """A mark for each message that was changed: what begins with the message's own digest."""
        del kind
        keys = {digest(one)[:16].encode() for one in self._traces.messages}
        return b"".join(line for line in data.splitlines(keepends=True) if line.split(b" ", 1)[0] not in keys)


_FACTS: Final = kind_of("memory/entity_facts_archived_001.json")


def _inner(record: dict[str, Any]) -> dict[str, Any]:
    value = record.get("value")
    return value if isinstance(value, dict) else {}


def _ids(record: dict[str, Any]) -> set[str]:
    """Return what a record is called; in a card it may be anything."""
    return {one for key in ("id", "message_id", "uuid") if isinstance(one := record.get(key), str)}


def _texts(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401  # JSON is whatever is in the file
    """Yield what a record says itself, and records in it (from depth 1) and in its lists (2); other parts of lists not."""
    is_many = not depth and any(isinstance(one, dict | list) for one in value.values())
    for key, one in value.items():
        if isinstance(one, str) and not (is_many and key in _HEADS):
            yield one
        elif isinstance(one, dict) and depth:
            yield from _texts(one, depth)
        elif isinstance(one, list) and depth > 1:
            yield from (text for part in one if isinstance(part, dict) for text in _texts(part, depth))


def _evidence(record: dict[str, Any]) -> Iterator[str]:
    for key, one in (*record.items(), *_inner(record).items()):
        if isinstance(one, list) and (key.endswith("evidence") or key == "message_ids"):
            yield from (str(part) for part in one)


def _without(value: Any, ids: frozenset[str]) -> Any:  # noqa: ANN401  # the same
    if isinstance(value, list):
        return [_without(one, ids) for one in value if not (isinstance(one, str) and one in ids)]
    return {key: _without(one, ids) for key, one in value.items()} if isinstance(value, dict) else value


def _gist(record: dict[str, Any]) -> str:
    keys = ("text", "goal", "insight", "topic", "user_text_snippet", "query", "summary")
    return next((str(record[key]) for key in keys if record.get(key)), "")
