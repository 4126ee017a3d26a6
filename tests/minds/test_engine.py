"""A real model on the real engine: what it says is not judged, that it arrives whole, in order and within limits is."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest
from pydantic import BaseModel, Field

from agent.minds import errors as known
from agent.minds.engine import errors
from agent.minds.engine import plan as planning
from agent.minds.engine.child import HELD
from agent.minds.engine.engine import Engine, EngineAddress, StoppedError
from agent.minds.engine.engine_mind import EngineMind, engine_mind
from agent.minds.gguf import read_head
from agent.minds.makers import openai_provider
from managers.mind import Cancel, ReplyPiece, TextPiece, Usage
from managers.storage.errors import Notice
from managers.storage.idle import close_idle
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import EngineSettings, MindSettings
from tests.minds.small_model import HERMES, rewritten, small_model
from tests.minds.speaking import MIA, request

SMALL = EngineSettings(context_tokens=1024)
A_TALK = request("Tell me about the sea.", MIA, tools=())


class Day(BaseModel):
    """What a day was like."""

    summary: str = Field(max_length=60)
    mood: int = Field(ge=1, le=9)


class Note(BaseModel):
    text: str = Field(max_length=30)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Return an engine that stays loaded for the tests of this file."""
    engine = Engine(Home(tmp_path_factory.mktemp("engine")), lambda: SMALL)
    yield engine
    engine.end()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Engine]:
    """Return one that a test may kill."""
    engine = Engine(Home(tmp_path), lambda: SMALL)
    yield engine
    engine.end()


def mind_of(engine: Engine, path: Path | None = None, most: int = 24) -> EngineMind:
    mind = engine_mind(MindSettings(provider="engine", model=str(path or small_model())), engine, openai_provider)
    mind._model.provider = replace(mind._model.provider, limited=lambda room: {"max_tokens": min(room, most)})
    return mind


def said(pieces: list[ReplyPiece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def is_gone(address: EngineAddress, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not psutil.pid_exists(address.pid) or psutil.Process(address.pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_a_talk_streams_in_order_and_says_first_that_the_model_is_loaded(shared: Engine) -> None:
    mind = mind_of(shared)
    first, again = (list(mind.reply(A_TALK, Cancel())) for _ in range(2))
    notices = [[piece.code for piece in pieces if isinstance(piece, Notice)] for pieces in (first, again)]
    assert notices == [["engine-loads", "mind-cut-short"], ["mind-cut-short"]]
    used = next(piece for piece in again if isinstance(piece, Usage))
    texts = [piece for piece in again if isinstance(piece, TextPiece)]
    assert used.output_tokens == 24
    assert len(texts) > 12  # piece by piece
    assert (mind.context_tokens, mind.takes_tools, mind.endpoint.leaves_machine) == (1024, False, False)


def test_a_night_is_answered_by_schema_in_the_other_slot_and_texts_get_vectors(shared: Engine) -> None:
    mind = mind_of(shared, most=80)
    assert isinstance(mind.ask("Sum up.", "A day at the sea.", Day), Day)
    placed = mind._model.provider.placed
    assert [placed(one, is_form=form)["id_slot"] for one, form in (("talk", False), ("tools", False))] == [0, 0]
    assert [placed(one, is_form=form)["id_slot"] for one, form in (("dream", False), ("tools", True))] == [1, 1]
    with shared.serving(small_model()) as address:
        vectors = address.ask("POST", "/v1/embeddings", {"input": ["a cat", "猫"]})["data"]
    assert [len(one["embedding"]) for one in vectors] == [576, 576]


def test_page_and_command_line_share_one_which_lives_until_the_last_lets_go(own: Engine) -> None:
    others = [Engine(own._home, lambda: SMALL) for _ in range(2)]
    found: list[EngineAddress] = []

    def use(engine: Engine) -> None:
        with engine.serving(small_model()) as address:
            found.append(address)

    threads = [threading.Thread(target=use, args=(one,)) for one in (own, *others)]  # all at once
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({one.pid for one in found}) == 1
    note = own._home.engine
    assert note.stat().st_mode & 0o777 == 0o600
    assert small_model().name not in " ".join(psutil.Process(found[0].pid).cmdline())
    starter = next(one for one in (own, *others) if type(one._held[1]).__name__ == "_Started")  # type: ignore[index]
    starter.stop()
    last = next(one for one in (own, *others) if one is not starter)
    assert said(list(mind_of(last).reply(A_TALK, Cancel())))
    for each in (own, *others):
        each.stop()
    assert is_gone(found[0])
    assert own._noted() is None


def test_nobody_is_answered_without_the_key_and_no_key_goes_to_another_process(shared: Engine, tmp_path: Path) -> None:
    with shared.serving(small_model()) as address:
        assert replace(address, key="guessed").ask("GET", "/props") == {}
        with socket.create_connection(("127.0.0.1", address.leash), 2) as line:
            line.sendall(b"guessed\n")
            assert line.recv(len(HELD)) == b""
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            for lie in ({"leash": port}, {"address": f"http://127.0.0.1:{port}"}, {"pid": os.getpid()}):
                home = Home(tmp_path)
                home.engine.write_text(json.dumps(asdict(address) | lie), "utf-8")
                assert Engine(home, lambda: SMALL)._noted() is None


def test_a_file_that_is_no_model_is_said_before_anything_is_started(own: Engine, tmp_path: Path) -> None:
    path, cut = tmp_path / "model.gguf", small_model().read_bytes()[:1_000_000]
    with pytest.raises(errors.NotFetchedError):
        mind_of(own, path)
    for data, why in ((b"", "ends too soon|cut"), (b"hello, I am no model", "no model"), (cut, "ends too soon|cut")):
        path.write_bytes(data)
        with pytest.raises(known.LocalModelError, match=why):
            mind_of(own, path)


def test_memory_decides_how_much_is_read_and_too_little_is_said(own: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    head, settings, some = read_head(small_model()), EngineSettings(), 300 << 20
    for whole, context in ((64 << 30, 8192), (2 * head.needs_bytes(2 * 4096), 4096), (some, 4096)):
        monkeypatch.setattr(planning, "memory_bytes", lambda whole=whole: (whole, head.needs_bytes(2 * 4096) + some))
        plan = planning.plan_for(small_model(), settings)
        assert (plan.context, plan.fitted().context) == (context, 4096)
    monkeypatch.setattr(planning, "memory_bytes", lambda: (64 << 30, some))
    with pytest.raises(errors.EngineMemoryError, match=r"takes about 0\.\d GB of memory, and 0\.3 GB are free"):
        list(mind_of(own).reply(A_TALK, Cancel()))


def test_what_is_not_installed_or_not_awaited_is_not_started(own: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Cancel()
    stopped.set()
    with pytest.raises(StoppedError), own.serving(small_model(), stopped):
        pass
    monkeypatch.setattr("agent.minds.engine.engine.find_spec", lambda _: None)
    assert own.lacking() is not None
    with pytest.raises(errors.NoEngineError):
        list(mind_of(own).reply(A_TALK, Cancel()))


@pytest.mark.slow
def test_a_tool_is_called_by_grammar(own: Engine, tmp_path: Path) -> None:
    tool = {"name": "note", "description": "Write a note", "parameters": Note.model_json_schema()}
    with own.serving(rewritten(tmp_path / "tools.gguf", HERMES)) as address:
        marks = address.ask("POST", "/tokenize", {"content": "<tool_call>"})["tokens"]
        asked = {
            "messages": [{"role": "user", "content": "Note: the sea is blue."}],
            "tools": [{"type": "function", "function": tool}],
            "logit_bias": [[mark, 20] for mark in marks],  # it is too small to think of a call itself
            "temperature": 0,
            "max_tokens": 150,
        }
        called = address.ask("POST", "/v1/chat/completions", asked)["choices"][0]["message"]
    assert {one["function"]["name"] for one in called["tool_calls"]} == {"note"}
    assert Note.model_validate_json(called["tool_calls"][0]["function"]["arguments"])
    assert not called["content"]


@pytest.mark.slow
def test_one_that_is_killed_in_mid_answer_is_started_once_more_and_then_it_is_said(own: Engine) -> None:
    mind = mind_of(own, most=400)

    def broken_off() -> str:
        heard: list[ReplyPiece] = []

        def hear() -> None:
            for piece in mind.reply(A_TALK, Cancel()):
                heard.append(piece)
                if isinstance(piece, TextPiece):
                    os.kill(own._held[0].pid, signal.SIGKILL)  # type: ignore[index]

        with pytest.raises(known.StreamBrokenError):
            hear()
        return said(heard)

    assert broken_off()
    assert broken_off()
    with pytest.raises(errors.EngineKilledError):
        list(mind.reply(A_TALK, Cancel()))
    mind = mind_of(own)
    assert said(list(mind.reply(A_TALK, Cancel())))


@pytest.mark.slow
def test_it_ends_with_whoever_started_it_and_when_nobody_uses_it(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from agent.minds.engine.engine import Engine;"
        "from managers.storage.paths import Home; from managers.storage.settings import EngineSettings;"
        "engine = Engine(Home(Path(sys.argv[1])), EngineSettings);"
        "print(engine.serving(Path(sys.argv[2])).__enter__().pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(tmp_path), str(small_model())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT) as started:
        assert started.stdout is not None
        pid = int(started.stdout.readline())
        engine = Engine(Home(tmp_path), lambda: SMALL)
        noted = engine._noted()
        assert noted is not None
        assert noted.pid == pid
        started.kill()
    assert is_gone(noted)
    engine = Engine(Home(tmp_path), lambda: SMALL.model_copy(update={"keep_minutes": 1}))
    with engine.serving(small_model()) as address:
        engine._used -= 60
        close_idle()
        assert engine.is_running  # somebody uses it
    close_idle()
    assert engine.is_running
    engine._used -= 60
    close_idle()
    assert is_gone(address)
    assert not engine.is_running


@pytest.mark.slow
def test_what_the_engine_refuses_is_told_in_its_words_and_a_model_without_a_template_in_ours(
    own: Engine, tmp_path: Path
) -> None:
    whole, path = small_model().read_bytes(), tmp_path / "strange.gguf"
    length = b"\x05\0\0\0\0\0\0\0"
    for data, why in (
        (whole.replace(length + b"llama", length + b"zebra", 1), "zebra"),
        (whole[:3_000_000], "incomplete"),
    ):
        path.write_bytes(data)
        with pytest.raises(errors.UnloadableError, match=why):
            list(mind_of(own, path).reply(A_TALK, Cancel()))
    with pytest.raises(errors.NoTemplateError):
        mind_of(own, rewritten(tmp_path / "base.gguf", None))


@pytest.mark.slow
def test_its_speed_is_measured_once_and_another_model_takes_its_place(own: Engine, tmp_path: Path) -> None:
    assert own.speed(small_model()) > 1
    other = rewritten(tmp_path / "other.gguf", HERMES)
    with own.serving(small_model()) as first:
        own._join_or_start(own.plan(other), Cancel())  # asked for when none was there yet: it waits for its turn
        assert own.is_running
    with own.serving(other) as second:
        assert is_gone(first)
        assert second.takes_tools
