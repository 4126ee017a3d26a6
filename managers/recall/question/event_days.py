"""Days that a question names by what happened: 「誕生日の次の日」, "the day after the concert"."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from managers.language.reading.rules import rules
from managers.language.reading.times import TimeSpan, find_times
from managers.recall.hits import Hit


def event_span(query: str, now: datetime, find: Callable[[str], Sequence[Hit]]) -> TimeSpan | None:
    """Return the day that a question means, None if it names no event or nothing tells its day."""
    for one in (*rules("ja", "event_days").values(), *rules("en", "event_days").values()):
        match = one.search(query)
        if match and (day := _day_of(find(match["event"]), now)):
            moment = day + timedelta(days=one.means["days"])
            return TimeSpan(moment, moment, match.group(), match.start(), match.end(), is_relative=False)
    return None


def _day_of(hits: Sequence[Hit], now: datetime) -> date | None:
    """Return the first single day that a memory of the event names.

    "Today" is reckoned from when it was said, a date without a year from now: "my birthday is on October
    3rd", said in September, was this October.
    """
    for hit in hits:
        if hit.time is None:
            continue
        for span in find_times(hit.text, hit.time):
            again = [] if span.is_relative else find_times(span.text, now)
            meant = again[0] if again else span
            if meant.first == meant.last:
                return meant.first
    return None
