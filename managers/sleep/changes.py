"""What a dream proposes: one change after the other, each with its evidence and the mind that made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import Any, Literal

from managers.hygiene.contradictions import doubt, tell
from managers.hygiene.duplicates import add_insight, without_known_events
from managers.memory.confidence import day_of
from managers.memory.entities import Entity, Fact, Kind, given_way, name_key
from managers.memory.episodes import Episode
from managers.memory.goals import Goal, Goals, closes_with
from managers.memory.insights import Insight
from managers.memory.json_documents import TIME, USER
from managers.memory.messages import united
from managers.memory.questions import Question, Questions
from managers.memory.working_copy import WorkingCopy
from managers.sleep.hearsay import Telling
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    GoalDraft,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionDraft,
    ResolutionsDraft,
)
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("notices/dreams")
What = Literal["episode", "entity", "question", "resolution", "goal", "insight", "period"]
STALE_GOAL_DAYS = 30
"""A short-term goal that has not moved for this long is given up at a weekly reflection."""
_MIDDLING = 3
"""The priority of a goal of which nobody said how much it matters."""
_REVISED = {"reprioritise": "priority", "reword": "goal", "revalue": "related_values"}
STALE_QUESTION_DAYS = 60
"""A question that nobody has answered for this long is let go at a weekly reflection: one cannot wonder for ever."""


@dataclass(frozen=True)
class Change:
    """One change of the memories.

    Attributes:
        what: which kind of memory.
        target: which one: a day, a name, a topic.
        text: what it will say.
        evidence: the messages that it rests on.
        mind: what proposed it.
        make: makes it on a copy; where the memory is gone or a person's by now, it does nothing.
        memories: how many memories it makes, as the limits count them.
    """

    what: What
    target: str
    text: str
    evidence: tuple[str, ...]
    mind: str
    make: Callable[[WorkingCopy], None] = field(repr=False, compare=False)
    memories: int = 0

    def told(self) -> Change:
        """Return what it says alone, without the day that it was made of: a report of years holds thousands of them."""
        return replace(self, make=_made_already)

    def plain(self) -> dict[str, Any]:
        """Return it for `--json` and for the dream's own record."""
        return {
            "what": self.what,
            "target": self.target,
            "text": self.text,
            "evidence": list(self.evidence),
            "mind": self.mind,
        }


def _made_already(_copy: WorkingCopy) -> None:
    """What was made is not made again."""


def episode_changes(draft: DayDraft, material: DayMaterial, mind: str, *, redo: bool) -> list[Change]:
    """Return the day's episode."""
    evidence = list(dict.fromkeys([*draft.evidence, *(one for event in draft.key_events for one in event.evidence)]))
    episode = Episode(
        date=material.date,
        summary=draft.summary,
        key_events=[event.text for event in draft.key_events],
        emotional_tone=draft.emotional_tone,
        evidence=evidence,
        key_event_evidence=[event.evidence for event in draft.key_events],
        covered_messages=len(material.messages),
        mind=mind,
        origins=[*material.origins],
        redo=redo,
    ).sealed()

    def make(copy: WorkingCopy) -> None:
        doubt(copy, [event.text for event in draft.key_events], material.date, material.date)
        copy.put_episode(without_known_events(copy, episode))

    target, count = material.date.isoformat(), 1 + len(draft.key_events)
    return [Change("episode", target, draft.summary, tuple(evidence), mind, make, count)]


def entity_changes(draft: EntitiesDraft, material: EntityMaterial, mind: str, now: datetime) -> list[Change]:
    """Return what became known about each entity."""
    said = {message.id: message.time for message in material.day.messages}
    owners = {fact.id: entity.name for entity in material.known for fact in entity.facts}
    return [_entity_change(entity, said, material.day, owners, mind, now) for entity in draft.entities]


def _entity_change(
    draft: EntityDraft,
    said: Mapping[str, datetime],
    day: DayMaterial,
    owners: Mapping[str, str],
    mind: str,
    now: datetime,
) -> Change:
    telling = Telling(day, ())
    facts = [
        Fact(
            fact.text,
            tuple(fact.evidence),
            mind,
            slot=fact.slot,
            since=f"{min(said[one] for one in fact.evidence):%Y-%m-%d}",
            origins=telling.origins_of(f"{draft.name} {fact.text}"),
        )
        for fact in draft.facts
    ]
    replacing = [(one.replaces, fact) for one, fact in zip(draft.facts, facts, strict=True) if one.replaces]

    def make(copy: WorkingCopy) -> None:
        for old, new in replacing:  # what it replaces may stand on another's card
            there = copy.entity([owners[old]])
            if there is not None:
                copy.put_entity(given_way(there, old, new, f"{day.date:%Y-%m}", day.sheet.language))
        entity = copy.entity_of(draft.name, draft.aliases)
        if entity is None:
            entity = Entity(draft.name, draft.kind, f"{now:{TIME}}", mind=mind)
        entity = _also_known_as(entity, [draft.name, *draft.aliases], draft.kind)
        tell(copy, entity, facts, now.date())

    evidence = tuple(dict.fromkeys(one for fact in draft.facts for one in fact.evidence))
    return Change("entity", draft.name, " / ".join(fact.text for fact in facts), evidence, mind, make, len(facts))


def _also_known_as(entity: Entity, names: Sequence[str], kind: Kind) -> Entity:
    known = {name_key(name) for name in entity.names} | set(entity.names)
    new = [name for name in dict.fromkeys(names) if name not in entity.names and name_key(name) not in known]
    is_told_anew = entity.kind == "pet" and kind == "person" and bool(new)  # "my sister Nora", once taken for the cat
    better = kind if entity.kind == "thing" or is_told_anew else entity.kind
    return replace(entity, kind=better, aliases=(*entity.aliases, *new))


def question_changes(draft: QuestionsDraft, mind: str, now: datetime, origins: Sequence[str]) -> list[Change]:
    """Return the questions that remained open, of whoever's words they were made."""
    changes = []
    for found in draft.questions:
        question = Question(
            **found.model_dump(exclude={"priority"}),
            priority=round(found.priority, 2),
            mind=mind,
            origins=[*origins],
            created_at=f"{now:{TIME}}",
        )
        make = partial(_with_questions, partial(Questions.with_one, question=question))
        changes.append(Change("question", found.topic, found.context, tuple(found.evidence), mind, make))
    return changes


def _with_questions(changed: Callable[[Questions], Questions], copy: WorkingCopy) -> None:
    copy.questions = changed(copy.questions)


def resolution_changes(
    draft: ResolutionsDraft, material: AnswerMaterial, goals: Goals, mind: str, now: datetime
) -> list[Change]:
    """Return the answers, each also as knowledge about whom the question was about, and the goals to ask it as reached."""
    by_id = {question.id: question for question in material.open}
    said = {message.id: message for message in material.day.messages}
    changes = []
    for found in draft.resolutions:
        question = by_id[found.question_id]
        told = said[found.evidence[0]]
        text, marks = f"{question.topic}: {found.answer}", material.origins.get(question.id, ())
        fact = Fact(text, tuple(found.evidence), mind, since=f"{told.time:%Y-%m-%d}", origins=marks)
        make = partial(_resolve, question, found, fact, now)
        changes.append(Change("resolution", question.topic, found.answer, tuple(found.evidence), mind, make))
        for goal in goals.active("short_term"):
            if goal.mind != USER and not goal.is_pinned and closes_with(goal.goal, question.topic):
                reached = GoalDraft(action="complete", goal_id=goal.id, reason=found.answer, evidence=found.evidence)
                changes.append(_goal_change(reached, mind, now))
    return changes


def _told_of(copy: WorkingCopy, topic: str) -> Entity | None:
    """Return whom a topic names; the longest name where there are several."""
    folded = name_key(topic)
    named = [key for key in copy.known_keys() if len(key) > 1 and key in folded]
    return next(iter(copy.entities_named_in(sorted(named, key=len, reverse=True))), None)


def _resolve(asked: Question, found: ResolutionDraft, fact: Fact, now: datetime, copy: WorkingCopy) -> None:
    question = copy.questions.get(asked.id)
    if question is None or question.status != "open":
        return  # a person resolved or deleted it meanwhile
    when = f"{now:{TIME}}"
    copy.questions = copy.questions.resolved(asked.id, answer=found.answer, evidence=found.evidence, when=when)
    entity = _told_of(copy, question.topic) or (copy.entity([asked.about]) if asked.about else None)
    if entity is not None:
        tell(copy, entity, [fact], now.date())


def reflection_changes(
    draft: ReflectionDraft | None, material: ReflectionMaterial, mind: str, now: datetime
) -> list[Change]:
    """Return the entry of the dream diary, what becomes of the goals, and the date of the reflection."""
    level, origins = material.level, [*material.origins]

    def mark(copy: WorkingCopy) -> None:
        copy.goals = copy.goals.reflected(level, material.today, now.date())

    if draft is None:
        return [Change("goal", "meta", f"level {level}", (), mind, mark)]
    insight = Insight(
        created_at=f"{now:{TIME}}",
        trigger_topic=draft.trigger_topic,
        insight=draft.insight,
        strategy=draft.strategy,
        log_entry=draft.log_entry,
        evidence=draft.evidence,
        mind=mind,
        origins=origins,
        level=level,
        values=draft.values if level == 3 else [],  # noqa: PLR2004  # the monthly reflection
        day=f"{material.days[-1].date}" if level == 1 and material.days else "",
    )

    def make(copy: WorkingCopy) -> None:
        for known in material.outdated:
            if not _is_kept(known, copy):
                copy.insights = copy.insights.without(known.id)
        doubt(copy, [insight.insight], now.date(), now.date())
        add_insight(copy, insight)
        mark(copy)

    changes = [Change("insight", draft.trigger_topic, draft.insight, tuple(draft.evidence), mind, make, 1)]
    if any(draft.insight == known.insight for known in (*material.insights, *material.outdated)):
        changes = [Change("goal", "meta", f"level {level}", (), mind, make)]
    goals = [goal for goal in draft.goals if not _is_made_already(goal, material)]
    return [*changes, *(_goal_change(goal, mind, now, material.goals, origins) for goal in goals)]


def outdated_insights(entries: Sequence[Insight], day: DayMaterial) -> tuple[Insight, ...]:
    """Return what was concluded of a day while it still went on, and now is concluded anew of all of it."""
    if not day.is_read_again:
        return ()
    return tuple(
        one
        for one in entries
        if one.id
        and one.level == 1
        and day_of(one.created_at[:10]) == day.date
        and not day.ids.isdisjoint(one.evidence)
        and not (one.mind == USER or one.is_pinned)
    )


def _is_kept(insight: Insight, copy: WorkingCopy) -> bool:
    """Whether a person has pinned an insight, or made it theirs, since the dream began."""
    there = next((one for one in copy.insights.entries if one.id == insight.id), None)
    return there is not None and (there.mind == USER or there.is_pinned)


def _is_made_already(goal: GoalDraft, material: ReflectionMaterial) -> bool:
    """Whether the words that a new goal rests on have brought a goal when the day was dreamt of before."""
    if goal.action != "create" or not goal.evidence or not any(day.is_read_again for day in material.days):
        return False
    known = {one for there in material.goals.lists[goal.horizon] for one in there.evidence}
    return known.issuperset(goal.evidence)


def _goal_change(
    draft: GoalDraft, mind: str, now: datetime, goals: Goals | None = None, origins: Sequence[str] = ()
) -> Change:
    when = f"{now:{TIME}}"

    def make(copy: WorkingCopy) -> None:
        found = copy.goals.get(draft.goal_id)
        if draft.action == "create":
            goal = Goal(
                goal=draft.goal.strip(),
                priority=draft.priority or _MIDDLING,
                related_values=draft.related_values,
                evidence=draft.evidence,
                mind=mind,
                origins=[*origins],
                created_at=when,
                updated_at=when,
            )
            copy.goals = copy.goals.created(draft.horizon, goal)
        elif found is None or found[1].status != "active":
            return  # a person ended or deleted it meanwhile
        elif draft.action == "progress":
            copy.goals = copy.goals.progressed(draft.goal_id, draft.reason, evidence=draft.evidence, when=when)
        elif draft.action in _REVISED:
            if found[1].mind != USER and not found[1].is_pinned:  # a person's words and order stay
                field = _REVISED[draft.action]
                value = {"priority": draft.priority, "goal": draft.goal, "related_values": draft.related_values}[field]
                copy.goals = copy.goals.edited(draft.goal_id, **{field: value}, updated_at=when)
        else:
            status: Literal["completed", "abandoned"] = "completed" if draft.action == "complete" else "abandoned"
            copy.goals = copy.goals.ended(draft.goal_id, status, draft.reason, evidence=draft.evidence, when=when)
        if origins and found and draft.action in {"reword", "revalue", "progress"} and found[1].mind != USER:
            copy.goals = copy.goals.edited(draft.goal_id, origins=[*united(found[1].origins, origins)])

    there = goals.get(draft.goal_id) if goals else None
    named = there[1].goal if there else draft.goal_id
    revised = {"reprioritise": f"{named} → {draft.priority}", "revalue": f"{named}: {', '.join(draft.related_values)}"}
    text = revised.get(draft.action) or draft.goal or draft.reason
    return Change("goal", draft.goal_id or draft.action, text, tuple(draft.evidence), mind, make)


def stale_changes(
    goals: Goals, questions: Sequence[Question], today: date, lang: Lang, mind: str, now: datetime
) -> list[Change]:
    """Return the end of short-term goals that did not move for long, and of questions that nobody answered for long."""
    changes = []
    for goal in goals.active("short_term"):
        moved = day_of((goal.updated_at or goal.created_at)[:10])
        if goal.is_pinned or goal.mind == USER or moved is None or (today - moved).days < STALE_GOAL_DAYS:
            continue
        draft = GoalDraft(
            action="abandon", goal_id=goal.id, reason=_say("reason.stale-goal", lang, moved=moved), evidence=[]
        )
        changes.append(_goal_change(draft, mind, now))
    for question in questions:
        found = day_of(question.created_at[:10])
        is_kept = question.is_pinned or question.mind == USER
        if is_kept or found is None or (today - found).days < STALE_QUESTION_DAYS:
            continue
        make = partial(_with_questions, partial(Questions.let_go, question_id=question.id, when=f"{now:{TIME}}"))
        changes.append(Change("question", question.topic, "", (), mind, make))
    return changes
