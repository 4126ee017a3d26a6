"""`import`, `export` and `audit` as a person and as a script use them: looked at first, asked about at a terminal, stopped, dreamt of."""

import base64
import json
import os
import signal
from pathlib import Path

import pytest

from commands.line import run as run_here
from managers.exchange import import_engine
from managers.exchange.cards.png_chunks import text_chunks
from managers.storage.paths import Home
from tests.cli.conftest import Shown
from tests.cli.test_commands import lines, run, transcript
from tests.cli.test_faults import settle_on
from tests.cli.test_model_servers import Terminal
from tests.exchange.cards.made import png, v3
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


def test_an_import_takes_a_yes(own_home: Home, talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
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


def test_ctrl_c_stops_an_import_it_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Shown) -> None:
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


@pytest.mark.slow
def test_one_leaves_with_a_passphrase_and_returns(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, words = tmp_path / "hazel.age", "きらきら a passphrase"
    run("chat", "Hazel", "-m", "My boat is green")
    (tmp_path / "words").write_text(words + "\n", "utf-8")
    made = lines(run("export", "Hazel", str(file), "--passphrase", "--json", given=words + "\n"))[0]
    assert file.read_bytes().startswith(b"age-encryption.org/v1\n")
    from_a_file = ["--passphrase-file", str(tmp_path / "words")]
    assert "Hazel" in run("import", "archive", str(file), *from_a_file, expect=1).stderr  # is there already
    back = ["import", "archive", str(file), "--persona", "Hazel Two"]
    assert "does not open" in run(*back, given="wrong\n", expect=1).stderr
    dry = lines(run(*back, *from_a_file, "--dry-run", "--json"))[0]
    assert (dry["files"], dry["dry_run"]) == (made["files"], True)
    monkeypatch.setenv("UTATANE_PASSPHRASE", words)
    assert run(*back).stdout.startswith("Hazel Two is back")
    log, copied = (home / "characters" / name / "log.txt" for name in ("Hazel", "Hazel Two"))
    assert copied.read_bytes() == log.read_bytes()
    assert [path for path in home.rglob("*") if path.is_file() and words.encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_a_card_goes_in_and_comes_out_as_it_was(home: Path, tmp_path: Path) -> None:
    out, document = tmp_path / "out.png", v3(creator_notes="never tell", my_own={"a": None}, nickname="Ari")
    (tmp_path / "card.png").write_bytes(png(ccv3=document))
    asked = ("import", "card", str(tmp_path / "card.png"), "--persona", "Aria")
    run(*asked, "--dry-run")
    folder = home / "characters" / "Aria"
    assert not folder.exists()
    run(*asked)
    assert (folder / "avatar.png").exists()
    assert "never tell" not in (folder / "SystemPrompt.txt").read_text("utf-8")
    run("export", "Aria", str(out), "--as", "card")
    cards = {
        one.keyword: json.loads(base64.b64decode(one.data)) for one in text_chunks(out.read_bytes(), ("chara", "ccv3"))
    }
    assert cards.keys() == {"chara", "ccv3"}
    assert cards["ccv3"]["data"].items() >= document["data"].items()
    run("import", str(out), "--persona", "Bea")  # recognised by itself


def test_exports_imports_and_undo_are_listed_and_a_hand_on_the_record_is_told(home: Path, tmp_path: Path) -> None:
    assert lines(run("audit", "Hazel", "--json")) == []
    assert "Nothing has left" in run("audit", "Hazel").stdout
    run("export", "Hazel", str(tmp_path / "hazel.zip"))
    run("import", "transcript", transcript(tmp_path), "--persona", "Hazel")
    imported, exported = lines(run("audit", "Hazel", "--json"))
    assert (imported["kind"], imported["counts"], imported["to"]) == ("import", {"messages": 1}, "this computer")
    assert (exported["kind"], exported["message_ids"], exported["masked"]) == ("export", [], False)
    assert "Exported to a file  files: " in run("audit", "Hazel").stdout
    (path,) = (home / "characters" / "Hazel" / "memory").glob("audit_*.jsonl")
    path.write_text(path.read_text("utf-8").replace("export", "import", 1), "utf-8")
    assert f"line 1 of {path.name}" in run("audit", "Hazel", expect=1).stderr
