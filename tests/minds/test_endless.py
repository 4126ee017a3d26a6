"""Servers that never come to an end, by malice or because a model loops: what came is kept, and little memory is used."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from agent.minds.errors import ContextTooLongError, EndlessAnswerError, GarbledAnswerError
from agent.minds.language_model.answers import UnusableAnswerError, parse
from agent.minds.language_model.hearing import MOST_CALLS, MOST_CHARACTERS
from agent.minds.language_model.reasoning import ThoughtSplitter
from agent.minds.server_discovery import find_local, list_models
from managers.mind import Cancel
from managers.transport import ERROR_BYTES
from tests.minds.talking import MakeMind, behind_openai, hear, request, talk
from tests.model_server import Answer, Endless, Garbage, ModelServer, Refuse, Say

ROOT = Path(__file__).resolve().parents[2]
FEW_MEGABYTES = 50
"""What all of it together may add to a process; it was 3 GB in half a minute."""


class Form(BaseModel):
    must: int


ENDLESS = "EndlessAnswerError"
CUT: list[tuple[Endless, str, tuple[int, int]]] = [
    (Endless("body"), ENDLESS, (0, 0)),
    (Endless("line", "Well, "), ENDLESS, (6, 0)),
    (Endless("event", "Well, "), ENDLESS, (6, 0)),
    (Endless("hollow", "Well, "), ENDLESS, (6, 0)),
    (Endless("text", "Well, "), ENDLESS, (MOST_CHARACTERS, 0)),
    (Endless("thought", "Well, "), ENDLESS, (6, MOST_CHARACTERS)),
    (Endless("arguments", "Well, "), ENDLESS, (6, 0)),
    (Endless("calls", "Well, "), ENDLESS, (6, 0)),
    (Endless("error"), "ServerFailedError", (0, 0)),
    (Endless("gzip"), "GarbledAnswerError", (0, 0)),
    (Endless("headers"), "ServerFailedError", (0, 0)),
]


@pytest.fixture(params=["openai", "gemini", "anthropic"], scope="module")
def hearing(request: pytest.FixtureRequest) -> Iterator[tuple[ModelServer, subprocess.Popen[str]]]:
    with ModelServer() as server:
        command = [sys.executable, "-m", "tests.minds.hearing_out", request.param, str(server.port)]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process:
            assert process.stdin
            assert process.stdout
            process.stdout.readline()
            yield server, process
            process.stdin.close()


def told(hearing: tuple[ModelServer, subprocess.Popen[str]], *answers: Answer) -> dict[str, Any]:
    """Let the process hear these answers, and return what it tells of that."""
    server, process = hearing
    assert process.stdin
    assert process.stdout
    server.enqueue(*answers)
    process.stdin.write("\n")
    process.stdin.flush()
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


@pytest.mark.parametrize(("answer", "error", "kept"), CUT, ids=[row[0].what for row in CUT])
def test_what_has_no_end_is_cut_and_what_came_is_kept(
    hearing: tuple[ModelServer, subprocess.Popen[str]], answer: Endless, error: str, kept: tuple[int, int]
) -> None:
    server = hearing[0]
    asked, times = server.hung_up, 3 if error == "ServerFailedError" else 1
    found = told(hearing, *[answer] * times)
    if answer.what == "body" and "anthropic" in hearing[1].args:  # type: ignore[operator]  # a list, as it was made
        error = "GarbledAnswerError"  # it is no stream, so nothing of it is read
    assert (found["error"], found["text"], found["thought"], found["calls"]) == (error, *kept, 0)
    assert found["megabytes"] < FEW_MEGABYTES
    assert server.waiting == 0  # it is not asked for again what has no end
    deadline = time.monotonic() + 30
    while server.hung_up < asked + times and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.hung_up == asked + times
    assert told(hearing, Say("And on we go."))["error"] == "NoneType"


@pytest.mark.parametrize(
    "event",
    [
        b'{"choices":[' + b"{}," * 300_000 + b"{}]}",
        b'{"choices":[{"delta":{"content":"x","y":[' + b'{"a":1},' * 100_000 + b"1]}}]}",
        b'{"candidates":[{"content":{"parts":[' + b'{"text":"x"},' * 75_000 + b'{"text":"y"}]}}]}',
        b'{"candidates":[' + b"[]," * 300_000 + b"{}]}",
    ],
)
def test_a_megabyte_of_objects_keeps_no_library_busy(
    hearing: tuple[ModelServer, subprocess.Popen[str]], event: bytes
) -> None:
    found = told(hearing, Garbage(b"data: " + event + b"\n\n", "text/event-stream"))
    assert (found["error"], found["text"]) == (ENDLESS, 0)  # it was half a minute in which nothing could be stopped
    assert found["megabytes"] < FEW_MEGABYTES


@pytest.mark.slow
def test_an_endless_answer_in_small_pieces_costs_no_memory_either(
    hearing: tuple[ModelServer, subprocess.Popen[str]],
) -> None:
    found = told(hearing, Endless("text", size=24))  # eight thousand of them
    assert (found["error"], found["text"]) == (ENDLESS, MOST_CHARACTERS)
    assert found["megabytes"] < FEW_MEGABYTES


def test_comments_that_never_become_a_word_end_too(server: ModelServer) -> None:
    server.enqueue(Endless("comments", "Well, "))
    heard = talk(behind_openai(server))
    assert (heard.text, type(heard.error)) == ("Well, ", EndlessAnswerError)


def test_an_answer_as_long_as_a_book_is_no_endless_one(server: ModelServer, make: MakeMind) -> None:
    pages = ["言" * 9_000] * 20
    server.enqueue(Say(pieces=pages, reasoning="h" * 4_000))
    heard = talk(make(server))
    assert heard.error is None
    assert heard.text == "".join(pages)


def test_the_sentence_says_that_it_was_stopped_and_what_is_kept(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Endless("text", size=5_000))
    error = talk(make(server)).error
    assert error is not None
    assert "途中で止めました" in error.sentence("ja")
    assert "残してあります" in error.sentence("ja")
    assert "did not come to an end" in error.sentence("en")


def test_an_endless_answer_can_be_stopped(server: ModelServer, make: MakeMind) -> None:
    mind, cancel = make(server), Cancel()
    server.enqueue(Endless("hollow", "Well, "))
    pieces = mind.reply(request(), cancel)
    next(pieces)
    cancel.set()
    assert hear(pieces).error is None


def test_what_an_error_says_is_heard_though_it_never_ends(server: ModelServer) -> None:
    server.enqueue(Refuse(401, "wrong key " + "x" * 3 * ERROR_BYTES))
    heard = talk(behind_openai(server))
    assert heard.error is not None
    assert type(heard.error).__name__ == "WrongKeyError"
    assert len(heard.error.sentence("en")) < 500


def test_more_tools_than_anybody_needs_are_too_many(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Endless("calls"))
    heard = talk(make(server))
    assert isinstance(heard.error, EndlessAnswerError)
    assert len(heard.calls) <= MOST_CALLS


def test_a_compressed_answer_that_nobody_asked_for_is_refused(server: ModelServer, make: MakeMind) -> None:
    server.enqueue(Endless("gzip"))
    assert isinstance(talk(make(server)).error, GarbledAnswerError)
    assert server.chats[-1].headers["accept-encoding"] == "identity"


def test_a_server_that_shortens_its_model_with_every_answer_is_not_believed_for_ever(server: ModelServer) -> None:
    lengths = iter(range(4000, 0, -1))
    server.otherwise = lambda _: Refuse(400, f"maximum context length is {next(lengths)} tokens")
    mind = behind_openai(server)
    assert isinstance(talk(mind).error, ContextTooLongError)
    assert len(server.chats) < 6
    server.otherwise = Refuse(400, "maximum context length is 1 tokens")
    talk(mind)
    assert mind.context_tokens > 512


@pytest.mark.parametrize("what", ["body", "line", "gzip", "headers", "continue"])
def test_lists_of_models_without_an_end_are_no_lists(server: ModelServer, what: str) -> None:
    server.pages = Endless(what)
    started = time.monotonic()
    assert list_models(server.base_url) == []
    assert find_local({"Ollama": server.port, "LM Studio": server.port, "llama.cpp": server.port}, 0.5) == []
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "page",
    [
        {"version": "1", "models": ["x", {"name": 3}, {"name": "\x1b]0;x"}, {"name": "x" * 9999}, None]},
        {
            "version": "1",
            "models": {"name": "x"},
            "data": {"id": "x"},
            "default_generation_settings": {"n_ctx": "9" * 50},
        },
        {"version": [], "models": None, "data": [{"id": "m\x9b", "type": []}], "default_generation_settings": {}},
        {"data": [{"id": "m", "type": "llm", "max_context_length": "1e999", "loaded_context_length": -1}]},
        ["[" * 100_000],
    ],
)
def test_lists_that_are_none_of_the_kind_harm_nobody(server: ModelServer, page: Any) -> None:
    server.pages = page
    for kind in ("Ollama", "LM Studio", "llama.cpp"):
        for found in find_local({kind: server.port}, 2):
            assert found.model.isprintable()
            assert len(found.model) < 300
            assert 0 <= found.context_tokens < 10**9
    assert all(name.isprintable() for name in list_models(server.base_url))


def test_hostile_text_does_not_keep_its_reader_busy() -> None:
    started = time.monotonic()
    list(ThoughtSplitter().feed("<think></think>" * 60_000))
    for text in (
        "```" + " " * MOST_CHARACTERS,
        '{"a":[' * 30_000,
        "{" * MOST_CHARACTERS,
        '{"a":[1,' * 900 + "1," * 90_000,
    ):
        with pytest.raises(UnusableAnswerError):
            parse(text, Form, "en")
    assert time.monotonic() - started < 30  # hours, some of it
