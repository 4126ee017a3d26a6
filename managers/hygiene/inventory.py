"""All dreamt memories of a persona as one list: days, their key events, insights, and facts about entities.

What is done to any of them is done here: a memory is taken out as a value that can be kept and put back, or stands
otherwise than before. All of it happens on a working copy, whose files are written together.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from managers.memory.audience import fact_id
from managers.memory.confidence import Origin, Standing, day_of, value_of
from managers.memory.entities import Entity, Fact, name_key, with_fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight
from managers.memory.json_documents import USER, Remembered, short_id
from managers.memory.messages import origins_in
from managers.memory.strategies import AnyPattern, DecompositionPattern, Pattern
from managers.memory.working_copy import WorkingCopy

Kind = Literal["day", "event", "insight", "fact", "pattern"]
KINDS: tuple[Kind, ...] = ("day", "event", "insight", "fact")
"""What is searched, stands in prompts and is counted; what was learned about helping is only put away and put back."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One dreamt memory.

    Attributes:
        id: the same for the same memory, whoever asks when.
        kind: what it is.
        text: what people read.
        place: where it stands: a day (ISO), or an entity's name; for an insight its id.
        evidence: the messages that it rests on.
        standing: its C-value as it is kept, and what moved it.
        made: the day on which it was made or said; None where nobody knows.
        is_pinned, is_users: pinned, written or changed by a person: it never fades and is never put away.
        marks: of an insight or a fact, its `origins`.
    """

    id: str
    kind: Kind
    text: str
    place: str
    evidence: tuple[str, ...]
    standing: Standing
    made: date | None
    is_pinned: bool
    is_users: bool
    marks: tuple[str, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Whether a person decided that it stays."""
        return self.is_pinned or self.is_users

    @property
    def origin(self) -> Origin:
        return "insight" if self.kind == "insight" else "experience"

    def confidence(self, today: date) -> float:
        """Return its C-value today; 1 for what a person pinned or wrote."""
        return 1.0 if self.is_kept else round(value_of(self.standing, self.origin, self.made, today), 4)


def memories(copy: WorkingCopy) -> Iterator[Memory]:
    """Yield all memories that are active: what is searched and stands in prompts."""
    for day in copy.stores.episodes.days():
        episode = copy.episode(day)
        if episode is not None:
            yield from of_episode(episode)
    for insight in copy.insights.entries:
        yield of_insight(insight)
    for entity in copy.all_entities():
        yield from of_entity(entity)


def find(copy: WorkingCopy, kind: Kind, place: str, memory_id: str) -> Memory | None:
    """Return one active memory; None where it is not there (any more)."""
    found: Iterator[Memory] = iter(())
    if kind == "insight":
        found = map(of_insight, filter(None, [copy.insights.get(memory_id)]))
    elif kind == "fact":
        entity = copy.entity([place])
        found = of_entity(entity) if entity else found
    elif kind == "pattern":
        pattern = copy.strategies.get(memory_id)
        found = iter([of_pattern(pattern)] if pattern else [])
    elif (day := day_of(place)) is not None and (episode := copy.episode(day)) is not None:
        found = of_episode(episode)
    return next((memory for memory in found if memory.id == memory_id), None)


def of_episode(episode: Episode) -> Iterator[Memory]:
    """Yield a day, and its key events."""
    day, kept = episode.date.isoformat(), (episode.is_pinned, episode.is_users)
    yield Memory(
        _id_of(episode, "ep_", day), "day", episode.summary, day, tuple(episode.evidence), episode, episode.date, *kept
    )
    for event in episode.events:
        yield Memory(
            _event_id(day, event), "event", event.text, day, event.evidence, event.standing, episode.date, *kept
        )


def of_insight(insight: Insight) -> Memory:
    """Return an insight as a memory."""
    place, made = _id_of(insight, "in_", insight.created_at, insight.insight), day_of(insight.created_at[:10])
    kept = (insight.is_pinned, insight.mind == USER, tuple(insight.origins))
    return Memory(place, "insight", insight.insight, place, tuple(insight.evidence), insight, made, *kept)


def of_entity(entity: Entity) -> Iterator[Memory]:
    """Yield what is known of somebody or something; a person's own lines are no facts of ours."""
    for fact in entity.facts:
        yield Memory(
            fact_id(entity, fact), "fact", fact.text, entity.name, fact.evidence, fact.standing, day_of(fact.since),
            entity.is_pinned, fact.is_users, fact.origins,
        )  # fmt: skip


def of_pattern(pattern: Pattern) -> Memory:
    """Return what was learned about helping as a memory; it was made when somebody last said something about it."""
    text = pattern.query_pattern if isinstance(pattern, DecompositionPattern) else pattern.mitigation
    made, kept = day_of(pattern.updated_at[:10]), (pattern.is_pinned, pattern.mind == USER)
    return Memory(pattern.id, "pattern", text, pattern.id, tuple(pattern.evidence), pattern, made, *kept)


def listed(copy: WorkingCopy, memory_id: str) -> Remembered | None:
    """Return a goal, a question or what was learned about helping; they are marked, though no limits count them."""
    goal = copy.goals.get(memory_id)
    return goal[1] if goal else copy.questions.get(memory_id) or copy.strategies.get(memory_id)


def restood(copy: WorkingCopy, memory: Memory, rests: Mapping[str, Any] | None = None, **values: Any) -> None:  # noqa: ANN401  # fields of `Standing`
    """Let a memory stand otherwise: its C-value, its generation, the day of its last use; and rest on other messages.

    Nothing happens where the memory is gone by now. What a person wrote stays theirs, and may be used like any other.
    """
    told = rests or {}
    if memory.kind == "insight":
        copy.insights = copy.insights.edited(memory.place, **values, **{key: [*one] for key, one in told.items()})
    elif memory.kind == "fact":
        _change_fact(copy, memory, lambda one: replace(one, standing=one.standing.model_copy(update=values), **told))
    elif memory.kind == "event":
        told = {key: one for key, one in told.items() if key != "origins"}
        _change_event(copy, memory, lambda one: replace(one, standing=one.standing.model_copy(update=values), **told))
    elif (episode := _episode(copy, memory)) is not None:
        copy.put_standing(episode.model_copy(update=values))


def take_out(copy: WorkingCopy, memory: Memory) -> dict[str, Any] | None:
    """Take a memory out, and return what puts it back (`put_back`); None where it is gone by now.

    A day goes with its key events.
    """
    if memory.kind in {"insight", "pattern"}:
        name = "insights" if memory.kind == "insight" else "strategies"
        gone: Remembered | None = getattr(copy, name).get(memory.place)
        setattr(copy, name, getattr(copy, name).without(memory.place))
        return gone.model_dump(mode="json") if gone else None
    if memory.kind == "fact":
        return _take_fact(copy, memory)
    return _take_day(copy, memory) if memory.kind == "day" else _take_event(copy, memory)


def put_back(copy: WorkingCopy, kind: Kind, place: str, value: dict[str, Any]) -> bool:
    """Put a memory back where it was, beside what is there now.

    Returns:
        Whether it could be: there is something else on the day of an episode, the day of an event is gone, or a card
        says the same already.
    """
    if kind == "insight":
        copy.insights = copy.insights.with_one(Insight.model_validate(value))
    elif kind == "pattern":
        copy.strategies = copy.strategies.with_one(AnyPattern.model_validate(value).root)
    elif kind == "fact":
        return _put_fact(copy, place, value)
    if kind not in {"day", "event"}:
        return True
    day = date.fromisoformat(place)
    episode = copy.episode(day)
    if kind == "day":
        if episode is not None or copy.stores.episodes.occupied(day):
            return False
        copy.put_standing(Episode.model_validate(value))
        copy.state = copy.state.unsettle(day)
        return True
    if episode is None:
        return False
    event = KeyEvent(value["text"], tuple(value["evidence"]), Standing.model_validate(value))
    if all(event.text != there.text for there in episode.events):
        at = int(value.get("at", len(episode.events)))
        copy.put_standing(_resealed(episode, [*episode.events[:at], event, *episode.events[at:]]))
    return True


def _episode(copy: WorkingCopy, memory: Memory) -> Episode | None:
    return copy.episode(date.fromisoformat(memory.place))


def _take_day(copy: WorkingCopy, memory: Memory) -> dict[str, Any] | None:
    episode = _episode(copy, memory)
    if episode is None:
        return None
    copy.remove_episode(episode.date)
    copy.state = copy.state.settle(episode.date)  # no night makes it anew
    return episode.model_dump(mode="json")


def _take_event(copy: WorkingCopy, memory: Memory) -> dict[str, Any] | None:
    episode = _episode(copy, memory)
    events = episode.events if episode else []
    at = next((n for n, event in enumerate(events) if _event_id(memory.place, event) == memory.id), None)
    if episode is None or at is None:
        return None
    gone = events.pop(at)
    copy.put_standing(_resealed(episode, events))
    return {"text": gone.text, "evidence": list(gone.evidence), "at": at, **gone.standing.model_dump(mode="json")}


def _resealed(episode: Episode, events: list[KeyEvent]) -> Episode:
    """Return an episode with other events, which is no more a person's than it was before."""
    changed = episode.with_events(events)
    return changed if episode.is_users else changed.sealed()


def _id_of(memory: Remembered, prefix: str, *parts: str) -> str:
    return memory.id or short_id(prefix, *parts)


def _event_id(day: str, event: KeyEvent) -> str:
    return short_id("ev_", day, event.text)


def _change_fact(copy: WorkingCopy, memory: Memory, change: Callable[[Fact], Fact]) -> None:
    entity = copy.entity([memory.place])
    if entity is None:
        return
    lines = tuple(
        change(line) if isinstance(line, Fact) and fact_id(entity, line) == memory.id else line for line in entity.lines
    )
    if lines != entity.lines:
        copy.put_entity(replace(entity, lines=lines))


def _change_event(copy: WorkingCopy, memory: Memory, change: Callable[[KeyEvent], KeyEvent]) -> None:
    episode = _episode(copy, memory)
    if episode is not None:
        events = [change(one) if _event_id(memory.place, one) == memory.id else one for one in episode.events]
        copy.put_standing(episode.with_events(events))


def _take_fact(copy: WorkingCopy, memory: Memory) -> dict[str, Any] | None:
    entity = copy.entity([memory.place])
    gone = next((fact for fact in entity.facts if fact_id(entity, fact) == memory.id), None) if entity else None
    if entity is None or gone is None:
        return None
    place = entity.lines.index(gone)  # of two lines that are the same, one goes
    copy.put_entity(replace(entity, lines=entity.lines[:place] + entity.lines[place + 1 :]))
    return fact_value(entity, gone)


def fact_value(entity: Entity, gone: Fact) -> dict[str, Any]:
    """Return what puts a fact back (`put_back`)."""
    about = {"kind": entity.kind, "created": entity.created, "aliases": list(entity.aliases), "mind": entity.mind}
    fact = {key: getattr(gone, key) for key in ("text", "mind", "id", "slot", "since", "until")}
    told = {"evidence": list(gone.evidence), **({"origins": list(gone.origins)} if gone.origins else {})}
    return {"entity": about, **fact, **told, **gone.standing.model_dump(mode="json")}


def _put_fact(copy: WorkingCopy, name: str, value: dict[str, Any]) -> bool:
    """Tell a card a fact once more: where something else has become true since, it is history."""
    about = value.get("entity", {})
    entity = _card_of(copy, name, about.get("kind", "")) or Entity(
        name,
        about.get("kind", "thing"),
        about.get("created", ""),
        tuple(about.get("aliases", ())),
        about.get("mind", ""),
    )
    words = {key: str(value.get(key, "")) for key in ("text", "mind", "id", "slot", "since", "until")}
    standing, marks = Standing.model_validate(value), tuple(origins_in(value.get("origins")))
    fact = Fact(**words, evidence=tuple(value["evidence"]), standing=standing, origins=marks)
    if any(fact_id(entity, fact) == fact_id(entity, there) for there in entity.facts):
        return True
    changed = replace(entity, lines=(*entity.lines, fact)) if fact.until else with_fact(entity, fact)
    copy.put_entity(changed)
    return changed != entity


def _card_of(copy: WorkingCopy, name: str, kind: str) -> Entity | None:
    """Return the card of that name, else whoever is called so now, too, and is of the same kind."""
    found = copy.entity([name])
    is_meant = found is not None and (name_key(found.name) == name_key(name) or kind in {"", found.kind})
    return found if is_meant else None
