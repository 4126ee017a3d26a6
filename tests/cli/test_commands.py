"""The command line as people script it: real processes, real files."""

import json
import os
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from managers.storage.clock import SystemClock
from managers.storage.history import Draft, History
from managers.storage.paths import PersonaPaths
from tests import forking

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, home: Path, given: str = "", expect: int = 0) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"UTATANE_HOME": str(home), "UTATANE_LANG": "en", "PYTHONIOENCODING": "utf-8"}
    done = forking.run(arguments, environment, given)
    assert done.returncode == expect, done.stderr
    return done


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_personas_come_and_go(home: Path) -> None:
    assert {p["language"] for p in lines(run("personas", "list", "--json", home=home))} == {"ja", "en"}
    run("personas", "create", "ひなた", "--language", "ja", home=home)
    run("personas", "rename", "ひなた", "こはる", home=home)
    run("personas", "duplicate", "こはる", "こはる 2", home=home)
    trashed = run("personas", "delete", "こはる", home=home).stdout.strip()
    listed = lines(run("personas", "list", "--json", home=home))
    assert {"trash": trashed, "name": "こはる"} in listed
    run("personas", "restore", trashed, home=home)
    assert "こはる" in run("personas", "list", home=home).stdout.split("\n")


def test_who_a_persona_is_can_be_edited(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("You are a lighthouse.", "utf-8")
    run("personas", "edit", "Hazel", "--prompt", str(file), "--user-name", "Aoi", "--greeting", "Ahoy.", home=home)
    folder = home / "characters" / "Hazel"
    assert (folder / "SystemPrompt.txt").read_text("utf-8") == "You are a lighthouse."
    written = json.loads((folder / "persona.json").read_text("utf-8"))
    assert (written["greeting"], written["user"]["name"]) == ("Ahoy.", "Aoi")
    assert "no such file" in run("personas", "edit", "Hazel", "--prompt", "nowhere.txt", home=home, expect=1).stderr


@pytest.mark.parametrize("name", ["../evil", "con", "", ".hidden", "a/b", "x" * 500, "a\u202eb"])
def test_a_dangerous_name_is_refused_in_one_sentence(home: Path, name: str) -> None:
    done = run("personas", "create", "--", name, home=home, expect=1)
    assert ("cannot be used" if name else "There is no name yet") in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (home.parent / "evil").exists()


def test_a_turn_is_acknowledged_before_it_is_answered(home: Path) -> None:
    done = run("chat", "Hazel", "--json", "-m", "Hello, I am Aoi.", home=home)
    received, reply = lines(done)
    assert received["event"] == "received"
    assert set(reply) >= {"event", "message_id", "text", "mind", "recalled", "elapsed_ms"}
    assert reply["mind"] == "built-in"
    log = (home / "characters" / "Hazel" / "log.txt").read_text("utf-8")
    assert received["message_id"] in log
    assert reply["message_id"] in log


def test_a_conversation_on_standard_input_has_one_turn_a_line(home: Path) -> None:
    done = run("chat", "ねむ", "--json", home=home, given="おはよう\n\n猫のももを覚えておいて\nももって誰だっけ？\n")
    events = [line["event"] for line in lines(done)]
    assert events == ["received", "reply"] * 3


def test_an_import_keeps_ids_and_times_and_can_be_searched(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    message = {"id": "x:1", "time": "2024-05-01T10:00:00", "role": "user", "speaker": "Aoi", "text": "My boat is green"}
    file.write_text(json.dumps(message) + "\n", "utf-8")
    first = lines(run("import", "transcript", str(file), "--persona", "New", "--json", home=home))
    again = lines(run("import", "transcript", str(file), "--persona", "New", "--json", home=home))
    assert (first[0]["added"], again[0]["added"], again[0]["already_there"]) == (1, 0, 1)
    found = lines(run("recall", "New", "boat", "--json", home=home))[0]
    assert set(found) == {"query", "elapsed_ms", "results"}
    best = found["results"][0]
    assert set(best) == {"rank", "text", "type", "_source", "path", "date", "message_ids", "score"}
    assert (best["message_ids"], best["date"], best["rank"]) == (["x:1"], "2024-05-01", 1)


def test_history_shows_undoes_and_redoes(home: Path) -> None:
    run("chat", "Hazel", "-m", "Remember that my dentist is on Friday", home=home)
    notepad = home / "characters" / "Hazel" / "notepad.txt"
    assert "dentist" in notepad.read_text("utf-8")
    entry = lines(run("history", "Hazel", "--json", home=home))[0]
    assert entry["files"] == ["notepad.txt"]
    run("history", "Hazel", "--undo", entry["id"], home=home)
    assert "dentist" not in notepad.read_text("utf-8")
    run("history", "Hazel", "--redo", entry["id"], home=home)
    assert "dentist" in notepad.read_text("utf-8")


def test_history_takes_back_one_memory_of_a_change_and_says_what_is_in_the_way(home: Path) -> None:
    run("personas", "list", home=home)
    paths = PersonaPaths(home / "characters" / "Hazel")
    goals = [{"id": f"sh_{n}", "goal": f"goal {n}"} for n in range(2)]
    with closing(History(paths, SystemClock())) as history:
        night = history.apply({paths.goals: json.dumps({"short_term": goals}).encode()}, Draft("dream", "a night"))
        goals[1]["goal"] = "mine"
        history.apply({paths.goals: json.dumps({"short_term": goals}).encode()}, Draft("user", "edited"))
    refused = run("history", "Hazel", "--undo", str(night), home=home, expect=1)
    assert "goals.json" in refused.stderr
    assert "(sh_1)" in refused.stderr
    assert "--leave-changed" in refused.stderr
    done = lines(run("history", "Hazel", "--undo", str(night), "--part", "#sh_0", "--json", home=home))[0]
    assert (done["kind"], done["target"], done["part"], done["records"]) == ("undo", night, "#sh_0", ["sh_0"])
    assert json.loads(paths.goals.read_bytes()) == {"short_term": goals[1:]}


def test_an_export_holds_the_memories_and_no_key(home: Path, tmp_path: Path) -> None:
    run("chat", "Hazel", "-m", "The moon is out", home=home)
    (home / "secrets.toml").write_text('[keys]\ngemini = "sk-very-secret"\n', "utf-8")
    file = tmp_path / "hazel.zip"
    run("export", "Hazel", str(file), home=home)
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert "The moon is out" in content["Hazel/log.txt"].decode()
    assert not any(b"sk-very-secret" in data for data in content.values())
    assert "not overwritten" in run("export", "Hazel", str(file), home=home, expect=1).stderr


def test_an_export_is_masked_where_the_settings_or_the_command_say_so(home: Path, tmp_path: Path) -> None:
    run("chat", "Hazel", "-m", "Write to hana@example.jp", home=home)
    (home / "settings.toml").write_text("[privacy]\nmask_exports = true\n", "utf-8")
    for name, options, is_hidden in (("set", [], True), ("whole", ["--no-mask"], False)):
        file = tmp_path / f"{name}.zip"
        told = lines(run("export", "Hazel", str(file), *options, "--json", home=home))[0]
        with zipfile.ZipFile(file) as archive:
            assert ("hana@example.jp" not in archive.read("Hazel/log.txt").decode()) is is_hidden
            assert told["files"] == len([one for one in archive.infolist() if not one.is_dir()]) - 1, "and the manifest"
        assert ("left_out" in told) is is_hidden


def test_the_doctor_finds_nothing_wrong_and_names_what_is(home: Path) -> None:
    run("personas", "list", home=home)
    findings = lines(run("doctor", "--json", home=home))
    assert {f["state"] for f in findings} == {"ok"}
    (home / "settings.toml").write_text("[mind]\nprovidr = 'gemini'\n", "utf-8")
    (home / "characters" / "Hazel" / "persona.json").write_bytes(b"\xff\xfe{broken")
    sentences = " ".join(f["sentence"] for f in lines(run("doctor", "--json", home=home)) if f["state"] != "ok")
    assert 'Did you mean "mind.provider"?' in sentences
    assert "persona.json" in sentences


def test_a_home_that_is_no_folder_and_an_unknown_command_are_told_in_one_line(home: Path) -> None:
    home.write_text("a file", "utf-8")
    assert len(run("personas", "list", home=home, expect=1).stderr.strip().splitlines()) == 1
    assert "There are:" in run("frobnicate", home=home, expect=2).stderr


def test_every_command_is_in_the_readme_or_the_help(home: Path) -> None:
    helped = run("--help", home=home).stdout
    for command in (
        "serve",
        "chat",
        "recall",
        "index",
        "dream",
        "history",
        "export",
        "doctor",
        "personas",
        "knowledge",
        "import",
    ):
        assert command in helped


def test_a_file_that_is_no_transcript_makes_nobody(home: Path, tmp_path: Path) -> None:
    (tmp_path / "picture.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n")
    run("import", "transcript", str(tmp_path / "picture.jsonl"), "--persona", "Zed", home=home, expect=1)
    assert [entry["name"] for entry in lines(run("personas", "list", "--json", home=home))] == ["Hazel", "ねむ"]
