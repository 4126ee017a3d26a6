"""Fetching a model through Ollama: its progress, stopping and going on, and an Ollama that is dead or lies."""

import threading
import time
from collections.abc import Iterator
from datetime import date

import pytest

from agent.minds import pulling
from agent.minds.errors import (
    PullBrokenError,
    PullError,
    PullRefusedError,
    PullStalledError,
    PullUnusableError,
    StillPullingError,
)
from agent.minds.known_models import SmallModel, known_models, suitable
from agent.minds.known_servers import Server
from agent.minds.pulling import Pulls, fetch
from agent.minds.server_discovery import find_empty, find_local
from agent.minds.trial import Trial
from managers.storage.errors import Lang
from tests.model_pulls import PARTS
from tests.model_server import NOBODY, Fetching, ModelServer, Served
from ui.locales import LANGUAGES

SMALL = SmallModel("small:1b", 0.001, 4, 4096, False, True, False, ("ja", "en"), "Apache 2.0", date(2026, 11, 22))
WHOLE = sum(PARTS.values())


@pytest.fixture
def ollama() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai", "ollama"), models=[]) as server:
        yield server


class Ticks:
    """A clock that has moved on by a minute whenever it is looked at."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        self._now += 60
        return self._now


def fetched(ollama: ModelServer, what: str = "") -> list[tuple[int, int]]:
    ollama.fetching = Fetching(what)
    return list(fetch(ollama.base_url, SMALL, threading.Event()))


def test_it_is_told_how_far_it_is_and_the_model_is_there_in_the_end(ollama: ModelServer) -> None:
    told = fetched(ollama)
    assert told[-1] == (WHOLE, WHOLE)
    assert [completed for completed, _ in told] == sorted(completed for completed, _ in told)
    assert ollama.requests[0].body == {"model": SMALL.name, "stream": True}
    found = find_local({"Ollama": ollama.port}, 5)
    assert [one.model for one in found] == [SMALL.name]


def test_it_goes_on_from_where_it_broke_off(ollama: ModelServer) -> None:
    with pytest.raises(PullBrokenError):
        fetched(ollama, "half")
    came = ollama.fetched["sha256:weights"]
    assert 0 < came < PARTS["sha256:weights"]
    assert next(completed for completed, _ in fetched(ollama) if completed) == came


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("refused", PullRefusedError),
        ("error", PullRefusedError),
        ("half", PullBrokenError),
        ("parts", PullUnusableError),
        ("huge", PullUnusableError),
        ("garbage", PullUnusableError),
        ("line", PullUnusableError),
        ("page", PullUnusableError),
        ("liar", PullUnusableError),
    ],
)
def test_an_ollama_that_fails_or_lies_is_named(ollama: ModelServer, what: str, error: type[PullError]) -> None:
    with pytest.raises(error) as raised:
        fetched(ollama, what)
    for sentence in (raised.value.sentence("ja"), raised.value.sentence("en")):
        assert SMALL.name in sentence
        assert sentence.isprintable()


def test_its_own_reason_is_told(ollama: ModelServer) -> None:
    with pytest.raises(PullRefusedError, match="no space left on device"):
        fetched(ollama, "error")


def test_progress_that_gets_nowhere_is_stopped(ollama: ModelServer) -> None:
    ollama.fetching = Fetching("endless")
    with pytest.raises(PullStalledError):
        list(fetch(ollama.base_url, SMALL, threading.Event(), Ticks()))


def test_so_is_more_talk_than_a_day_of_it(ollama: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "MOST_LINES", 50)
    with pytest.raises(PullUnusableError):
        fetched(ollama, "endless")


def test_and_silence(ollama: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "SILENT_SECONDS", 0.3)
    with pytest.raises(PullStalledError):
        fetched(ollama, "silent")


def test_nobody_there_is_said() -> None:
    with pytest.raises(PullBrokenError):
        list(fetch(f"http://127.0.0.1:{NOBODY}/v1", SMALL, threading.Event()))


# In the background


def at(ollama: ModelServer) -> Server:
    return Server("Ollama", ollama.base_url, None)


def test_it_is_tried_when_it_is_there(ollama: ModelServer) -> None:
    pulls, trial = Pulls(), Trial("hello", 12.0)
    assert pulls.current is None
    pulls.start(at(ollama), SMALL, lambda: trial)
    pulls.settle()
    assert pulls.current is not None
    assert (pulls.current.state, pulls.current.trial) == ("done", trial)
    assert (pulls.current.completed, pulls.current.total) == (WHOLE, WHOLE)
    pulls.forget()
    assert pulls.current is None


def test_stopping_hangs_up_and_nothing_is_tried(ollama: ModelServer) -> None:
    ollama.fetching = Fetching("waits")
    pulls, tried = Pulls(), threading.Event()

    def use() -> Trial:
        tried.set()
        return Trial("", 0)

    pulls.start(at(ollama), SMALL, use)
    pulls.start(at(ollama), SMALL, use)  # pressed twice
    with pytest.raises(StillPullingError):
        pulls.start(at(ollama), known_models()[0], use)
    pulls.forget()  # not while it goes on
    deadline = time.monotonic() + 30
    while pulls.current and not pulls.current.completed and time.monotonic() < deadline:
        time.sleep(0.01)
    pulls.stop()
    pulls.settle()
    assert pulls.current
    assert pulls.current.state == "stopped"
    assert not tried.is_set()
    assert len(ollama.requests) == 1
    while not ollama.hung_up and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ollama.hung_up == 1


def test_what_fails_is_kept_to_be_shown_and_can_be_asked_for_again(ollama: ModelServer) -> None:
    pulls = Pulls()

    def use() -> Trial:
        raise ZeroDivisionError

    pulls.start(at(ollama), SMALL, use)
    pulls.settle()
    failed = pulls.current
    assert failed
    assert (failed.state, failed.error is not None) == ("failed", True)  # whatever it was, it is over, and said
    pulls.start(at(ollama), SMALL, lambda: Trial("now", 1))
    pulls.settle()
    assert pulls.current
    assert pulls.current.state == "done"


# Which Ollama, and which model


def test_an_ollama_without_a_model_is_found_and_does_not_speak(ollama: ModelServer) -> None:
    found = find_empty({"Ollama": ollama.port}, 5)
    assert found is not None
    assert found.base_url == ollama.base_url
    assert find_local({"Ollama": ollama.port}, 5) == []
    ollama.models.append(Served("only-for-search", kind="embeddings"))
    assert find_empty({"Ollama": ollama.port}, 5) is not None
    ollama.models.append(Served("talks"))
    assert find_empty({"Ollama": ollama.port}, 5) is None


def test_no_ollama_is_none() -> None:
    assert find_empty({"Ollama": NOBODY}, 0.2) is None
    assert find_empty({}, 0.2) is None
    with ModelServer(plays=("openai",)) as other:
        assert find_empty({"Ollama": other.port}, 5) is None


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("memory", [2, 4, 8, 16, 24, 64])
def test_what_is_recommended_speaks_the_language_and_fits(lang: Lang, memory: float) -> None:
    found = suitable(lang, memory)
    assert all(lang in model.languages and model.gigabytes < memory for model in found)
    if memory >= 4:
        assert found[0].memory <= memory
        assert found[0].memory == max(one.memory for one in found if one.memory <= memory)
    assert suitable(lang, 1) == []


def test_every_entry_of_the_table_is_whole() -> None:
    names = [model.name for model in known_models()]
    assert len(set(names)) == len(names)
    for model in known_models():
        assert model.licence
        assert model.gigabytes < model.memory
        assert model.as_of.year >= 2026
