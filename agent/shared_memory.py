"""What personas share of the user: taken from those whom the user lets share it, and given to them.

The rule of presence is strict. A thread is for those who were there for all of it. What another persona knows of the user is
given only where the user lets that persona share, too, and is a fact of the user or what they like, nothing that was said.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from agent.user_chunks import known_to, names_under
from managers.growth.kpi import WEIGHTS, Kpi
from managers.language.reading.introductions import name_noted
from managers.language.reading.slots import asked_slot
from managers.language.words import detect_language
from managers.memory.audience import AudienceReader, Given
from managers.memory.emotions import EmotionLog
from managers.memory.entities import is_safe
from managers.memory.log import ConversationLog
from managers.memory.log.reader import LogReader
from managers.memory.messages import is_unnamed
from managers.personas import Persona, PersonaStore
from managers.recall.hits import Hit, MemoryType
from managers.recall.index.chunking import Chunk as Passage
from managers.recall.shared_index import SharedIndex
from managers.sessions.long_term import Chunk, Held, Kind, LongTerm, Stamps, chunk_id
from managers.sessions.records import ThreadRecord
from managers.sessions.users import Users
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths
from managers.storage.settings import Settings, merged

MOST_HITS: Final = 3
SHARED: Final = "user:"
"""What the path of a hit begins with that is from here: then the key of the user, and the chunk's id."""
_NAMES_SAID_IN: Final = 40
_SETTLED: Final = timedelta(days=8)
"""A thread that ended longer ago reads as it was taken: after a week only its summary is left."""
_FILES: Final = ("persona.json", "core_memory.txt", "memory/audience.json", "entity_memory")
Threads = Callable[[datetime | None], Iterable[ThreadRecord]]
"""Returns the threads among several that ended, of talks that went on since a moment, or of all."""


def no_threads(_since: datetime | None) -> Iterable[ThreadRecord]:
    """Return none: nobody talks with several."""
    return ()


@dataclass
class SharedMemory:
    """The user's memory as one persona meets it.

    Attributes:
        paths: of the persona that asks.
        personas: who lives here.
        base: returns everybody's settings.
        users: tells who is there.
        log: the persona's own.
        threads: returns the threads among several that ended.
        only_look: nothing is written.
    """

    paths: PersonaPaths
    personas: PersonaStore
    base: Callable[[], Settings]
    users: Callable[[], Users]
    log: ConversationLog
    clock: Clock
    threads: Threads = no_threads
    only_look: bool = False
    _indexes: dict[str, SharedIndex] = field(default_factory=dict)
    _logs: dict[str, LogReader] = field(default_factory=dict)
    _gone: dict[str, tuple[object, frozenset[str]]] = field(default_factory=dict)
    _mine: tuple[Held | None, Mapping[str, Sequence[Chunk]]] = (None, {})
    _stores: dict[str, LongTerm] = field(default_factory=dict)

    def store(self, uid: str = "") -> LongTerm:
        """Return the long-term memory of a user, or of the one who is there now."""
        uid = uid or self.users().now
        if uid not in self._stores:
            self._stores[uid] = LongTerm(self.paths.home, uid, self.clock)
        return self._stores[uid]

    def hits(self, query: str, *, leaves: bool, shown: Collection[str] = ()) -> list[Hit]:
        """Return what fits a question of what this persona may be given; nothing where it does not share.

        Args:
            query: what is looked for.
            leaves: whether what is found leaves this computer.
            shown: texts that the mind has before its eyes already.
        """
        store = self.store()
        held = store.load()
        if not query.strip() or not self._is_as_taken(held.stamps, self.paths.name):
            return []
        by_text = self._for_me(held)
        if not by_text:
            return []
        found = [
            (hit, one)
            for hit in (*_asked_for(query, by_text), *self._index(store).search(query))
            for one in by_text.get(hit.text, ())
            if hit.text not in shown and not (leaves and one.is_here_only)
        ]
        standing = self._standing(one for _, one in found if one.kind == "thread")
        origins = {name for name in {one.origin for _, one in found} if self._is_as_taken(held.stamps, name)}
        told = dict[str, Hit]()
        for hit, one in found:
            if standing.issuperset(one.evidence) if one.kind == "thread" else one.origin in origins:
                told.setdefault(hit.text, _as_hit(hit, one, store.uid))
        return list(told.values())[:MOST_HITS]

    def _for_me(self, held: Held) -> Mapping[str, Sequence[Chunk]]:
        """Return what this persona may be given at all, by its words."""
        if self._mine[0] is not held:
            mine = defaultdict[str, list[Chunk]](list)
            for one in held.in_use:
                if one.is_for(self.paths.name):
                    mine[one.text].append(one)
            self._mine = held, dict(mine)
        return self._mine[1]

    def _standing(self, threads: Iterable[Chunk]) -> set[str]:
        """Return which of the messages that some threads rest on this persona heard, and stand still."""
        wanted = {one for thread in threads for one in thread.evidence}
        return self.log.known(wanted) - self._gone_from(self.log) if wanted else set()

    def again(self, path: str) -> Chunk | None:
        """Return what a hit from here stands for, as it is now; None if it is gone, or not for this persona."""
        uid, _, wanted = path.removeprefix(SHARED).partition("/")
        if uid != self.store().uid:
            return None
        return next(
            (one for one in self.store().load().chunks if one.id == wanted and one.is_for(self.paths.name)), None
        )

    def is_stale(self) -> bool:
        """Tell whether some persona's files read otherwise than when they were taken; a look at each file."""
        stamps = self.store().load().stamps
        if not self._takes_part():
            return False
        return {persona.name for persona in self._sharing()} != stamps.keys() or not all(
            self._is_as_taken(stamps, name) for name in stamps
        )

    def keep_up(self) -> None:
        """Take anew what has changed; a look at each file where nothing has."""
        if self.is_stale():
            self.renew()

    def renew(self) -> None:
        """Take anew what all know who share; where nobody does, nothing is held.

        Raises:
            DiskFullError, UnwritableError, BusyError, DerivedDamagedError: until then nothing that changed is given.
        """
        if not self._takes_part():
            return  # nothing of another persona is opened for its sake
        users, store, sharing = self.users(), self.store(), self._sharing()
        if self.only_look or (not sharing and look(store.path) is None):
            return
        stamps, chunks = dict[str, dict[str, str]](), list[Chunk]()
        for persona in sharing:
            names = self._names(persona)
            cards = (f"entity_memory/{name}.md" for name in names_under(names, persona) if is_safe(name))
            files = ("", *_FILES, *cards)
            stamps[persona.name] = {file: _identity(persona.paths, file) for file in files}  # before: see `is_stale`
            chunks += known_to(persona, names, users, store.uid, self.clock)
        chunks += self._threads_of(users, store) if sharing else ()
        store.renew(chunks, stamps)
        self._index(store).follow({one.id: _passage(one) for one in store.load().in_use})

    @property
    def nearest(self) -> float:
        """How close a memory must be that a message does not ask for."""
        return self.base().recall.knowledge_threshold

    def close(self) -> None:
        for index in self._indexes.values():
            index.close()

    def _names(self, persona: Persona) -> list[str]:
        """Return the names under which a persona may have what it knows of the user; the last is for no name."""
        said = self._log_of(persona.paths).tail(_NAMES_SAID_IN, roles={"user"})
        noted = name_noted((read_bytes(persona.paths.core_memory) or b"").decode("utf-8", "replace"), persona.name)
        names = [persona.user_name, self.base().user.name, noted, *(message.speaker for message in said)]
        return [*dict.fromkeys(name for name in names if name and not is_unnamed(name)), ""]

    def _is_as_taken(self, stamps: Stamps, name: str) -> bool:
        paths = self.paths.home.persona(name)
        return name in stamps and all(_identity(paths, file) == known for file, known in stamps[name].items())

    def _index(self, store: LongTerm) -> SharedIndex:
        if store.uid not in self._indexes:
            self._indexes[store.uid] = SharedIndex(store.path, self.base().recall, self.clock, self.log)
        return self._indexes[store.uid]

    def _takes_part(self) -> bool:
        """Tell whether this persona shares, or did when all was taken last."""
        own = merged(self.base(), self.personas.get(self.paths.name).settings)[0]
        return own.memory.shared or self.paths.name in self.store().load().stamps

    def _sharing(self) -> list[Persona]:
        """Return the personas whom the user lets share."""
        base, found = self.base(), list[Persona]()
        for name in self.personas.list_names():
            with suppress(UtataneError):  # one that cannot be opened shares nothing
                persona = self.personas.get(name)
                if merged(base, persona.settings)[0].memory.shared:
                    found.append(persona)
        return found

    def _threads_of(self, users: Users, store: LongTerm) -> Iterator[Chunk]:
        """Yield the threads that ended, each with all of its messages still standing with all who heard it."""
        found = {(one.origin, one.thread_id): one for one in store.load().chunks if one.kind == "thread"}
        newest = max((one.time for one in found.values() if one.time), default=None)
        for record in self.threads(newest and newest - _SETTLED):
            key = record.session_id, record.thread_id
            if record.summary and users.around(record.ts_start) | users.around(record.ts_end) == {store.uid}:
                known = found.get(key)
                if known is None or (known.text, known.evidence) != (record.summary, record.message_ids):
                    found[key] = self._of_thread(record)
            else:
                found.pop(key, None)  # it is being made anew
        for one in found.values():
            there = [paths for name in one.present if (paths := self.paths.home.persona(name)).log.exists()]
            given = [_given(one, paths) for paths in there]
            if there and all(self._stands(one, paths) for paths in there) and not any(to.is_own for to in given):
                yield one.model_copy(update={"is_here_only": any(to.is_here for to in given)})

    def _log_of(self, paths: PersonaPaths) -> LogReader:
        if paths == self.paths:
            return self.log
        if paths.name not in self._logs:
            self._logs[paths.name] = LogReader(paths, self.clock)
        return self._logs[paths.name]

    def _gone_from(self, log: LogReader) -> frozenset[str]:
        """Return the messages that were taken back, or stand aside."""
        corrections = log.corrections()
        known = self._gone.get(log.paths.name)
        if known is None or known[0] is not corrections:
            known = corrections, frozenset(one for one, text in corrections.items() if text is None)
            self._gone[log.paths.name] = known
        return known[1]

    def _stands(self, chunk: Chunk, paths: PersonaPaths) -> bool:
        """Tell whether a persona's log has all messages that a thread rests on, none of them taken back."""
        log = self._log_of(paths)
        wanted = set(chunk.evidence)
        return log.known(wanted) == wanted and wanted.isdisjoint(self._gone_from(log))

    def _of_thread(self, record: ThreadRecord) -> Chunk:
        ids = set(record.message_ids)
        asked = sum(turn.speaker == "user" for turn in record.turns)
        glad = 0
        if record.present:
            log = EmotionLog(self.paths.home.persona(record.present[0]), self.clock)
            felt = log.entries(record.ts_start, record.ts_end + timedelta(seconds=1))
            glad = sum(one.value > 0 and one.message_id in ids for one in felt)
        kpi = Kpi(turns=asked, positive=glad, threads=1)
        tags = [f"{name}:{getattr(kpi, name)}" for name in WEIGHTS if getattr(kpi, name)]
        return Chunk(
            id=chunk_id("thread", record.session_id, str(record.thread_id), record.summary),
            kind="thread",
            text=record.summary,
            origin=record.session_id,
            thread_id=record.thread_id,
            time=record.ts_end,
            tags=[*tags, *([f"domain:{record.domain}"] if record.domain else [])],
            kpi=kpi.total,
            evidence=record.message_ids,
            present=record.present,
        )


def _asked_for(query: str, by_text: Mapping[str, Sequence[Chunk]]) -> list[Hit]:
    """Return the facts that a question asks for by what it is about: "Where do I live?" shares no word with them."""
    slot = asked_slot(query, detect_language(query))
    texts = [text for text, chunks in by_text.items() if slot and f"slot:{slot}" in chunks[0].tags]
    return [Hit(text, "entity_memory", "summary", "", (), 0.0) for text in texts]


def _as_hit(hit: Hit, chunk: Chunk, uid: str) -> Hit:
    return replace(hit, path=f"{SHARED}{uid}/{chunk.id}", message_ids=tuple(chunk.evidence), shared_by=whose(chunk))


def whose(chunk: Chunk) -> str:
    """Return whose a chunk is: the persona that knows it, or all who were there."""
    return ", ".join(chunk.present) if chunk.kind == "thread" else chunk.origin


def _identity(paths: PersonaPaths, file: str) -> str:
    looked = [look(paths.folder / file)] if file else map(look, (paths.home.settings, paths.home.kept))
    return " ".join(f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}" if found else "" for found in looked).strip()


def _given(chunk: Chunk, paths: PersonaPaths) -> Given:
    """Return for whom a thread is with somebody who heard it; if nobody can tell, for them alone."""
    try:
        return AudienceReader(paths).given(chunk.evidence, chunk.id)
    except UtataneError:
        return Given(is_here=True, is_own=True)


def _passage(chunk: Chunk) -> Passage:
    kinds: Mapping[Kind, MemoryType] = {"thread": "episodic_memory", "kpi": "note"}
    return Passage(
        chunk.text, kinds.get(chunk.kind, "entity_memory"), chunk.id, tuple(chunk.evidence) or (chunk.id,), chunk.time
    )
