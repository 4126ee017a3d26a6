"""Three versions of a JSON file made one: record by record, and in a record field by field.

`base` is what an entry left, `ours` what lies there now, `theirs` what was there before the entry. What
differs between `base` and `theirs` is taken back, what differs between `base` and `ours` stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

from managers.storage.files import dump_json
from managers.storage.history.merge_sequences import merge_sequences
from managers.storage.json_text import load_json

LATEST_COUNTS = frozenset(
    ["updated_at", "asked", "last_dream", "last_reflection_level"] + [f"last_level{level}_date" for level in (1, 2, 3)]
)
"""Fields that say when something last happened: what came later stays, and is in nobody's way."""
TOGETHER = (
    frozenset(["summary", "key_events", "key_event_evidence", "key_event_standings"]).union(
        ["emotional_tone", "covered_messages", "written"]
    ),
    frozenset(["confidence", "last_accessed", "moves", "generation", "splits"]),
    frozenset(["status", "reason", "answer", "answer_evidence", "closed_at"]),
)
"""Fields that mean something together only (a day's text; how a memory stands; how a question or goal ended): all are taken back or none."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""There is no such value."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A record or value that both sides changed; `name` is a record's id, or the way to a value."""

    name: str
    ours: Any
    theirs: Any


class _Three(NamedTuple):
    """The three versions of one value."""

    base: Any
    ours: Any
    theirs: Any

    @property
    def there(self) -> list[Any]:
        return [value for value in self if value is not MISSING]

    def at(self, key: str) -> _Three:
        """Return the versions of a field; those that are missing have none."""
        return _Three(*(MISSING if side is MISSING else side.get(key, MISSING) for side in self))

    @property
    def keys(self) -> list[str]:
        """All keys, in our order."""
        ours, theirs = (() if side is MISSING else tuple(side) for side in (self.ours, self.theirs))
        return _in_order(ours, theirs)

    @property
    def is_disputed(self) -> bool:
        """Whether both sides changed it, each in its own way."""
        return not (_same(self.base, self.ours) or _same(self.base, self.theirs) or _same(self.ours, self.theirs))


@dataclass
class _Merge:
    clashes: list[Clash] = field(default_factory=list)

    def value(self, three: _Three, way: tuple[str, ...] = ()) -> Any:  # noqa: ANN401  # JSON
        if not three.is_disputed:
            return three.theirs if _same(three.ours, three.base) else three.ours
        if way and way[-1] in LATEST_COUNTS:
            return three.ours
        if all(isinstance(value, dict) for value in three.there):
            merge = self._record if any(map(is_record, three.there)) else self._fields
            return merge(three, way)
        if all(isinstance(value, list) for value in three.there):
            return self._list(three, way)
        return self._clash("/".join(way), three.ours, three.theirs)

    def _clash(self, name: str, ours: Any, theirs: Any) -> Any:  # noqa: ANN401  # JSON
        self.clashes.append(Clash(name, ours, theirs))
        return ours

    def _record(self, three: _Three, way: tuple[str, ...]) -> Any:  # noqa: ANN401  # JSON
        """Merge the fields of a record; if one cannot be, the whole record stays as it is now."""
        base, ours, theirs = three
        if ours is MISSING:
            return MISSING  # gone since: nothing of the entry is left to take back
        name = str(ours.get("id", "")) or "/".join(way)
        if base is MISSING or theirs is MISSING:
            return self._clash(name, ours, theirs)
        inner = _Merge()
        merged = inner._fields(three, way)
        torn = _torn(three)
        if not inner.clashes and not torn:
            return merged
        wanted = {}
        for key in three.keys:
            one = three.at(key)
            is_theirs = (one.is_disputed and key not in LATEST_COUNTS) or key in torn
            wanted[key] = one.theirs if is_theirs else merged.get(key, MISSING)
        wanted = {key: value for key, value in wanted.items() if value is not MISSING}
        return self._clash(name, ours, wanted)

    def _fields(self, three: _Three, way: tuple[str, ...]) -> Any:  # noqa: ANN401  # JSON
        found = {key: self.value(three.at(key), (*way, key)) for key in three.keys}
        merged = {key: value for key, value in found.items() if value is not MISSING}
        return MISSING if not merged and three.theirs is MISSING else merged

    def _list(self, three: _Three, way: tuple[str, ...]) -> Any:  # noqa: ANN401  # JSON
        sides = [[] if side is MISSING else side for side in three]
        keyed = [_keyed(side) for side in sides]
        merged: list[Any] | None = None
        if all(one is not None for one in keyed):
            found = self._fields(_Three(*keyed), way)
            merged = list(found.values())
        elif not any(isinstance(item, dict | list) for side in sides for item in side):
            sequence, regions = merge_sequences(*sides)
            merged = None if regions else sequence
        if merged is None:
            return self._clash("/".join(way), three.ours, three.theirs)
        return MISSING if not merged and three.theirs is MISSING else merged


def _torn(three: _Three) -> set[str]:
    """Return the fields that belong together and of which both sides changed some, each in its own way."""
    return {key for group in TOGETHER if _Three(*(_only(side, group) for side in three)).is_disputed for key in group}


def _only(side: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: side[key] for key in keys if key in side}


def merge_values(base: Any, ours: Any, theirs: Any) -> tuple[Any, list[Clash]]:  # noqa: ANN401  # JSON
    """Return the merged value (ours where both sides changed the same), and what both changed.

    Any of the three may be `MISSING`, and so may the result.
    """
    merge = _Merge()
    return merge.value(_Three(base, ours, theirs)), merge.clashes


def is_record(value: object) -> bool:
    """Tell whether a value is a record: something with an id of its own."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and bool(value["id"])


def records_of(value: object) -> dict[str, Any]:
    """Return the records of a JSON value by their ids: itself, or those in its lists."""
    if is_record(value):
        assert isinstance(value, dict)  # a record is one
        return {value["id"]: value}
    lists = value.values() if isinstance(value, dict) else [value]
    return {item["id"]: item for held in lists if isinstance(held, list) for item in held if is_record(item)}


def with_record(value: Any, record_id: str, other: Any) -> Any:  # noqa: ANN401  # JSON
    """Return a JSON value in which one record is as it is in another version of it, and all else as it was."""
    if is_record(value) or is_record(other) or value is MISSING:
        return other if records_of(value).keys() | records_of(other).keys() == {record_id} else value
    if isinstance(value, dict):
        held = other if isinstance(other, dict) else {}
        new = [key for key, items in held.items() if key not in value and record_id in records_of(items)]
        found = {key: with_record(value.get(key, []), record_id, held.get(key, [])) for key in (*value, *new)}
        return {key: found[key] for key in _in_order(list(value), [key for key in held if key in found])}
    if not isinstance(value, list):
        return value
    name, others = f"#{record_id}", other if isinstance(other, list) else []
    wanted = records_of(others).get(record_id, MISSING)
    order = _in_order([_key(item) for item in value], [_key(item) for item in others]) if wanted is not MISSING else []
    behind = next((key for key, following in pairwise(["", *order]) if following == name), None)
    kept = [item for item in value if _key(item) != name]
    at = next((n + 1 for n, item in enumerate(kept) if _key(item) == behind), 0)
    return kept if behind is None else [*kept[:at], wanted, *kept[at:]]


def dumped(value: object) -> bytes | None:
    """Return a value as a file holds it; None for `MISSING`: there is no file then."""
    return None if value is MISSING else dump_json(value).encode()


def parse(data: bytes | None) -> Any:  # noqa: ANN401  # JSON
    """Return a file's value, `MISSING` where there is no file.

    Raises:
        ValueError: it is no JSON.
    """
    return MISSING if data is None else load_json(data)


def _same(one: object, other: object) -> bool:
    return one is other or (type(one) is type(other) and one == other)


def _key(item: object) -> str:
    if is_record(item):
        assert isinstance(item, dict)  # a record is one
        return f"#{item['id']}"
    return json.dumps(item, ensure_ascii=False, sort_keys=True)


def _keyed(items: Sequence[Any]) -> dict[str, Any] | None:
    """Return the items by what names them; None where one of them stands there twice, or they are lists."""
    if any(isinstance(item, list) for item in items):
        return None
    found = {_key(item): item for item in items}
    return found if len(found) == len(items) else None


def _in_order(ours: Sequence[str], theirs: Iterable[str]) -> list[str]:
    """Return all keys in our order, each of theirs alone behind the one that it follows there."""
    after: dict[str, list[str]] = {}
    before = ""
    mine = set(ours)
    for key in theirs:
        if key in mine:
            before = key
        else:
            after.setdefault(before, []).append(key)
    return [*after.get("", []), *(one for key in ours for one in (key, *after.get(key, [])))]
