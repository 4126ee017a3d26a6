"""What is erased is gone from backups as well, wherever they lie; and all else can still be brought back."""

import errno
import shutil
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from agent.erasing import erase, plan_erasure
from agent.services import Services
from managers.exchange.backups import packs
from managers.exchange.backups.keeping import Backups, backups_of
from managers.exchange.backups.listing import Head
from managers.exchange.backups.returning import file_bytes, restore_home, restore_persona
from managers.storage.files import open_binary
from managers.storage.paths import Home
from tests.crash import Kill, copies, needs_signals
from tests.fakes import HandClock
from tests.hygiene.erased_life import CAT, KEPT, KITTY, NAME, open_home, traces_of
from tests.ready import load_what_is_needed
from tests.speeds import one_quick


@pytest.fixture
def backups(services: Services) -> Backups:
    return services.backups.backups


def brought_back(backups: Backups, folder: Path) -> list[Path]:
    """Restore every backup into a folder of its own."""
    found = []
    for head in backups.heads():
        found.append(folder / head.id)
        restore_home(backups, head, found[-1])
    return found


@pytest.mark.parametrize("is_encrypted", one_quick([True, False]))
def test_backups_lose_the_erased(services: Services, backups: Backups, tmp_path: Path, *, is_encrypted: bool) -> None:
    backups.make()
    if is_encrypted:
        backups.encrypt("open sesame")
    (services.home.persona(NAME).folder / "notepad.txt").write_text(f"{CAT}は元気。\n{KEPT[0]}へ行く。", "utf-8")
    backups.make()
    memories = services.memories(NAME)
    assert all(traces_of(folder, CAT, KITTY) for folder in brought_back(backups, tmp_path / "before"))
    plan = plan_erasure(memories, about=CAT)
    assert plan.counts["backup"] == 2
    report = erase(memories, plan, seen=plan.mark)
    assert (report.counts["backup"], report.left) == (2, ())
    assert traces_of(services.home.folder, CAT, KITTY) == []
    repository = backups.repository()
    chunks = b"\n".join(map(repository.read, repository.places))
    assert KEPT[0].encode() in chunks
    assert CAT.encode() not in chunks
    for folder in brought_back(backups, tmp_path / "after"):
        assert traces_of(folder, CAT, KITTY) == []
        assert all(traces_of(folder, word) for word in KEPT)
    assert [head.proof.level for head in backups.heads()] == ["none", "none"]
    assert backups.is_due()
    assert [head.proof.level for head in backups.check()] == ["full", "full"]
    assert erase(memories, plan_erasure(memories, about=KEPT[2])).counts["backup"] == 2


def test_what_cannot_be_opened_goes(services: Services, backups: Backups) -> None:
    backups.encrypt("open sesame")
    head = backups.make()
    services.secrets.set("backup", "")
    memories = services.memories(NAME)
    assert plan_erasure(memories, about=CAT).backups == (head.id,)
    assert erase(memories, plan_erasure(memories, about=CAT)).counts["backup"] == 1
    assert backups.heads() == []
    assert list((backups.place / "packs").iterdir()) == []


def test_what_a_disk_withholds_is_named(services: Services, backups: Backups, monkeypatch: pytest.MonkeyPatch) -> None:
    head, opened = backups.make(), Counter[Path]()

    def stumbling(path: Path) -> IO[bytes]:
        opened[path] += 1
        if opened[path] > 1:  # what is in it is known by then
            raise OSError(errno.EIO, "Input/output error")
        return open_binary(path)

    memories = services.memories(NAME)
    plan = plan_erasure(memories, about=CAT)
    with monkeypatch.context() as patched:
        patched.setattr(packs, "open_binary", stumbling)
        report = erase(memories, plan)
    assert [(one.why, one.file) for one in report.left] == [("backups", str(backups.place))]
    assert KEPT[0] in file_bytes(backups, backups.find(head.id), f"characters/{NAME}/log.txt").decode()


def test_backups_out_of_reach_are_named_and_cleared_later(services: Services, backups: Backups, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    services.settings_file.change("backup", place=str(disk))
    backups.make()
    shutil.move(disk, tmp_path / "drawer")
    memories = services.memories(NAME)
    report = erase(memories, plan_erasure(memories, about=CAT))
    assert [(one.why, one.file) for one in report.left] == [("backups", str(disk / "utatane-backups"))]
    assert traces_of(services.home.folder, CAT, KITTY) == []
    shutil.move(tmp_path / "drawer", disk)
    backups.make("daily")
    for folder in brought_back(backups, tmp_path / "after"):
        assert traces_of(folder, CAT, KITTY) == []
    assert sorted(NAME in backups.personas_in(head) for head in backups.heads()) == [False, True]


@pytest.mark.parametrize("is_deleted", one_quick([True, False]))
def test_who_was_brought_back_is_known_in_all_before(services: Services, backups: Backups, *, is_deleted: bool) -> None:
    backups.make()
    if is_deleted:
        with services.away(NAME):
            services.personas.delete(NAME)
    for _ in range(2):  # from the second time on it is one that was brought back
        assert restore_persona(backups, services.personas, backups.find(), NAME, away=services.away) == NAME
        assert isinstance(backups.clock, HandClock)
        backups.clock.move(hours=1)
        backups.make()
    memories = services.memories(NAME)
    plan = plan_erasure(memories, about=CAT)
    assert len(plan.backups) == len(backups.heads()) > 3
    erase(memories, plan)
    assert not any(saying(backups, head) for head in backups.heads())


def saying(backups: Backups, head: Head) -> list[str]:
    """Return who of a backup's personas that were this one has the cat's name in their log."""
    names = (name for name in backups.personas_in(head) if name.startswith(NAME))
    return [name for name in names if CAT.encode() in file_bytes(backups, head, f"characters/{name}/log.txt")]


def _erase(home: Path) -> None:
    with closing(open_home(home)) as services:
        memories = services.memories(NAME)
        erase(memories, plan_erasure(memories, about=CAT))


@needs_signals
def test_killed_at_any_step_the_backups_are_finished_at_the_next_start(lived: Path, tmp_path: Path, kill: Kill) -> None:
    first = Path(shutil.copytree(lived, tmp_path / "first"))
    shutil.rmtree(first / ".trash")
    backups_of(Home(first), HandClock()).make()
    finished = []
    for death in kill(_erase, copies(first, tmp_path), whens=("before",), stride=14, ready=load_what_is_needed):
        (home,) = death.given
        is_begun = (Home(home).characters / NAME / "memory" / ".erasing").exists()
        with closing(open_home(home)) as services:  # the next start
            services.memories(NAME)
            is_gone = traces_of(home, CAT, KITTY) == []
            assert is_gone or not is_begun, death
            for folder in brought_back(services.backups.backups, home.with_suffix(".back")):
                assert not is_gone or traces_of(folder, CAT, KITTY) == [], death
                assert all(traces_of(folder, word) for word in KEPT), death
        finished.append(is_gone and is_begun)
        shutil.rmtree(home)
        shutil.rmtree(home.with_suffix(".back"))
    assert sum(finished) > 2 or len(finished) == 2  # of one death nobody knows where it is
