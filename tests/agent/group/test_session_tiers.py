"""A conversation of several goes on where it stood: after a kill, a day and a week, and whatever was said in between."""

from __future__ import annotations

import subprocess
import sys

from agent.erasing import erase, plan_erasure
from agent.events import Failed, Noticed
from managers.memory.messages import Message
from managers.sessions.records import AgendaItem, SessionRecord
from managers.sessions.tiers import Sessions
from tests.agent.group.conftest import NAMES, Table


def _sessions(table: Table) -> Sessions:
    return table.services.sessions


def _words(record: SessionRecord | None) -> list[str]:
    return [turn.msg for turn in record.history] if record else []


def test_a_round_is_kept_and_taken_up_at_every_tier(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film about a lighthouse.")
    hot = _sessions(table).get(talk.id)
    assert hot is not None
    assert (hot.targets, hot.domain, hot.present, hot.last_thread_id) == (["Lumi"], "movie", list(NAMES), 1)
    assert _words(hot)[0] == "Lumi, I saw a film about a lighthouse."
    assert {tuple(turn.present) for turn in hot.history} == {NAMES}

    _sessions(table).change(talk.id, lambda one: one.agenda.append(AgendaItem(thread_id=1, text="the lighthouse")))
    for hours in (25, 24 * 8):
        table.clock.move(hours=hours)
        table.services._move_sessions()
        later = _sessions(table).get(talk.id)
        assert later is not None
        assert (later.targets, later.last_thread_id, [one.text for one in later.agenda]) == (
            ["Lumi"], 1, ["the lighthouse"]
        )  # fmt: skip
    table.round(talk, "Clari, good morning. Who built that castle on the hill?")
    again = _sessions(table).get(talk.id)
    assert again is not None
    assert again.last_thread_id == 2
    assert _words(again)[-2] == "Clari, good morning. Who built that castle on the hill?"
    talk.close()
    [ended] = _sessions(table).threads(talk.id)
    assert "lighthouse" in ended.summary


def test_what_the_logs_have_beyond_reach_the_session_still_knows(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film.")
    for name in NAMES:
        time = table.clock.now()
        said = (Message(f"alone-{number}", time, "user", "Sara", f"alone {number}") for number in range(401))
        table.memories(name).log.append_many(said)
    assert talk.messages() == []
    assert talk._taken_up(lambda _: None)[0].text == "Lumi, I saw a film."


def test_what_a_killed_process_did_not_keep_is_in_the_session_with_the_next_round(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film.")
    record = _sessions(table).get(talk.id)
    assert record is not None
    before = [turn.message_id for turn in record.history]
    (table.services.home.sessions / "hot" / f"{talk.id}.json").unlink()
    table.round(talk, "Lumi, and another one.")
    record = _sessions(table).get(talk.id)
    assert record is not None
    assert [turn.message_id for turn in record.history][: len(before)] == before
    assert len({turn.message_id for turn in record.history}) == len(record.history)


def test_what_is_forgotten_deleted_or_erased_is_in_no_tier(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Everyone, my sister is called Hanako.")
    table.settle()
    table.round(talk, "Clari, please forget what I just said.")
    assert not any("Hanako" in one for one in _words(_sessions(table).get(talk.id)))
    table.round(talk, "Lumi, my cat is called Zebulon.")
    table.settle()
    table.clock.move(hours=30)
    table.services._move_sessions()
    assert any("Zebulon" in one for one in _words(_sessions(table).get(talk.id)))
    memories = table.memories("Lumi")
    erase(memories, plan_erasure(memories, about="Zebulon"))
    folder = table.services.home.sessions
    assert not any(b"Zebulon" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    table.round(talk, "Noxx, tell me something.")
    said = next(one for one in table.log("Noxx") if one.text == "Noxx, tell me something.")
    table.services.companion("Noxx").delete(said.id)
    table.settle()
    assert said.text not in _words(_sessions(table).get(talk.id))


def test_a_database_that_another_program_holds_stops_nobody(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film.")
    table.clock.move(hours=30)
    table.services._move_sessions()
    path = table.services.home.sessions / "warm.duckdb"
    code = f"import duckdb; one = duckdb.connect({str(path)!r}); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        events = list(talk.say("Lumi, and another one.").events())
        other.communicate(b"\n")
    assert {one.notice.code for one in events if isinstance(one, Noticed)} == {"group-session"}
    assert not any(isinstance(one, Failed) for one in events)
    table.round(talk, "Lumi, and a third one.")
    words = _words(_sessions(table).get(talk.id))
    assert {"Lumi, and another one.", "Lumi, and a third one."} <= set(words)


def test_a_renamed_persona_was_there_and_another_of_its_old_name_was_not(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film.")
    table.clock.move(hours=30)
    table.round(talk, "Good morning, Clari. Who built that old castle on the hill?")
    talk.close()
    with table.services.away("Noxx"):
        table.services.personas.rename("Noxx", "Nix")
    assert "Nix" in talk.standing.present
    [ended] = talk.session.topics(talk._heard_all)
    assert ended.present == ["Lumi", "Clari", "Nix"]
    with table.services.away("Lumi"):
        table.services.personas.delete("Lumi")
    table.services.personas.create("Lumi", language="en", system_prompt="You are another one.")
    [ended] = talk.session.topics(talk._heard_all)
    assert ended.present == ["Clari", "Nix"]
    assert (ended.summary != "", len(ended.embedding)) == (True, ended.dimension)
