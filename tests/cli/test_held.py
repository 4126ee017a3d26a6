"""What waits for a yes on the command line: shown, allowed and left, by real processes with a model behind the wire."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_commands import ROOT, lines, run
from tests.hostile import QUESTION, hostile
from tests.model_server import ModelServer, Say, Tool

NOTE = {"operation": "append", "text": "Aoi owns a \x1b]52;c;Zm9v\x07kettle.\u2028-Nothing."}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, server: ModelServer) -> Path:
    """Hazel with a hostile document, and a model that wants to write."""
    home, manual = tmp_path / "home", tmp_path / "manual.txt"
    manual.write_text(hostile("en"), "utf-8")
    run("knowledge", "add", "Hazel", str(manual))
    settings = (
        f'[mind]\nprovider = "openai"\nbase_url = "{server.base_url}"\nmodel = "test-model"\ncontext_tokens = 16000\n'
    )
    (home / "settings.toml").write_text(settings, "utf-8")
    server.enqueue(
        Say(
            tools=[
                Tool("edit_core_memory", NOTE, "a"),
                Tool("write_entity_memory", {"name": "Brisa", "content": "A kettle."}, "b"),
            ]
        ),
        Say("I would like to keep that."),
    )
    return home


def core_memory(home: Path) -> str:
    path = home / "characters" / "Hazel" / "core_memory.txt"
    return path.read_text("utf-8") if path.exists() else ""


def test_scripts_see_what_waits_and_decide_by_its_id(home: Path) -> None:
    before = core_memory(home)
    said = lines(run("chat", "Hazel", "--json", "-m", QUESTION["en"]))
    assert [one["event"] for one in said] == ["received", "reply", "held", "held"]
    first, second = said[2:]
    assert first["message_id"] == said[0]["message_id"]
    assert (first["path"], first["documents"]) == ("core_memory.txt", ["manual.txt"])
    assert "kettle" in first["diff"]
    assert core_memory(home) == before
    assert lines(run("held", "Hazel", "--json")) == [first, second]
    done = run("held", "Hazel", "--allow", first["id"], "--leave", second["id"], "--json")
    assert lines(done) == [{"held": first["id"], "allowed": True}, {"held": second["id"], "allowed": False}]
    assert "kettle" in core_memory(home)
    assert not (home / "characters" / "Hazel" / "entity_memory" / "Brisa.md").exists()
    again = run("held", "Hazel", "--allow", first["id"], expect=1)
    assert len(again.stderr.splitlines()) == 1
    assert "Nothing called" in again.stderr
    assert core_memory(home).count("kettle") == 1
    assert "Nothing is waiting" in run("held", "Hazel").stdout


def test_people_are_told_what_would_change_and_how_to_decide(home: Path) -> None:
    before = core_memory(home)
    said = run("chat", "Hazel", "-m", QUESTION["en"])
    assert said.stdout.strip() == "I would like to keep that."
    assert "Hazel would like to change its core memory. “manual.txt” was before its eyes" in said.stderr
    shown = r"| +Aoi owns a \u001b]52;c;Zm9v\u0007kettle.\u2028-Nothing."  # one line, as it would be written
    assert shown in said.stderr.splitlines()
    assert f"|  {before.splitlines()[-1]}" in said.stderr  # what stays is not shown as if it went
    assert "app.py held Hazel --allow h_" in said.stderr
    assert "\x1b" not in said.stderr
    listed = run("held", "Hazel").stdout
    assert shown in listed.splitlines()
    assert "\x1b" not in listed
    path = home / "characters" / "Hazel" / "core_memory.txt"
    path.write_text("Mine.\n", "utf-8")
    wish = lines(run("held", "Hazel", "--json"))[0]["id"]
    assert "has changed since" in run("held", "Hazel", "--allow", wish, expect=1).stderr
    assert core_memory(home) == "Mine.\n" != before


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal is made of a pty")
def test_a_conversation_in_the_terminal_asks(home: Path) -> None:
    import pty  # noqa: PLC0415  # there is none on Windows

    ours, theirs = pty.openpty()
    environment = os.environ | {"UTATANE_HOME": str(home), "UTATANE_LANG": "en", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "app.py", "chat", "Hazel"],
        cwd=ROOT,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        seen = ""

        def wait_for(words: str) -> None:
            nonlocal seen
            until = time.monotonic() + 60
            while words not in seen and time.monotonic() < until:
                seen += os.read(ours, 65536).decode("utf-8", "replace")
            assert words in seen
            seen = seen.partition(words)[2]

        wait_for(">")
        os.write(ours, f"{QUESTION['en']}\n".encode())
        wait_for("later]")
        os.write(ours, b"y\n")
        wait_for("Done, as you allowed.")
        wait_for("later]")
        os.write(ours, b"n\n")
        wait_for("Left as it was.")
        os.write(ours, b"\x04")
        process.wait(30)
    os.close(ours)
    assert "kettle" in core_memory(home)
    assert not (home / "characters" / "Hazel" / "entity_memory" / "Brisa.md").exists()
    assert lines(run("held", "Hazel", "--json")) == []


def test_a_wish_is_one_line_of_json_whatever_it_holds(home: Path) -> None:
    (first, _) = (
        json.loads(line)
        for line in run("chat", "Hazel", "--json", "-m", QUESTION["en"]).stdout.splitlines()[2:]
    )
    assert first["decide"] == f"app.py held Hazel --allow {first['id']} | app.py held Hazel --leave {first['id']}"
