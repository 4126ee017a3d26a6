"""`import` as a person and as a script use it: looked at first, asked about at a terminal, stopped, and dreamt of."""

import json
import os
import signal
from pathlib import Path

import pytest

from commands.line import run as run_here
from managers.exchange import import_engine
from managers.storage.paths import Home
from tests.cli.conftest import Shown
from tests.cli.test_commands import lines, run, transcript
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


def test_the_guess_of_who_is_who_is_shown_and_can_be_put_right_and_a_script_is_asked_nothing(talk: Path) -> None:
    command = ("import", str(talk), "--persona", "Moon")
    guessed = lines(run(*command, "--dry-run", "--json"))[0]
    assert _roles(guessed) == {"アキ": "user", "ルナ": "persona"}
    assert ("chats.guessed", True) in {(one["code"], one["taken"]) for one in guessed["left_out"]}
    corrected = lines(run(*command, "--dry-run", "--json", "--user", "ルナ"))[0]
    assert _roles(corrected) == {"ルナ": "user", "アキ": "persona"}
    assert "chats.guessed" not in {one["code"] for one in corrected["left_out"]}
    done = run(*command)
    assert "--let-in" in done.stdout
    assert "--let-in" not in run(*command[:-1], "Sun", "--let-in").stdout
    exported = [run("export", name, str(talk.with_name(f"{name}.jsonl")), "--as", "jsonl") for name in ("Moon", "Sun")]
    assert ['"from"' in talk.with_name(f"{name}.jsonl").read_text("utf-8") for name in ("Moon", "Sun")] == [
        True,
        False,
    ], exported
    said = done.stdout.splitlines()
    assert said.index("Found in “talk.txt”") < said.index("“talk.txt” is with Moon")
    assert "アキ: you, 2" in said
    assert done.stderr.count("A guess") == 1  # told with what was found, and not once more with what came of it
    (told,) = lines(run(*command, "--json"))
    assert (told["added"], told["already_there"], told["dream"]) == (0, 3, None)


def test_at_a_terminal_none_comes_without_a_yes(
    own_home: Home, talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    def import_(*command: str, typed: str, name: str) -> str:
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        capsys.readouterr()
        code = run_here(["import", *command, "--persona", name])
        assert (code, _is_there(own_home, name)) in {(0, True), (1, False)}
        return capsys.readouterr().out

    for name, typed, options in (("Moon", "n\n", ()), ("Moon", "", ()), ("Moon", "y\n", ()), ("Luna", "", ("--yes",))):
        import_(str(talk), *options, typed=typed, name=name)
        assert _is_there(own_home, name) is (typed == "y\n" or bool(options))
    file = talk.with_name("hazel.zip")
    assert run_here(["export", "Hazel", str(file)]) == 0
    for typed in ("n\n", "y\n"):  # an archive is looked through before somebody is asked
        assert "An archive of Hazel" in import_(str(file), typed=typed, name="Twin")
        assert _is_there(own_home, "Twin") is (typed == "y\n")


def test_ctrl_c_stops_an_import_that_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Shown
) -> None:
    monkeypatch.setattr(import_engine, "_BATCH", 2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, it may be, by who runs the tests
    shown: list[str] = []

    def show(words: str = "") -> None:
        shown.append(words)
        if words.startswith("Importing") and len([one for one in shown if one.startswith("Importing")]) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("commands.import_progress.show_passing", show)
    command = ["import", transcript(tmp_path, *(f"Word {n}" for n in range(9))), "--persona", "Moon"]
    try:
        assert run_here(command) == 1
        assert "go on from there" in capfd.readouterr().err
        assert shown[-1] == ""  # nothing passing is left on the terminal
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.setattr("commands.import_progress.show_passing", lambda words="": None)
    assert run_here([*command, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["added"], told["already_there"]) == (5, 4)


def test_a_dream_of_what_came_in_is_offered_with_its_cost_and_the_built_in_asks_nobody(home: Path, talk: Path) -> None:
    with ModelServer() as server:
        settle_on(server, home)
        offer = run("import", str(talk), "--persona", "Moon").stdout
        assert "it would ask about" in offer
        assert "app.py dream Moon --built-in" in offer
        (dreamt,) = lines(run("dream", "Moon", "--built-in", "--json"))
        assert server.chats == []
    assert dreamt["days"] == ["2024-01-05"]
    assert "episode" in {change["what"] for change in dreamt["changes"]}


def test_other_times_are_read_in_ones_own_zone(own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    said = {"id": "m1", "time": "2026-01-05T05:30:00+00:00", "role": "user", "speaker": "Emma", "text": "Good morning."}
    (tmp_path / "said.jsonl").write_text(json.dumps(said) + "\n", "utf-8")
    assert run("import", "transcript", str(tmp_path / "said.jsonl"), "--persona", "Moon", "--yes").returncode == 0
    log = "".join(file.read_text("utf-8") for file in own_home.persona("Moon").log_archives.glob("*.txt"))
    assert "2026-01-05 (Mon) 14:30:00" in log
