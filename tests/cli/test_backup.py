"""`backup`: made, listed, checked, brought back, encrypted and deleted from the command line."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.line import run
from managers.storage.paths import Home
from tests.cli.conftest import Shown
from tests.small_life import NAME, make_life

Backup = Callable[..., str]


@pytest.fixture
def backup(capsys: Shown, own_home: Home) -> Backup:
    make_life(own_home.folder)

    def told(*arguments: str, status: int = 0) -> str:
        capsys.readouterr()
        assert run(["backup", *arguments]) == status
        return capsys.readouterr().out

    return told


def typed(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\n"))


def test_one_is_made_checked_brought_back_deleted(
    own_home: Home, tmp_path: Path, backup: Backup, capsys: Shown
) -> None:
    run(["doctor"])
    assert "There is no backup yet" in capsys.readouterr().out
    assert "no backup yet" in backup("list")
    made = json.loads(backup("now", "--json"))
    assert (made["reason"], made["proof"]["level"]) == ("now", "full")
    assert backup("list").splitlines()[0].startswith(made["id"])
    assert "All of it was restored" in backup("check", made["id"])
    log, one = own_home.persona(NAME).log.read_bytes(), tmp_path / "log.txt"
    command = ("restore", "--file", f"characters/{NAME}/log.txt", "--to", str(one))
    backup(*command)
    assert one.read_bytes() == log
    assert backup(*command, status=1) == ""
    backup("restore", made["id"][:8], "--to", str(tmp_path / "whole"))
    assert (tmp_path / "whole" / "characters" / NAME / "log.txt").read_bytes() == log
    backup("restore", status=1)
    backup("restore", "nonsense", "--to", str(tmp_path / "x"), status=1)
    assert not (tmp_path / "x").exists()
    run(["doctor"])
    assert "The last good backup was made at" in capsys.readouterr().out
    assert "1 deleted" in backup("delete", made["id"], "--yes")
    assert backup("list", "--json") == ""


def test_a_persona_a_file_and_a_home_come_back_in_place_on_a_yes(own_home: Home, backup: Backup) -> None:
    paths = own_home.persona(NAME)
    before = paths.core_memory.read_bytes()
    own_home.settings.write_text("[conversation]\nlog_days = 9\n")
    made = json.loads(backup("now", "--json"))["id"]
    paths.core_memory.write_text("changed since")
    beside = json.loads(backup("restore", "--persona", NAME, "--json"))["restored"]
    assert beside != NAME
    assert own_home.persona(beside).core_memory.read_bytes() == before
    own_home.settings.write_text("[conversation]\nlog_days = 3\n")
    for what in (("--persona", NAME), ("--file", f"characters/{NAME}/core_memory.txt"), ()):
        paths.core_memory.write_text("changed since")
        backup("restore", made, *what, "--in-place", status=1)
        assert paths.core_memory.read_text() == "changed since"
        backup("restore", made, *what, "--in-place", "--yes")
        assert paths.core_memory.read_bytes() == before
    assert "log_days = 9" in own_home.settings.read_text()
    trashed = [path / "core_memory.txt" for path in own_home.trash.iterdir()]
    assert "changed since" in {path.read_text() for path in trashed if path.exists()}
    backup("restore", made, "--file", f"characters/{NAME}", "--in-place", "--yes", status=1)
    reasons = [json.loads(line)["reason"] for line in backup("list", "--json").splitlines()]
    assert set(reasons) == {"restore", "now"}  # each time a snapshot before


@pytest.mark.slow
def test_a_lost_home_returns(own_home: Home, tmp_path: Path, backup: Backup, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, new = tmp_path / "disk", tmp_path / "new"
    disk.mkdir()
    own_home.settings.write_text(f"[backup]\nplace = '{disk}'\n")
    typed(monkeypatch, "open sesame")
    backup("encrypt")
    backup("now")
    given = ("restore", "--place", str(disk), "--to", str(new), "--home", str(tmp_path / "nobody"))
    backup(*given, status=1)
    typed(monkeypatch, "wrong")
    backup(*given, "--passphrase", status=1)
    assert not new.exists()
    typed(monkeypatch, "open sesame")
    backup(*given, "--passphrase")
    log = own_home.persona(NAME).log.read_bytes()
    assert (new / "characters" / NAME / "log.txt").read_bytes() == log
    assert not (tmp_path / "nobody").exists()
