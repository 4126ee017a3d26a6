"""What is told against what was known: it is trusted less, and after several contradictions kept as what held once.

A fact of a slot (where somebody lives) gives way at once (`managers.memory.entities.with_fact`). This is about all
others. No word is lost: what held until then stays in the entity's file, with its end. An insight, or an event of the
last week, that something was told against is trusted less, and stays beside what says otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby, repeat
from typing import Any, Final

from managers.hygiene.duplicates import in_known_words, week_before
from managers.hygiene.inventory import of_insight, restood
from managers.hygiene.similarity import comparable, severity
from managers.memory.confidence import CONTRADICTED, START, Move, Origin, Standing, day_of, moved
from managers.memory.entities import Entity, Fact, language_of, until_text, with_fact
from managers.memory.working_copy import WorkingCopy
from managers.storage.settings import MemorySettings

_CALM: Final = (2, 0.7)
_CROWDED: Final = (3, 0.9)
"""How many contradictions of more than which severity split a memory; the latter when more than 80 % are in use."""


def with_told(entity: Entity, told: Fact, today: date, settings: MemorySettings, *, is_crowded: bool = False) -> Entity:
    """Return an entity that was told a fact: it is found again where the card has it, and what it contradicts knows that.

    Args:
        entity: the one.
        told: what was told.
        today: when.
        settings: as they stand.
        is_crowded: as in `with_contradictions`.
    """
    fact = in_known_words(entity, told, settings)
    knowing = with_fact(entity, fact)
    if knowing == entity:  # a day that is read again contradicts nothing anew
        return entity
    return with_contradictions(knowing, fact, today, settings, is_crowded=is_crowded)


def tell(copy: WorkingCopy, entity: Entity, facts: Sequence[Fact], today: date) -> None:
    """Write what was told about an entity onto its card, and let what was told otherwise know of it."""
    new: list[Fact] = []
    for told in facts:
        before = entity
        entity = with_told(before, told, today, copy.stores.limits, is_crowded=copy.stores.is_crowded)
        if entity != before:
            new.append(told)
    for day, those in groupby(new, lambda one: day_of(one.since) or today):
        doubt(copy, [one.text for one in those], day, today)
    copy.put_entity(entity)


def doubt(copy: WorkingCopy, told: Sequence[str], day: date, today: date) -> None:
    """Trust insights, and what the week before told, less where something was told against them later; once a day.

    Args:
        copy: what holds them.
        told: statements that are new.
        day: when they were said.
        today: when they became known.
    """
    limits = copy.stores.limits
    if not limits.hygiene or not told:
        return

    def grave_of(text: str) -> float:
        return next(filter(None, map(severity, repeat(text), told, repeat(limits.split_threshold))), 0.0)

    entries = copy.insights.entries  # of hundreds hardly any is comparable
    near = comparable(told, [one.insight for one in entries], limits.split_threshold)
    insights = [of_insight(one) for one in entries if one.insight in near and grave_of(one.insight)]
    for memory in [*insights, *week_before(copy, day)]:
        moves, is_later = memory.standing.moves, memory.made is not None and memory.made > day
        is_known = any(move.why == "contradicted" and move.day == today.isoformat() for move in moves)
        if memory.is_kept or is_later or is_known:
            continue
        if grave := grave_of(memory.text):
            restood(copy, memory, **_lowered(memory.standing, memory.origin, memory.made, today, grave))


def with_contradictions(
    entity: Entity, told: Fact, today: date, settings: MemorySettings, *, is_crowded: bool = False
) -> Entity:
    """Return an entity whose facts know that something was told against them.

    Args:
        entity: it holds what was told already.
        told: what was told now.
        today: when.
        settings: from when on two statements are about the same, and how often one memory may be split.
        is_crowded: whether only graver contradictions split.
    """
    new = next((fact for fact in entity.current_facts if fact.text == told.text), None)
    if new is None or not settings.hygiene:
        return entity
    lines: list[Fact | str] = []
    for line in entity.lines:
        if line is new or isinstance(line, str) or line.until or line.is_users or line.since > new.since:
            lines.append(line)
            continue
        grave = severity(line.text, told.text, settings.split_threshold)
        contradicted = _contradicted(line, grave, today) if grave else line
        if grave and _is_split(contradicted, settings, is_crowded=is_crowded) and not entity.is_pinned:
            until = new.since[:7]
            contradicted = replace(contradicted, text=until_text(line.text, until, language_of(line.text)), until=until)
            new = replace(new, standing=_came_of(line, today))
        lines.append(contradicted)
    return replace(entity, lines=tuple(new if isinstance(one, Fact) and one.id == new.id else one for one in lines))


def _contradicted(fact: Fact, grave: float, today: date) -> Fact:
    changed = _lowered(fact.standing, "experience", day_of(fact.since), today, grave)
    return replace(fact, standing=fact.standing.model_copy(update=changed))


def _lowered(standing: Standing, origin: Origin, made: date | None, today: date, grave: float) -> dict[str, Any]:
    """Return the values of a standing after a contradiction, as `moved` does, with how grave it was."""
    changed = moved(standing, origin, made, today, "contradicted", CONTRADICTED * grave)
    last: Move = changed["moves"][-1]
    return {**changed, "moves": [*changed["moves"][:-1], last.model_copy(update={"severity": grave})]}


def _is_split(fact: Fact, settings: MemorySettings, *, is_crowded: bool) -> bool:
    wanted, graver_than = _CROWDED if is_crowded else _CALM
    grave = [move for move in fact.standing.moves if move.why == "contradicted" and move.severity > graver_than]
    return len(grave) >= wanted and fact.standing.splits < settings.max_splits_per_episode


def _came_of(fact: Fact, today: date) -> Standing:
    """Return how a fact stands that came out of a contradiction."""
    move = Move(day=today.isoformat(), by=0.0, why="split")
    return Standing(
        confidence=START["contradiction"],
        last_accessed=today.isoformat(),
        moves=[move],
        splits=fact.standing.splits + 1,
        generation=fact.standing.generation,
    )
