"""The backup that comes by itself: once a day, after a start, again after a failure, and never in anybody's way."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from agent.services import open_services
from managers.exchange.backups.daily import DailyBackups
from managers.exchange.backups.keeping import Backups, snapshot
from managers.exchange.backups.returning import file_bytes
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
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


def test_one_made_while_the_clock_was_ahead_stands_for_no_other(daily: DailyBackups, clock: HandClock) -> None:
    today = clock.now()
    clock.move(hours=1)
    clock.set(today + timedelta(days=365))
    daily.tick()
    ahead = daily.backups.find()
    clock.set(today + timedelta(days=1))
    for _ in range(3):
        clock.move(hours=1)
        daily.tick()
    assert reasons(daily) == ["daily", "daily"]
    assert daily.backups.find() == daily.backups.last_good() == daily.backups.heads()[1] != ahead
    clock.move(hours=1)
    snapshot(daily.backups.home, "import", clock)
    clock.move(days=8)
    daily.tick()
    assert [(head.reason, head.proof.level) for head in daily.backups.heads()] == [
        ("daily", "full"),
        ("daily", "full"),
        ("import", "part"),
    ]


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
