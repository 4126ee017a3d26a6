"""Guests on the command line: listed, told about, let in by a yes; and until then nobody, whatever is asked for."""

import shutil
import sys
from pathlib import Path

import pytest

from managers.storage.settings import Secrets
from tests.cli.test_commands import lines, run
from tests.hostile_folder import Hostile, asks_for_much, finishes_a_journal, make_hostile, runs_in_git
from tests.model_server import ModelServer

KEY = "AIza-a-key-that-nobody-else-gets"


@pytest.fixture
def hostile(home: Path, tmp_path: Path) -> Hostile:
    run("personas", "list")  # the first start: the samples are made here
    return make_hostile(home / "characters" / "Rook", tmp_path / "elsewhere")


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_guest_is_listed_and_whatever_is_asked_of_it_is_answered_in_one_sentence(
    home: Path, hostile: Hostile, tmp_path: Path
) -> None:
    assert {"guest": True, "name": "Rook"} in lines(run("personas", "list", "--json"))
    assert "Rook  (a guest" in run("personas", "list").stdout
    before = everything(hostile.folder)
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text(
        '{"id": "a:1", "time": "2026-11-01T10:00:00", "role": "user", "speaker": "A", "text": "Hi"}\n', "utf-8"
    )
    for command in (
        ["chat", "Rook", "-m", "Hello"],
        ["chat", "Rook", "-m", "Hello", "--json"],
        ["recall", "Rook", "cats"],
        ["index", "Rook"],
        ["dream", "Rook"],
        ["history", "Rook"],
        ["export", "Rook", str(tmp_path / "rook.zip")],
        ["knowledge", "list", "Rook"],
        ["import", "transcript", str(transcript), "--persona", "Rook"],
        ["usage", "Rook"],
        ["personas", "edit", "Rook", "--greeting", "Hi"],
        ["personas", "rename", "Rook", "Crow"],
        ["personas", "duplicate", "Rook", "Crow"],
        ["personas", "mend", "Rook"],
    ):
        done = run(*command, expect=1)
        assert done.stdout == "", command
        (said,) = done.stderr.splitlines()
        assert "guest" in said, command
        assert "personas admit" in said, command
    assert everything(hostile.folder) == before
    assert "Rook" in "".join(line["about"] for line in lines(run("doctor", "--json")))
    hostile.assert_harmless()


def test_what_is_in_it_is_told_and_without_a_yes_it_stays_outside(home: Path, hostile: Hostile) -> None:
    (told,) = lines(run("personas", "admit", "--json"))
    assert (told["name"], told["guest"], told["admitted"]) == ("Rook", True, False)
    assert "http://127.0.0.1:9" in " ".join(told["settings"])
    assert {"guest-journal", "guest-history"} <= {finding["code"] for finding in told["findings"]}
    for given in ("", "n\n", "no\n", "\n"):
        done = run("personas", "admit", given=given, expect=1)
        assert "It writes to you by itself" in done.stdout
    assert "Say whom" in run("personas", "admit", "--yes", expect=1).stderr
    assert {"guest": True, "name": "Rook"} in lines(run("personas", "list", "--json"))
    hostile.assert_harmless()


def test_a_yes_lets_it_in_and_another_one_lets_it_have_its_settings(home: Path, hostile: Hostile) -> None:
    done = run("personas", "admit", given="y\nn\n")
    assert "Rook has been let in." in done.stdout
    assert ".set-aside" in done.stdout
    assert "Rook" in run("personas", "list").stdout.splitlines()  # refused, so it asks no more
    assert "Nothing waits" in run("personas", "admit").stdout
    (granted,) = lines(run("personas", "admit", "Rook", "--yes", "--with-settings", "--json"))
    assert granted["settings_used"]
    assert "Nothing waits" in run("personas", "admit", "Rook").stdout
    assert "Nothing waits" in run("personas", "admit", "Hazel").stdout
    hostile.assert_harmless()


def test_all_of_them_are_let_in_by_one_yes_and_what_they_ask_for_waits_for_its_own(
    home: Path, hostile: Hostile, tmp_path: Path
) -> None:
    make_hostile(home / "characters" / "Crow", tmp_path / "there", finishes_a_journal, runs_in_git)
    told = lines(run("personas", "admit", "--all", "--yes", "--json"))
    assert [(one["name"], one["admitted"], one["settings_used"]) for one in told] == [
        ("Crow", True, False),
        ("Rook", True, False),
    ]
    listed = {one["name"]: one for one in lines(run("personas", "list", "--json"))}
    assert set(listed) == {"Hazel", "ねむ", "Crow", "Rook"}
    assert listed["Rook"]["asks"]
    assert "asks for other settings" in run("chat", "Rook", "-m", "Hello").stderr
    hostile.assert_harmless()


@pytest.mark.skipif(sys.platform == "win32", reason="links are made in another way there")
def test_one_that_cannot_be_let_in_keeps_no_other_waiting(home: Path, hostile: Hostile, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (home / "characters" / "Far").symlink_to(tmp_path / "far")
    done = run("personas", "admit", "--all", "--yes", expect=1)
    assert "Far" in done.stderr
    assert "Rook has been let in." in done.stdout


def test_no_word_and_no_key_goes_where_a_folder_wants_them(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as server:
        run("personas", "list")
        Secrets(home / "secrets.toml").set("gemini", KEY)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        make_hostile(home / "characters" / "Rook", tmp_path / "elsewhere", asks_for_much)
        sheet = home / "characters" / "Rook" / "persona.json"
        sheet.write_text(sheet.read_text("utf-8").replace("http://127.0.0.1:9", server.root_url), "utf-8")
        run("personas", "list")
        run("doctor")
        run("personas", "admit", "Rook", "--yes")
        run("chat", "Rook", "-m", "My secret is in the teapot")
        run("dream", "Rook")
        assert server.requests == []
        run("personas", "admit", "Rook", "--yes", "--with-settings")
        run(
            "chat", "Rook", "-m", "My secret is in the teapot", expect=1
        )  # the address has no key of its own
        assert not any(KEY in f"{request.path} {request.headers}" for request in server.requests)


def test_folders_of_before_there_was_a_door_are_let_in_by_one_question(home: Path) -> None:
    for name in ("Aki", "Bo", "Cy"):
        run("personas", "create", name)
    shutil.rmtree(home / ".admitted")
    assert "guest" in run("chat", "Aki", "-m", "Hi", expect=1).stderr
    done = run("personas", "admit", "--all", given="y\n")
    assert done.stdout.count("let in.") == 5
    assert run("chat", "Aki", "-m", "Hi").stdout.strip()
