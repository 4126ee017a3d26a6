"""Goals: `goals.json` with short-term and long-term goals and the dates of the deeper reflections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.language.words import content_words
from managers.memory.json_documents import (
    PINNED,
    TIME,
    Apply,
    JsonFile,
    Remembered,
    encode,
    entries_of,
    pin_reason,
    short_id,
    write_plainly,
)
from managers.memory.rolling_lists import next_shelf, shelve, shelves
from managers.storage.clock import Clock
from managers.storage.errors import Notice
from managers.storage.locks import writing
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
_ASKING = frozenset(
    [
        "聞く",
        "見る",
        "詳しい",
        "尋ねる",
        "訊く",
        "たずねる",
        "質問",
        "確かめる",
        "確認",
        "様子",
        "話",
        "話す",
        "話題",
        "知る",
        "ask",
        "hear",
        "find",
        "talk",
        "tell",
        "know",
        "learn",
        "see",
        "check",
        "inquire",
    ]
)  # words read best as words
"""What a goal of asking does, whatever it asks about."""
_PREFIX: dict[Horizon, str] = {"short_term": "sh_", "long_term": "lo_"}


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
        odd: dict[str, Any] = {k: v for k, v in value.items() if k not in {"short_term", "long_term", "meta"}}
        lists: dict[str, list[Goal]] = {}
        for horizon in ("short_term", "long_term"):
            raw = value.get(horizon, [])
            good, strange = entries_of(Goal, raw if isinstance(raw, list) else [])
            lists[horizon] = good
            odd[f"odd {horizon}"] = strange
        try:
            meta = GoalsMeta.model_validate(value.get("meta", {}))
        except ValidationError:
            meta = GoalsMeta()
        return cls(lists["short_term"], lists["long_term"], meta, odd)

    @property
    def short_term(self) -> list[Goal]:
        """All short-term goals."""
        return self.lists["short_term"]

    @property
    def long_term(self) -> list[Goal]:
        """All long-term goals."""
        return self.lists["long_term"]

    def active(self, horizon: Horizon) -> list[Goal]:
        """Return the active goals, most important first."""
        return sorted(
            (g for g in self.lists[horizon] if g.status == "active"), key=lambda g: (g.priority, g.created_at)
        )

    def get(self, goal_id: str) -> tuple[Horizon, Goal] | None:
        """Return a goal and where it stands."""
        return next(((h, goal) for h, goals in self.lists.items() for goal in goals if goal.id == goal_id), None)

    def created(self, horizon: Horizon, goal: Goal) -> Goals:
        """Return them with a new goal, unless there is one much like it or there are enough."""
        named = goal.model_copy(update={"id": goal.id or short_id(_PREFIX[horizon], goal.goal, *goal.evidence)})
        active = self.active(horizon)
        if len(active) >= MAX_ACTIVE[horizon] or self.get(named.id):
            return self
        if any(alike(other.goal, named.goal) for other in active):
            return self
        return self._with(horizon, [named, *self.lists[horizon]])

    def progressed(self, goal_id: str, note: str, *, evidence: Sequence[str], when: str) -> Goals:
        """Return them with a note of progress on one goal."""
        found = self.get(goal_id)
        if found is None or note in found[1].progress_notes:
            return self
        goal = found[1]
        merged = list(dict.fromkeys([*goal.evidence, *evidence]))
        return self._changed(
            goal_id, progress_notes=[*goal.progress_notes, note][-20:], evidence=merged, updated_at=when
        )

    def thought(self, goal_id: str, note: str, when: str) -> Goals:
        """Return them with a thought about one goal: a note, if it is a new one, that moves nothing."""
        found = self.get(goal_id)
        if found is None:
            return self
        notes = found[1].progress_notes
        return self._changed(goal_id, progress_notes=notes if note in notes else [*notes, note][-20:], thought_of=when)

    def ended(self, goal_id: str, status: Status, reason: str, *, evidence: Sequence[str], when: str) -> Goals:
        """Return them with one goal completed or abandoned, and why."""
        found = self.get(goal_id)
        if found is None:
            return self
        merged = list(dict.fromkeys([*found[1].evidence, *evidence]))
        return self._changed(goal_id, status=status, reason=reason, evidence=merged, updated_at=when)

    def edited(self, goal_id: str, **values: object) -> Goals:
        """Return them with one goal's own values changed (`goal`, `priority`, `related_values`, `status`)."""
        return self._changed(goal_id, **values)

    def without(self, goal_id: str) -> Goals:
        """Return them without one goal."""
        short, long = ([g for g in self.lists[h] if g.id != goal_id] for h in ("short_term", "long_term"))
        return Goals(short, long, self.meta, self.odd)

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
        whole = Goals(kept["short_term"], kept["long_term"], self.meta, self.odd)
        files: dict[Path, bytes | None] = {path: encode(whole.plain())}
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

    def _with(self, horizon: Horizon, goals: list[Goal]) -> Goals:
        lists = {**self.lists, horizon: goals}
        return Goals(lists["short_term"], lists["long_term"], self.meta, self.odd)

    def _changed(self, goal_id: str, **values: object) -> Goals:
        short, long = (
            [g.model_copy(update=values) if g.id == goal_id else g for g in self.lists[h]]
            for h in ("short_term", "long_term")
        )
        return Goals(short, long, self.meta, self.odd)


class GoalStore:
    """The goals of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        """Remember the file; `apply` writes with a history entry."""
        self._paths = paths
        self._clock = clock
        self._apply = apply or write_plainly(paths)
        self._file = JsonFile(paths, paths.goals, clock, dict)

    def load(self) -> Goals:
        """Return all goals."""
        return Goals.parse(self._file.read())

    def archived(self) -> list[Goal]:
        """Return the goals that have ended and were put on shelves, the newest first."""
        known, found = {goal.id for goals in self.load().lists.values() for goal in goals}, list[Goal]()
        for path in reversed(shelves(self._paths.goals)):
            file = JsonFile(self._paths, path, self._clock, dict)
            lists = Goals.parse(file.read()).lists
            self._file.notices += file.take_notices()
            older = [goal for goals in lists.values() for goal in goals]
            # A change that was taken back brings back what it had put on a shelf.
            found += [goal for goal in older if goal.id not in known]
            known |= {goal.id for goal in older}
        return found

    def for_prompt(self) -> list[tuple[Horizon, Goal]]:
        """Return what a prompt holds: the three most important short-term goals and two long-term ones.

        The first is the one whose priority moves the drive.
        """
        goals = self.load()
        short: list[tuple[Horizon, Goal]] = [
            ("short_term", goal) for goal in goals.active("short_term")[:SHORT_IN_PROMPT]
        ]
        long: list[tuple[Horizon, Goal]] = [("long_term", goal) for goal in goals.active("long_term")[:LONG_IN_PROMPT]]
        return sorted([*short, *long], key=lambda one: one[1].priority)

    def change(
        self, change: Callable[[Goals], Goals], *, author: str, reason: str, evidence: Sequence[str] = ()
    ) -> Goals:
        """Apply a pure change to what the file holds now, and write it."""
        with writing(self._paths):
            goals = change(self.load())
            self._apply(goals.changes(self._paths.goals), author=author, reason=reason, evidence=evidence)
            return goals

    def progress(self, goal_id: str, note: str, *, author: str, evidence: Sequence[str] = ()) -> Goals:
        """Note progress on a goal."""
        when = self._clock.now().strftime(TIME)
        return self.change(
            lambda goals: goals.progressed(goal_id, note, evidence=evidence, when=when),
            author=author,
            reason=note,
            evidence=evidence,
        )

    def think_of(self, goal_id: str, note: str, *, author: str) -> Goals:
        """Note a thought about a goal, of one's own accord."""
        when = self._clock.now().strftime(TIME)
        return self.change(lambda goals: goals.thought(goal_id, note, when), author=author, reason=note)

    def end(self, goal_id: str, status: Status, *, author: str, reason: str, evidence: Sequence[str] = ()) -> Goals:
        """Complete or abandon a goal."""
        when = self._clock.now().strftime(TIME)
        return self.change(
            lambda goals: goals.ended(goal_id, status, reason, evidence=evidence, when=when),
            author=author,
            reason=reason,
            evidence=evidence,
        )

    def delete(self, goal_id: str, *, author: str, reason: str) -> Goals:
        """Delete a goal (the history keeps it)."""
        return self.change(lambda goals: goals.without(goal_id), author=author, reason=reason)

    def pin(self, goal_id: str, *, on: bool, author: str) -> Goals:
        """Pin a goal, or take the pin off."""
        return self.change(lambda goals: goals.edited(goal_id, **{PINNED: on}), author=author, reason=pin_reason(on=on))

    def take_notices(self) -> list[Notice]:
        """Return what was found wrong with the file since the last time."""
        return self._file.take_notices()


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
