"""What is there already is found again when it is to be saved: the old one is trusted more, and nothing is made.

Compared is only what lies at hand: an insight with the insights, a fact with those on the same card, an event with those of
its day and of the week before. Facts and events must say the same in the same words and order, too (`similarity.meaning`),
so of most of them no vector is made.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from managers.hygiene.inventory import Memory, of_episode, restood
from managers.hygiene.similarity import claims, cosines, meaning
from managers.memory.confidence import FOUND_AGAIN, day_of, moved
from managers.memory.entities import Entity, Fact
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.insights import Insight
from managers.memory.json_documents import USER
from managers.memory.messages import united
from managers.memory.working_copy import WorkingCopy
from managers.storage.settings import MemorySettings

_DAYS_BEFORE: Final = 7
"""An event that is told once more within a week is the same event."""


def in_known_words(entity: Entity, fact: Fact, settings: MemorySettings) -> Fact:
    """Return a fact in the words of the one on the card that says the same, if there is one: so it is found again."""
    known = [one for one in entity.current_facts if one.slot == fact.slot] if settings.hygiene else []
    same = _same(fact.text, [one.text for one in known], settings)
    return fact if same is None else replace(fact, text=known[same].text)


def without_known_events(copy: WorkingCopy, episode: Episode) -> Episode:
    """Return a day without the events that it tells twice, or that the week before it tells; those are trusted more.

    The day goes on resting on the messages that told of them.
    """
    settings, there = copy.stores.limits, copy.episode(episode.date)
    if not settings.hygiene or not episode.key_events or (there is not None and there.is_users):
        return episode
    known = [memory for memory in week_before(copy, episode.date) if memory.kind == "event"]
    left: list[KeyEvent] = []
    for event in episode.events:
        if (at := _same(event.text, [one.text for one in left], settings)) is not None:
            left[at] = replace(left[at], evidence=tuple(dict.fromkeys([*left[at].evidence, *event.evidence])))
        elif (at := _same(event.text, [one.text for one in known], settings)) is not None:
            _found_again(copy, known[at], episode)
        else:
            left.append(event)
    return episode if len(left) == len(episode.key_events) else episode.with_events(left).sealed()


def week_before(copy: WorkingCopy, day: date) -> list[Memory]:
    """Return the days of the week before a day, with their events."""
    days = (copy.episode(day - timedelta(days=before)) for before in range(1, _DAYS_BEFORE + 1))
    return [memory for day in days if day is not None for memory in of_episode(day)]


def _found_again(copy: WorkingCopy, known: Memory, episode: Episode) -> None:
    """Trust an event more, once for each day that tells it again; what was used since then stands as it does."""
    day = episode.date.isoformat()
    if not known.is_kept and known.standing.last_accessed < day:
        restood(
            copy, known, **moved(known.standing, known.origin, known.made, episode.date, "found_again", FOUND_AGAIN)
        )


def _same(text: str, known: Sequence[str], settings: MemorySettings) -> int | None:
    """Return the place of the statement that says the same; None if none does."""
    meant = meaning(text)
    places = [at for at, one in enumerate(known) if meaning(one) == meant]
    if not places:
        return None
    near = cosines(text, [known[at] for at in places])
    best = int(near.argmax())
    return places[best] if near[best] >= settings.merge_threshold else None


def add_insight(copy: WorkingCopy, insight: Insight) -> None:
    """Add an insight, unless one like it is there or the night has made as many as it may."""
    limits, entries = copy.stores.limits, copy.insights.entries
    again = _like(insight, entries, limits.insight_similarity_threshold) if limits.hygiene else None
    if again is not None:
        today = day_of(insight.created_at[:10])
        if today is not None and not set(insight.evidence) <= set(again.evidence):
            change = moved(again, "insight", day_of(again.created_at[:10]), today, "found_again", FOUND_AGAIN)
            evidence = list(dict.fromkeys([*again.evidence, *insight.evidence]))
            marks = [*united(again.origins, insight.origins)]
            copy.insights = copy.insights.edited(again.id, **change, evidence=evidence, origins=marks)
    elif sum(one.created_at == insight.created_at for one in entries) < limits.max_insights_per_session:
        copy.insights = copy.insights.with_one(insight)
    else:
        copy.leave_beyond(insight)


def _like(insight: Insight, entries: list[Insight], threshold: float) -> Insight | None:
    """Return the insight that is most like another one, if it is so much like it, and names no other numbers nor denies it."""
    claimed = claims(insight.insight)
    known = [one for one in entries if one.id and one.mind != USER and claims(one.insight) == claimed]
    if not known:
        return None
    near = cosines(insight.insight, [one.insight for one in known])
    best = int(near.argmax())
    return known[best] if near[best] > threshold else None
