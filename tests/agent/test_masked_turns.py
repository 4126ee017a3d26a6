"""A whole turn with a model elsewhere: nothing private goes over the wire, and page, log and tools have it all."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from agent.events import Replied
from agent.services import Services, open_services
from managers.storage.audit import events
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say, Tool

NEMU, MAIL, TELEPHONE, CARD = "ねむ", "hana@example.jp", "090-1234-5678", "4111 1111 1111 1111"
SPARE = "080-2345-6789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture
def services(own_home: Home, clock: HandClock, server: ModelServer) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    services.settings_file.change(
        "mind", provider="openai", base_url=server.base_url, model="test:cloud", context_tokens=16_000
    )
    yield services
    services.close()


def say(services: Services, text: str, **sent: object) -> str:
    companion = services.companion(NEMU)
    events = list(companion.say(text, **sent).events())  # type: ignore[arg-type]
    companion.settle()
    return next(event.message.text for event in reversed(events) if isinstance(event, Replied))


def wire(server: ModelServer) -> str:
    """Return all that the server was ever sent."""
    return json.dumps([request.body for request in server.chats], ensure_ascii=False)


def test_what_is_private_stays_here_whatever_way_it_would_take(
    services: Services, server: ModelServer, tmp_path: Path
) -> None:
    memories, based_on = services.companion(NEMU).memories, services.companion(NEMU).memories.notes.read("core_memory")
    memories.notes.write("core_memory", f"花の電話は{TELEPHONE}", based_on=based_on.digest, author="user", reason="")
    note = tmp_path / "note.txt"
    note.write_text(f"予備の電話は{SPARE}", "utf-8")
    say(services, f"カードは{CARD}、メールは{MAIL}だよ。覚えておいて")
    server.enqueue(
        Say(tools=[Tool("recall_memories", {"query": "[REDACTED_CC]"})]),
        Say("宛先は[REDACTED_EMAIL]だね。"),
    )
    answer = say(services, f"{MAIL}に送る前に、前のカードの話を探して", attachments=[note])
    assert answer == f"宛先は{MAIL}だね。"
    assert memories.log.tail(1)[0].text == answer
    for private in (MAIL, TELEPHONE, CARD, SPARE):
        assert private not in wire(server)
    for shown in ("花の電話は[REDACTED_PHONE", "予備の電話は[REDACTED_PHONE"):
        assert shown in wire(server)
    assert {event.given.is_masked for event in events(memories.paths) if event.kind == "model_call"} == {True}


def test_it_is_shown_to_a_model_where_the_persona_says_so(services: Services, server: ModelServer) -> None:
    services.personas.set_settings(NEMU, "privacy", mask_models="never")
    say(services, f"メールは{MAIL}だよ")
    assert MAIL in wire(server)


def test_a_model_on_this_computer_sees_what_was_said(services: Services, server: ModelServer) -> None:
    services.settings_file.change("mind", model="test-model")
    say(services, f"メールは{MAIL}だよ")
    assert MAIL in wire(server)
    services.settings_file.change("privacy", mask_models="always")
    server.requests.clear()
    say(services, f"メールは{MAIL}だよ")
    assert MAIL not in wire(server)


def test_the_persons_known_people_are_hidden_where_that_is_wished_for(services: Services, server: ModelServer) -> None:
    memories = services.companion(NEMU).memories
    memories.entities.note("Mika", "Lives in Kobe", kind="person", author="user", mind="user")
    services.settings_file.change("privacy", mask_names=True)
    server.enqueue("[REDACTED_NAME]さんなら神戸だよ。")
    assert say(services, "Mikaってどこに住んでる?") == "Mikaさんなら神戸だよ。"
    assert "Mika" not in wire(server)
    assert NEMU in wire(server)


def test_a_tool_writes_placeholders_where_memories_are_to_hold_them(services: Services, server: ModelServer) -> None:
    notes = services.companion(NEMU).memories.notes
    for is_masked in (True, False):
        services.settings_file.change("privacy", mask_memories=is_masked)
        server.enqueue(
            Say(tools=[Tool("edit_notepad", {"operation": "append", "text": "電話は[REDACTED_PHONE]"})]),
            Say("書いたよ。"),
        )
        say(services, f"{TELEPHONE}って書いておいて")
        assert (f"電話は{TELEPHONE}" not in notes.read("notepad").text) is is_masked
    assert "電話は[REDACTED_PHONE]" in notes.read("notepad").text
