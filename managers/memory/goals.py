"""Goals: `goals.json` with short-term and long-term goals and the dates of the deeper reflections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.language.lexicons import word_list
from managers.language.words import content_words
from managers.memory.entry_files import EntryStore, next_shelf, shelve
from managers.memory.json_documents import TIME, Apply, Remembered, encode, entries_of, short_id
from managers.storage.clock import Clock
from managers.storage.files import digest
from managers.storage.paths import PersonaPaths

Horizon = Literal["short_term", "long_term"]
Status = Literal["active", "completed", "abandoned"]
HORIZONS: tuple[Horizon, ...] = ("short_term", "long_term")
MAX_ACTIVE: dict[Horizon, int] = {"short_term": 10, "long_term": 5}
"""More than this is no longer pursued: a new goal waits until one has ended."""
SHORT_IN_PROMPT = 3
LONG_IN_PROMPT = 2
KEPT_ENDED = 100
_ALIKE = 0.6
_ASKING = word_list("ja", "wondering") | word_list("en", "wondering")
"""What a goal of asking does, whatever it asks about."""
PREFIX: dict[Horizon, str] = {"short_term": "sh_", "long_term": "lo_"}
"""How the ids begin."""


class Goal(Remembered):
    """Something that the persona strives for. Priority 1 is the most important; nobody said, then it is in the middle."""

    goal: str
    status: Status = "active"
    progress_notes: list[str] = Field(default_factory=list)
    priority: int = Field(5, ge=1, le=9)
    related_values: list[str] = Field(default_factory=list)
    created_at: str = ""
    updated_at: str = ""
    thought_of: str = ""
    """When the persona last thought of it, of its own accord: that moves nothing, but it calms."""
    reason: str = ""
    note_evidence: dict[str, list[str]] = Field(default_factory=dict, exclude_if=lambda noted: not noted)
    """Which notes, or which reason of its end, each message brought: by digests of their words."""

    def rests_on(self, note: str) -> list[str]:
        """Return the messages that brought a note, or its end; none where an older version wrote it, or no message did."""
        return [message for message, notes in self.note_evidence.items() if _sum(note) in notes]

    def brought(self, note: str, evidence: Sequence[str], **values: Any) -> Goal:  # noqa: ANN401  # fields of a goal
        """Return the goal with other values, one of which holds a note or a reason that some messages brought."""
        changed = self.model_copy(update={**values, "evidence": list(dict.fromkeys([*self.evidence, *evidence]))})
        there = {*map(_sum, changed.progress_notes), _sum(changed.reason)}
        noted = {message: [one for one in notes if one in there] for message, notes in self.note_evidence.items()}
        for message in evidence:
            noted[message] = list(dict.fromkeys([*noted.get(message, []), _sum(note)]))
        return changed.model_copy(
            update={"note_evidence": {message: notes for message, notes in noted.items() if notes}}
        )

    def plain(self, horizon: Horizon) -> dict[str, Any]:
        """Return JSON values; a long-term goal has values, a short-term one has notes and a priority."""
        values = self.model_dump(mode="json")
        if horizon == "short_term" and not self.related_values:
            values.pop("related_values")
        return values


class GoalsMeta(BaseModel):
    """When which level of reflection was last reached."""

    model_config = ConfigDict(extra="allow")

    last_reflection_level: int = 0
    last_level1_date: date | None = None
    last_level2_date: date | None = None
    last_level3_date: date | None = None


class Goals:
    """The goals as they stand in their file, and pure changes of them."""

    def __init__(
        self,
        short_term: Sequence[Goal] = (),
        long_term: Sequence[Goal] = (),
        meta: GoalsMeta | None = None,
        odd: dict[str, Any] | None = None,
    ) -> None:
        """Hold goals, meta and whatever else was in the file (`odd`: lists per horizon, other keys)."""
        self.lists: dict[Horizon, list[Goal]] = {"short_term": list(short_term), "long_term": list(long_term)}
        self.meta = meta or GoalsMeta()
        self.odd = odd or {}

    @classmethod
    def parse(cls, value: dict[str, Any]) -> Goals:
        """Read the file's value; what does not fit is kept as it is."""
        odd: dict[str, Any] = {k: v for k, v in value.items() if k not in {*HORIZONS, "meta"}}
        lists: dict[Horizon, list[Goal]] = {}
        for horizon in HORIZONS:
            raw = value.get(horizon, [])
            lists[horizon], odd[f"odd {horizon}"] = entries_of(Goal, raw if isinstance(raw, list) else [])
        try:
            meta = GoalsMeta.model_validate(value.get("meta", {}))
        except ValidationError:
            meta = GoalsMeta()
        return cls(lists["short_term"], lists["long_term"], meta, odd)

    @property
    def all(self) -> list[Goal]:
        return [goal for goals in self.lists.values() for goal in goals]

    @property
    def short_term(self) -> list[Goal]:
        return self.lists["short_term"]

    @property
    def long_term(self) -> list[Goal]:
        return self.lists["long_term"]

    def active(self, horizon: Horizon) -> list[Goal]:
        """Return the active goals, most important first."""
        return sorted(
            (g for g in self.lists[horizon] if g.status == "active"), key=lambda g: (g.priority, g.created_at)
        )

    def for_prompt(self) -> list[tuple[Horizon, Goal]]:
        """Return what a prompt holds: the three most important short-term goals and two long-term ones.

        The first is the one whose priority moves the drive.
        """
        most = {"short_term": SHORT_IN_PROMPT, "long_term": LONG_IN_PROMPT}
        first = [(horizon, goal) for horizon in HORIZONS for goal in self.active(horizon)[: most[horizon]]]
        return sorted(first, key=lambda one: one[1].priority)

    def get(self, goal_id: str) -> tuple[Horizon, Goal] | None:
        return next(((h, goal) for h, goals in self.lists.items() for goal in goals if goal.id == goal_id), None)

    def created(self, horizon: Horizon, goal: Goal) -> Goals:
        """Return them with a new goal, unless there is one much like it or there are enough."""
        named = goal.model_copy(update={"id": goal.id or short_id(PREFIX[horizon], goal.goal, *goal.evidence)})
        active = self.active(horizon)
        if len(active) >= MAX_ACTIVE[horizon] or self.get(named.id):
            return self
        if any(alike(other.goal, named.goal) for other in active):
            return self
        return self.with_lists({**self.lists, horizon: [named, *self.lists[horizon]]})

    def progressed(self, goal_id: str, note: str, *, evidence: Sequence[str], when: str) -> Goals:
        found = self.get(goal_id)
        if found is None or note in found[1].progress_notes:
            return self
        notes = [*found[1].progress_notes, note][-20:]
        return self._with(found[1].brought(note, evidence, progress_notes=notes, updated_at=when))

    def thought(self, goal_id: str, note: str, when: str) -> Goals:
        """Return them with a thought about one goal: a note, if it is a new one, that moves nothing."""
        found = self.get(goal_id)
        if found is None:
            return self
        notes = found[1].progress_notes
        return self.edited(goal_id, progress_notes=notes if note in notes else [*notes, note][-20:], thought_of=when)

    def ended(self, goal_id: str, status: Status, reason: str, *, evidence: Sequence[str], when: str) -> Goals:
        found = self.get(goal_id)
        if found is None:
            return self
        return self._with(found[1].brought(reason, evidence, status=status, reason=reason, updated_at=when))

    def _with(self, goal: Goal) -> Self:
        return self.with_lists({h: [goal if one.id == goal.id else one for one in gs] for h, gs in self.lists.items()})

    def edited(self, entry_id: str, **values: object) -> Self:
        found = self.get(entry_id)
        return self if found is None else self._with(found[1].model_copy(update=values))

    def without(self, entry_id: str) -> Self:
        return self.only(lambda goal: goal.id != entry_id)

    def only(self, chosen: Callable[[Goal], bool]) -> Self:
        return self.with_lists({horizon: [*filter(chosen, goals)] for horizon, goals in self.lists.items()})

    def with_lists(self, lists: Mapping[Horizon, Sequence[Goal]]) -> Self:
        """Return other goals, with all else that is in the file."""
        return type(self)(lists["short_term"], lists["long_term"], self.meta, self.odd)

    def reflected(self, level: int, day: date, today: date | None = None) -> Goals:
        """Return them with the day of a reflection noted; a deeper one counts for the lighter ones too.

        Of a night that was made up for later than `day`, a later reflection that took place until `today` stays the last.
        """
        values: dict[str, object] = {"last_reflection_level": level}
        for name in (f"last_level{n}_date" for n in range(1, level + 1)):
            last = getattr(self.meta, name)
            values[name] = last if last is not None and day < last <= (today or day) else day
        return Goals(self.short_term, self.long_term, self.meta.model_copy(update=values), self.odd)

    def changes(self, path: Path) -> dict[Path, bytes | None]:
        """Return the files to write: the goals, and a shelf when many have ended."""
        kept: dict[Horizon, list[Goal]] = {}
        older: dict[str, list[Any]] = {}
        for horizon, goals in self.lists.items():
            ended, gone = shelve([g for g in goals if g.status != "active"], KEPT_ENDED)
            kept[horizon] = [*(g for g in goals if g.status == "active"), *ended]
            older[horizon] = [g.plain(horizon) for g in gone]
        files: dict[Path, bytes | None] = {path: encode(self.with_lists(kept).plain())}
        if any(older.values()):
            files[next_shelf(path)] = encode(older)
        return files

    def plain(self) -> dict[str, Any]:
        """Return the file's value."""
        other = {k: v for k, v in self.odd.items() if not k.startswith("odd ")}
        lists: dict[str, Any] = {
            h: [*(g.plain(h) for g in gs), *self.odd.get(f"odd {h}", [])] for h, gs in self.lists.items()
        }
        return {**lists, "meta": self.meta.model_dump(mode="json"), **other}


class GoalStore(EntryStore[Goals, Goal]):
    """The goals of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        super().__init__(paths, paths.goals, clock, apply, Goals.parse, dict)

    def for_prompt(self) -> list[tuple[Horizon, Goal]]:
        return self.load().for_prompt()

    def think_of(self, goal_id: str, note: str, *, author: str) -> Goals:
        """Note a thought about a goal, of one's own accord."""
        when = self._clock.now().strftime(TIME)
        return self.change(lambda goals: goals.thought(goal_id, note, when), author=author, reason=note)

    def end(self, goal_id: str, status: Status, *, author: str, reason: str, evidence: Sequence[str] = ()) -> Goals:
        when = self._clock.now().strftime(TIME)
        return self.change(
            lambda goals: goals.ended(goal_id, status, reason, evidence=evidence, when=when),
            author=author,
            reason=reason,
            evidence=evidence,
        )


def _sum(note: str) -> str:
    return digest(note)[:12]


def alike(one: str, other: str) -> bool:
    """Tell whether two goals are the same in other words: they share most of what they are about."""
    if _plain(one) == _plain(other):
        return True
    first, second = _about(one), _about(other)
    return 2 * len(first & second) >= _ALIKE * (len(first) + len(second)) and bool(first & second)


def closes_with(goal: str, topic: str) -> bool:
    """Tell whether a goal is reached once a question is answered: it is to ask just that."""
    about = _about(topic)
    return bool(_ASKING & set(content_words(goal))) and 2 * len(about & _about(goal)) >= max(1, len(about))


def _about(text: str) -> set[str]:
    return set(content_words(text)) - _ASKING


def _plain(text: str) -> str:
    return "".join(text.split()).casefold().rstrip("。.!！")
