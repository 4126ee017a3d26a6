"""What leaves for a model elsewhere is in the audit, with what it carried and no word; what stays here costs nothing."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from agent.events import Received
from agent.memories import Memories
from agent.services import Services, open_services
from commands.doctor import examine
from managers.memory.notes import Edit
from managers.storage.audit import Event, events, months, record, settle
from managers.storage.paths import Home
from managers.usage.caps import Wish
from managers.usage.ledger import Call
from managers.usage.prices import Model
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say, Tool

NEMU = "ねむ"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture
def services(own_home: Home, clock: HandClock, server: ModelServer) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    speak_through(services, server, "test-model:cloud")
    yield services
    services.close()


def speak_through(services: Services, server: ModelServer, model: str) -> None:
    """Models of Ollama with this ending run on its makers' computers, wherever Ollama itself runs."""
    services.settings_file.change(
        "mind", provider="openai", base_url=server.base_url, model=model, context_tokens=16_000
    )


def say(services: Services, text: str) -> str:
    """Say something; return the id that it got."""
    companion = services.companion(NEMU)
    events = list(companion.say(text).events())
    companion.settle()
    return next(event.message.id for event in events if isinstance(event, Received))


def told(services: Services) -> list[Event]:
    return list(events(memories_of(services).paths))


def memories_of(services: Services) -> Memories:
    return services.memories(NEMU)


def test_a_turn_names_who_got_what(services: Services, server: ModelServer, clock: HandClock) -> None:
    server.enqueue(Say("そうなんだ。"), Say("青い傘だよ。"))
    first = say(services, "青い傘を、駅前の喫茶店に忘れてきちゃった。")
    companion = services.companion(NEMU)
    companion.new_topic()
    clock.move(days=30)
    services.memories(NEMU).recall.keep_up()
    say(services, "わたし、青い傘をどこに忘れたんだっけ?")
    newest, oldest = told(services)
    assert (newest.kind, newest.to.host, newest.to.model) == ("model_call", "127.0.0.1", "test-model:cloud")
    assert (newest.purpose, newest.given.is_masked) == ("talk", True)
    assert first in newest.given.ids
    assert newest.given.counts["recalled"] >= 1
    assert oldest.given.counts["messages"] >= 1
    assert oldest.given.days == (f"{oldest.time:%Y-%m-%d}",)
    assert oldest.given.ids == ()
    written = b"".join(path.read_bytes() for path in months(memories_of(services).paths)).decode()
    assert "傘" not in json.dumps([json.loads(line) for line in written.splitlines()], ensure_ascii=False)


def test_what_a_tool_finds_and_writes_is_told_with_the_call_that_follows(
    services: Services, server: ModelServer, clock: HandClock
) -> None:
    server.enqueue(Say("うん。"))
    first = say(services, "弟の名前は湊人だよ。")
    services.companion(NEMU).new_topic()
    clock.move(days=30)
    services.memories(NEMU).recall.keep_up()
    server.enqueue(
        Say(tools=[Tool("recall_memories", {"query": "弟の名前は湊人だよ"})]),
        Say(tools=[Tool("edit_notepad", {"operation": "append", "text": "弟は湊人さん"})]),
        Say("湊人さんだね。"),
    )
    asked = say(services, "やあ。")
    last, write, second, _, _ = told(services)
    assert (write.kind, write.to.is_here, write.given.counts) == ("tool_write", True, {"edit_notepad": 1})
    assert write.given.ids == (asked,)
    assert first in second.given.ids
    assert first in last.given.ids
    assert (second.purpose, last.purpose) == ("tools", "tools")


def test_a_model_on_this_computer_leaves_no_line_and_takes_no_step_on_the_disk(
    services: Services, server: ModelServer
) -> None:
    speak_through(services, server, "test-model")
    server.enqueue(Say("うん。"))
    say(services, "やあ。")
    services.settings_file.change("mind", provider="builtin")
    say(services, "やあ。")
    assert told(services) == []
    assert months(memories_of(services).paths) == []
    called: list[Call] = []
    services.meter.when_leaving = lambda call, _: called.append(call)
    account = services.meter.account(NEMU, "talk")
    account.open(Model("m", "Ollama", "127.0.0.1", is_local=True), Wish(1, 1, 1), 1).release()
    assert called == []
    account.open(Model("m", "Gemini", "example.com"), Wish(1, 1, 1), 1).release()
    assert [call.host for call in called] == ["example.com"]


def test_undo_and_the_archive_are_in_it(services: Services, clock: HandClock) -> None:
    memories = memories_of(services)
    memories.notes.apply_edit("notepad", [Edit("", "傘を買う")], author="user", reason="")
    entry = memories.history.entries(1)[0].id
    memories.history.undo(entry, author="user")
    memories.history.redo(entry, author="user")
    faded = memories.paths.episodic_memory / "2001-01-01.json"
    faded.parent.mkdir(exist_ok=True)
    faded.write_text(json.dumps({"date": "2001-01-01", "summary": "It rained.", "mind": "built-in"}), "utf-8")
    services.settings_file.change("memory", prune_interval=1)
    assert memories.housekeeping().after_night(1).put_away == 1
    memories.housekeeping().restore(None)
    assert [one.kind for one in told(services)] == ["restore", "put_away", "redo", "undo"]
    assert told(services)[0].given.counts == {"memories": 1}


def test_when_all_is_closed_nothing_more_is_written_of_anybody(
    services: Services, own_home: Home, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def slow(descriptor: int) -> None:
        time.sleep(0.2)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    persona = own_home.persona(NEMU)  # nobody woke it
    record(persona, clock.now(), "backup")
    services.close()
    files = {path: path.stat().st_mtime_ns for path in persona.folder.rglob("*")}
    settle()
    assert {path: path.stat().st_mtime_ns for path in persona.folder.rglob("*")} == files


def test_the_doctor_says_where_it_was_changed_by_hand(services: Services, server: ModelServer) -> None:
    server.enqueue(Say("うん。"))
    say(services, "やあ。")
    (path,) = months(memories_of(services).paths)
    assert any(found.about == NEMU and "as it was written" in found.en for found in examine(services))
    _rewrite(path, b"127.0.0.1", b"127.0.0.2")
    (found,) = [one for one in examine(services) if path.name in one.en]
    assert (found.state, "line 1" in found.en, "1行目" in found.ja) == ("warning", True, True)


def _rewrite(path: Path, old: bytes, new: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(old, new))
