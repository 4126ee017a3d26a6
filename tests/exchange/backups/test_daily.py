"""The backup that comes by itself: once a day, after a start, again after a failure; and which backups are kept."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.services import open_services
from managers.exchange.backups.daily import DailyBackups
from managers.exchange.backups.keeping import Backups
from managers.exchange.backups.listing import Head, Level, Proof
from managers.exchange.backups.returning import file_bytes
from managers.exchange.backups.thinning import kept
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.settings import BackupSettings, SettingsFile
from tests.fakes import HandClock
from tests.small_life import NAME


@pytest.fixture
def daily(backups: Backups) -> DailyBackups:
    return DailyBackups(backups, NoticeBoard())


def reasons(daily: DailyBackups) -> list[str]:
    return [head.reason for head in daily.backups.heads()]


def test_one_a_day_is_made_by_itself_some_minutes_after_the_start(daily: DailyBackups, clock: HandClock) -> None:
    daily.tick()
    assert reasons(daily) == []
    for hours in (0.1, 3, 4):
        clock.move(hours=hours)
        daily.tick()
    assert reasons(daily) == ["daily"]
    clock.move(days=3)
    daily.tick()
    daily.tick()
    assert reasons(daily) == ["daily", "daily"]
    assert all(head.is_good for head in daily.backups.heads())


def test_it_waits_until_nobody_talks_but_not_for_ever(backups: Backups, clock: HandClock) -> None:
    talking = [True]
    daily = DailyBackups(backups, NoticeBoard(), lambda: not talking[0])
    for _ in range(3):
        clock.move(hours=1)
        daily.tick()
        assert reasons(daily) == []
    talking[0] = False
    daily.tick()
    assert reasons(daily) == ["daily"]
    talking[0] = True
    clock.move(days=1)
    for _ in range(2):
        daily.tick()
        clock.move(hours=4)
    assert len(reasons(daily)) == 1
    daily.tick()
    assert len(reasons(daily)) == 2


def test_switched_off_or_while_the_app_closes_none_is_made(daily: DailyBackups, clock: HandClock, home: Home) -> None:
    SettingsFile(home.settings).change("backup", daily=False)
    clock.move(days=1)
    daily.tick()
    SettingsFile(home.settings).change("backup", daily=True)
    daily.stop()
    daily.tick()
    assert reasons(daily) == []
    assert daily.progress.error is None


def test_a_place_that_is_unplugged_is_said_until_one_is_made_there(
    daily: DailyBackups, clock: HandClock, home: Home, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    SettingsFile(home.settings).change("backup", place=str(disk))
    clock.move(hours=1)
    daily.tick()
    (notice,) = daily._notices.all
    assert notice.code == "backup-failed"
    assert str(disk) in notice.en
    assert daily.progress.error is not None
    disk.mkdir()
    daily.tick()
    assert list(disk.iterdir()) == []
    clock.move(hours=1, minutes=1)
    daily.tick()
    assert daily._notices.all == []
    assert reasons(daily) == ["daily"]


def test_one_that_is_damaged_is_said_and_another_one_is_made(daily: DailyBackups, clock: HandClock) -> None:
    clock.move(hours=1)
    daily.tick()
    for pack in (daily.backups.place / "packs").iterdir():
        data = bytearray(pack.read_bytes())
        data[100] ^= 1
        pack.write_bytes(data)
    assert daily.begin("check")
    daily.wait()
    assert [notice.code for notice in daily._notices.all] == ["backup-damaged"]
    clock.move(hours=2)
    daily.tick()
    assert daily._notices.all == []
    assert daily.backups.heads()[0].is_good


def test_before_a_file_is_brought_to_a_newer_format_all_is_kept_as_it_is(home: Home) -> None:
    services = open_services(home, HandClock(datetime(2026, 12, 1)), Random(1))
    file = home.persona(NAME).persona_json
    services.personas.set_greeting(NAME, "Hello.")
    assert not home.backups.exists()
    old = json.dumps({"user_name": "Emma", "language": "en"}).encode()
    file.write_bytes(old)
    services.personas.set_greeting(NAME, "Good evening.")
    assert json.loads(file.read_bytes())["greeting"] == "Good evening."
    (head,) = services.backups.backups.heads()
    assert head.reason == "migration"
    assert file_bytes(services.backups.backups, head, f"characters/{NAME}/persona.json") == old
    services.close()


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
