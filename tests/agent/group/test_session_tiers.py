"""A conversation of several goes on where it stood: after a kill, a day and a week, and whatever was said in between."""

import shutil
import subprocess
import sys

import pytest

from agent.erasing import erase, plan_erasure
from agent.errors import GroupNotFoundError
from agent.events import Failed, Noticed
from agent.group.conversation import GroupConversation
from agent.group.session_health import examine_sessions
from managers.sessions.errors import DatabaseHeldError
from managers.sessions.records import AgendaItem, SessionRecord
from managers.sessions.tiers import Sessions
from managers.storage.errors import Notice
from tests.agent.conftest import sure
from tests.agent.group.conftest import NAMES, Table
from tests.redis_server import RedisServer


def _sessions(table: Table) -> Sessions:
    return table.services.sessions


def _kept(table: Table, talk: GroupConversation) -> SessionRecord:
    return sure(_sessions(table).get(talk.id))


def _words(table: Table, talk: GroupConversation) -> list[str]:
    return [turn.msg for turn in _kept(table, talk).history]


def _later(table: Table, *hours: float) -> None:
    for some in hours:
        table.clock.move(hours=some)
        table.services._move_sessions()


def test_a_round_is_kept_and_taken_up_at_every_tier(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film about a lighthouse.")
    hot = _kept(table, talk)
    assert (hot.targets, hot.domain, hot.present, hot.last_thread_id) == (["Lumi"], "movie", list(NAMES), 1)
    assert _words(table, talk)[0] == "Lumi, I saw a film about a lighthouse."
    assert {tuple(turn.present) for turn in hot.history} == {NAMES}
    before = [turn.message_id for turn in hot.history]
    (table.services.home.sessions / "hot" / f"{talk.id}.json").unlink()  # as a killed process leaves it
    table.round(talk, "Lumi, and another one.")
    ids = [turn.message_id for turn in _kept(table, talk).history]
    assert (ids[: len(before)], len(set(ids))) == (before, len(ids))
    _sessions(table).change(talk.id, lambda one: one.agenda.append(AgendaItem(thread_id=1, text="the lighthouse")))
    for hours in (25, 24 * 8):
        _later(table, hours)
        later = _kept(table, talk)
        assert (later.targets, later.last_thread_id) == (["Lumi"], 1)
        assert [one.text for one in later.agenda] == ["the lighthouse"]
    table.round(talk, "Clari, good morning. Who built that castle on the hill?")
    assert _kept(table, talk).last_thread_id == 2
    assert _words(table, talk)[-2] == "Clari, good morning. Who built that castle on the hill?"
    talk.close()
    [ended] = _sessions(table).threads(talk.id)
    assert "lighthouse" in ended.summary


def test_what_is_forgotten_deleted_or_erased_is_in_no_tier(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Everyone, my sister is called Hanako.")
    table.settle()
    table.round(talk, "Clari, please forget what I just said.")
    assert not any("Hanako" in one for one in _words(table, talk))
    table.round(talk, "Lumi, my cat is called Zebulon.")
    table.settle()
    _later(table, 30)
    assert any("Zebulon" in one for one in _words(table, talk))
    memories = table.memories("Lumi")
    erase(memories, plan_erasure(memories, about="Zebulon"))
    folder = table.services.home.sessions
    assert not any(b"Zebulon" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    table.round(talk, "Noxx, tell me something.")
    said = next(one for one in table.log("Noxx") if one.text == "Noxx, tell me something.")
    table.services.companion("Noxx").delete(said.id)
    table.settle()
    assert said.text not in _words(table, talk)


def _at_every_tier(table: Table) -> GroupConversation:
    """Return a talk of which a topic is in the archive, one in the database and one hot."""
    table.services.settings_file.change("sessions", after_week="archive")
    talk = table.talk()
    table.round(talk, "Lumi, I saw a film about a lighthouse.")
    _later(table, 24 * 9, 0)
    table.round(talk, "Clari, good morning. Who built that castle on the hill?")
    table.settle()
    return talk


def _found(table: Table) -> dict[str, Notice]:
    found = list(examine_sessions(table.services))
    assert all(one.ja and one.en and one.ja != one.en for one in found)
    return {one.code: one for one in found}


def _lying_there(table: Table) -> dict[str, bytes]:
    table.settle()
    files = (path for path in table.services.home.folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if not path.name.endswith(".utatane-tmp")}


@pytest.mark.slow
def test_what_is_there_is_counted_and_what_is_damaged_is_named_and_stays_until_it_is_used(table: Table) -> None:
    assert _found(table) == {}
    talk = _at_every_tier(table)
    talk.close()
    groups, sessions = table.services.home.groups, table.services.home.sessions
    before = _lying_there(table)
    counted = _found(table)
    assert list(counted) == ["sessions-counted"]
    assert "1 of the last day, 1 in the database (0 topics in full), 1 full logs" in counted["sessions-counted"].en
    assert _lying_there(table) == before
    known = groups.read_bytes()
    groups.write_bytes(b"{]")
    assert list(_found(table)) == ["groups-unreadable", "sessions-counted"], "and no session is nobody's"
    groups.write_bytes(known)
    damaged = [path for name in ("hot/*.json", "warm.duckdb", "archive/*/*.json.gz") for path in sessions.glob(name)]
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    before = _lying_there(table)
    told = _found(table)["sessions-damaged"].en
    assert [path.name for path in damaged if path.relative_to(sessions).as_posix() not in told] == []
    assert len(damaged) == 3
    assert _lying_there(table) == before
    _sessions(table).threads(talk.id)  # who uses it sets it aside
    found = _found(table)
    assert ".broken-" in found["sessions-aside"].ja
    assert "warm.duckdb" not in found["sessions-damaged"].en


@pytest.mark.slow
def test_a_session_is_nobody_s_only_when_all_who_were_there_are_gone_for_good(table: Table) -> None:
    talk = _at_every_tier(table)
    talk.close()
    kept = _sessions(table).threads(talk.id)
    for name in NAMES[:2]:
        with table.services.away(name):
            table.services.personas.delete(name)
    assert "sessions-alone" not in _found(table)
    assert _sessions(table).threads(talk.id) == kept  # the others' conversation too
    with table.services.away(NAMES[2]):
        table.services.personas.delete(NAMES[2])
    assert "sessions-alone" not in _found(table)  # they may come back
    shutil.rmtree(table.services.home.trash)
    assert talk.id in _found(table)["sessions-alone"].en
    _later(table, 24 * 400)
    assert talk.id in _found(table)["sessions-alone"].ja
    assert _sessions(table).threads(talk.id)[0].message_ids == kept[0].message_ids  # never by itself


def test_a_conversation_that_is_ended_is_in_no_tier_and_the_logs_stay(table: Table, redis_server: RedisServer) -> None:
    import redis  # noqa: PLC0415  # an extra

    table.services.settings_file.change("sessions", redis_url=redis_server.url)
    talk = _at_every_tier(table)
    other = table.services.groups.of(NAMES[:2])
    table.round(other, "Lumi, do you remember the harbour?")
    logs = {name: [one.id for one in table.log(name)] for name in NAMES}
    with redis.Redis.from_url(redis_server.url) as client:
        assert client.exists(f"sess:{talk.id}")
        (table.services.home.sessions / "hot" / f"{talk.id}.json.broken-1").write_bytes(b"lighthouse")
        table.services.groups.end(table.services.groups.to_end([*NAMES]))
        assert client.keys() == [f"sess:{other.id}".encode()]
    for path in table.services.home.sessions.rglob("*"):
        assert talk.id not in path.name
        assert not path.is_file() or not {b"lighthouse", b"castle"} & set(path.read_bytes().split())
        assert not path.is_file() or talk.id.encode() not in path.read_bytes()
    assert {name: [one.id for one in table.log(name)] for name in NAMES} == logs
    assert [one.id for one in table.services.groups.all()] == [other.id]
    assert "harbour" in _words(table, other)[0]
    table.services.groups.end(talk.id)  # twice is once
    with pytest.raises(GroupNotFoundError):
        table.services.groups.to_end([talk.id])
    again = table.talk()
    assert (again.id != talk.id, again.messages()) == (True, [])


@pytest.mark.slow
def test_what_is_shared_of_a_conversation_goes_when_it_is_ended_and_nothing_else(table: Table) -> None:
    services = table.services
    for name in NAMES:
        services.personas.set_settings(name, "memory", shared=True)
    talks = [services.groups.of(names) for names in (NAMES, NAMES[:2])]
    for talk, seen in zip(talks, ("a lighthouse keeper", "a harbour pilot"), strict=True):
        table.round(talk, f"Lumi, I saw a film about {seen} and a storm.")
        table.clock.move(hours=30)
        table.round(talk, "Good morning, Clari. Who built that old castle on the hill?")
        talk.close()
    table.settle()
    shared = table.memories("Lumi").shared
    shared.renew()
    held = "".join(one.text for one in shared.store().load().chunks)
    assert ("lighthouse" in held, "harbour" in held) == (True, True)
    services.groups.end(talks[0].id)
    for path in services.home.sessions.rglob("*"):
        assert not path.is_file() or b"lighthouse" not in path.read_bytes(), path
    shared.keep_up()
    held = "".join(one.text for one in shared.store().load().chunks)
    assert ("lighthouse" in held, "harbour" in held) == (False, True)
    assert not any("lighthouse" in hit.text for hit in shared.hits("the lighthouse keeper", leaves=False))
    assert any("harbour" in hit.text for hit in shared.hits("the harbour pilot", leaves=False))


@pytest.mark.slow
def test_a_database_that_another_program_holds_stops_nobody_and_what_is_to_be_ended_waits_for_it(table: Table) -> None:
    talk = _at_every_tier(table)
    path = table.services.home.sessions / "warm.duckdb"
    code = f"import duckdb; one = duckdb.connect({str(path)!r}); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        sure(other.stdout).readline()
        events = list(talk.say("Lumi, and another one.").events())
        table.settle()
        found = _found(table)
        with pytest.raises(DatabaseHeldError):
            table.services.groups.end(talk.id)
        other.communicate(b"\n")
    assert {one.notice.code for one in events if isinstance(one, Noticed)} <= {"group-session"}
    assert not any(isinstance(one, Failed) for one in events)
    assert list(found) == ["sessions-counted", "sessions-unread"]
    assert "1 of the last day" in found["sessions-counted"].en
    table.round(talk, "Lumi, and a third one.")
    assert {"Lumi, and another one.", "Lumi, and a third one."} <= {*_words(table, talk)}
    assert [one.id for one in table.services.groups.all()] == [talk.id]
    table.services.groups.end(talk.id)
    assert not _sessions(table).has(talk.id)
    assert table.services.groups.all() == []
