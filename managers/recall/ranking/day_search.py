"""Days that a question names: what says them is no word to search for, and sometimes they are all that is asked for.

"What did we talk about last Thursday?" wants what was said on that day, whoever spoke of some Thursday.
"""

from collections.abc import Collection, Sequence
from datetime import date

import numpy as np

from managers.language.reading.reading import only_asks
from managers.recall.hits import ALL_TYPES, Hit, MemoryType
from managers.recall.index.memory_index import MemoryIndex, Passage
from managers.recall.index.terms import listed_words, terms
from managers.recall.question.cues import Cues
from managers.recall.ranking.distances import excluded_by, hit_of
from managers.recall.ranking.repetition import repeats

_POOL = 200
"""Of more messages those that say most are looked at."""


def asks_for_days_alone(cues: Cues) -> bool:
    """Whether a question asks for nothing but what was on some days."""
    timed = {word for span in cues.over for word in terms(span.text)}
    return bool(cues.over) and all(word in listed_words("asks_of_day") or word in timed for word in cues.words)


def hits_of_days(
    indexes: Sequence[MemoryIndex],
    cues: Cues,
    kinds: Collection[MemoryType],
    k: int,
    excluded: Collection[str] = (),
    since: date | None = None,
) -> list[Hit]:
    """Return what was said (or summed up) on the days that a question names, in order of time.

    Of more than `k`, those of the one who was asked for come first, then the user's; and those that say most.
    Of talk from before the day `since` nothing is returned.
    """
    found = [(says, one) for says, one in _of_days(indexes, cues, kinds, since) if not excluded_by(one, excluded)]
    again = repeats([passage for _, passage in found])
    order = sorted(
        (is_again or only_asks(passage.text), _rank_of(passage, cues), -says, place)
        for place, (is_again, (says, passage)) in enumerate(zip(again, found, strict=True))
    )
    best = [hit_of(found[place][1], 0.0, (("time", 1.0),)) for *_, place in order[:k]]
    return sorted(best, key=lambda hit: str(hit.time or ""))


def _rank_of(passage: Passage, cues: Cues) -> int:
    if cues.speakers:
        return 0 if (passage.speaker, passage.role) in cues.speakers else 1
    return 1 if passage.role == "persona" else 0


def _of_days(
    indexes: Sequence[MemoryIndex], cues: Cues, kinds: Collection[MemoryType], since: date | None
) -> list[tuple[float, Passage]]:
    """Return the passages of some days, each with how much it says."""
    spans = [(span.first.toordinal(), span.last.toordinal()) for span in cues.over]
    wanted = [ALL_TYPES.index(kind) for kind in kinds]
    found = []
    for index in indexes:
        columns = index.view.columns
        numbers = index.view.within(spans)
        numbers = numbers[np.isin(columns["kind"][numbers], wanted)]
        if since is not None:
            numbers = numbers[~index.view.said_before(since)[numbers]]
        says = index.view.factors[numbers] * columns["length"][numbers]
        most = np.sort(np.argsort(-says, kind="stable")[:_POOL])
        held = index.passages(numbers[most].tolist())
        by_number = zip(numbers[most].tolist(), says[most].tolist(), strict=True)
        found += [(much, held[number]) for number, much in by_number if number in held]
    return found
