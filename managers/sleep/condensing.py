"""Older days in brief: what mattered most of a week or a month, in the words of its days, which stay."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Final

from managers.hygiene.inventory import of_episode
from managers.memory.episodes import Episode, KeyEvent
from managers.memory.periods import Period, Span, spans_of
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("notices/dreams")
FEWEST_DAYS: Final = 2
"""A week of which one day is remembered is that day."""
A_NIGHT: Final = 12
"""So many weeks and months are summed up in one night; older ones follow the next."""
ASKED_A_NIGHT: Final = 2
"""So many a mind tells in its own words in one run: a week and a month may end together."""
_EVENTS: Final = {True: 7, False: 10}
"""Of a week, and of a month."""
_TOLD: Final = 5
_ENDS: Final = (".", "!", "?", "…", "。", "！", "？", "」", "”")
"""A sentence that ends so is whole."""


def due_spans(days: Collection[date], known: Collection[Span], tonight: Iterable[date], today: date) -> list[Span]:
    """Return the weeks and months to sum up, newest first: those that are over, and new or dreamt of tonight.

    Args:
        days: all that are remembered.
        known: what is summed up already.
        tonight: the days that are dreamt of.
        today: the day of this night.
    """
    counts = Counter(span for day in days for span in spans_of(day) if span.last < today)
    touched = {span for day in tonight for span in spans_of(day)}
    there = set(known)
    due = (span for span, count in counts.items() if count >= FEWEST_DAYS and (span in touched or span not in there))
    return sorted(due, key=lambda span: (span.last, span.first), reverse=True)[:A_NIGHT]


def condensed(span: Span, episodes: Sequence[Episode], gone: Collection[str], lang: Lang, today: date) -> Period:
    """Return what a span was.

    Args:
        span: the week or month.
        episodes: its days that are remembered, oldest first.
        gone: messages that were taken back: nothing rests on them.
        lang: the persona's language.
        today: the day from which C-values are reckoned.
    """
    chosen = _chosen(episodes, _EVENTS[span.is_week], today)
    evidence = [[one for one in event.evidence if one not in gone] for event in chosen]
    told = chosen[:: max(1, -(-len(chosen) // _TOLD))]
    opening = _say("period.opening", lang, first=span.first, last=span.last, count=len(episodes))
    end, joint = _say("period.end", lang), "" if lang == "ja" else " "
    sentences = [opening, *(event.text if event.text.endswith(_ENDS) else event.text + end for event in told)]
    return Period(
        date=str(span),
        summary=joint.join(sentences),
        key_events=[event.text for event in chosen],
        emotional_tone=_tone(episodes),
        key_event_evidence=evidence,
        evidence=list(dict.fromkeys(one for ids in evidence for one in ids)),
        days={one.date.isoformat(): one.text_digest() for one in episodes},
        mind="built-in",
    ).sealed()


def _chosen(episodes: Sequence[Episode], count: int, today: date) -> list[KeyEvent]:
    """Return what mattered most: by C-value, and of what is trusted alike something of each day first."""
    ranked = []
    for at, episode in enumerate(episodes):
        _, *memories = of_episode(episode)
        values = [memory.confidence(today) for memory in memories]
        best_first = sorted(range(len(values)), key=lambda place: -values[place])
        ranked += [(-values[place], turn, at, place) for turn, place in enumerate(best_first)]
    best = sorted((at, place) for _, _, at, place in sorted(ranked)[:count])
    return [episodes[at].events[place] for at, place in best]


def _tone(episodes: Sequence[Episode]) -> str:
    """Return the tone of most days; mixed, where none has most."""
    counts = Counter(one.emotional_tone for one in episodes if one.emotional_tone != "neutral").most_common(2)
    if not counts:
        return "neutral"
    return "mixed" if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]
