"""What the files of a log tell together: what counts, what stands aside, and how each message reads now.

A message may be there twice when an older `log.txt` or archive was put back, or two files were joined. The
last place of a message counts, for the newest is read first; of a change to a message the first one does,
for only there is it in the order of what was changed since. What another program wrote in Shift_JIS, say, is
read when somebody has had it converted: until then nobody dreams of garbled words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from managers.memory.log.branches import Tree, joined, place_of, read_tree, stretches_aside
from managers.memory.log.contents import Change, FileIndex, Span, is_within, span_at
from managers.memory.log.format import id_of_words, is_of_words

PassedOver = Mapping[Path, frozenset[int]]
"""By file, where records begin that do not count there."""


def find_passed_over(files: Sequence[tuple[Path, FileIndex]]) -> PassedOver:
    """Return which records of a log's files, given oldest first, do not count.

    A message has the same day wherever it stands: files that share none need not be compared.
    """
    found = {path: {*index.repeated, *index.foreign} for path, index in files}
    days: set[int] = set()
    later: list[FileIndex] = []
    for path, index in reversed(files):
        own = index.day_set()
        if shared := own & days:
            held = {one for other in later if other.day_set() & shared for one in other.ids_of_days(shared)}
            found[path] |= {offset for one, offset in index.ids_of_days(shared).items() if one in held}
        days |= own
        later.append(index)
    told: set[str] = set()
    for path, index in files:
        for change in index.changes:
            if change.id in told:
                found[path].add(change.offset)
            told.add(change.id)
    return {path: frozenset(offsets) for path, offsets in found.items() if offsets}


def told_changes(files: Sequence[FileIndex]) -> list[Change]:
    """Return the changes of a log's files, oldest first, each once."""
    found: dict[str, Change] = {}
    for index in files:
        for change in index.changes:
            found.setdefault(change.id, change)
    return list(found.values())


class Whole:
    """A log's files at one moment, oldest first. What is asked for is worked out once."""

    def __init__(self, files: Sequence[tuple[Path, FileIndex]], before: Whole | None = None) -> None:
        """Take the files, and what was worked out before a file grew: the others are as they were."""
        self.files = dict(files)
        self.indexes = list(self.files.values())
        self.told: dict[Path, _Told] = before.told if before else {}

    @cached_property
    def tree(self) -> Tree:
        """How the conversation's branches part."""
        return read_tree(self.indexes)

    @cached_property
    def stretches(self) -> list[list[tuple[Span, str]]]:
        """Of each file, what stands aside, and on which branch."""
        return stretches_aside(self.tree, self.indexes)

    @cached_property
    def aside(self) -> Mapping[Path, Sequence[Span]]:
        """By file, between which offsets messages stand aside; files without any are left out."""
        found = zip(self.files, self.stretches, strict=True)
        return {path: joined(stretches) for path, stretches in found if stretches}

    @cached_property
    def twice(self) -> PassedOver:
        """By file, which records count elsewhere, or in no place because nobody can read them."""
        return find_passed_over([*self.files.items()])

    @cached_property
    def passed_over(self) -> PassedOver:
        """By file, which records do not count: those, and what stands aside."""
        found = dict(self.twice)
        for path, index in self.files.items():
            if spans := self.aside.get(path):
                found[path] = found.get(path, frozenset()) | index.offsets_within(spans)
        return found

    @cached_property
    def set_aside(self) -> frozenset[str]:
        told = {path: self._set_aside(path, spans) for path, spans in self.aside.items()}
        self.told = told
        return frozenset[str]().union(*(one.ids for one in told.values()))

    @cached_property
    def changes(self) -> Mapping[str, Change]:
        """The last word on each message that was changed; what names words alone goes for every message of those words."""
        found = {change.target: change for change in told_changes(self.indexes)}
        if any(map(is_of_words, found)):
            for one in (one for index in self.indexes for one in index.all_ids()):
                if (words := id_of_words(one)) in found:
                    found.setdefault(one, found[words])
        return found

    @cached_property
    def corrections(self) -> Mapping[str, str | None]:
        """What each message says that was changed; None, where it was deleted or stands aside."""
        return {one: change.text for one, change in self.changes.items()} | dict.fromkeys(self.set_aside)

    def said_aside(self) -> dict[str, list[str]]:
        """Return the ids of what the user and the persona said that stands aside, by branch, oldest first."""
        found: dict[str, list[str]] = {}
        for (path, index), stretches in zip(self.files.items(), self.stretches, strict=True):
            branches, spans = dict(stretches), [span for span, _ in stretches]
            passed_over = {*index.announcements, *self.twice.get(path, ())} if spans else ()
            for offset, one in index.within(spans):
                span = span_at(spans, offset)
                if span and offset not in passed_over and not self.is_deleted(one):
                    found.setdefault(branches[span], []).append(one)
        return found

    def is_deleted(self, message_id: str) -> bool:
        """Whether the last word on a message is that it is gone."""
        return message_id in self.changes and self.changes[message_id].text is None

    def stands_aside(self, message_id: str) -> bool:
        place = place_of(self.indexes, message_id) if self.aside else None
        if place is None:
            return False
        path = [*self.files][place[0]]
        return is_within(self.aside.get(path, ()), place[1])

    def _set_aside(self, path: Path, spans: Sequence[Span]) -> _Told:
        index, twice = self.files[path], self.twice.get(path, frozenset())
        told = self.told.get(path)
        if told is not None and told.of is index and (told.spans, told.twice) == (spans, twice):
            return told
        ids = frozenset(one for offset, one in index.within(spans) if offset not in twice)
        return _Told(index, spans, twice, ids)


class _Told(NamedTuple):
    """The ids of what stands aside in a file, and what they were found by."""

    of: FileIndex
    spans: Sequence[Span]
    twice: frozenset[int]
    ids: frozenset[str]
