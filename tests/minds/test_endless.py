"""Servers that never come to an end, by malice or because a model loops: what came is kept, and little memory is used."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from agent.minds.errors import ContextTooLongError, EndlessAnswerError, WrongKeyError
from agent.minds.language_model.answer_text import AnswerText
from agent.minds.language_model.answers import UnusableAnswerError, parse
from agent.minds.language_model.hearing import MOST_CALLS, MOST_CHARACTERS
from agent.minds.server_discovery import find_local, list_models
from managers.mind import Cancel
from managers.transport import ERROR_BYTES
from tests.minds.talking import MINDS, MakeMind, behind_openai, hear, request, talk, until
from tests.model_server import Answer, Endless, Garbage, ModelServer, Refuse, Say
from tests.speeds import one_quick

ROOT = Path(__file__).resolve().parents[2]
FEW_MEGABYTES = 50
"""What all of it together may add to a process; it was 3 GB in half a minute."""
ENDLESS = "EndlessAnswerError"


class Hearing:
    """A process that hears out a model of one protocol."""

    def __init__(self, protocol: str, server: ModelServer, process: subprocess.Popen[str]) -> None:
        self.protocol, self.server, self._process = protocol, server, process

    def told(self, *answers: Answer) -> dict[str, Any]:
        """Let the process hear these answers, and return what it tells of that."""
        assert self._process.stdin
        assert self._process.stdout
        self.server.enqueue(*answers)
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert found["megabytes"] < FEW_MEGABYTES
        return found


@pytest.fixture(params=one_quick(MINDS), scope="module")
def hearing(request: pytest.FixtureRequest) -> Iterator[Hearing]:
    with ModelServer() as server:
        command = [sys.executable, "-m", "tests.minds.hearing_out", request.param, str(server.port)]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process:
            assert process.stdin
            assert process.stdout
            process.stdout.readline()
            yield Hearing(request.param, server, process)
            process.stdin.close()


@pytest.mark.parametrize(
    ("what", "error", "kept"),
    [
        ("body", ENDLESS, (0, 0)),
        ("line", ENDLESS, (5, 0)),
        ("hollow", ENDLESS, (5, 0)),
        ("text", ENDLESS, (MOST_CHARACTERS, 0)),
        ("thought", ENDLESS, (5, MOST_CHARACTERS)),
        ("arguments", ENDLESS, (5, 0)),
        ("calls", ENDLESS, (5, 0)),
        ("error", "ServerFailedError", (0, 0)),
        ("gzip", "GarbledAnswerError", (0, 0)),
        ("headers", "ServerFailedError", (0, 0)),
    ],
)
def test_the_endless_is_cut_and_what_came_is_kept(
    hearing: Hearing, what: str, error: str, kept: tuple[int, int]
) -> None:
    server, asked, times = hearing.server, hearing.server.hung_up, 3 if error == "ServerFailedError" else 1
    found = hearing.told(*[Endless(what, "Well, ")] * times)
    if what == "body" and hearing.protocol == "anthropic":
        error = "GarbledAnswerError"  # it is no stream, so nothing of it is read
    assert (found["error"], found["text"], found["thought"], found["calls"]) == (error, *kept, 0)
    assert server.waiting == 0  # it is not asked for again what has no end
    until(lambda: server.hung_up == asked + times)
    assert hearing.told(Say("And on we go."))["error"] == "NoneType"


def test_a_megabyte_of_objects_keeps_no_library_busy(hearing: Hearing) -> None:
    for event in (  # each was half a minute in which nothing could be stopped
        b'{"choices":[' + b"{}," * 300_000 + b"{}]}",
        b'{"choices":[{"delta":{"content":"x","y":[' + b'{"a":1},' * 100_000 + b"1]}}]}",
        b'{"candidates":[{"content":{"parts":[' + b'{"text":"x"},' * 75_000 + b'{"text":"y"}]}}]}',
        b'{"candidates":[' + b"[]," * 300_000 + b"{}]}",
    ):
        found = hearing.told(Garbage(b"data: " + event + b"\n\n", "text/event-stream"))
        assert (found["error"], found["text"]) == (ENDLESS, 0)


@pytest.mark.slow
def test_an_endless_answer_in_small_pieces_costs_no_memory_either(hearing: Hearing) -> None:
    found = hearing.told(Endless("text", size=24))  # eight thousand of them
    assert (found["error"], found["text"]) == (ENDLESS, MOST_CHARACTERS)


def test_an_endless_answer_can_be_stopped_and_is_said_to_have_been(server: ModelServer, make: MakeMind) -> None:
    mind, cancel = make(server), Cancel()
    server.enqueue(Endless("hollow", "Well, "), Endless("text", size=5_000), Endless("calls"), Endless("gzip"))
    pieces = mind.reply(request(), cancel)
    next(pieces)
    cancel.set()
    assert hear(pieces).error is None
    heard = talk(mind)
    assert isinstance(heard.error, EndlessAnswerError)
    assert "途中で止めました" in heard.error.sentence("ja")
    assert "残してあります" in heard.error.sentence("ja")
    assert "did not come to an end" in heard.error.sentence("en")
    heard = talk(mind)
    assert isinstance(heard.error, EndlessAnswerError)
    assert len(heard.calls) <= MOST_CALLS
    talk(mind)
    assert server.chats[-1].headers["accept-encoding"] == "identity"


def test_an_answer_as_long_as_a_book_is_no_endless_one(server: ModelServer, make: MakeMind) -> None:
    pages = ["言" * 9_000] * 20
    server.enqueue(Say(pieces=pages, reasoning="h" * 4_000))
    heard = talk(make(server))
    assert heard.error is None
    assert heard.text == "".join(pages)


def test_what_an_error_says_is_heard_though_it_never_ends(server: ModelServer) -> None:
    server.enqueue(Refuse(401, "wrong key " + "x" * 3 * ERROR_BYTES))
    assert isinstance(error := talk(behind_openai(server)).error, WrongKeyError)
    assert len(error.sentence("en")) < 500


def test_a_server_that_shortens_its_model_with_every_answer_is_not_believed_for_ever(server: ModelServer) -> None:
    lengths = iter(range(4000, 0, -1))
    server.otherwise = lambda _: Refuse(400, f"maximum context length is {next(lengths)} tokens")
    mind = behind_openai(server)
    assert isinstance(talk(mind).error, ContextTooLongError)
    assert len(server.chats) < 6
    server.otherwise = Refuse(400, "maximum context length is 1 tokens")
    talk(mind)
    assert mind.context_tokens > 512


@pytest.mark.parametrize("what", one_quick(["line", "body", "gzip", "headers"]))
def test_lists_of_models_without_an_end_are_no_lists(server: ModelServer, what: str) -> None:
    server.pages = Endless(what)
    assert list_models(server.base_url) == []
    assert find_local({"Ollama": server.port, "LM Studio": server.port, "llama.cpp": server.port}, 0.5) == []


def test_lists_that_are_none_of_the_kind_harm_nobody(server: ModelServer) -> None:
    odd: list[Any] = [
        {"version": "1", "models": ["x", {"name": 3}, {"name": "\x1b]0;x"}, {"name": "x" * 9999}, None]},
        {"version": "1", "models": {"name": "x"}, "data": {"id": "x"}, "default_generation_settings": {"n_ctx": "9" * 50}},
        {"version": [], "models": None, "data": [{"id": "m\x9b", "type": []}], "default_generation_settings": {}},
        {"data": [{"id": "m", "type": "llm", "max_context_length": "1e999", "loaded_context_length": -1}]},
        ["[" * 100_000],
    ]  # fmt: skip
    for server.pages in odd:
        for kind in ("Ollama", "LM Studio", "llama.cpp"):
            for found in find_local({kind: server.port}, 30):
                assert found.model.isprintable()
                assert len(found.model) < 300
                assert 0 <= found.context_tokens < 10**9
        assert all(name.isprintable() for name in list_models(server.base_url))


class Form(BaseModel):
    must: int


def test_hostile_text_does_not_keep_its_reader_busy() -> None:
    list(AnswerText().feed("<think></think>" * 60_000))  # hours, some of it
    for text in (
        "```" + " " * MOST_CHARACTERS,
        '{"a":[' * 30_000,
        "{" * MOST_CHARACTERS,
        '{"a":[1,' * 900 + "1," * 90_000,
    ):
        with pytest.raises(UnusableAnswerError):
            parse(text, Form, "en")
