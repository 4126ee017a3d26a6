"""Where the memories of another program go in a persona's folder, and how they are joined with what is there.

Nothing that is there is replaced. What the program made for itself (a day's episode, say) is left to the dreams; what came
from elsewhere counts as a person's own, so no dream writes over it.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pydantic import ValidationError

from managers.exchange.items import FoundMemory, MemoryKind, NotTaken, inline_bytes
from managers.memory.emotions import EmotionEntry, EmotionLog
from managers.memory.entities import is_safe
from managers.memory.entity_cards import parse_entity
from managers.memory.episodes import Episode
from managers.memory.goals import PREFIX, Goal, Goals, GoalsMeta, Horizon
from managers.memory.inner_state import InnerState, mirror
from managers.memory.insights import Insight
from managers.memory.json_documents import TIME, USER, JsonFile, encode, short_id
from managers.memory.lorebook import Lorebook, marked
from managers.memory.notes import NoteKind, Notes
from managers.memory.periods import Period, span_named
from managers.memory.questions import Question
from managers.memory.working_copy import WorkingCopy
from managers.personas.persona_file import normal
from managers.recall.documents.document_loader import DOCUMENTS
from managers.storage.clock import Clock, local
from managers.storage.errors import UnsafeNameError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.history import History
from managers.storage.opening import look
from managers.storage.paths import PersonaPaths, safe_name

IMPORTED: Final = "imported"
"""The mind of what another program's model made."""
AUTHOR: Final = "user"
_NOTES: Final[Mapping[MemoryKind, NoteKind]] = {
    "core_memory": "core_memory",
    "notepad": "notepad",
    "diary": "main_memory",
    "secret_diary": "secret_diary",
}
_OF_EPISODES: Final = ("emotional_tone", "arousal", "source_ids")
_OF_QUESTIONS: Final = ("context", "priority", "answer", "asked", "closed_at")
_OUTSIDE: Final = frozenset({"knowledge", "avatar", "lorebook", "card"})
"""What counts as a document, or stands apart, and says nothing in the persona's own name."""
_DIARIES: Final = frozenset({"main_memory", "secret_diary"})


class _NotFitError(Exception):
    """A memory is not taken; `code` says why."""


@dataclass
class MemoryPlaces:
    """Takes memories one after the other, and writes them together.

    Attributes:
        added, there: how many memories of each kind are new, and how many were there already.
        left_out: is told of what is not taken.
        origins: the source, where nobody let it in whole: then nothing is taken that counts as the persona's own.
        avatar: takes a picture; tells why it did not: empty if it did, `there`, or the code of a sentence.
    """

    paths: PersonaPaths
    clock: Clock
    history: History
    copy: WorkingCopy
    emotions: EmotionLog
    fetch: Callable[[str], bytes | None]
    left_out: Callable[[NotTaken], None]
    avatar: Callable[[bytes], str]
    origins: Sequence[str] = ()
    added: Counter[MemoryKind] = field(default_factory=Counter)
    there: Counter[MemoryKind] = field(default_factory=Counter)
    _files: dict[Path, bytes | None] = field(default_factory=dict)
    _notes: dict[NoteKind, list[str]] = field(default_factory=dict)
    _felt: list[EmotionEntry] = field(default_factory=list)
    _book: Lorebook | None = None
    _state: tuple[InnerState, str] | None = None

    def take(self, memory: FoundMemory) -> None:
        """Take a memory; most are written by `write` alone."""
        ways: Mapping[MemoryKind, Callable[[FoundMemory], bool | None]] = {
            "episode": self._episode,
            "insight": self._insight,
            "entity": self._entity,
            "goal": self._goal,
            "reflections": self._reflections,
            "question": self._question,
            "emotion": self._emotion,
            "inner_state": self._inner_state,
            "knowledge": self._knowledge,
            "avatar": self._avatar,
            "lorebook": self._lorebook,
            "card": self._card,
            **dict.fromkeys(_NOTES, self._note),
        }
        if self.origins and memory.kind not in _OUTSIDE:
            self.left_out(NotTaken("engine.not-let-in"))
            return
        try:
            is_new = ways.get(memory.kind, _nowhere)(memory)
        except _NotFitError as error:
            self.left_out(NotTaken(str(error), memory.place, facts={"name": _called(memory)}))
        except (ValidationError, ValueError, TypeError):
            self.left_out(NotTaken("engine.unfit", memory.place, facts={"name": _called(memory)}))
        else:
            if is_new is not None:
                (self.added if is_new else self.there)[memory.kind] += 1

    def write(self, reason: str) -> None:
        """Write what was taken: what the history keeps with one entry for each note, and one for all else.

        Raises:
            DiskFullError, UnwritableError, BusyError: try again; what is there then is not taken twice.
        """
        for kind, texts in self._notes.items():
            self._write_note(kind, texts, reason)
        if self._state is not None:
            self._write_state(*self._state)
        files = {**self.copy.files(), **self._files}
        if files:
            self.history.change(files, author=AUTHOR, reason=reason)
        new = self.emotions.take_in(self._felt)
        self.added["emotion"] += new
        self.there["emotion"] += len(self._felt) - new

    # What is dreamt elsewhere

    def _episode(self, memory: FoundMemory) -> bool:
        summary = str(memory.fields.get("summary") or "").strip()
        events = _texts(memory.fields.get("key_events"))
        if not summary and not events:
            raise _NotFitError("engine.empty-memory")
        kept = {name: told for name in _OF_EPISODES if (told := memory.fields.get(name))}
        if "~" in memory.day:
            return self._period(memory.day, summary, events, kept)
        day = date.fromisoformat(memory.day)
        there = self.copy.episode(day)
        if there is None and self.copy.stores.episodes.occupied(day):
            raise _NotFitError("engine.place-taken")
        if there is not None:
            extra = there.model_extra or {}
            new = [block for block in _blocks(summary) if block not in _blocks(there.summary)]
            if not new and set(events) <= set(there.key_events):
                return False
            if not extra.get(IMPORTED):
                raise _NotFitError("engine.day-dreamt")
            summary = "\n\n".join(filter(None, [there.summary, *new]))
            events = list(dict.fromkeys([*there.key_events, *events]))
            kept |= extra
        told_here = {"date": day, "summary": summary, "key_events": events, "mind": USER, IMPORTED: True}
        made = Episode.model_validate({**kept, **told_here})
        self.copy.put_standing(made.sealed())
        return True

    def _period(self, name: str, summary: str, events: Sequence[str], kept: Mapping[str, Any]) -> bool:
        span = span_named(name)
        if span is None:
            raise _NotFitError("engine.unfit")
        there = self.copy.stores.episodes.periods.get(span)
        if there is not None:
            if there.summary == summary:
                return False
            raise _NotFitError("engine.day-dreamt")
        period = Period.model_validate(
            {**kept, "date": name, "summary": summary, "key_events": [*events], "mind": USER}
        )
        self._files[self.copy.stores.episodes.periods.path(span)] = period.sealed().dump()
        return True

    def _insight(self, memory: FoundMemory) -> bool:
        fields = {
            key: str(memory.fields.get(key) or "") for key in ("trigger_topic", "insight", "strategy", "log_entry")
        }
        if not fields["insight"] and not fields["strategy"]:
            raise _NotFitError("engine.empty-memory")
        created = _stamp(memory.time or self.clock.now())
        made = Insight.model_validate(
            {
                **fields,
                "created_at": created,
                "mind": IMPORTED,
                "last_accessed": self.clock.now().date().isoformat(),  # it begins to fade when it is here
                "id": short_id(
                    "in_", _stamp(memory.time) if memory.time else "", fields["insight"], fields["strategy"]
                ),
            }
        )
        if any(one.id == made.id for one in self.copy.stores.insights.archived()) or self.copy.insights.get(made.id):
            return False
        self.copy.insights = self.copy.insights.with_one(made)
        return True

    def _entity(self, memory: FoundMemory) -> bool:
        name = " ".join(memory.name.split())
        if not is_safe(name):
            raise _NotFitError("engine.name")
        made = parse_entity(name, memory.text)
        called = [" ".join(one.split()) for one in _texts(memory.fields.get("aliases"))]
        there = self.copy.entity([name])
        if there is None:
            created = made.created or (_stamp(memory.time) if memory.time else "")
            aliases = _names_beside(name, [*made.aliases, *called])
            extra = {**made.extra, IMPORTED: True}
            self.copy.put_entity(replace(made, created=created, aliases=aliases, mind=USER, extra=extra))
            return True
        known = {str(line).strip() for line in there.lines}
        new = [block for block in _blocks("\n".join(str(line) for line in made.lines)) if not _holds(known, block)]
        aliases = _names_beside(there.name, [*there.aliases, *called])
        if not new and aliases == there.aliases:
            return False
        added = [line for block in new for line in ["", *block.split("\n")]]
        self.copy.put_entity(replace(there, aliases=aliases, lines=(*there.lines, *added)))
        return True

    def _goal(self, memory: FoundMemory) -> bool:
        horizon: Horizon = "long_term" if memory.name == "long_term" else "short_term"
        goal = Goal.model_validate({**memory.fields, "mind": IMPORTED, "evidence": []})
        if not goal.goal.strip():
            raise _NotFitError("engine.empty-memory")
        goals, prefix = self.copy.goals, PREFIX[horizon]
        known = {one.id: one for one in [*goals.all, *self.copy.stores.goals.archived()]}
        own = [goal.id] if re.fullmatch(rf"{prefix}\w{{1,40}}", goal.id, re.ASCII) else []
        for goal_id in [*own, short_id(prefix, goal.goal, goal.created_at or goal.updated_at)]:
            there = known.get(goal_id)
            if there is None:
                named = goal.model_copy(update={"id": goal_id})
                self.copy.goals = goals.with_lists({**goals.lists, horizon: [*goals.lists[horizon], named]})
                return True
            if there.goal == goal.goal or (goal.created_at and there.created_at == goal.created_at):
                return False
        return False

    def _reflections(self, memory: FoundMemory) -> bool:
        goals, found = self.copy.goals, GoalsMeta.model_validate(memory.fields)
        new = {name: told for name, told in found if told and not getattr(goals.meta, name, None)}
        if new:
            meta = goals.meta.model_copy(update=new)
            self.copy.goals = Goals(goals.short_term, goals.long_term, meta, goals.odd)
        return bool(new)

    def _question(self, memory: FoundMemory) -> bool:
        topic = str(memory.fields.get("topic") or "").strip()
        if not topic:
            raise _NotFitError("engine.empty-memory")
        created = _stamp(memory.time) if memory.time else ""
        question = Question.model_validate(
            {
                **{name: told for name in _OF_QUESTIONS if (told := memory.fields.get(name)) is not None},
                "id": short_id("q_", topic, created),
                "topic": topic,
                "status": "resolved" if memory.fields.get("answered") else "open",
                "created_at": created,
                "times_asked": int(bool(memory.fields.get("asked"))),
                "mind": IMPORTED,
            }
        )
        there = self.copy.questions
        if there.get(question.id) or any(one.id == question.id for one in self.copy.stores.questions.archived()):
            return False
        self.copy.questions = there.with_one(question)
        return self.copy.questions is not there

    # What was felt and wanted

    def _emotion(self, memory: FoundMemory) -> None:
        if memory.time is None:
            raise _NotFitError("engine.no-time")
        told = local(memory.time).replace(microsecond=0)
        self._felt.append(EmotionEntry(timestamp=told, user_text_snippet=memory.text, emotion=memory.name or "neutral"))

    def _inner_state(self, memory: FoundMemory) -> None:
        if self._state is not None:
            raise _NotFitError("engine.state-there")
        self._state = InnerState.model_validate(memory.fields), memory.place

    def _write_state(self, state: InnerState, place: str) -> None:
        """Keep the state where the persona has none, with what it shows of the questions and goals as they are now."""
        path = self.paths.internal_state
        mirror(state, self.copy.questions, self.copy.goals)
        new, there = encode(state.model_dump(mode="json")), read_bytes(path)
        if there is None:
            self._files[path] = new
            self.added["inner_state"] += 1
        elif there == new:
            self.there["inner_state"] += 1
        else:
            self.left_out(NotTaken("engine.state-there", place))

    # What people write

    def _note(self, memory: FoundMemory) -> bool:
        kind = _NOTES[memory.kind]
        texts = self._notes.setdefault(kind, [])
        notes = Notes(self.paths, self.history, self.clock)
        there = [notes.read(kind).text, *map(notes.read_archive, notes.archives(kind) if kind in _DIARIES else ())]
        known = {block for text in [*there, *texts] for block in _blocks(text)}
        new = [block for block in _blocks(memory.text) if block not in known]
        if not memory.text.strip():
            raise _NotFitError("engine.empty-memory")
        texts += ["\n\n".join(new)] if new else []
        return bool(new)

    def _write_note(self, kind: NoteKind, texts: Sequence[str], reason: str) -> None:
        """Add to a note: what is remembered from before stands before a diary's newer days, and behind notes."""
        notes = Notes(self.paths, self.history, self.clock)
        there = notes.read(kind)
        parts = [*texts, there.text] if kind in _DIARIES else [there.text, *texts]
        joined = "\n\n".join(part.strip("\n") for part in parts if part.strip())
        if texts and joined:
            notes.write(kind, joined + "\n", based_on=there.digest, author=AUTHOR, reason=reason)

    # Files

    def _knowledge(self, memory: FoundMemory) -> bool:
        name = PurePosixPath(memory.name or (memory.file.name or memory.file.path if memory.file else "")).name
        data = memory.text.encode() if memory.file is None else self.fetch(memory.file.path)
        if data is None:
            raise _NotFitError("engine.file")
        if PurePosixPath(name).suffix.lower() not in DOCUMENTS:
            raise _NotFitError("engine.no-document")
        try:
            target = self.paths.knowledge / safe_name(name)
        except UnsafeNameError as error:
            raise _NotFitError("engine.name") from error
        number = 1
        while look(target) is not None:
            if read_bytes(target) == data:
                return False
            number += 1
            target = target.with_name(f"{PurePosixPath(name).stem} ({number}){PurePosixPath(name).suffix}")
        write_atomic(target, data)
        return True

    def _avatar(self, memory: FoundMemory) -> bool:
        data = (inline_bytes(memory.file.path) or self.fetch(memory.file.path)) if memory.file else None
        if data is None:
            raise _NotFitError("engine.file")
        why = self.avatar(data)
        if why not in {"", "there"}:
            raise _NotFitError(why)
        return not why

    # Of characters

    def _lorebook(self, memory: FoundMemory) -> bool:
        path = self.paths.lorebook
        book = Lorebook(JsonFile(self.paths, path, self.clock, dict).read()) if self._book is None else self._book
        joined = book.joined(marked(memory.fields, self.origins))
        self._book = joined
        if joined.value == book.value:
            return False
        self._files[path] = encode(joined.value)
        return True

    def _card(self, memory: FoundMemory) -> bool:
        path, found = self.paths.card, {**memory.fields, "taken_as": normal(self.paths.name)}
        there = JsonFile(self.paths, path, self.clock, dict).read()
        if there and there.get("card") != found.get("card"):
            raise _NotFitError("engine.card-there")
        self._files |= {} if there else {path: encode(found)}
        return not there


def _nowhere(_memory: FoundMemory) -> bool:
    raise _NotFitError("engine.no-place")


def _names_beside(name: str, others: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in dict.fromkeys(others) if one != name)


def _called(memory: FoundMemory) -> str:
    """Return what people know a memory by: what it says, its name, its day, or else its file."""
    says = memory.fields.get("goal") or memory.fields.get("topic")
    return str(says or memory.name or memory.day or PurePosixPath(memory.place).name)[:60]


def _texts(value: Any) -> list[str]:  # noqa: ANN401  # JSON is whatever is in the source
    return [str(one) for one in value if str(one).strip()] if isinstance(value, list) else []


def _stamp(time: datetime) -> str:
    return local(time).strftime(TIME)


def _blocks(text: str) -> list[str]:
    return [block.strip("\n") for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]


def _holds(known: set[str], block: str) -> bool:
    return all(line.strip() in known for line in block.split("\n") if line.strip())
