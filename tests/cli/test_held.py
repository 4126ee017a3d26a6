"""What waits for a yes on the command line: shown, allowed and left, by real processes with a model behind the wire."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.line import run as run_here
from tests.cli.conftest import Shown
from tests.cli.test_commands import lines, run
from tests.cli.test_model_servers import Terminal
from tests.hostile import QUESTION, hostile
from tests.model_server import ModelServer, Say, Tool

NOTE = {"operation": "append", "text": "Aoi owns a \x1b]52;c;Zm9v\x07kettle.\u2028-Nothing."}
ENTITY = {"name": "Brisa", "content": "A kettle."}


@pytest.fixture(autouse=True)
def server(home: Path, tmp_path: Path) -> Iterator[ModelServer]:
    """Hazel with a hostile document, and a model that wants to write."""
    manual = tmp_path / "manual.txt"
    manual.write_text(hostile("en"), "utf-8")
    run("knowledge", "add", "Hazel", str(manual))
    with ModelServer() as server:
        mind = f'provider = "openai"\nbase_url = "{server.base_url}"\nmodel = "test-model"\ncontext_tokens = 16000\n'
        (home / "settings.toml").write_text(f"[mind]\n{mind}", "utf-8")
        tools = [Tool("edit_core_memory", NOTE, "a"), Tool("write_entity_memory", ENTITY, "b")]
        server.enqueue(Say(tools=tools), Say("I would like to keep that."))
        yield server


@pytest.fixture
def memory(home: Path) -> Path:
    return home / "characters" / "Hazel" / "core_memory.txt"


def test_scripts_see_what_waits_and_decide_by_its_id(memory: Path) -> None:
    before = memory.read_text("utf-8")
    said = lines(run("chat", "Hazel", "--json", "-m", QUESTION["en"]))
    assert [one["event"] for one in said] == ["received", "reply", "held", "held"]
    first, second = said[2:]
    assert first["message_id"] == said[0]["message_id"]
    assert (first["path"], first["documents"]) == ("core_memory.txt", ["manual.txt"])
    assert "kettle" in first["diff"]
    assert first["decide"] == f"app.py held Hazel --allow {first['id']} | app.py held Hazel --leave {first['id']}"
    assert memory.read_text("utf-8") == before
    assert lines(run("held", "Hazel", "--json")) == [first, second]
    done = run("held", "Hazel", "--allow", first["id"], "--leave", second["id"], "--json")
    assert lines(done) == [{"held": first["id"], "allowed": True}, {"held": second["id"], "allowed": False}]
    assert not (memory.parent / "entity_memory" / "Brisa.md").exists()
    again = run("held", "Hazel", "--allow", first["id"], expect=1)
    assert len(again.stderr.splitlines()) == 1
    assert "Nothing called" in again.stderr
    assert memory.read_text("utf-8").count("kettle") == 1
    assert "Nothing is waiting" in run("held", "Hazel").stdout


@pytest.mark.slow
def test_people_are_told_what_would_change_and_how_to_decide(memory: Path) -> None:
    before = memory.read_text("utf-8")
    said = run("chat", "Hazel", "-m", QUESTION["en"])
    assert said.stdout.strip() == "I would like to keep that."
    assert "Hazel would like to change its core memory. “manual.txt” was before its eyes" in said.stderr
    shown = r"| +Aoi owns a \u001b]52;c;Zm9v\u0007kettle.\u2028-Nothing."  # one line, as it would be written
    assert f"|  {before.splitlines()[-1]}" in said.stderr  # what stays is not shown as if it went
    assert "app.py held Hazel --allow h_" in said.stderr
    for told in (said.stderr, run("held", "Hazel").stdout):
        assert shown in told.splitlines()
        assert "\x1b" not in told
    memory.write_text("Mine.\n", "utf-8")
    wish = lines(run("held", "Hazel", "--json"))[0]["id"]
    assert "has changed since" in run("held", "Hazel", "--allow", wish, expect=1).stderr
    assert memory.read_text("utf-8") == "Mine.\n" != before


def test_a_conversation_in_the_terminal_asks(memory: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(f"{QUESTION['en']}\ny\nn\n"))
    assert run_here(["chat", "Hazel"]) == 0
    said = "".join(capsys.readouterr())
    assert said.count("later]") == 2
    assert said.index("Done, as you allowed.") < said.index("Left as it was.")
    assert "kettle" in memory.read_text("utf-8")
    assert not (memory.parent / "entity_memory" / "Brisa.md").exists()
    assert lines(run("held", "Hazel", "--json")) == []
