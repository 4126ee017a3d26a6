"""Which memories were used for answers since the last night, and what that does to their C-values.

An answer uses a memory when it rests on a passage of the memory's own file that names one of its messages, or on all of
the messages that the memory rests on, wherever they were found. What each answer rests on is known from the recall log;
its lines since the last night are read, and the days, entities and insights that they name.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import PurePosixPath

from managers.hygiene.inventory import Memory, of_entity, of_episode, of_insight, restood
from managers.memory.confidence import USED, day_of, moved
from managers.memory.working_copy import WorkingCopy
from managers.recall.recall_log import RecallLog, Recollection

_MOST_ANSWERS = 20_000
"""So many answers are looked at in one night."""


def note_use(copy: WorkingCopy, log: RecallLog, today: date) -> None:
    """Raise what was used for answers since this was last done, by 0.1 for each answer, and note how far was read."""
    end = f"{today + timedelta(days=1)}"  # what is dated later waits for its time
    known = (copy.state.recalled_until, copy.state.last_dream.replace(" ", "T"))
    since = next((one for one in known if "" < one < end), f"{today}" if any(known) else "")
    answers = [one for one in log.since(since, _MOST_ANSWERS) if one[0] < end]
    if not answers:
        return
    dreamt = _Dreamt(copy, {one for _, recalled in answers for found in recalled for one in found.message_ids})
    used, times = dict[str, Memory](), Counter[str]()
    for _, recalled in answers:
        of_answer = {memory.id: memory for memory in dreamt.used_for(recalled)}
        used |= of_answer
        times.update(list(of_answer))
    for memory_id, count in times.items():
        memory = used[memory_id]
        change = moved(memory.standing, memory.origin, memory.made, today, "used", USED * count)
        restood(copy, memory, **change)
    copy.state = copy.state.model_copy(update={"recalled_until": max(time for time, _ in answers)})


class _Dreamt:
    """The memories that recollections can mean: what rests on some messages; of days only those that are named."""

    def __init__(self, copy: WorkingCopy, messages: set[str]) -> None:
        self._copy = copy
        self._days: dict[date, list[Memory]] = {}
        self._lasting: dict[str, list[Memory]] = defaultdict(list)
        insights = (of_insight(one) for one in copy.insights.entries if not messages.isdisjoint(one.evidence))
        named = (one for one in copy.all_entities() if any(not messages.isdisjoint(f.evidence) for f in one.facts))
        for memory in (*insights, *(fact for entity in named for fact in of_entity(entity))):
            for one in memory.evidence:
                self._lasting[one].append(memory)

    def used_for(self, recalled: Iterable[Recollection]) -> Iterator[Memory]:
        """Yield the memories that an answer used."""
        of_all = {one for recollection in recalled for one in recollection.message_ids}
        for memory in self._near(of_all, [recollection.path for recollection in recalled]):
            rests_on = set(memory.evidence)
            is_whole = bool(rests_on) and rests_on <= of_all
            if is_whole or any(
                _is_own(memory, one.path) and not rests_on.isdisjoint(one.message_ids) for one in recalled
            ):
                yield memory

    def _near(self, messages: Iterable[str], paths: Iterable[str]) -> Iterator[Memory]:
        """Yield what could have been used: what rests on one of some messages, and what some files hold."""
        days = {day_of(f"{one[:4]}-{one[4:6]}-{one[6:8]}") for one in messages}
        days |= {day_of(PurePosixPath(path).stem) for path in paths if path.startswith("episodic_memory/")}
        for day in days - {None}:
            yield from self._of_day(day)  # type: ignore[arg-type]  # None is taken out
        for one in messages:
            yield from self._lasting.get(one, ())

    def _of_day(self, day: date) -> list[Memory]:
        if day not in self._days:
            episode = self._copy.episode(day)
            self._days[day] = list(of_episode(episode)) if episode else []
        return self._days[day]


def _is_own(memory: Memory, path: str) -> bool:
    """Tell whether a file is the one in which a memory stands."""
    folder, _, name = path.rpartition("/")
    if memory.kind == "insight":
        return name.startswith("insights")
    stem = PurePosixPath(name).stem
    return stem == memory.place and folder == ("entity_memory" if memory.kind == "fact" else "episodic_memory")
