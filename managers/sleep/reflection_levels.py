"""How deep a night reflects: daily, weekly, monthly (the specification's levels 1, 2, 3); how missed nights are made up for."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from managers.memory.goals import GoalsMeta
from managers.sleep.tasks import Level
from managers.storage.settings import SleepSettings

NIGHTS_IN_ONE = 14
"""So many missed nights become one run and one history entry. Where more are missing, the newest month goes first; of the
built-in mind so many days are one entry, of a model, whose work is dear, each day is."""
_MONTHLY: Level = 3


def due_level(meta: GoalsMeta, first_day: date | None, today: date, settings: SleepSettings) -> Level:
    """Return the deepest level that is due.

    A deeper level is due when its days have passed since the last time, or, before there was a first
    time, since the first remembered day. A date in the future (the clock was set back) does not count.
    """
    if _is_due(meta.last_level3_date, first_day, today, settings.monthly_reflection_days):
        return 3
    if _is_due(meta.last_level2_date, first_day, today, settings.weekly_reflection_days):
        return 2
    return 1


def levels_of(
    days: Sequence[date], meta: GoalsMeta, first_day: date | None, today: date, settings: SleepSettings
) -> dict[date, Level]:
    """Return how deep the night after each of some days reflects, as if each had been dreamt of in its own night.

    The latest one is this night, whenever its day was.
    """
    found: dict[date, Level] = {}
    done = {f"last_level{level}_date": [getattr(meta, f"last_level{level}_date")] for level in (2, 3)}
    for day in sorted(days):
        night = today if day == max(days) else min(day + timedelta(days=1), today)
        then = {name: max((one for one in dates if one and one <= night), default=None) for name, dates in done.items()}
        found[day] = due_level(meta.model_copy(update=then), first_day, night, settings)
        for level in range(2, found[day] + 1):
            done[f"last_level{level}_date"].append(night)
    return found


def transactions(
    days: Sequence[date], depths: Mapping[date, Level], *, each: bool, is_cheap: bool
) -> list[Sequence[date]]:
    """Return which days are dreamt of together, in the order in which they are.

    Args:
        days: those that wait, oldest first.
        depths: how deep the night after each reflects.
        each: few days, too, are dreamt of one by one.
        is_cheap: what is thought costs nothing, and may be thought again where it is stopped.
    """
    if not each and len(days) <= NIGHTS_IN_ONE:
        return [days] if days else []
    months: list[list[date]] = [[]]
    for day in days:
        months[-1].append(day)
        if depths[day] == _MONTHLY:  # whoever looks back on a month knows all of its days then
            months.append([])
    size = NIGHTS_IN_ONE if is_cheap and len(days) > NIGHTS_IN_ONE else 1
    return [month[at : at + size] for month in reversed(months) for at in range(0, len(month), size)]


def span_days(level: Level, settings: SleepSettings) -> int:
    """Return how many days a level looks back on."""
    return {1: 1, 2: settings.weekly_reflection_days, 3: settings.monthly_reflection_days}[level]


def _is_due(last: date | None, first_day: date | None, today: date, every: int) -> bool:
    since = last if last is not None and last <= today else first_day
    return since is not None and (today - since).days >= every
