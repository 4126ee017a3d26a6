"""What kind of help worked for what kind of request, and what did not: `memory/strategies.json`.

A decomposition pattern tells how requests of one kind were answered and how often that was welcome; a failure pattern
what somebody complained of, and what to do instead. Both are learned from how answers are taken (`agent.strategy_learning`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import Field, RootModel

from managers.language.words import content_words
from managers.memory.entry_files import EntryList, EntryStore
from managers.memory.json_documents import USER, Apply, Remembered, encode, entries_of, short_id
from managers.storage.clock import Clock
from managers.storage.errors import ExternallyChangedError
from managers.storage.files import digest
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from managers.storage.unchanged import Unchanged

LEAST_USES: Final = 2
"""What was welcome once may have been luck."""
_SUCCESS: Final = 0.9
"""Above this rate of success a way to help is suggested."""
MOST_SEVERE: Final = 5
_GENERAL_FROM: Final = 2
"""From this severity on what nobody can tie to certain requests is warned of with any."""
_FIRST, _LAST = 6, 24
"""So much of the evidence is kept: what the words come from, and what came last."""


class DecompositionPattern(Remembered):
    """How requests of one kind were answered.

    Attributes:
        query_pattern: a request of that kind, as it was made.
        subtasks: the steps of the answer, where it had any.
        strategy: what the answer was like (`managers.language.reading.help_given.TRAITS`).
        success_rate: the share of the answers that were welcome, of those that somebody said something about.
        usage_count: how many those were.
        created_at, updated_at: when it was learned, and when somebody said something about it last.
    """

    kind: Literal["decomposition"]
    query_pattern: str
    subtasks: list[str] = Field(default_factory=list)
    strategy: list[str] = Field(default_factory=list)
    success_rate: float = Field(0, ge=0, le=1)
    usage_count: int = Field(0, ge=0)
    created_at: str = ""
    updated_at: str = ""

    @property
    def is_proven(self) -> bool:
        """Whether it is suggested for requests like its own."""
        return self.usage_count >= LEAST_USES and self.success_rate > _SUCCESS

    def after(self, *, helped: bool) -> dict[str, object]:
        """Return what changes with one more answer of this kind, by name."""
        welcome, count = round(self.success_rate * self.usage_count) + helped, self.usage_count + 1
        return {"success_rate": round(welcome / count, 4), "usage_count": count}


class FailurePattern(Remembered):
    """What somebody complained of.

    Attributes:
        pattern: its name: one of `managers.language.reading.reactions.FAULTS`, or what a person called it.
        indicators: words of the requests with which it happens, as they were written; empty: with any.
        mitigation: what to do instead.
        severity: 1 to 5: how many times somebody complained.
        created_at, updated_at: when somebody complained for the first time, and last.
    """

    kind: Literal["failure"]
    pattern: str
    indicators: list[str] = Field(default_factory=list)
    mitigation: str
    severity: int = Field(1, ge=1, le=MOST_SEVERE)
    created_at: str = ""
    updated_at: str = ""

    def threatens(self, has: AbstractSet[str]) -> bool:
        """Tell whether a request is one with which this happens, by those of the indicators that it has."""
        return not has.isdisjoint(self.indicators) if self.indicators else self.severity >= _GENERAL_FROM


Pattern = DecompositionPattern | FailurePattern


class AnyPattern(RootModel[Annotated[Pattern, Field(discriminator="kind")]]):
    """An entry of the file."""


class Strategies(EntryList[Pattern]):
    """The patterns as they stand in their file, what was heard of last first, and pure changes of them."""

    KEPT = 200

    @classmethod
    def parse(cls, value: Sequence[Any]) -> Strategies:
        """Read the file's value; what does not fit is kept as it is."""
        found, odd = entries_of(AnyPattern, value)
        return cls([one.root for one in found], odd)

    @cached_property
    def decompositions(self) -> list[DecompositionPattern]:
        return [one for one in self.entries if isinstance(one, DecompositionPattern)]

    @cached_property
    def failures(self) -> list[FailurePattern]:
        return [one for one in self.entries if isinstance(one, FailurePattern)]

    def with_one(self, one: Pattern) -> Strategies:
        """Return them with a pattern that was put away, behind what was heard of since."""
        return self if self.get(one.id) else Strategies([*self.entries, one], self.odd)

    def tried(self, fresh: DecompositionPattern, known_id: str, *, helped: bool) -> Strategies:
        """Return them with one more answer that was welcome or not.

        Args:
            fresh: the answer as a pattern of its own.
            known_id: the pattern that it belongs to; empty where there is none yet.
            helped: whether it was welcome.
        """
        known = self.get(known_id)
        if not isinstance(known, DecompositionPattern):
            first = fresh.model_copy(update=fresh.after(helped=helped))
            return _led_by(self, first, short_id("st_", fresh.query_pattern, *fresh.strategy))
        steps = known.subtasks or (fresh.subtasks if helped and known.mind != USER else [])
        return _led_by(self, _moved(known, fresh, {"subtasks": steps, **known.after(helped=helped)}), known.id)

    def complained(self, fresh: FailurePattern, opposite: str = "") -> Strategies:
        """Return them with one more complaint; what was complained of the other way round weighs less by it.

        The indicators are what all the requests have in common, unless a person wrote them.

        Args:
            fresh: the complaint as a pattern of its own.
            opposite: the pattern that wants the contrary; empty where there is none.
        """
        found = {one.pattern: one for one in self.failures}
        known, other, left = found.get(fresh.pattern), found.get(opposite), self
        if other is not None and other.mind != USER:
            weaker = self.edited(other.id, severity=other.severity - 1)
            left = weaker if other.severity > 1 else self.without(other.id)
        if known is None:
            return _led_by(left, fresh, short_id("fp_", fresh.pattern))
        said = {frozenset(content_words(one)) for one in fresh.indicators}
        common = [one for one in known.indicators if frozenset(content_words(one)) in said]
        changes = {
            "severity": min(known.severity + 1, MOST_SEVERE),
            "indicators": known.indicators if known.mind == USER else common,
        }
        return _led_by(left, _moved(known, fresh, changes), known.id)


class StrategyStore(EntryStore[Strategies, Pattern]):
    """What a persona has learned about helping."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        super().__init__(paths, paths.memory / "strategies.json", clock, apply, Strategies.parse)
        self._known = Unchanged[Strategies]()

    def current(self) -> Strategies:
        """Return what `load` does; the file is read only when it is another one than the last time."""
        return self._known.get(self.load, self.path)

    def edit(self, entry_id: str, values: Mapping[str, object], *, based_on: str, author: str) -> bool:
        """Write what a person made of a pattern.

        Returns:
            Whether it is still there.

        Raises:
            ExternallyChangedError: its words are others by now than those with the digest `based_on`.
            ValidationError: the values do not fit.
        """
        with writing(self._paths):
            known = self.load().get(entry_id)
            if known is None:
                return False
            if words_digest(known) != based_on:
                raise ExternallyChangedError(path=self.path.name, theirs="\n".join(words_of(known).values()))
            changed = type(known).model_validate({**known.model_dump(), **values, "mind": USER})
            self.change(lambda all_: all_.edited(entry_id, **dict(changed)), author=author, reason="edited")
            return True


def words_of(one: Pattern) -> dict[str, str]:
    """Return the fields that a person may change, as text; of lists one entry a line."""
    if isinstance(one, DecompositionPattern):
        return {"query_pattern": one.query_pattern, "subtasks": "\n".join(one.subtasks)}
    return {"mitigation": one.mitigation, "indicators": "\n".join(one.indicators), "severity": str(one.severity)}


def words_digest(one: Pattern) -> str:
    """Return the digest of these, to base an edit on: how often it was tried since is no conflict."""
    return digest(encode(words_of(one)))


def _led_by(known: Strategies, one: Pattern, pattern_id: str) -> Strategies:
    rest = [other for other in known.entries if other.id != pattern_id]
    return Strategies([one.model_copy(update={"id": pattern_id}), *rest], known.odd)


def _moved(known: Pattern, fresh: Pattern, changes: Mapping[str, object]) -> Pattern:
    merged = list(dict.fromkeys([*known.evidence, *fresh.evidence]))
    kept = merged if len(merged) <= _FIRST + _LAST else [*merged[:_FIRST], *merged[-_LAST:]]
    return known.model_copy(update={"evidence": kept, "updated_at": fresh.updated_at, **changes})
