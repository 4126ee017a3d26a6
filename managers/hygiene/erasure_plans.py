"""What an erasure is to look for: from what somebody asks to the messages, memories, names and words that go."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final

from managers.hygiene.archive import Archive
from managers.hygiene.erasure import Erasure, Plan, is_leftover
from managers.hygiene.errors import NameTooShortError, NothingToEraseError, SpeakersNameError
from managers.hygiene.file_kinds import kind_of
from managers.hygiene.inventory import memories
from managers.hygiene.traces import Traces, has_quotation
from managers.memory.entities import kanji_alone, name_key
from managers.memory.entity_store import EntityStore
from managers.memory.json_documents import USER
from managers.memory.log.log_erasing import names_any, said_in
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.memory.strategies import StrategyStore
from managers.memory.working_copy import Stores, WorkingCopy
from managers.storage.clock import Clock
from managers.storage.encodings import text_of
from managers.storage.files import files, read_bytes
from managers.storage.history import History
from managers.storage.history.entries import Entry
from managers.storage.history.history import OUTSIDE
from managers.storage.opening import is_file
from managers.storage.paths import PersonaPaths

_ALL: Final = 1_000_000_000
_NO_LINES: Final = frozenset({"", "-"})


@dataclass(frozen=True)
class Planner:
    """Finds out what goes.

    Attributes:
        speakers: what the persona and the person are called now; what they were called stands in the log.
    """

    paths: PersonaPaths
    clock: Clock
    log: LogReader
    history: History
    erasure: Erasure
    speakers: Collection[str] = ()

    def about(self, name: str) -> Plan:
        """Return a plan for everything about somebody or something, by a name or an alias.

        Raises:
            NameTooShortError, SpeakersNameError, NothingToEraseError
        """
        key = name_key(name)
        if not key or (len(key) == 1 and not kanji_alone(key)):
            raise NameTooShortError(name=name)
        named = self._named(name)
        worded, otherwise = set[str](), set[str]()
        for about, said in self._said:
            if names_any(replace(said, text=""), named.is_named) or any(map(named.is_in, self._sent_with(said))):
                otherwise.add(about)
            elif named.is_named(said.text):
                worded.add(about)
        now = self.log.corrections()
        kept = {one: text for one in worded - otherwise if (text := now.get(one)) and not named.is_named(text)}
        named = named.model_copy(update={"readings": kept})
        return self._checked(self._with_messages(named, self._with_answers((worded | otherwise) - kept.keys())), name)

    def _named(self, name: str) -> Traces:
        """Return a name with its aliases, if they are nobody's who talks here: with a speaker all that they said goes.

        Raises:
            SpeakersNameError: it is what a speaker is called, or a part of that.
        """
        speakers = {*self.speakers, *(said.speaker for _, said in self._said if said.role in {"user", "persona"})}
        card = EntityStore(self.paths, self.clock).find(name)
        # An alias of one letter would be found everywhere; the name itself was asked for.
        names = [one for one in (card.names if card else ()) if len(name_key(one)) > 1]
        for speaker in filter(Traces(names=(name,)).is_named, sorted(speakers)):
            raise SpeakersNameError(name=speaker)
        if any(map(Traces(names=tuple(names)).is_named, speakers)):
            return Traces(names=(name,))
        return Traces(names=tuple(dict.fromkeys((name, *names))))

    def one(self, wanted: str) -> Plan:
        """Return a plan for one message, or one memory, by its id.

        Raises:
            NothingToEraseError
        """
        if any(about == wanted for about, _ in self._said):
            return self._checked(self._with_messages(Traces(), self._with_answers({wanted})), wanted)
        words = tuple(dict.fromkeys(text for text in self._texts_of(wanted) if text))
        if not words:
            raise NothingToEraseError(what=wanted)
        ids, days = self._with_its_parts(wanted)
        return self._checked(Plan(Traces(memories=frozenset(ids), words=words), settled=days), wanted)

    def _checked(self, plan: Plan, wanted: str) -> Plan:
        found = self.erasure.look_through(plan)
        if all(map(is_leftover, found.taken)):
            raise NothingToEraseError(what=wanted)
        return found

    # Messages

    @cached_property
    def _said(self) -> Sequence[tuple[str, Message]]:
        """All that any log file holds, those of other names too, each with the message that it is about."""
        paths = (self.paths.log, *files(self.paths.log_archives, "*.txt"))
        return [(said.id, said.message) for path in paths for said in said_in(read_bytes(path) or b"")]

    def _sent_with(self, message: Message) -> Iterator[bytes]:
        for name in message.attachments:
            path = _attachment(self.paths, name)
            if path is not None and is_file(path):
                yield read_bytes(path) or b""

    def _with_answers(self, ids: Collection[str]) -> set[str]:
        """Return some messages with what followed each of the user's, up to the first reply: it says it all again."""
        found, is_followed = set(ids), False
        for about, said in self._said:
            if about != said.id:
                continue
            if said.role == "user":
                is_followed = about in ids
            elif is_followed:
                found.add(about)
                is_followed = said.role != "persona" or bool(said.present)
        return found

    def _with_messages(self, traces: Traces, ids: Collection[str]) -> Plan:
        """Return a plan for some messages and whatever quotes them: their words, their files, what was noted because of them."""
        ids = {*ids, *self._quoting(ids)}
        words, sent, kept = dict[str, None](), set[str](), set[str]()
        for about, said in self._said:
            names = {name for name in said.attachments if _attachment(self.paths, name) is not None}
            if about not in ids:
                kept |= names
                continue
            sent |= names
            if said.text and not traces.is_named(said.text):  # the others are found by the name
                words[said.text] = None
        lines = frozenset(self._noted_because_of(ids))
        told = {"messages": frozenset(ids), "words": tuple(words), "marked": frozenset(self.log.origins(ids))}
        found = Traces.model_validate({**traces.model_dump(), **told, "lines": lines})
        return Plan(self._sparing(found), attachments=frozenset(sent - kept))

    def _quoting(self, ids: Collection[str]) -> Collection[str]:
        """Return the messages of the persona that quote some messages, and no other."""
        words, quoting = list[str](), list[tuple[str, str]]()
        for about, said in self._said:
            if about in ids:
                words.append(said.text)
            elif said.role == "persona" and has_quotation(said.text):
                quoting.append((about, said.text))
        quoted = Traces(words=tuple(filter(None, words)))
        found = {about: text for about, text in quoting if quoted.is_excerpted(text)}
        if found:
            quoted = self._sparing(Traces(messages=frozenset({*ids, *found}), words=quoted.words))
        return {about for about, text in found.items() if quoted.is_excerpted(text)}

    def _sparing(self, traces: Traces) -> Traces:
        """Return traces that spare what messages that stay say, where that is what goes or holds it."""
        words, kept = set(traces.words), dict[str, None]()
        for about, said in self._said:
            is_same = about not in traces.messages and (said.text in words or traces.is_quoted(said.text))
            if is_same and not traces.is_named(said.text):
                kept[said.text] = None
        return Traces.model_validate({**traces.model_dump(), "kept": tuple(kept)})

    def _noted_because_of(self, ids: Collection[str]) -> Collection[str]:
        """Return the lines that the persona added to its notes and diaries because of some messages alone."""
        told = [one for one in self.history.entries(_ALL) if any(kind_of(name).how == "text" for name in one.files)]
        lines = {line for entry in told if _rests_on(entry, ids) for line in self._added(entry)}
        for entry in told if lines else ():
            if not _rests_on(entry, ids) and (entry.evidence or entry.author in {USER, OUTSIDE}):
                lines.difference_update(self._added(entry))
        return lines

    def _added(self, entry: Entry) -> Iterator[str]:
        for diff in self.history.diff(entry.id):
            if kind_of(diff.path).how == "text":
                before, after = (Counter(text_of(one or b"").splitlines()) for one in (diff.before, diff.after))
                yield from (line.strip() for line in after - before if line.strip() not in _NO_LINES)

    # Memories

    def _texts_of(self, wanted: str) -> Iterator[str]:
        """Yield what one memory says, wherever it stands: in use, on a shelf of goals or questions, or put away."""
        copy = WorkingCopy(Stores.open(self.paths, self.clock))
        parts, _ = self._with_its_parts(wanted)
        yield from (memory.text for memory in memories(copy) if memory.id in parts)
        insight = copy.insights.get(wanted)
        yield from (insight.insight, insight.strategy, insight.log_entry) if insight else ()
        goals = chain.from_iterable(copy.goals.lists.values())
        yield from (goal.goal for goal in goals if goal.id == wanted)
        yield from (text for one in copy.questions.entries if one.id == wanted for text in (one.context, one.topic))
        strategies = StrategyStore(self.paths, self.clock).load()
        yield from (one.query_pattern for one in strategies.decompositions if one.id == wanted)
        yield from (one.pattern for one in strategies.failures if one.id == wanted)
        yield from (one.text for one in Archive(self.paths, self.clock).entries(copy) if one.id in parts)

    def _with_its_parts(self, wanted: str) -> tuple[set[str], tuple[date, ...]]:
        """Return a memory's id with those of what goes with it: a day goes with what happened on it."""
        days: dict[str, set[str]] = defaultdict(set)
        place = ""
        for memory in memories(WorkingCopy(Stores.open(self.paths, self.clock))):
            if memory.kind in {"day", "event"}:
                days[memory.place].add(memory.id)
                place = memory.place if memory.kind == "day" and memory.id == wanted else place
        return {wanted, *days[place]} if place else {wanted}, (date.fromisoformat(place),) if place else ()


def _rests_on(entry: Entry, ids: Collection[str]) -> bool:
    return bool(entry.evidence) and entry.author not in {USER, OUTSIDE} and set(entry.evidence) <= set(ids)


def _attachment(paths: PersonaPaths, name: str) -> Path | None:
    """Return where a file lies that was sent; None for a name that leads elsewhere: a log may be somebody else's."""
    pure = PurePosixPath(name)
    is_ours = len(pure.parts) == 2 and pure.parts[0] == paths.attachments.name and pure.name not in {"..", "."}  # noqa: PLR2004  # the folder and the file
    return paths.attachments / pure.name if is_ours else None
