"""`import` as a person and as a script use it: looked at first, asked about at a terminal, stopped, and dreamt of."""

import json
import os
import signal
from pathlib import Path

import pytest

from commands.line import run as run_here
from managers.exchange import import_engine
from managers.storage.paths import Home
from tests.cli.test_commands import lines, run
from tests.cli.test_faults import settle_on
from tests.cli.test_model_servers import Terminal
from tests.model_server import ModelServer

_TALK = "[LINE] ルナとのトーク履歴\n2024/01/05(金)\n21:33\tアキ\tただいま\n21:34\tルナ\tおかえり\n21:35\tアキ\tねむい\n"


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    talk = tmp_path / "talk.txt"
    talk.write_text(_TALK, "utf-8")
    return talk


def _is_there(home: Home, name: str) -> bool:
    return home.persona(name).folder.is_dir()


def _roles(told: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {one["name"]: one["role"] for one in told["speakers"]}


def test_the_guess_of_who_is_who_is_shown_and_can_be_put_right(tmp_path: Path, talk: Path) -> None:
    home = tmp_path / "home"
    command = ("import", str(talk), "--persona", "Moon", "--dry-run", "--json")

    guessed = lines(run(*command))[0]
    assert _roles(guessed) == {"アキ": "user", "ルナ": "persona"}
    assert ("chats.guessed", True) in {(one["code"], one["taken"]) for one in guessed["left_out"]}
    corrected = lines(run(*command, "--user", "ルナ"))[0]
    assert _roles(corrected) == {"ルナ": "user", "アキ": "persona"}
    assert "chats.guessed" not in {one["code"] for one in corrected["left_out"]}


def test_nothing_comes_in_before_somebody_says_who_is_who_where_nothing_tells(tmp_path: Path) -> None:
    home, talk = tmp_path / "home", tmp_path / "talk.txt"
    talk.write_text("Rin: good evening\nAki: hello there, it was a long day\n" * 3, "utf-8")
    command = ("import", str(talk), "--persona", "Moon", "--json")

    asked = run(*command, "--yes", expect=1)
    assert "--user" in asked.stderr
    assert not (home / "characters" / "Moon").exists()
    assert lines(run(*command, "--companion", "Rin"))[-1]["added"] == 6
    run("export", "Moon", str(tmp_path / "out.jsonl"), "--as", "jsonl")
    told = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert {one["speaker"]: one["role"] for one in told} == {"Rin": "persona", "Aki": "user"}
    again = lines(run(*command, "--dry-run"))[0]  # her name in this home is Moon, but the user is known
    assert _roles(again) == {"Aki": "user", "Rin": "persona"}


def test_a_script_is_told_what_was_found_and_is_asked_nothing(tmp_path: Path, talk: Path) -> None:
    home = tmp_path / "home"
    done = run("import", str(talk), "--persona", "Moon")
    said = done.stdout.splitlines()
    assert said.index("Found in “talk.txt”") < said.index("“talk.txt” is with Moon")
    assert "アキ: you, 2" in said
    assert done.stderr.count("A guess") == 1  # told with what was found, and not once more with what came of it
    (told,) = lines(run("import", str(talk), "--persona", "Moon", "--json"))
    assert (told["added"], told["already_there"], told["dream"]) == (0, 3, None)


@pytest.mark.parametrize(("typed", "options", "is_in"), [("n\n", (), False), ("", (), False), ("y\n", (), True), ("", ("--yes",), True)])  # fmt: skip
def test_at_a_terminal_nothing_comes_in_without_a_yes(
    own_home: Home, talk: Path, monkeypatch: pytest.MonkeyPatch, typed: str, options: tuple[str, ...], is_in: bool
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert run_here(["import", str(talk), "--persona", "Moon", *options]) == (0 if is_in else 1)
    assert _is_there(own_home, "Moon") == is_in


def test_an_archive_is_looked_through_before_somebody_is_asked(
    own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hazel.zip"
    assert run_here(["export", "Hazel", str(file)]) == 0
    for typed, is_in in (("n\n", False), ("y\n", True)):
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        capsys.readouterr()
        assert run_here(["import", str(file), "--persona", "Twin"]) == (0 if is_in else 1)
        assert "An archive of Hazel" in capsys.readouterr().out
        assert _is_there(own_home, "Twin") == is_in


def test_ctrl_c_stops_an_import_and_the_same_command_goes_on_from_there(
    own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said = [
        {"id": f"i{n}", "time": "2026-01-02T10:00:00", "role": "user", "speaker": "Emma", "text": f"Word {n}"}
        for n in range(9)
    ]
    file = tmp_path / "old.jsonl"
    file.write_text("\n".join(map(json.dumps, said)), "utf-8")
    monkeypatch.setattr(import_engine, "_BATCH", 2)
    shown: list[str] = []

    def show(words: str = "") -> None:
        shown.append(words)
        if words.startswith("Importing") and len([one for one in shown if one.startswith("Importing")]) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("commands.import_progress.show_passing", show)
    command = ["import", str(file), "--persona", "Moon"]
    assert run_here(command) == 1
    assert "go on from there" in capfd.readouterr().err
    assert shown[-1] == ""  # nothing passing is left on the terminal
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.setattr("commands.import_progress.show_passing", lambda words="": None)
    assert run_here([*command, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["added"], told["already_there"]) == (5, 4)


def test_a_dream_of_what_came_in_is_offered_with_its_cost_and_the_built_in_mind_asks_no_model(
    tmp_path: Path, talk: Path
) -> None:
    home = tmp_path / "home"
    with ModelServer() as server:
        settle_on(server, home)
        offer = run("import", str(talk), "--persona", "Moon").stdout
        assert "it would ask about" in offer
        assert "app.py dream Moon --built-in" in offer
        (dreamt,) = lines(run("dream", "Moon", "--built-in", "--json"))
        assert server.chats == []
    assert dreamt["days"] == ["2024-01-05"]
    assert "episode" in {change["what"] for change in dreamt["changes"]}
