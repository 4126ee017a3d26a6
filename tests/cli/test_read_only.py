"""A home in which nothing can be written can be read: by every command that reads, with nothing changed by it."""

import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent.events import Failed
from agent.memories import Memories
from agent.services import open_services
from commands.line import run as run_here
from managers.storage.errors import UnwritableError
from managers.storage.paths import Home
from managers.storage.read_only import is_read_only
from tests.cli.conftest import Shown
from tests.cli.test_commands import lines, run
from tests.cli.test_mending import leave_unfinished, seen
from tests.disks import read_only, small_disk
from tests.ordinary import ordinary_user

READING: tuple[tuple[str, ...], ...] = (
    ("personas", "list"), ("recall", "Hazel", "green boat"), ("history", "Hazel"), ("knowledge", "list", "Hazel"),
    ("usage",), ("held", "Hazel"), ("doctor",)
)  # fmt: skip
WRITING: tuple[tuple[str, ...], ...] = (
    ("chat", "Hazel", "-m", "Hello"), ("dream", "Hazel"), ("personas", "create", "Rook"),
    ("knowledge", "remove", "Hazel", "bridges.txt"), ("index", "Hazel", "--rebuild")
)  # fmt: skip
CAPS = "[usage]\nday_tokens = 1000000\n"


def live(home: Path) -> Path:
    """Let a home be lived in a little; return Hazel's folder."""
    home.mkdir()
    (home / "settings.toml").write_text(CAPS, "utf-8")
    document = home.with_name("bridges.txt")
    document.write_text("A document about bridges.\n", "utf-8")
    for arguments in (
        ("chat", "Hazel", "-m", "My boat is green. Remember that my dentist is on Friday"),
        ("knowledge", "add", "Hazel", str(document)),
        ("recall", "Hazel", "boat"),
    ):
        assert run_here([*arguments, "--home", str(home)]) == 0
    return home / "characters" / "Hazel"


@contextmanager
def not_to_be_written(home: Path) -> Iterator[None]:
    """Take the right to write away everywhere in a home, for an ordinary user."""
    modes = {path: path.stat().st_mode & 0o777 for path in [home, *home.rglob("*")]}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        with ordinary_user():
            yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.fixture
def folder(own_home: Home, capsys: Shown) -> Path:
    folder = live(own_home.folder)
    capsys.readouterr()
    return folder


@pytest.mark.slow
def test_a_home_on_a_read_only_disk_is_read_by_every_command_that_reads(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64m") as disk:
        home = disk / "home"
        live(home)
        before = seen(home)
        with read_only(disk):
            for command in READING:
                done = run(*command, "--json", home=home)
                assert ("can only be read" in done.stderr) == (command[0] != "doctor"), command
                assert len(done.stderr.splitlines()) <= 1, done.stderr
            found = lines(run("recall", "Hazel", "green boat", "--json", home=home))[0]["results"]
            assert any("My boat is green" in one["text"] for one in found)
            assert lines(run("history", "Hazel", "--json", home=home))[0]["files"] == ["notepad.txt"]
            done = run("export", "Hazel", str(tmp_path / "hazel.zip"), "--json", home=home)
            assert lines(done)[0]["files"] > 5
            for command in WRITING:
                done = run(*command, home=home, expect=1)
                assert "cannot be written" in done.stderr, done.stderr
                assert "Traceback" not in done.stderr
        assert seen(home) == before
        with zipfile.ZipFile(tmp_path / "hazel.zip") as archive:
            assert archive.read("Hazel/log.txt") == (home / "characters" / "Hazel" / "log.txt").read_bytes()


def test_a_home_that_cannot_be_written_is_read_and_writers_are_told(
    own_home: Home, folder: Path, capsys: Shown
) -> None:
    before = seen(own_home.folder)
    with not_to_be_written(own_home.folder):
        for command in READING:
            assert run_here([*command, "--json"]) == 0, command
            assert capsys.readouterr().out or command[0] == "held"
        for command in WRITING:
            assert run_here([*command]) == 1, command
            assert "cannot be written" in capsys.readouterr().err
    assert seen(own_home.folder) == before
    (folder / "log.txt").chmod(0o400)  # one persona alone
    folder.chmod(0o500)
    try:
        with ordinary_user():
            assert run_here(["chat", "Hazel", "--json", "-m", "Hello again"]) == 1
    finally:
        folder.chmod(0o700)
        (folder / "log.txt").chmod(0o600)
    assert json.loads(capsys.readouterr().out.splitlines()[0])["error"] == "UnwritableError"


@contextmanager
def looking(home: Home) -> Iterator[Memories]:
    """Look at Hazel's memories where nothing can be written; nothing is written."""
    before = seen(home.folder)
    with not_to_be_written(home.folder), closing(open_services(home, only_look=is_read_only(home))) as services:
        (failed,) = [event for event in services.companion("Hazel").say("Hello").events() if isinstance(event, Failed)]
        assert isinstance(failed.error, UnwritableError)  # nobody talks there
        services.companion("Hazel").settle()
        yield services.companion("Hazel").memories
    assert seen(home.folder) == before


def test_what_is_unfinished_damaged_or_copied_is_left_so_and_told(own_home: Home, folder: Path) -> None:
    leave_unfinished(folder, "UPDATE chunks SET text = replace(text, 'green', 'violet')")
    copy = folder / "log.sync-conflict-20261101-101010-ABCDEFG.txt"
    copy.write_bytes((folder / "log.txt").read_bytes())
    (folder / "goals.json").write_bytes(b"{")
    (folder / "entity_memory").mkdir(exist_ok=True)
    pending = folder / ".history" / "pending"
    pending.mkdir(exist_ok=True)
    (pending / "journal.json").write_text("{}", "utf-8")
    with looking(own_home) as memories:
        assert any("violet" in hit.text for hit in memories.recall.search("boat"))  # what lies beside an index, too
        assert "dentist" in memories.notes.read("notepad").text
        assert memories.history.entries(5)
        assert memories.goals.load().active("short_term") == []
        told = memories.gather_notices()
        assert "file-not-set-aside" in {notice.code for notice in told}
        assert copy.name in " ".join(notice.en for notice in told)
        memories.map.look()
        memories.map.wait()
        assert (drawn := memories.map.look()) is not None
        assert drawn.pieces
        memories.network.look()
        memories.network.wait()


def test_what_no_index_holds_is_said_not_to_be_found(own_home: Home, folder: Path) -> None:
    for codes in (set(), {"index-not-followed"}):
        with looking(own_home) as memories:
            memories.recall.keep_up()
            assert bool(memories.recall.search("boat")) is not bool(codes)
            assert {notice.code for notice in memories.recall.status().notices} & {"index-not-followed"} == codes
        shutil.rmtree(folder / "rag_index", ignore_errors=True)


def test_what_can_be_written_is_not_taken_for_read_only(tmp_path: Path, own_home: Home) -> None:
    assert not is_read_only(Home(tmp_path / "nowhere"))  # it can be made
    own_home.characters.mkdir(parents=True)
    before = seen(own_home.folder).keys()
    assert not is_read_only(own_home)
    assert seen(own_home.folder).keys() == before
    with not_to_be_written(own_home.characters):
        assert is_read_only(own_home)
