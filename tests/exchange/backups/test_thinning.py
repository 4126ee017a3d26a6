"""Which backups are kept, whatever days they were made on."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from managers.exchange.backups.listing import Head, Level, Proof
from managers.exchange.backups.thinning import kept
from managers.storage.settings import BackupSettings

NOON = datetime(2026, 11, 23, 12)


def head(made: datetime, level: Level = "part", reason: str = "daily") -> Head:
    name, utc = f"{made:%Y%m%d-%H%M%S}", made.replace(tzinfo=UTC).isoformat()
    return Head(name, "h", "/", made.isoformat(), utc, reason, 1, 1, 1, proof=Proof(level))


def test_a_year_of_days_leaves_days_weeks_and_months() -> None:
    year = [head(NOON - timedelta(days=day)) for day in range(365)]
    left = kept(year, BackupSettings(keep_daily=7, keep_weekly=4, keep_monthly=12))
    days = sorted((NOON - one.time).days for one in year if one.id in left)
    assert days[:7] == list(range(7))
    assert len(days) in range(18, 22)
    assert days[-1] > 300


def test_all_of_a_day_stay_and_what_is_damaged_takes_no_good_ones_place() -> None:
    today = [head(NOON - timedelta(hours=hour)) for hour in range(5)]
    old_good = head(NOON - timedelta(days=3, hours=2))
    old_bad = head(NOON - timedelta(days=3), "failed")
    left = kept([*today, old_good, old_bad], BackupSettings())
    assert left == {one.id for one in (*today, old_good)}


def test_what_was_made_before_something_was_rewritten_stays_for_a_month() -> None:
    before = [head(NOON - timedelta(days=day), "none", "import") for day in (5, 40)]
    days = [head(NOON - timedelta(days=day, hours=-1)) for day in range(60)]
    left = kept([*before, *days], BackupSettings(keep_monthly=0))
    assert [one.id in left for one in before] == [True, False]


@given(st.lists(st.tuples(st.integers(0, 4000), st.sampled_from(["none", "part", "full", "failed"])), min_size=1))
def test_the_newest_and_the_newest_good_one_always_stay(made: list[tuple[int, Level]]) -> None:
    heads = [head(NOON - timedelta(hours=hours), level) for hours, level in dict(made).items()]
    left = kept(heads, BackupSettings(keep_daily=1, keep_weekly=0, keep_monthly=0))
    newest_first = sorted(heads, key=lambda one: one.made_utc, reverse=True)
    assert newest_first[0].id in left
    assert {one.id for one in newest_first if one.is_good} == set() or any(
        one.id in left for one in newest_first if one.is_good
    )
