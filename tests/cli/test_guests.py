"""Guests on the command line: listed, told about, let in by a yes; and until then nobody, whatever is asked for."""

from pathlib import Path

import pytest

from managers.storage.settings import Secrets
from tests.cli.test_commands import lines, run, transcript
from tests.hostile_folder import Hostile, asks_for_much, finishes_a_journal, make_hostile, runs_in_git
from tests.model_server import ModelServer

KEY = "AIza-a-key-that-nobody-else-gets"


@pytest.fixture
def hostile(home: Path, tmp_path: Path) -> Hostile:
    run("personas", "list")  # the first start: the samples are made here
    return make_hostile(home / "characters" / "Rook", tmp_path / "elsewhere")


def test_a_guest_is_answered_for_in_one_sentence_and_without_a_yes_stays_out(hostile: Hostile, tmp_path: Path) -> None:
    assert {"guest": True, "name": "Rook"} in lines(run("personas", "list", "--json"))
    assert "Rook  (a guest" in run("personas", "list").stdout
    before = set(hostile.folder.rglob("*"))
    for command in (
        ["chat", "Rook", "-m", "Hello", "--json"], ["dream", "Rook"],
        ["export", "Rook", str(tmp_path / "rook.zip")],
        ["import", "transcript", transcript(tmp_path), "--persona", "Rook"],
        ["personas", "edit", "Rook", "--greeting", "Hi"], ["personas", "rename", "Rook", "Crow"],
        ["personas", "mend", "Rook"]
    ):  # fmt: skip
        done = run(*command, expect=1)
        assert done.stdout == "", command
        (said,) = done.stderr.splitlines()
        assert "guest" in said, command
        assert "personas admit" in said, command
    assert set(hostile.folder.rglob("*")) == before
    assert "Rook" in "".join(line["about"] for line in lines(run("doctor", "--json")))
    (told,) = lines(run("personas", "admit", "--json"))
    assert (told["name"], told["guest"], told["admitted"]) == ("Rook", True, False)
    assert "http://127.0.0.1:9" in " ".join(told["settings"])
    assert {"guest-journal", "guest-history"} <= {finding["code"] for finding in told["findings"]}
    for given in ("", "no\n", "\n"):
        assert "It writes to you by itself" in run("personas", "admit", given=given, expect=1).stdout
    assert "Say whom" in run("personas", "admit", "--yes", expect=1).stderr
    assert {"guest": True, "name": "Rook"} in lines(run("personas", "list", "--json"))
    hostile.assert_harmless()


def test_a_yes_lets_it_in_and_another_one_lets_it_have_its_settings(hostile: Hostile) -> None:
    done = run("personas", "admit", given="y\nn\n")
    assert "Rook has been let in." in done.stdout
    assert ".set-aside" in done.stdout
    assert "Rook" in run("personas", "list").stdout.splitlines()  # refused, so it asks no more
    assert "Nothing waits" in run("personas", "admit").stdout
    (granted,) = lines(run("personas", "admit", "Rook", "--yes", "--with-settings", "--json"))
    assert granted["settings_used"]
    for name in ("Rook", "Hazel"):
        assert "Nothing waits" in run("personas", "admit", name).stdout
    hostile.assert_harmless()


def test_one_yes_lets_all_in_and_their_wishes_wait_for_their_own(home: Path, hostile: Hostile, tmp_path: Path) -> None:
    make_hostile(home / "characters" / "Crow", tmp_path / "there", finishes_a_journal, runs_in_git)
    done = run("personas", "admit", "--all", "--yes", "--json")
    told = [(one["name"], one["admitted"], one["settings_used"]) for one in lines(done)]
    assert told == [("Crow", True, False), ("Rook", True, False)]
    assert "asks for other settings" in run("chat", "Rook", "-m", "Hello").stderr
    hostile.assert_harmless()


def test_who_lives_here_is_known_by_a_copy_and_where_both_are_lost_by_one_yes(home: Path, hostile: Hostile) -> None:
    keys, records = sorted(home.glob(".installation.key*")), sorted((home / ".admitted").iterdir())
    whole = keys[0].read_bytes()
    for path in (keys[0], records[0]):
        path.write_bytes(path.read_bytes()[:32])
        assert "put right from its second copy" in run("personas", "list").stderr, path
    assert [one.read_bytes() for one in keys] == [whole] * 2
    for key in keys:
        key.write_bytes(whole[:32])
    assert run("personas", "list").stdout.count("a guest") == 3
    done = run("personas", "admit", given="y\nn\n", expect=1)
    assert done.stdout.index("ねむ (was let in before") < done.stdout.index("Let them in?")
    assert run("personas", "list").stdout.splitlines()[:2] == ["Hazel", "ねむ"]
    assert {"guest": True, "name": "Rook"} in lines(run("personas", "list", "--json"))
    hostile.assert_harmless()


def test_no_word_or_key_goes_where_a_folder_wants(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        run("personas", "list")
        Secrets(home / "secrets.toml").set("gemini", KEY)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        make_hostile(home / "characters" / "Rook", tmp_path / "elsewhere", asks_for_much)
        sheet = home / "characters" / "Rook" / "persona.json"
        sheet.write_text(sheet.read_text("utf-8").replace("http://127.0.0.1:9", server.root_url), "utf-8")
        for command in (["personas", "list"], ["doctor"], ["personas", "admit", "Rook", "--yes"]):
            run(*command)
        talk = ("chat", "Rook", "-m", "My secret is in the teapot")
        run(*talk)
        run("dream", "Rook")
        assert server.requests == []
        run("personas", "admit", "Rook", "--yes", "--with-settings")
        run(*talk, expect=1)  # the address has no key of its own
        assert not any(KEY in f"{request.path} {request.headers}" for request in server.requests)
