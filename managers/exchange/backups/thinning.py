"""Which backups are kept: all of the last day, then one a day, a week and a month."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final

from managers.exchange.backups.listing import Head
from managers.storage.settings import BackupSettings

_ALL_OF: Final = timedelta(days=1)
_SNAPSHOTS_DAYS: Final = 30
_BY_ITSELF: Final = frozenset({"daily", "now"})


def kept(heads: Iterable[Head], settings: BackupSettings) -> set[str]:
    """Return the ids of the backups that stay, of one home.

    Time is counted from the newest of them, not from now: who has been away for a year loses nothing by it, and a
    clock that was wrong for a day neither. What was made before something was rewritten stays for 30 days. The newest
    that was proved to be good stays whatever its age.
    """
    newest_first = sorted(heads, key=lambda head: (head.made_utc, head.id), reverse=True)
    if not newest_first:
        return set()
    end = newest_first[0].utc
    found = {head.id for head in newest_first if end - head.utc < _ALL_OF}
    found |= {
        head.id
        for head in newest_first
        if head.reason not in _BY_ITSELF and end - head.utc < timedelta(days=_SNAPSHOTS_DAYS)
    }
    found |= _newest_of_each(newest_first, lambda day: day, settings.keep_daily)
    found |= _newest_of_each(newest_first, lambda day: day.isocalendar()[:2], settings.keep_weekly)
    found |= _newest_of_each(newest_first, lambda day: (day.year, day.month), settings.keep_monthly)
    good = next((head.id for head in newest_first if head.is_good), None)
    return found | ({good} if good else set())


def _newest_of_each(newest_first: list[Head], span: Callable[[date], object], count: int) -> set[str]:
    seen: dict[object, str] = {}
    for head in newest_first:
        if head.proof.level != "failed":  # what is damaged takes no good one's place
            seen.setdefault(span(head.time.date()), head.id)
    return set(list(seen.values())[:count])
