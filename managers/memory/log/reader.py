"""A persona's conversation as it reads now: the newest, some days, one thread; edits and deletions applied."""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Final

from managers.memory.errors import MessageNotFoundError
from managers.memory.log.alternatives import Alternatives, alternatives_of, applied
from managers.memory.log.backwards import Walk
from managers.memory.log.branches import FIRST, Branch, parting, place_of
from managers.memory.log.contents import FileIndex, by_trailer, is_within
from managers.memory.log.file_pieces import read_backward, read_forward
from managers.memory.log.format import Record, id_of_words
from managers.memory.log.log_files import Part, Snapshot, archive_parts, archives_of, first_record, snapshot
from managers.memory.log.log_index import IndexCache, identity
from managers.memory.log.whole import PassedOver, Whole, told_changes
from managers.memory.messages import UNKNOWN, Message, Role
from managers.storage.clock import Clock
from managers.storage.encodings import NAMES
from managers.storage.errors import Notice, UnreadableError, as_notice
from managers.storage.files import open_binary
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts

ROLES: Final[frozenset[Role]] = frozenset({"user", "persona", "other", "system"})
_ONE: Final = 4096
_MANY: Final = 50
_say = Texts("notices/log")
_HEAD: Final = 256
"""So many bytes of `log.txt` tell whether it still begins as it did."""


class LogReader:
    """One persona's log, archives included, for whoever reads it; needs no lock.

    Attributes:
        notices: what a person should know: a torn end that was set aside, a damaged place.
    """

    def __init__(self, paths: PersonaPaths, clock: Clock, *, keeps_indexes: bool = True) -> None:
        """Remember where the log is; with `keeps_indexes` nobody need read its archives again."""
        self.paths = paths
        self.notices: list[Notice] = []
        self._clock = clock
        self._archives = archives_of(paths)
        self._cache = IndexCache(keeps=keeps_indexes)
        self._known: tuple[object, Whole] | None = None
        self._order: tuple[object, bool] = ((), True)
        self._gaps: dict[Path, Notice] = {}
        self._marks: dict[str, tuple[str, ...]] = {}

    def tail(
        self,
        count: int,
        before: str | None = None,
        *,
        roles: Collection[Role] = ROLES,
        controls: bool = False,
        stop_at_topic: bool = False,
    ) -> list[Message]:
        """Return the newest messages, oldest first, as they read now.

        Args:
            count: at most so many.
            before: only what came before the message of this id.
            roles: only those who speak in these roles.
            controls: also the records that begin topics, each in its place (their `speaker` is `new_topic`).
            stop_at_topic: only what came since the last new topic.

        Raises:
            MessageNotFoundError: no message has the id `before`.
        """
        found: list[Message] = []
        seen: set[str] = set()
        with snapshot(self.paths) as now:
            begin = place_of(self._whole_of(now).indexes, before) if before is not None else None
            if before is not None and begin is None:
                raise MessageNotFoundError(message_id=before)
            # Changes may stand where reading backwards does not come by.
            knows = begin is not None or not self._is_orderly(now)
            walk = Walk(now, partial(self._whole_of, now), begin=begin, knows=knows, note_gap=self._note_gap)
            for record in walk:
                message = record.message
                if message.id in seen:
                    continue
                if len(found) >= count or (stop_at_topic and record.is_topic):
                    break
                seen.add(message.id)
                self._tell_of(record)
                if record.is_control:
                    shown = message if controls and record.is_topic else None
                else:
                    shown = applied(message, walk.word_on(message.id)) if message.role in roles else None
                if shown is not None:
                    found.append(shown)
        found.reverse()
        return found

    def thread(self, count: int, before: str | None = None) -> list[Message]:
        """Return the newest messages since the last new topic (before a message: the one before that), oldest first."""
        return self.tail(count, before, stop_at_topic=True)

    def get(self, message_id: str) -> Message | None:
        """Return a message as it reads now; None if there is none, or it was deleted or stands aside."""
        original, whole = self._original(message_id), self._whole()
        if original is None or whole.stands_aside(message_id):
            return None
        return applied(original, whole.changes.get(original.id))

    def alternatives(self, message_id: str) -> Alternatives:
        """Return what was said in the place of a message: all answers that were given there.

        Raises:
            MessageNotFoundError: there is none, or it was deleted or stands aside.
        """
        original = self._original(message_id) if self.get(message_id) else None
        if original is None:
            raise MessageNotFoundError(message_id=message_id)
        return self._alternatives(original)

    def current_branch(self) -> str:
        """Return the branch that the conversation is on, as `Message.branch` names it."""
        if self.paths.log.exists():
            with open_binary(self.paths.log) as file:  # mostly its last record tells
                for record in read_backward(file, os.fstat(file.fileno()).st_size, block=_ONE):
                    if record.is_placed:
                        return record.leads_to
        with snapshot(self.paths) as now:
            return next((record.leads_to for record in self._backward(now) if record.is_placed), "")

    def branches(self) -> list[Branch]:
        """Return what stands aside, what was set aside last first."""
        whole = self._whole()
        ends = {branch: (ids[0], ids[-1], len(ids)) for branch, ids in whole.said_aside().items()}
        read = self.originals({one for first, last, _ in ends.values() for one in (first, last)})
        words = {one: applied(message, whole.changes.get(one)) or message for one, message in read.items()}
        left = {branch: datetime.fromisoformat(time) for branch, time in whole.tree.left.items()}
        found = [
            Branch(
                id=branch or FIRST,
                set_aside=left.get(branch) or words[last].time,
                first=words[first].text,
                last=words[last].text,
                count=count,
                after=parting(whole.tree, whole.indexes, branch),
            )
            for branch, (first, last, count) in ends.items()
        ]
        return sorted(found, key=lambda one: one.set_aside, reverse=True)

    def originals(self, ids: Collection[str]) -> dict[str, Message]:
        """Return those of some messages that are in the log, as they were first written, deleted or not."""
        found: dict[str, Message] = {}
        missing = by_trailer(ids)
        with snapshot(self.paths) as now:
            for part in reversed(now.parts):
                index = self._index(now, part)
                wanted = sorted((index.offsets[number], key) for number, key in index.positions(missing))
                if wanted:
                    with now.open(part) as (file, end):
                        found.update(_read_at(file, wanted, end))
                    missing = {trailer: one for trailer, one in missing.items() if one not in found}
                if not missing:
                    break
        return found

    def messages(self, since: date | None = None, until: date | None = None) -> Iterator[Message]:
        """Yield all messages of some days (both inclusive) as they read now, in the log's order."""
        with snapshot(self.paths) as now:
            whole = self._whole_of(now)
            for part in now.parts:
                span = whole.files[part.path].bytes_of(since, until)
                if span is None:
                    continue
                twice, aside = whole.twice.get(part.path, ()), whole.aside.get(part.path, ())
                with now.open(part) as (file, end):
                    for record in read_forward(file, span[0], end if span[1] is None else span[1]):
                        if record.at in twice or is_within(aside, record.at):
                            continue
                        self._tell_of(record)
                        if record.is_control or not _within(record.message.time.date(), since, until):
                            continue
                        message = applied(record.message, whole.changes.get(record.message.id))
                        if message is not None:
                            yield message

    def is_new(self) -> bool:
        """Whether nothing was ever said, not even what was deleted since or stands aside."""
        return not self.tail(1) and not self.spoken_days()

    def days(self) -> list[date]:
        """Return the days on which something was said, in order."""
        deleted = by_trailer(self.deleted())
        days = frozenset[int]().union(*(index.days_without(deleted, over) for index, over in self._counted()))
        return [date.fromordinal(day) for day in sorted(days)]

    def count(self) -> int:
        """Return how many messages there are, deleted ones and those that stand aside left out."""
        deleted = by_trailer(self.deleted())
        return sum(index.count_without(deleted, over) for index, over in self._counted())

    def _counted(self) -> Iterator[tuple[FileIndex, Collection[int]]]:
        """Yield what the files hold, each with the places of records that do not count there."""
        whole = self._whole()
        return ((index, whole.passed_over.get(path, frozenset())) for path, index in whole.files.items())

    def corrections(self) -> Mapping[str, str | None]:
        """Return every message's id that reads otherwise than it was written, with its text.

        None: it was deleted, or stands aside.
        """
        return self._whole().corrections

    def deleted(self) -> set[str]:
        """Return the ids of the messages that were deleted; those that only stand aside are none of them."""
        return {one for one, change in self._whole().changes.items() if change.text is None}

    def set_aside(self) -> frozenset[str]:
        """Return the ids of the messages that stand aside while the conversation goes on on another branch."""
        return self._whole().set_aside

    def changes(self, kind: str, look_at: int) -> Iterator[tuple[Message, str]]:
        """Yield the records of one kind of change and the message that each is about, newest first."""
        seen: set[str] = set()
        with snapshot(self.paths) as now:
            for record in islice(self._backward(now), look_at):
                if record.target and record.message.speaker == kind and record.message.id not in seen:
                    seen.add(record.message.id)
                    yield record.message, record.target

    def readings(self, ids: Collection[str]) -> dict[str, str]:
        """Return those of some messages that were ever given a new text, with the last one, deleted since or not."""
        return {
            change.target: change.text
            for change in told_changes(self._whole().indexes)
            if change.text is not None and change.target in ids
        }

    def revision(self) -> str:
        """Return a token that changes whenever the log does, whoever changes it."""
        files = [identity(self.paths.log), *(part.identity for part in archive_parts(self.paths))]
        return hashlib.sha256(repr(files).encode()).hexdigest()[:16]

    def check(self) -> list[Notice]:
        """Read everything and name the files in which something is damaged (nothing is changed)."""
        with snapshot(self.paths) as now:
            found = [(part.path.name, self._index(now, part).damages) for part in now.parts]
        damaged = [(name, told, told[0]) for name, told in found if told]
        return [
            _say.notice("log-damaged", name=name, count=len(told), offset=first.offset, id=first.message_id)
            for name, told, first in damaged
        ]

    def foreign_files(self) -> list[tuple[Path, Notice]]:
        """Return the files that hold words in another encoding than UTF-8, each with what is to be said of it."""
        with snapshot(self.paths) as now:
            found = [(part.path, self._index(now, part)) for part in now.parts]
        return [(path, _of_other_encoding(path.name, index)) for path, index in found if index.encoding]

    def _backward(self, now: Snapshot) -> Iterator[Record]:
        """Yield all records, the newest first, whatever stands aside."""
        for part in reversed(now.parts):
            with now.open(part) as (file, end):
                yield from read_backward(file, end)

    def _note_gap(self, path: Path, error: UnreadableError | None) -> None:
        """Let it be known that an archive cannot be read, or (None) not any more."""
        before = self._gaps.pop(path, None)
        if before is not None and before in self.notices:
            self.notices.remove(before)
        if error is not None:
            self._gaps[path] = as_notice("log-unreadable", error)
            self.notices.append(self._gaps[path])

    def known(self, ids: Collection[str]) -> set[str]:
        """Return which of some messages are in the log, deleted or not."""
        wanted = by_trailer(ids)
        return {message_id for index in self._whole().indexes for _, message_id in index.positions(wanted)}

    def origins(self, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return those of some messages that hold foreign words, deleted or not, with whose; `UNKNOWN` for one that is nowhere."""
        whole = self._whole()
        found = {one.target: one.origins for one in told_changes(whole.indexes) if one.origins and one.target in ids}
        missing = {one for one in ids if one not in self._marks}
        wanted, marked = by_trailer(missing), set[str]()
        for index in whole.indexes if wanted else ():
            places = dict[str, int]()
            for number, one in index.positions(wanted):
                places[one] = index.offsets[number]
            missing -= places.keys()
            marked |= {one for one, offset in places.items() if index.is_marked(offset)}
        read = self.originals(marked)
        self._marks |= {one: read[one].foreign if one in read else (UNKNOWN,) for one in marked}
        self._marks |= dict.fromkeys(set(wanted.values()) - missing - marked, ())
        told = ((one, (*self._marks.get(one, (UNKNOWN,)), *found.get(one, ()))) for one in ids)
        return {one: origins for one, origins in told if origins}

    def ids(self) -> Iterator[str]:
        """Yield the ids of all messages, whether they stand in the conversation or not."""
        for index in self._whole().indexes:
            yield from index.all_ids()

    def spoken_days(self) -> frozenset[int]:
        """Return the days of which the log has a message, deleted or not, as ordinals (`date.toordinal`)."""
        return frozenset[int]().union(*(index.day_set() for index in self._whole().indexes))

    def is_all_utf_8(self) -> bool:
        """Whether no file holds words in another encoding, which nobody can count."""
        return not any(index.encoding for index in self._whole().indexes)

    def passed_over(self) -> PassedOver:
        """Return, by file, where records begin that do not count there: they stand elsewhere in the log too, or aside."""
        return self._whole().passed_over

    def _is_orderly(self, now: Snapshot) -> bool:
        """Whether what was written last is read last: no archive of the future, no old `log.txt` put back."""
        if not now.is_orderly(self._clock.now().date()):
            return False
        if now.log_file is None or len(now.parts) == 1:
            return True
        last = now.parts[-2]
        now.log_file.seek(0)
        key = last, now.log_file.read(_HEAD)
        if self._order[0] != key:
            first = first_record(now.log_file)
            try:
                with now.open(last) as (file, end):
                    newest = next(read_backward(file, end), None)
            except UnreadableError:
                return True  # nobody reads further back than `log.txt` then
            self._order = key, first is None or newest is None or newest.message.time < first.message.time
        return self._order[1]

    def _original(self, message_id: str) -> Message | None:
        """Return a message as it was first written, deleted or not."""
        return self.originals([message_id]).get(message_id)

    def _whole(self) -> Whole:
        """Return what the files tell together now."""
        with snapshot(self.paths) as now:
            return self._whole_of(now)

    def _whole_of(self, now: Snapshot) -> Whole:
        known = self._known
        if known is None or known[0] != now.parts:
            files = [(part.path, self._index(now, part)) for part in now.parts]
            known = self._known = now.parts, Whole(files, known[1] if known else None)
        return known[1]

    def _alternatives(self, original: Message) -> Alternatives:
        told = told_changes(self._whole().indexes)
        return alternatives_of(original, (one for one in told if one.target in {original.id, id_of_words(original.id)}))

    def _index(self, now: Snapshot, part: Part) -> FileIndex:
        with ExitStack() as stack:
            return self._cache.get(part.path, part.identity, part.limit, lambda: stack.enter_context(now.open(part))[0])

    def _tell_of(self, record: Record) -> None:
        """Note once that something of a message is lost (what people do by hand is no loss)."""
        if record.damage in {"bytes", "header"}:
            notice = _say.notice("log-damaged-message", time=record.message.time, id=record.message.id)
            if notice not in self.notices:
                self.notices.append(notice)


def _read_at(file: IO[bytes], wanted: Sequence[tuple[int, str]], end: int) -> Iterator[tuple[str, Message]]:
    """Yield the messages at some offsets, in order; many at once are read in one go."""
    if len(wanted) > _MANY:
        keys = {key for _, key in wanted}
        for record in read_forward(file, wanted[0][0], end):
            if record.at > wanted[-1][0]:
                return
            for key in {record.message.id, id_of_words(record.message.id)} & keys if not record.is_control else ():
                yield key, record.message
        return
    for offset, key in wanted:
        for record in islice(read_forward(file, offset, end, block=_ONE), 1):
            if key in {record.message.id, id_of_words(record.message.id)}:
                yield key, record.message


def _of_other_encoding(name: str, index: FileIndex) -> Notice:
    count, called = len(index.foreign), NAMES.get(index.encoding, index.encoding)
    what = _say.both("some-of-it" if count else "all-of-it", count=count)
    return _say.notice("log-other-encoding", name=name, called=called, what=what)


def _within(day: date, since: date | None, until: date | None) -> bool:
    return (since is None or since <= day) and (until is None or day <= until)
