"""Fetching a model through Ollama: its progress, stopping and going on, and an Ollama that is dead or lies."""

import itertools
import threading
from collections.abc import Iterator
from datetime import date

import pytest

from agent.minds import errors, pulling
from agent.minds.joining import Joinings
from agent.minds.known_models import SmallModel, known_models, suitable
from agent.minds.pulling import OllamaModel, fetch
from agent.minds.server_discovery import find_empty, find_local
from agent.minds.trial import Trial
from managers.known_servers import Server
from tests.minds.talking import until
from tests.model_pulls import PARTS
from tests.model_server import NOBODY, Fetching, ModelServer, Served
from ui.locales import LANGUAGES

SMALL = SmallModel("small:1b", 0.001, 4, 4096, False, True, False, ("ja", "en"), "Apache 2.0", date(2026, 11, 22))
WHOLE = sum(PARTS.values())


@pytest.fixture
def ollama() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai", "ollama"), models=[]) as server:
        yield server


def fetched(ollama: ModelServer, what: str = "") -> list[tuple[int, int]]:
    ollama.fetching = Fetching(what)
    return list(fetch(ollama.base_url, SMALL, threading.Event()))


def test_it_is_told_how_far_it_is_and_goes_on_from_where_it_broke_off(ollama: ModelServer) -> None:
    with pytest.raises(errors.PullBrokenError):
        fetched(ollama, "half")
    came = ollama.fetched["sha256:weights"]
    assert 0 < came < PARTS["sha256:weights"]
    told = fetched(ollama)
    assert next(completed for completed, _ in told if completed) == came
    assert told[-1] == (WHOLE, WHOLE)
    assert [completed for completed, _ in told] == sorted(completed for completed, _ in told)
    assert ollama.requests[0].body == {"model": SMALL.name, "stream": True}
    assert [one.model for one in find_local({"Ollama": ollama.port}, 60)] == [SMALL.name]


def test_an_ollama_that_fails_lies_or_is_silent_is_named(ollama: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "MOST_LINES", 50)
    failures: dict[str, type[errors.PullError]] = {
        "refused": errors.PullRefusedError, "error": errors.PullRefusedError, "half": errors.PullBrokenError, "garbage": errors.PullUnusableError,
        "line": errors.PullUnusableError, "liar": errors.PullUnusableError, "endless": errors.PullUnusableError,
    }  # fmt: skip
    for what, error in failures.items():
        with pytest.raises(error) as raised:
            fetched(ollama, what)
        for sentence in (raised.value.sentence("ja"), raised.value.sentence("en")):
            assert SMALL.name in sentence
            assert sentence.isprintable()
            assert what != "error" or "no space left on device" in sentence
    monkeypatch.undo()
    minutes = itertools.count(0, 60)
    with pytest.raises(errors.PullStalledError):  # progress that gets nowhere
        list(fetch(ollama.base_url, SMALL, threading.Event(), lambda: float(next(minutes))))
    monkeypatch.setattr(pulling, "SILENT_SECONDS", 0.3)
    with pytest.raises(errors.PullStalledError):
        fetched(ollama, "silent")
    with pytest.raises(errors.PullBrokenError):
        list(fetch(f"http://127.0.0.1:{NOBODY}/v1", SMALL, threading.Event()))


def at(ollama: ModelServer) -> Server:
    return Server("Ollama", ollama.base_url, None)


def test_stopping_hangs_up_and_nothing_is_tried(ollama: ModelServer) -> None:
    ollama.fetching = Fetching("waits")
    joinings, tried = Joinings(), threading.Event()

    def use() -> Trial:
        tried.set()
        return Trial("", 0)

    joinings.start(OllamaModel(at(ollama), SMALL), use)
    joinings.start(OllamaModel(at(ollama), SMALL), use)  # pressed twice
    with pytest.raises(errors.StillPullingError):
        joinings.start(OllamaModel(at(ollama), known_models()[0]), use)
    joinings.forget()  # not while it goes on
    until(lambda: joinings.current and joinings.current.completed)
    joinings.stop()
    joinings.settle()
    assert joinings.current
    assert joinings.current.state == "stopped"
    assert not tried.is_set()
    assert len(ollama.requests) == 1
    until(lambda: ollama.hung_up == 1)


def test_it_is_tried_when_it_is_there_and_what_fails_is_shown_and_asked_for_again(ollama: ModelServer) -> None:
    joinings, trial = Joinings(), Trial("now", 1)

    def fail() -> Trial:
        raise ZeroDivisionError

    assert joinings.current is None
    joinings.start(OllamaModel(at(ollama), SMALL), fail)
    joinings.settle()
    assert (failed := joinings.current)
    assert (failed.state, failed.error is not None) == ("failed", True)  # whatever it was, it is over, and said
    joinings.start(OllamaModel(at(ollama), SMALL), lambda: trial)
    joinings.settle()
    assert (done := joinings.current)
    assert (done.state, done.trial, done.completed, done.total) == ("done", trial, WHOLE, WHOLE)
    joinings.forget()
    assert joinings.current is None


def test_an_ollama_without_a_model_is_found_and_does_not_speak(ollama: ModelServer) -> None:
    ports = {"Ollama": ollama.port}
    assert (found := find_empty(ports, 60)) is not None
    assert found.base_url == ollama.base_url
    assert find_local(ports, 60) == []
    ollama.models.append(Served("only-for-search", kind="embeddings"))
    assert find_empty(ports, 60) is not None
    ollama.models.append(Served("talks"))
    assert find_empty(ports, 60) is None
    ollama.plays = {"openai"}
    ollama.models = []
    assert [find_empty(one, 60) for one in (ports, {"Ollama": NOBODY}, {})] == [None] * 3


def test_what_is_recommended_speaks_the_language_and_fits() -> None:
    names = [model.name for model in known_models()]
    assert len(set(names)) == len(names)
    for model in known_models():
        assert model.licence
        assert model.gigabytes < model.memory
        assert model.as_of.year >= 2026
    for lang, memory in itertools.product(LANGUAGES, (1, 2, 4, 8, 16, 24, 64)):
        found = suitable(lang, memory)
        assert all(lang in model.languages and model.gigabytes < memory for model in found)
        if memory >= 4:
            assert found[0].memory == max(one.memory for one in found if one.memory <= memory)
        assert found == [] or memory > 1
