"""The command line as people script it: real processes, real files; and what is typed wrongly, told in one line."""

import json
import os
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.exceptions import TyperException

from commands.line import app
from commands.misuse import misuse_sentence
from managers.storage.clock import SystemClock
from managers.storage.history import Draft, History
from managers.storage.paths import PersonaPaths
from tests import forking

ROOT = Path(__file__).resolve().parents[2]


def run(
    *arguments: str, home: Path | None = None, given: str = "", expect: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, in the test's home if no other is named."""
    environment = os.environ | {"UTATANE_LANG": "en", "PYTHONIOENCODING": "utf-8"}
    if home:
        environment["UTATANE_HOME"] = str(home)
    done = forking.run(arguments, environment, given)
    assert done.returncode == expect, done.stderr
    return done


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def transcript(folder: Path, *texts: str) -> str:
    """Write a transcript of what Aoi said on a day in May; return its path."""
    about = {"time": "2024-05-01T10:00:00", "role": "user", "speaker": "Aoi"}
    said = [{"id": f"x:{n}", **about, "text": text} for n, text in enumerate(texts or ["My boat is green"], 1)]
    file = folder / "chat.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in said), "utf-8")
    return str(file)


def test_personas_come_go_and_are_edited(home: Path, tmp_path: Path) -> None:
    assert {p["language"] for p in lines(run("personas", "list", "--json"))} == {"ja", "en"}
    run("personas", "create", "ひなた", "--language", "ja")
    run("personas", "rename", "ひなた", "こはる")
    run("personas", "duplicate", "こはる", "こはる 2")
    trashed = run("personas", "delete", "こはる").stdout.strip()
    assert {"trash": trashed, "name": "こはる"} in lines(run("personas", "list", "--json"))
    run("personas", "restore", trashed)
    assert "こはる" in run("personas", "list").stdout.split("\n")
    file = tmp_path / "prompt.txt"
    file.write_text("You are a lighthouse.", "utf-8")
    run("personas", "edit", "Hazel", "--prompt", str(file), "--user-name", "Aoi", "--greeting", "Ahoy.")
    folder = home / "characters" / "Hazel"
    assert (folder / "SystemPrompt.txt").read_text("utf-8") == "You are a lighthouse."
    written = json.loads((folder / "persona.json").read_text("utf-8"))
    assert (written["greeting"], written["user"]["name"]) == ("Ahoy.", "Aoi")
    assert "no such file" in run("personas", "edit", "Hazel", "--prompt", "nowhere.txt", expect=1).stderr


def test_what_cannot_be_is_told_in_one_line(home: Path, tmp_path: Path) -> None:
    for name, told in (("../evil", "cannot be used"), ("", "There is no name yet")):
        done = run("personas", "create", "--", name, expect=1)
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (home.parent / "evil").exists()
    (tmp_path / "picture.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n")
    run("import", "transcript", str(tmp_path / "picture.jsonl"), "--persona", "Zed", expect=1)
    assert [entry["name"] for entry in lines(run("personas", "list", "--json"))] == ["Hazel", "ねむ"]
    other = tmp_path / "file"
    other.write_text("a file", "utf-8")
    assert len(run("personas", "list", home=other, expect=1).stderr.strip().splitlines()) == 1
    assert "There are:" in run("frobnicate", expect=2).stderr
    helped = run("--help").stdout.split()
    assert {"serve", "chat", "recall", "index", "dream", "history", "export", "doctor", "personas"} <= set(helped)


def test_a_turn_is_acknowledged_before_it_is_answered_one_turn_a_line(home: Path) -> None:
    received, reply = lines(run("chat", "Hazel", "--json", "-m", "Hello, I am Aoi."))
    assert received["event"] == "received"
    assert set(reply) >= {"event", "message_id", "text", "mind", "recalled", "elapsed_ms"}
    assert reply["mind"] == "built-in"
    log = (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")
    assert received["message_id"] in log
    assert reply["message_id"] in log
    done = run("chat", "ねむ", "--json", given="おはよう\n\n猫のももを覚えておいて\nももって誰だっけ？\n")
    assert [line["event"] for line in lines(done)] == ["received", "reply"] * 3


def test_an_import_keeps_ids_and_times_and_can_be_searched(tmp_path: Path) -> None:
    command = ("import", "transcript", transcript(tmp_path), "--persona", "New", "--json")
    first, again = lines(run(*command)), lines(run(*command))
    assert (first[0]["added"], again[0]["added"], again[0]["already_there"]) == (1, 0, 1)
    found = lines(run("recall", "New", "boat", "--json"))[0]
    assert set(found) == {"query", "elapsed_ms", "results"}
    best = found["results"][0]
    assert set(best) == {"rank", "text", "type", "_source", "path", "date", "message_ids", "score"}
    assert (best["message_ids"], best["date"], best["rank"]) == (["x:1"], "2024-05-01", 1)


def test_history_shows_undoes_redoes_and_takes_back_one_memory(home: Path) -> None:
    run("chat", "Hazel", "-m", "Remember that my dentist is on Friday")
    paths = PersonaPaths(home / "characters" / "Hazel")
    entry = lines(run("history", "Hazel", "--json"))[0]
    assert entry["files"] == ["notepad.txt"]
    for command, is_there in (("--undo", False), ("--redo", True)):
        run("history", "Hazel", command, entry["id"])
        assert ("dentist" in paths.notepad.read_text("utf-8")) is is_there
    goals = [{"id": f"sh_{n}", "goal": f"goal {n}"} for n in range(2)]
    with closing(History(paths, SystemClock())) as history:
        night = str(history.apply({paths.goals: json.dumps({"short_term": goals}).encode()}, Draft("dream", "a night")))
        goals[1]["goal"] = "mine"
        history.apply({paths.goals: json.dumps({"short_term": goals}).encode()}, Draft("user", "edited"))
    refused = run("history", "Hazel", "--undo", night, expect=1)
    assert all(words in refused.stderr for words in ("goals.json", "(sh_1)", "--leave-changed"))
    done = lines(run("history", "Hazel", "--undo", night, "--part", "#sh_0", "--json"))[0]
    assert (done["kind"], done["target"], done["part"], done["records"]) == ("undo", night, "#sh_0", ["sh_0"])
    assert json.loads(paths.goals.read_bytes()) == {"short_term": goals[1:]}


def test_an_export_holds_the_memories_and_no_key_masked_where_that_is_wished_for(home: Path, tmp_path: Path) -> None:
    run("chat", "Hazel", "-m", "Write to hana@example.jp")
    (home / "secrets.toml").write_text('[keys]\ngemini = "sk-very-secret"\n', "utf-8")
    (home / "settings.toml").write_text("[privacy]\nmask_exports = true\n", "utf-8")
    for name, options, is_hidden in (("set", [], True), ("whole", ["--no-mask"], False)):
        file = tmp_path / f"{name}.zip"
        told = lines(run("export", "Hazel", str(file), *options, "--json"))[0]
        with zipfile.ZipFile(file) as archive:
            content = {one.filename: archive.read(one) for one in archive.infolist() if not one.is_dir()}
        assert ("hana@example.jp" not in content["Hazel/log.txt"].decode()) is is_hidden
        assert told["files"] == len(content) - 1, "and the manifest"
        assert ("left_out" in told) is is_hidden
        assert not any(b"sk-very-secret" in data for data in content.values())
    assert "not overwritten" in run("export", "Hazel", str(file), expect=1).stderr


def test_the_doctor_finds_nothing_wrong_and_names_what_is(home: Path) -> None:
    run("doctor", "--json")
    assert not home.exists()
    run("personas", "list")
    assert {f["state"] for f in lines(run("doctor", "--json"))} == {"ok"}
    (home / "settings.toml").write_text("[mind]\nprovidr = 'gemini'\n", "utf-8")
    (home / "characters" / "Hazel" / "persona.json").write_bytes(b"\xff\xfe{broken")
    sentences = " ".join(f["sentence"] for f in lines(run("doctor", "--json")) if f["state"] != "ok")
    assert 'Did you mean "mind.provider"?' in sentences
    assert "persona.json" in sentences


WRONG = (
    ("chat", "PERSONA がありません。", "PERSONA is missing."),
    ("chat Hazel -m", "-m には値が必要です。", "-m needs a value."),
    ("chat Hazel --jsn", "--json のことでしょうか。", "Did you mean --json?"),
    ("serve --port 99999", "--port は 0 から 65535 までの整数", "--port must be a whole number from 0 to 65535."),
    ("dream Hazel --day soon", "--day は「2026-01-31」のような日付", "--day must be a date like 2026-01-31."),
)


def test_a_mistake_is_told_in_one_line_of_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, japanese, english in WRONG:
        with pytest.raises(TyperException) as caught:
            typer.main.get_command(app).main(typed.split(), prog_name="app.py", standalone_mode=False)
        assert caught.value.exit_code == 2
        told = [misuse_sentence(caught.value, "ja"), misuse_sentence(caught.value, "en")]
        assert japanese in told[0]
        assert english in told[1]
        assert not {"\n", "{"} & set("".join(told))
    done = run("recall", expect=2)
    assert (done.stdout, done.stderr) == ("", "PERSONA is missing. Usage: app.py recall [OPTIONS] PERSONA [QUERY]\n")
