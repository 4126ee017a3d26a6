"""What was on a day, or in a week: one file for each, whose name says when."""

from datetime import date

from managers.memory.episodes import Episode, EpisodeStore
from managers.memory.periods import Period, span_named
from managers.storage.files import write_atomic
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

WEDDING = date(2026, 1, 2)
AFTER = date(2026, 1, 3)


def test_a_days_file_that_was_copied_as_a_template_is_the_day_that_its_name_says(
    paths: PersonaPaths, clock: HandClock
) -> None:
    store = EpisodeStore(paths, clock)
    store.save(Episode(date=WEDDING, summary="the wedding"), author="user", reason="")
    write_atomic(store.path(AFTER), store.path(WEDDING).read_bytes())
    edited = store.edit(AFTER, "the mountains", [], based_on=store.digest_of(AFTER), author="user", reason="")
    assert edited is not None
    assert edited.date == AFTER
    found = [store.get(day) for day in (WEDDING, AFTER)]
    assert [(one.date, one.summary) for one in found if one] == [(WEDDING, "the wedding"), (AFTER, "the mountains")]


def test_so_is_a_weeks(paths: PersonaPaths, clock: HandClock) -> None:
    store = EpisodeStore(paths, clock).periods
    week = span_named("2026-01-05~2026-01-11")
    assert week
    write_atomic(store.path(week), Period(date="2026-01-12~2026-01-18", summary="snow").dump())
    period = store.get(week)
    assert period is not None
    assert (period.span, period.summary) == (week, "snow")
