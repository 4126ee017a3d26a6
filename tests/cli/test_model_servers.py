"""A model's server on this computer, on the command line: told of, asked about once, spoken to after a yes."""

import io
from collections.abc import Callable, Iterator

import pytest

from agent.minds.server_discovery import PORTS
from commands.line import run
from managers.storage.paths import Home
from tests.cli.conftest import Shown, Told
from tests.model_server import NOBODY, ModelServer, Say
from tests.speeds import one_quick


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


Type = Callable[[str], None]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Something that answers as Ollama does, at Ollama's port."""
    # This machine may be busy; nobody refuses at once.
    monkeypatch.setattr("agent.minds.choose.FIRST_ANSWER_SECONDS", 300.0)
    with ModelServer(plays=("openai", "ollama")) as server:
        server.otherwise = Say("I am a model.")
        for service in PORTS:
            monkeypatch.setitem(PORTS, service, NOBODY)
        monkeypatch.setitem(PORTS, "Ollama", server.port)
        yield server


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Type:
    return lambda text: monkeypatch.setattr("sys.stdin", Terminal(text))


def test_turn_and_doctor_tell_of_a_server_and_ask_nobody(own_home: Home, server: ModelServer, capsys: Shown) -> None:
    assert run(["chat", "Hazel", "-m", "Good evening"]) == 0
    said = capsys.readouterr()
    assert "I am a model" not in said.out
    (line,) = said.err.splitlines()
    assert f"Ollama was found on this computer (127.0.0.1:{server.port}" in line
    assert "app.py servers" in line
    run(["doctor"])
    assert "Ollama was found" in capsys.readouterr().out
    assert server.chats == []
    assert [path.name for path in own_home.admitted.iterdir() if "servers" in path.name] == []


def test_scripts_list_servers_and_decide(server: ModelServer, told: Told, capsys: Shown) -> None:
    assert run(["servers", "--json"]) == 0
    (one,) = told()
    assert (one["service"], one["address"], one["answer"]) == ("Ollama", server.base_url, None)
    for answer, speaks in (("--yes", True), ("--no", False)):
        assert run(["servers", "--json", answer, "ollama"]) == 0
        assert told()[0]["answer"] is speaks
        assert run(["chat", "Hazel", "-m", "Good evening"]) == 0
        said = capsys.readouterr()
        assert ("I am a model." in said.out) is speaks
        assert said.err == ""  # it was answered
    assert run(["servers", "LM Studio", "--yes"]) == 1


@pytest.mark.parametrize(("answer", "speaks"), one_quick([("y", True), ("n", False), ("", False)]))
def test_the_question_is_first(server: ModelServer, types: Type, capsys: Shown, answer: str, *, speaks: bool) -> None:
    types(f"{answer}\nGood evening\n")
    assert run(["chat", "Hazel"]) == 0
    said = capsys.readouterr().out
    assert said.count("Talk through it?") == 1
    assert ("I am a model." in said) is speaks
    assert bool(server.chats) is speaks
    types("")
    assert run(["chat", "Hazel"]) == 0
    assert ("Talk through it?" in capsys.readouterr().out) is (answer == "")
