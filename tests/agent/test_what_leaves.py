"""What leaves for a model elsewhere has nothing private in it, and is in the audit with what it carried and no word."""

import json
from pathlib import Path

from agent.services import Services
from commands.doctor import examine
from managers.storage.audit import Event, events, months
from tests.agent.conftest import CLOUD, HERE, NEMU, answer, heard, say, speak_through
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say, Tool

MAIL, TELEPHONE, CARD, SPARE = "hana@example.jp", "090-1234-5678", "4111 1111 1111 1111", "080-2345-6789"


def wire(server: ModelServer) -> str:
    """Return all that the server was ever sent."""
    return json.dumps([request.body for request in server.chats], ensure_ascii=False)


def audited(services: Services) -> list[Event]:
    return list(events(services.memories(NEMU).paths))


def test_what_is_private_stays_here_whatever_its_way(services: Services, server: ModelServer, tmp_path: Path) -> None:
    notes, log = services.memories(NEMU).notes, services.memories(NEMU).log
    known = notes.read("core_memory").digest
    notes.write("core_memory", f"花の電話は{TELEPHONE}", based_on=known, author="user", reason="")
    note = tmp_path / "note.txt"
    note.write_text(f"予備の電話は{SPARE}", "utf-8")
    say(services, f"カードは{CARD}、メールは{MAIL}だよ。覚えておいて")
    server.enqueue(
        Say(tools=[Tool("recall_memories", {"query": "[REDACTED_CC]"})]), Say("宛先は[REDACTED_EMAIL]だね。")
    )
    told = answer(say(services, f"{MAIL}に送る前に、前のカードの話を探して", files=[note]))
    assert told == f"宛先は{MAIL}だね。"
    assert log.tail(1)[0].text == told
    assert [private for private in (MAIL, TELEPHONE, CARD, SPARE) if private in wire(server)] == []
    for shown in ("花の電話は[REDACTED_PHONE", "予備の電話は[REDACTED_PHONE"):
        assert shown in wire(server)
    assert {event.given.is_masked for event in audited(services) if event.kind == "model_call"} == {True}


def test_whom_the_settings_let_see_it_sees_what_was_said(services: Services, server: ModelServer) -> None:
    def is_shown() -> bool:
        server.requests.clear()
        say(services, f"メールは{MAIL}だよ")
        return MAIL in wire(server)

    speak_through(services, server, HERE)
    assert is_shown(), "a model on this computer"
    services.settings_file.change("privacy", mask_models="always")
    assert not is_shown()
    speak_through(services, server, CLOUD)
    assert not is_shown()
    services.personas.set_settings(NEMU, "privacy", mask_models="never")
    assert is_shown()


def test_the_persons_known_people_are_hidden_where_that_is_wished_for(services: Services, server: ModelServer) -> None:
    entities = services.memories(NEMU).entities
    entities.note("Mika", "Lives in Kobe", kind="person", author="user", mind="user")
    services.settings_file.change("privacy", mask_names=True)
    server.enqueue("[REDACTED_NAME]さんなら神戸だよ。")
    assert answer(say(services, "Mikaってどこに住んでる?")) == "Mikaさんなら神戸だよ。"
    assert "Mika" not in wire(server)
    assert NEMU in wire(server)


def test_a_tool_writes_placeholders_where_memories_are_to_hold_them(services: Services, server: ModelServer) -> None:
    notes = services.memories(NEMU).notes
    for is_masked in (True, False):
        services.settings_file.change("privacy", mask_memories=is_masked)
        call = Tool("edit_notepad", {"operation": "append", "text": "電話は[REDACTED_PHONE]"})
        server.enqueue(Say(tools=[call]), Say("書いたよ。"))
        say(services, f"{TELEPHONE}って書いておいて")
        assert (f"電話は{TELEPHONE}" not in notes.read("notepad").text) is is_masked
    assert "電話は[REDACTED_PHONE]" in notes.read("notepad").text


def test_a_turn_names_who_got_what(services: Services, server: ModelServer, clock: HandClock) -> None:
    server.enqueue(Say("そうなんだ。"), Say("青い傘だよ。"))
    first = heard(say(services, "青い傘を、駅前の喫茶店に忘れてきちゃった。"))
    services.companion(NEMU).new_topic()
    clock.move(days=30)
    services.memories(NEMU).recall.keep_up()
    say(services, "わたし、青い傘をどこに忘れたんだっけ?")
    newest, oldest = audited(services)
    assert (newest.kind, newest.to.host, newest.to.model) == ("model_call", "127.0.0.1", CLOUD)
    assert (newest.purpose, newest.given.is_masked) == ("talk", True)
    assert first in newest.given.ids
    assert newest.given.counts["recalled"] >= 1
    assert oldest.given.counts["messages"] >= 1
    assert oldest.given.days == (f"{oldest.time:%Y-%m-%d}",)
    assert oldest.given.ids == ()
    (path,) = months(services.memories(NEMU).paths)[-1:]
    assert "傘" not in json.dumps([json.loads(line) for line in path.read_bytes().splitlines()], ensure_ascii=False)
    assert any(found.about == NEMU and "as it was written" in found.en for found in examine(services))
    path.write_bytes(path.read_bytes().replace(b"127.0.0.1", b"127.0.0.2"))
    (found,) = [one for one in examine(services) if path.name in one.en]
    assert (found.state, "line 1" in found.en, "1行目" in found.ja) == ("warning", True, True), "changed by hand"


def test_what_a_tool_does_is_told_with_the_next_call(services: Services, server: ModelServer, clock: HandClock) -> None:
    server.enqueue(Say("うん。"))
    first = heard(say(services, "弟の名前は湊人だよ。"))
    services.companion(NEMU).new_topic()
    clock.move(days=30)
    services.memories(NEMU).recall.keep_up()
    server.enqueue(
        Say(tools=[Tool("recall_memories", {"query": "弟の名前は湊人だよ"})]),
        Say(tools=[Tool("edit_notepad", {"operation": "append", "text": "弟は湊人さん"})]),
        Say("湊人さんだね。"),
    )
    asked = heard(say(services, "やあ。"))
    last, write, second, _, _ = audited(services)
    assert (write.kind, write.to.is_here, write.given.counts) == ("tool_write", True, {"edit_notepad": 1})
    assert write.given.ids == (asked,)
    assert first in second.given.ids
    assert first in last.given.ids
    assert (second.purpose, last.purpose) == ("tools", "tools")


def test_a_model_on_this_computer_leaves_no_line_nor_step_on_the_disk(services: Services, server: ModelServer) -> None:
    speak_through(services, server, HERE)
    server.enqueue(Say("うん。"))
    say(services, "やあ。")
    services.settings_file.change("mind", provider="builtin")
    say(services, "やあ。")
    assert audited(services) == []
    assert months(services.memories(NEMU).paths) == []
