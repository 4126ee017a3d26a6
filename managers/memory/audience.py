"""The audience of memories: which of them are for minds on this computer only, or for this persona alone.

All others are for any mind, and for every persona that the user lets share what is known of them.

`memory/audience.json` names what a person marked so, a message or a dreamt memory, with the messages that it rests on. What
else rests on one of those messages is held back with it, whoever dreamt it and when: it tells the same. Core memory, notepad
and documents are marked whole, by their path. The file is part of the history, so a mark can be taken back like any other
change.

A message may stand in several logs, for a conversation of several is in the log of each that heard it. So what is for this
computer only, and what no longer is, is noted for the whole home as well (`Home.kept`, ids alone), and holds for every log that
has the id, whenever it came here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode
from managers.memory.errors import AudienceUnknownError
from managers.memory.json_documents import USER, Apply, Remembered, encode, short_id
from managers.memory.log.format import has_known_length
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.memory.notes import NoteKind
from managers.memory.periods import Period, Span, span_named
from managers.storage.files import files, read_bytes, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding, writing
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged

Memory = TypeVar("Memory", bound=Remembered)
Audience = Literal["any", "this-computer", "this-persona"]
NOTES: Final[Mapping[NoteKind, str]] = {"core_memory": "core_memory.txt", "notepad": "notepad.txt"}
"""The notes that may be marked, by their path in the persona's folder."""
_DATED: Final = re.compile(r"(\d{4})(\d{2})(\d{2})T")
"""How our ids of messages begin."""
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
LIMITS: tuple[Audience, ...] = ("this-computer", "this-persona")
"""What may be marked, both at once, too; `any` takes both away."""


class Marked(BaseModel):
    """What a person marked: the messages that it rests on, their days, and where it stands if that tells it from others (`Kept`)."""

    model_config = ConfigDict(extra="allow")

    messages: list[str] = Field(default_factory=list)
    days: list[str] = Field(default_factory=list)
    place: str = ""


@dataclass(frozen=True)
class Kept:
    """What is kept on this computer, or with this persona.

    Attributes:
        marked: by its id, files by their path in the persona's folder. `place` is the day of a day and of what happened
            on it; for what rests on no message, the name of its file.
    """

    marked: Mapping[str, Marked] = field(default_factory=dict)

    @cached_property
    def messages(self) -> frozenset[str]:
        return frozenset(one for marked in self.marked.values() for one in marked.messages)

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset(marked.place for marked in self.marked.values()) - {""}

    @cached_property
    def _days(self) -> frozenset[str]:
        """The days of which something is kept."""
        told = {day for marked in self.marked.values() for day in marked.days}
        dated = {"-".join(found.groups()) for one in self.messages if (found := _DATED.match(one))}
        return frozenset(told | dated | self._places)

    def __bool__(self) -> bool:
        return bool(self.marked)

    def joined_with(self, other: "Kept", but: str = "") -> "Kept":
        """Return what either of two limits keeps; of the other one not what rests on a message."""
        return Kept({**self.marked, **{name: one for name, one in other.marked.items() if but not in one.messages}})

    def holds(self, evidence: Iterable[str], memory_id: str = "", place: str = "") -> bool:
        """Tell whether a memory is kept here: it was marked, stands where one was, or rests on a message that is kept."""
        return bool(self.marked) and (
            memory_id in self.marked or place in self._places or not self.messages.isdisjoint(evidence)
        )

    def holds_passage(self, message_ids: Iterable[str], path: str) -> bool:
        """Tell whether a passage of a file is kept here; what stands in a file with others goes by what the file rests on."""
        if self.holds_file(path):
            return True
        stem = PurePosixPath(path).stem
        span = span_named(stem)
        return self.holds(message_ids, place=stem) or (span is not None and self._holds_day_of(span))

    def holds_file(self, path: str) -> bool:
        """Tell whether a whole file is kept here, by its path in the persona's folder."""
        return path in self.marked

    def others(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return those of some insights, questions or goals that any mind may read."""
        return [one for one in memories if not self.holds(one.evidence, one.id)]

    def other_days(self, episodes: Iterable[Episode]) -> list[Episode]:
        """Return the days that any mind may read."""
        return [one for one in episodes if not self.holds(one.evidence, one.id, one.date.isoformat())]

    def other_periods(self, periods: Iterable[Period]) -> list[Period]:
        """Return the weeks and months that any mind may read: of none of whose days anything is kept here."""
        return [one for one in periods if not self.holds(one.evidence, one.id) and not self._holds_day_of(one.span)]

    def _holds_day_of(self, span: Span) -> bool:
        return any(f"{span.first}" <= place <= f"{span.last}" for place in self._days)

    def card(self, entity: Entity) -> Entity:
        """Return what any mind may read of a card."""
        lines = [
            one for one in entity.lines if isinstance(one, str) or not self.holds(one.evidence, fact_id(entity, one))
        ]
        return replace(entity, lines=tuple(lines)) if len(lines) < len(entity.lines) else entity

    def cards(self, entities: Iterable[Entity]) -> list[Entity]:
        """Return what any mind may read of some cards; one of which all is kept is not even named."""
        shown = [(one, self.card(one)) for one in entities]
        return [card for one, card in shown if card.lines or not one.lines]


NOTHING_KEPT = Kept()


@dataclass(frozen=True)
class Given:
    """For whom something is.

    Attributes:
        is_here: for minds on this computer only.
        is_own: for this persona alone.
        is_marked: a person marked it itself, not what it rests on.
    """

    is_here: bool = False
    is_own: bool = False
    is_marked: bool = False


ANYBODY = Given()


def fact_id(entity: Entity, fact: Fact) -> str:
    """Return what a fact is known by; one that a person wrote has no id of its own."""
    return fact.id or short_id("f_", entity.name, fact.text)


def with_answers(log: LogReader, message_ids: Sequence[str]) -> list[str]:
    """Return messages, and what was answered to those of the user: an answer says the same again."""
    found = log.originals(dict.fromkeys(message_ids))
    ids = dict.fromkeys(message_ids)
    for day in {message.time.date() for message in found.values()}:
        is_asked = False
        for message in log.messages(day, day):
            is_asked = message.id in found or (is_asked and message.role != "user")
            if is_asked:
                ids[message.id] = None
    return list(ids)


def days_of(log: LogReader, message_ids: Sequence[str]) -> list[str]:
    """Return the days on which messages were said: what sums up one of them is held back with them."""
    return sorted({f"{message.time:%Y-%m-%d}" for message in log.originals(message_ids).values()})


def file_named(paths: PersonaPaths, path: str) -> str | None:
    """Return the path of a file that may be marked: a note, or a document of the knowledge base; None if it is neither."""
    if path in NOTES.values():
        return path
    return next((path for file in files(paths.knowledge) if path == f"{paths.knowledge.name}/{file.name}"), None)


class AudienceReader:
    """The marks of one persona, to be read; without its log, whatever is noted for the whole home may be in it."""

    def __init__(self, paths: PersonaPaths, log: LogReader | None = None) -> None:
        self._path = paths.memory / "audience.json"
        self._paths = paths
        self._log = log
        self._known = Unchanged[Mapping[Audience, Kept]]()
        self._joined = Unchanged[Kept]()

    def kept(self) -> Kept:
        """Return what is kept on this computer; costs one look at the file.

        Raises:
            AudienceUnknownError: the file cannot be understood, so nobody can tell.
            UnreadableError
        """
        return self._joined.get(self._join, self._path, self._paths.home.kept, self._paths.log)

    def _join(self) -> Kept:
        home, own = self._limits(self._paths.home.kept), self.marked().marked
        found = {name: one for name, one in own.items() if name not in home.get("any", NOTHING_KEPT).marked}
        stays = Kept(dict(found)).messages
        for name, one in home.get("this-computer", NOTHING_KEPT).marked.items():
            rest = {*one.messages} - stays
            heard = with_answers(self._log, [*self._log.known(rest)]) if self._log and rest else [*rest]
            if heard:
                days = days_of(self._log, heard) if self._log else []
                found[name] = Marked(messages=[*found.get(name, Marked()).messages, *heard], days=days)
        return Kept(found)

    def marked(self) -> Kept:
        """Return what this persona's own file says is kept on this computer; see `kept`."""
        return self._limits(self._path).get("this-computer", NOTHING_KEPT)

    def own(self) -> Kept:
        """Return what no other persona may be given; see `kept`."""
        return self._limits(self._path).get("this-persona", NOTHING_KEPT)

    def given(self, evidence: Iterable[str], memory_id: str, place: str = "") -> Given:
        """Return for whom a memory, a message or a file is; see `kept`."""
        kept, own, rests_on = self.kept(), self.own(), [*evidence]
        is_marked = memory_id in kept.marked or memory_id in own.marked
        return Given(kept.holds(rests_on, memory_id, place), own.holds(rests_on, memory_id, place), is_marked)

    def _limits(self, path: Path) -> Mapping[Audience, Kept]:
        return self._known.get(partial(_limits_in, path), path)


def _limits_in(path: Path) -> Mapping[Audience, Kept]:
    data = read_bytes(path)
    if data is None:
        return {}
    try:
        return {one: Kept(marked) for one, marked in read_marks(load_json(data)).items()}
    except (NotJsonError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise AudienceUnknownError(path=path) from error


def read_marks(plain: Any) -> dict[Audience, dict[str, Marked]]:  # noqa: ANN401  # JSON is whatever is in the file
    """Return what stands in `audience.json`.

    Raises:
        ValidationError, KeyError, TypeError, AttributeError: nothing that we understand.
    """
    limits = {one: plain[one] if one == LIMITS[0] else plain.get(one, {}) for one in AUDIENCES}
    return {
        one: {str(marked): Marked.model_validate(mark) for marked, mark in limit.items()}
        for one, limit in limits.items()
    }


class AudienceStore(AudienceReader):
    """The same, to be changed; raises AudienceUnknownError, or another UtataneError where something could not be written."""

    def __init__(self, paths: PersonaPaths, apply: Apply, log: LogReader | None = None) -> None:
        super().__init__(paths, log)
        self._apply = apply

    def mark(
        self,
        memory_id: str,
        audience: Audience,
        messages: Sequence[str] = (),
        place: str = "",
        days: Sequence[str] = (),
    ) -> None:
        """Let a memory be for minds on this computer only, for this persona alone, or for all again.

        An entry in the history says so.

        Args:
            memory_id: the message, the dreamt memory, or the path of a file.
            audience: whom it is for from now on.
            messages: what it rests on; a message rests on itself.
            place: see `Kept`.
            days: on which those messages were said.

        Raises:
            AudienceUnknownError, UtataneError: nothing was changed.
        """
        with writing(self._paths):
            read = _limits_in(self._path)
            limits = {one: dict(read.get(one, NOTHING_KEPT).marked) for one in LIMITS}
            if audience == "any":
                for marked in limits.values():
                    marked.pop(memory_id, None)
            else:
                limits[audience][memory_id] = Marked(messages=list(messages), days=list(days), place=place)
            if audience == "this-computer":  # first: it holds for everybody before it holds for one
                self._note_in_home(memory_id, audience, messages)
            self._apply({self._path: _encoded(limits)}, author=USER, reason=f"audience {audience}", evidence=messages)
            if audience == "any":
                self._note_in_home(memory_id, audience, messages)

    def carry(self, answer: Message, grounds: frozenset[str]) -> None:
        """Let an answer be kept on this computer with the messages among those that it was made from: it may say them again."""
        for name, one in self.kept().marked.items():
            if answer.id not in one.messages and not grounds.isdisjoint(one.messages):
                self._note_in_home(name, "this-computer", [*one.messages, answer.id])

    @contextmanager
    def following(self) -> Iterator[None]:
        """Let what a step in the history changes of the marks hold for every log, too; nobody else writes meanwhile."""
        with writing(self._paths):
            before = self.marked().marked
            yield
            now = self.marked().marked
            for name in {*before, *now}:
                if (one := now.get(name)) != (was := before.get(name)):
                    self._note_in_home(name, "this-computer" if one else "any", (one or was or Marked()).messages)

    def take_over(self) -> None:
        """Write into this persona's own file what is noted for the whole home of its messages: the file goes elsewhere."""
        if self.kept().marked == self.marked().marked:
            return  # nothing is written where nothing can be
        with writing(self._paths):
            if (kept := self.kept().marked) != self.marked().marked:
                data = _encoded({"this-computer": kept, "this-persona": self.own().marked})
                self._apply({self._path: data}, author=USER, reason="audience this-computer", evidence=())

    def _note_in_home(self, name: str, audience: Audience, messages: Sequence[str]) -> None:
        """Note what every log goes by, as far as their ids are nobody else's.

        It stands under a message's id, or under another memory's with its persona's mark before it.
        """
        same, home = [one for one in messages if has_known_length(one)], self._paths.home
        if not same:
            return
        if name not in same and ":" not in name:
            name = f"{(read_bytes(self._paths.mark) or b'').decode('ascii', 'replace').strip()}:{name}"
        with holding(home.folder / ".kept.lock", home.folder.name):
            limits: dict[Audience, dict[str, Marked]] = {"this-computer": {}}
            limits |= {one: dict(kept.marked) for one, kept in _limits_in(home.kept).items()}
            was = limits["this-computer"].pop(name, Marked()).messages
            limits.setdefault("any", {}).pop(name, None)
            limits[audience][name] = Marked(messages=sorted({*was, *same}))
            write_atomic(home.kept, _encoded(limits))


def _encoded(limits: Mapping[Audience, Mapping[str, Marked]]) -> bytes:
    plain = {one: {name: mark.model_dump(mode="json") for name, mark in kept.items()} for one, kept in limits.items()}
    return encode(plain)
