"""`backup`: made, listed, checked, brought back, encrypted and deleted from the command line."""

import io
import json
import sys
from pathlib import Path

import pytest

from commands.line import run
from managers.storage.paths import Home
from tests.small_life import NAME, make_life


@pytest.fixture
def home(own_home: Home) -> Home:
    make_life(own_home.folder)
    return own_home


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    capsys.readouterr()
    assert run(["backup", *arguments]) == status
    return capsys.readouterr().out


def typed(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\n"))


def test_what_is_made_is_listed_checked_and_brought_back(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no backup yet" in told(capsys, "list")
    made = json.loads(told(capsys, "now", "--json"))
    assert (made["reason"], made["proof"]["level"]) == ("now", "full")
    (listed,) = told(capsys, "list").splitlines()[:1]
    assert listed.startswith(made["id"])
    assert "All of it was restored" in told(capsys, "check", made["id"])
    log = home.persona(NAME).log.read_bytes()
    told(capsys, "restore", "--file", f"characters/{NAME}/log.txt", "--to", str(tmp_path / "log.txt"))
    assert (tmp_path / "log.txt").read_bytes() == log
    assert (
        told(capsys, "restore", "--file", f"characters/{NAME}/log.txt", "--to", str(tmp_path / "log.txt"), status=1)
        == ""
    )
    told(capsys, "restore", made["id"][:8], "--to", str(tmp_path / "whole"))
    assert (tmp_path / "whole" / "characters" / NAME / "log.txt").read_bytes() == log
    told(capsys, "restore", status=1)
    told(capsys, "restore", "nonsense", "--to", str(tmp_path / "x"), status=1)
    assert not (tmp_path / "x").exists()


def test_a_persona_comes_back_beside_or_in_place_with_a_snapshot_before(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "now")
    paths = home.persona(NAME)
    before = paths.core_memory.read_bytes()
    paths.core_memory.write_text("changed since")
    beside = json.loads(told(capsys, "restore", "--persona", NAME, "--json"))["restored"]
    assert beside != NAME
    assert home.persona(beside).core_memory.read_bytes() == before
    assert paths.core_memory.read_text() == "changed since"
    told(capsys, "restore", "--persona", NAME, "--in-place", status=1)
    told(capsys, "restore", "--persona", NAME, "--in-place", "--yes")
    assert paths.core_memory.read_bytes() == before
    (trashed,) = home.trash.iterdir()
    assert (trashed / "core_memory.txt").read_text() == "changed since"
    assert [json.loads(line)["reason"] for line in told(capsys, "list", "--json").splitlines()] == ["restore", "now"]


def test_a_file_and_a_home_come_back_in_place(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    paths = home.persona(NAME)
    before = paths.core_memory.read_bytes()
    home.settings.write_text("[conversation]\nlog_days = 9\n")
    told(capsys, "now")
    file = f"characters/{NAME}/core_memory.txt"
    paths.core_memory.write_text("changed since")
    told(capsys, "restore", "--file", file, "--in-place", status=1)
    assert paths.core_memory.read_text() == "changed since"
    made = json.loads(told(capsys, "list", "--json").splitlines()[-1])["id"]
    told(capsys, "restore", made, "--file", file, "--in-place", "--yes")
    assert paths.core_memory.read_bytes() == before
    told(capsys, "restore", made, "--file", f"characters/{NAME}", "--in-place", "--yes", status=1)
    paths.core_memory.write_text("changed again")
    home.settings.write_text("[conversation]\nlog_days = 3\n")
    told(capsys, "restore", made, "--in-place", "--yes")
    assert paths.core_memory.read_bytes() == before
    assert "log_days = 9" in home.settings.read_text()
    reasons = {json.loads(line)["reason"] for line in told(capsys, "list", "--json").splitlines()}
    assert reasons == {"now", "restore"}


def test_a_lost_home_comes_back_from_another_disk_with_the_passphrase(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    home.settings.write_text(f"[backup]\nplace = '{disk}'\n")
    typed(monkeypatch, "open sesame")
    told(capsys, "encrypt")
    told(capsys, "now")
    log = home.persona(NAME).log.read_bytes()
    new = tmp_path / "new"
    given = ("restore", "--place", str(disk), "--to", str(new), "--home", str(tmp_path / "nobody"))
    told(capsys, *given, status=1)
    typed(monkeypatch, "wrong")
    told(capsys, *given, "--passphrase", status=1)
    assert not new.exists()
    typed(monkeypatch, "open sesame")
    told(capsys, *given, "--passphrase")
    assert (new / "characters" / NAME / "log.txt").read_bytes() == log
    assert not (tmp_path / "nobody").exists()


def test_the_doctor_says_when_the_last_good_one_was_made(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    run(["doctor"])
    assert "There is no backup yet" in capsys.readouterr().out
    told(capsys, "now")
    run(["doctor"])
    assert "The last good backup was made at" in capsys.readouterr().out
    (made,) = json.loads(f"[{told(capsys, 'list', '--json')}]")
    assert "1 deleted" in told(capsys, "delete", made["id"], "--yes")
    assert told(capsys, "list", "--json") == ""
