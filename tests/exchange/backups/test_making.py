"""What is restored is what was there, after edits, kills and flipped bits; backups are made daily, and thinned."""

import json
import os
import shutil
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from agent.services import open_services
from managers.exchange.backups import errors
from managers.exchange.backups.daily import DailyBackups
from managers.exchange.backups.keeping import Backups, backups_of, snapshot
from managers.exchange.backups.returning import (
    file_bytes,
    restore_home,
    restore_in_place,
    restore_path,
    restore_persona,
)
from managers.personas import PersonaStore
from managers.storage.audit import events, flaws
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.settings import BACKUP, Secrets, SettingsFile
from tests.crash import Kill, copies, needs_signals, places
from tests.exchange.backups.looking import edit, held, restored
from tests.fakes import HandClock
from tests.small_life import NAME

NEMU = f"characters/{NAME}"


def turn_a_bit(backups: Backups) -> None:
    for pack in (backups.place / "packs").iterdir():
        data = bytearray(pack.read_bytes())
        data[100] ^= 1
        pack.write_bytes(data)


def test_all_that_is_the_persons_is_in_it_and_no_key(backups: Backups, home: Home, tmp_path: Path) -> None:
    before = held(home)
    (home.exports / "abc").mkdir(parents=True)
    (home.exports / "abc" / "Nemu.jsonl").write_text("what waits to be saved", "utf-8")
    head = backups.make()
    assert (head.proof.level, head.left_out) == ("full", ())
    found = restored(backups, head, tmp_path / "out")
    assert found == before
    assert {"settings.toml", "usage/calls.jsonl", f"{NEMU}/log.txt", f"{NEMU}/.persona-id"} <= found.keys()
    assert not any("secrets" in name or "rag_index" in name or name.endswith("lock") for name in found)
    assert not (home.folder / ".backup-proof.utatane-tmp").exists()


def test_a_hundred_edits_later_all_comes_back(backups: Backups, home: Home, clock: HandClock, tmp_path: Path) -> None:
    rng, made = Random(7), []
    for day in range(5):
        for _ in range(20):
            edit(home, rng)
        clock.move(days=1)
        made.append((backups.make("daily"), held(home)))
        assert made[-1][0].proof.level == ("full" if day == 0 else "part")
    for number, (head, before) in enumerate(made):
        assert restored(backups, head, tmp_path / f"out-{number}") == before


def test_a_flipped_bit_is_named_and_stored_anew(backups: Backups, home: Home, clock: HandClock, tmp_path: Path) -> None:
    first = backups.make()
    before = held(home)
    turn_a_bit(backups)
    with pytest.raises(errors.BackupDamagedError):
        restored(backups, first, tmp_path / "broken")
    (checked,) = backups.check()
    assert (checked.proof.level, checked.proof.bad != ()) == ("failed", True)
    assert not backups.heads()[0].is_good
    assert backups.is_due()
    clock.move(hours=1)
    second = backups.make("daily")
    assert second.is_good
    assert restored(backups, second, tmp_path / "out") == before


def test_a_place_that_is_gone_is_said_and_nothing_is_made_instead(home: Home, tmp_path: Path, clock: HandClock) -> None:
    disk = tmp_path / "disk"
    SettingsFile(home.settings).change("backup", place=str(disk))
    backups = backups_of(home, clock)
    with pytest.raises(errors.BackupPlaceMissingError):
        backups.make("daily")
    assert not disk.exists()
    disk.mkdir()
    backups.make("daily")
    shutil.move(disk / "utatane-backups", tmp_path / "unplugged")
    with pytest.raises(errors.BackupPlaceEmptyError):
        backups.make("daily")
    assert list(disk.iterdir()) == []
    made = snapshot(home, "import", clock)
    assert (made.reason, made.is_good) == ("import", True)
    assert len(list((home.backups / "backups").glob("*.json"))) == 1
    assert backups.make("now").is_good
    SettingsFile(home.settings).change("backup", place=str(home.characters / "Nemu"))
    with pytest.raises(errors.BackupPlaceRefusedError):
        backups.make("daily")


def test_encrypted_only_the_passphrase_reads_it(backups: Backups, home: Home, clock: HandClock, tmp_path: Path) -> None:
    plain = backups.make()
    backups.encrypt("あいことば open sesame")
    SettingsFile(home.settings).change("backup", secrets=True)
    clock.move(days=1)
    before = {**held(home), "secrets.toml": home.secrets.read_bytes()}
    head = backups.make("daily")
    assert (head.is_encrypted, head.proof.level) == (True, "full")
    assert restored(backups, head, tmp_path / "out") == before
    backups.remove([plain.id])
    everything = b"".join(path.read_bytes() for path in backups.place.rglob("*") if path.is_file())
    assert not any(word in everything for word in (b"Nemu", b"log.txt", Secrets(home.secrets).get(BACKUP).encode()))
    Secrets(home.secrets).set(BACKUP, "")
    with pytest.raises(errors.BackupLockedError):
        backups.files_in(head)
    with pytest.raises(errors.BackupLockedError):
        backups.make("daily")
    with pytest.raises(errors.WrongBackupPassphraseError):
        backups.unlock("open says me")
    backups.unlock("あいことば open sesame")
    assert restored(backups, head, tmp_path / "again") == before
    assert backups.make("daily").new_bytes < 20_000


@pytest.mark.parametrize(("what", "while_read"), [("rename", "Nemu"), ("delete", "Aki")])
def test_who_goes_away_is_in_it(backups: Backups, home: Home, store: PersonaStore, what: str, while_read: str) -> None:
    store.create("Aki", language="en")
    SettingsFile(home.settings).change("backup", trash=True)
    log = home.persona("Nemu").log.read_bytes()
    gone: list[object] = []

    def is_stopped() -> bool:
        if (home.characters / while_read / ".export.utatane-tmp").exists() and not gone:
            gone.append(store.rename("Nemu", "Hana") if what == "rename" else store.delete("Nemu"))
        return False

    head = replace(backups, is_stopped=is_stopped).make("daily")
    place = "characters/Hana" if what == "rename" else f".trash/{store.trashed()[0].id}"
    assert gone
    assert file_bytes(backups, head, f"{place}/log.txt") == log
    assert not any(file.path.startswith(f"{NEMU}/") for file in backups.files_in(head))
    assert (head.proof.level, head.left_out, head.files) == ("full", (), len(backups.files_in(head)))


def test_thinned_backups_give_their_room_back(backups: Backups, home: Home, clock: HandClock, tmp_path: Path) -> None:
    SettingsFile(home.settings).change("backup", keep_daily=2, keep_weekly=0, keep_monthly=0)
    file = home.folder / NEMU / "attachments" / "large.bin"
    file.parent.mkdir(exist_ok=True)
    for _ in range(6):
        file.unlink(missing_ok=True)
        file.write_bytes(os.urandom(1_000_000))
        clock.move(days=1)
        backups.make("daily")
    assert len(backups.heads()) == 2
    assert sum(path.stat().st_size for path in (backups.place / "packs").iterdir()) < 3_500_000
    assert restored(backups, backups.heads()[0], tmp_path / "out") == held(home)
    assert [head.proof.level for head in backups.check()] == ["full", "full"]


def test_days_weeks_and_months_stay_and_what_was_made_before_imports_a_month(tmp_path: Path, clock: HandClock) -> None:
    home = Home(tmp_path)
    SettingsFile(home.settings).change("backup", keep_daily=3, keep_weekly=2, keep_monthly=2)
    backups = backups_of(home, clock)
    assert [snapshot(home, "import", clock).id] == [head.id for head in backups.heads()]
    for day in range(1, 71):
        clock.move(days=1)
        backups.make("daily")
        assert ("import" in {head.reason for head in backups.heads()}) == (day < 30)
    left = [(head.time.month, head.time.day) for head in backups.heads()]
    assert left == [(1, 30), (1, 29), (1, 28), (1, 24), (12, 31)]  # from a Saturday in November on


def test_one_made_while_the_clock_was_ahead_stands_for_no_other(backups: Backups, clock: HandClock) -> None:
    today = clock.now()
    clock.move(days=365)
    ahead = backups.make("daily")
    for day in (1, 2):
        clock.set(today + timedelta(days=day))
        assert backups.is_due()
        made = backups.make("daily")
        assert not backups.is_due()
        assert backups.find() == backups.last_good() == made
    assert ahead.id in {head.id for head in backups.heads()}


def _make_in(folder: Path) -> None:
    backups_of(Home(folder), HandClock()).make("daily")


@needs_signals
def test_killed_it_spoils_no_backup(backups: Backups, home: Home, clock: HandClock, tmp_path: Path, kill: Kill) -> None:
    first, before = backups.make(), held(home)
    (home.folder / NEMU / "notepad.txt").write_text("something new")
    (home.folder / NEMU / "notepad-2.txt").write_bytes(os.urandom(300_000))
    clock.move(hours=2)
    for death in kill(_make_in, copies(home.folder, tmp_path), whens=("before", "half"), stride=7):
        mine = Home(death.given[0])
        again = backups_of(mine, clock)
        out = mine.folder.with_suffix(".out")
        assert restored(again, again.find(first.id), out) == before
        second = again.make("daily")
        assert second.is_good
        assert restored(again, second, out.with_suffix(".new")) == held(mine)
        assert not list(again.place.rglob("*.utatane-tmp"))
        for folder in (mine.folder, out, out.with_suffix(".new")):
            shutil.rmtree(folder)


def test_nothing_that_is_there_is_written_over(backups: Backups, tmp_path: Path) -> None:
    head = backups.make()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    for path in ("", f"characters/{NAME}", f"characters/{NAME}/log.txt"):
        with pytest.raises(errors.RestoreTargetTakenError):
            restore_path(backups, head, path, tmp_path / "there")
    with pytest.raises(errors.NotInBackupError):
        restore_path(backups, head, "characters/Nobody", tmp_path / "nobody")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]
    assert restore_path(backups, head, f"characters/{NAME}/memory", tmp_path / "memory")
    assert [path.name for path in (tmp_path / "memory").iterdir() if path.name.startswith("emotion_log")]


def test_what_went_and_came_back_is_audited(backups: Backups, home: Home, store: PersonaStore, tmp_path: Path) -> None:
    def told() -> list[tuple[str, bool]]:
        kinds = {"backup", "from_backup"}
        found = [one for one in events(home.persona(NAME)) if one.kind in kinds]
        return [(one.kind, one.given.counts["files"] > 1) for one in found]

    backups.make()
    assert told() == []  # within the home nothing went anywhere
    disk = tmp_path / "disk"
    disk.mkdir()
    elsewhere = replace(backups, folder=disk / "backups")
    head = elsewhere.make()
    assert told() == [("backup", True)]
    restore_path(elsewhere, head, f"characters/{NAME}/log.txt", tmp_path / "log.txt")
    restore_home(elsewhere, head, tmp_path / "home-again")
    restore_in_place(elsewhere, head, f"characters/{NAME}/notepad.txt")
    assert told()[:3] == [("from_backup", False), ("from_backup", True), ("from_backup", False)]
    store.delete(NAME)
    restore_persona(elsewhere, store, head, NAME)
    assert told() == [("from_backup", True)]
    assert not flaws(home.persona(NAME))
    with closing(open_services(home, HandClock(), Random(1))) as services:  # as itself, asking nothing
        assert services.memories(NAME).log.count() > 100
        assert services.personas.door.waiting() == []


def test_a_list_that_somebody_else_wrote_leads_nowhere_else(backups: Backups, tmp_path: Path) -> None:
    head, repository = backups.make(), backups.repository()
    file = backups.files_in(head)[0]
    for path in ("../outside", "/etc/outside", "a/../../outside"):
        with repository.working():
            evil = repository.save(replace(head, id="20990101-000000-aaaa"), [replace(file, path=path)])
        with pytest.raises(errors.BackupDamagedError):
            restore_home(backups, evil, tmp_path / "deep" / "target")
        assert not list(tmp_path.rglob("outside"))
        assert not (tmp_path / "deep" / "target").exists()


def _restore_in_place(folder: Path) -> None:
    home = Home(folder)
    backups = backups_of(home, HandClock())
    with closing(open_services(home, HandClock(), Random(1))) as services:
        restore_persona(backups, services.personas, backups.find(), NAME, away=services.away)


@needs_signals
def test_killed_while_taking_a_place_neither_is_lost(backups: Backups, home: Home, tmp_path: Path, kill: Kill) -> None:
    backups.make()
    notepad = home.persona(NAME).notepad
    before = notepad.read_bytes()
    notepad.write_text("written since")
    for death in kill(_restore_in_place, copies(home.folder, tmp_path), whens=("before",), stride=20):
        mine = Home(death.given[0])
        kept = {path.read_bytes() for path in mine.characters.glob("*/notepad.txt")}
        kept |= {path.read_bytes() for path in mine.trash.glob("*/notepad.txt")}
        assert b"written since" in kept
        _restore_in_place(mine.folder)
        assert mine.persona(NAME).notepad.read_bytes() == before
        shutil.rmtree(mine.folder)


def _restore_home(folder: Path, target: Path) -> None:
    backups = backups_of(Home(folder), HandClock())
    with suppress(errors.RestoreTargetTakenError):
        restore_home(backups, backups.find(), target)


@needs_signals
def test_killed_returning_a_home_is_whole_or_absent(backups: Backups, home: Home, tmp_path: Path, kill: Kill) -> None:
    backups.make()
    before = held(home)
    fresh = places(tmp_path)
    for death in kill(_restore_home, lambda: (home.folder, next(fresh) / "back"), whens=("before", "half"), stride=14):
        target = death.given[1]
        assert not target.exists() or held(Home(target)) == before
        _restore_home(*death.given)
        assert held(Home(target)) == before
        assert [path.name for path in target.parent.iterdir()] == ["back"]
        shutil.rmtree(target)


def test_one_is_made_a_day_when_nobody_talks_or_after_hours(backups: Backups, clock: HandClock, home: Home) -> None:
    talking = [True]
    daily = DailyBackups(backups, NoticeBoard(), lambda: not talking[0])

    def made_after(**time: float) -> int:
        before = len(backups.heads())
        clock.move(**time)
        daily.tick()
        return len(backups.heads()) - before

    assert [made_after(), made_after(hours=1), made_after(hours=1)] == [0, 0, 0]
    talking[0] = False
    assert [made_after(hours=1), made_after(hours=1), made_after(days=3), made_after()] == [1, 0, 1, 0]
    talking[0] = True
    assert [made_after(days=1), made_after(hours=4), made_after(hours=4)] == [0, 0, 1]
    SettingsFile(home.settings).change("backup", daily=False)
    assert made_after(days=1, hours=9) == 0
    SettingsFile(home.settings).change("backup", daily=True)
    daily.stop()
    assert (made_after(), daily.progress.error) == (0, None)


def test_trouble_is_said_until_another_is_made(backups: Backups, clock: HandClock, home: Home, tmp_path: Path) -> None:
    disk, notices = tmp_path / "disk", NoticeBoard()
    daily = DailyBackups(backups, notices)
    SettingsFile(home.settings).change("backup", place=str(disk))
    clock.move(hours=1)
    daily.tick()
    (notice,) = notices.all
    assert (notice.code, str(disk) in notice.en) == ("backup-failed", True)
    disk.mkdir()
    daily.tick()
    assert list(disk.iterdir()) == []
    clock.move(hours=1, minutes=1)
    daily.tick()
    assert (notices.all, len(backups.heads())) == ([], 1)
    turn_a_bit(backups)
    assert daily.begin("check")
    daily.wait()
    assert [notice.code for notice in notices.all] == ["backup-damaged"]
    clock.move(hours=2)
    daily.tick()
    assert (notices.all, backups.heads()[0].is_good) == ([], True)


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
