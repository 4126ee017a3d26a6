"""A session is where it was left, at every tier; nothing is lost or doubled on the way, and what is to go goes from all."""

from collections.abc import Callable
from pathlib import Path

import pytest

from managers.sessions.inspection import inspect
from managers.sessions.records import Gone, SessionRecord, thread_of
from managers.sessions.redis_hot import RedisHot
from managers.sessions.tiers import Moved
from managers.storage.paths import Home
from managers.storage.settings import SessionSettings
from tests.crash import Kill, copies, needs_signals
from tests.redis_server import RedisServer
from tests.sessions.conftest import Kept
from tests.speeds import one_quick


def _words(record: SessionRecord | None) -> list[str]:
    return [turn.msg for turn in record.history] if record else []


def _state(record: SessionRecord | None) -> tuple[object, ...]:
    assert record is not None
    return record.last_thread_id, record.targets, [one.text for one in record.agenda], record.present, record.domain


def _end_thread(record: SessionRecord) -> None:
    ended = thread_of(record.session_id, record.thread(record.last_thread_id), "movie")
    assert ended is not None
    record.threads.append(ended.model_copy(update={"summary": "They spoke of a canoe.", "keywords": ["canoe"]}))
    record.last_thread_id += 1


@pytest.mark.parametrize("policy", one_quick(["archive", "summary"]))
def test_a_session_goes_on_where_it_stood_after_a_restart_a_day_and_a_week(kept: Kept, policy: str) -> None:
    kept.settings = SessionSettings.model_validate({"after_week": policy})
    kept.say(kept.open(), "s", "a canoe", "a kayak")
    hot = kept.open().get("s")
    assert _words(hot) == ["a canoe", "a kayak"]
    assert kept.later(kept.open(), hours=25) == Moved(sessions=1)
    warm = kept.open().get("s")
    assert (_words(warm), _state(warm)) == (["a canoe", "a kayak"], _state(hot))
    assert list(kept.open().hot.ids()) == []
    assert kept.later(kept.open(), days=7) == Moved(logs=1)
    cold = kept.open().get("s")
    assert _state(cold) == _state(hot)
    assert _words(cold) == (["a canoe", "a kayak"] if policy == "archive" else [])
    assert b"a kayak" not in (kept.home.sessions / "warm.duckdb").read_bytes()
    kept.say(kept.open(), "s", "again")
    assert _words(kept.open().get("s"))[-1] == "again"
    kept.later(kept.open(), hours=25)
    [thread] = kept.open().threads("s")
    assert len(thread.message_ids) == 3
    assert [turn.msg for turn in thread.turns][-1] == "again"


def test_threads_that_ended_are_kept_once_with_what_was_made_of_them_until_a_message_of_them_goes(kept: Kept) -> None:
    sessions = kept.open()
    kept.say(sessions, "s", "a canoe")
    sessions.change("s", _end_thread)
    kept.say(sessions, "s", "a war", present=("B",))
    before = sessions.threads("s")
    assert [(one.thread_id, one.summary, "A" in one.present) for one in before] == [(1, "They spoke of a canoe.", True)]
    kept.later(sessions, hours=30)
    first, second = sessions.threads("s")
    assert first == before[0]
    assert (second.thread_id, "A" in second.present) == (2, False)
    kept.later(sessions, days=8)  # without its full log a thread goes with any message of it
    sessions.let_go(Gone({"other"}))
    assert sessions.threads("s")[0].summary == "They spoke of a canoe."
    sessions.let_go(Gone(first.message_ids))
    assert [one.thread_id for one in sessions.threads("s")] == [2]


@pytest.mark.parametrize("hours", one_quick([-25, 25, 24 * 400, -24 * 400]))
def test_a_clock_that_jumps_and_comes_back_loses_nothing(kept: Kept, hours: int) -> None:
    sessions = kept.open()
    kept.say(sessions, "s", "a canoe")
    kept.later(sessions, hours=hours)
    kept.say(sessions, "s", "a kayak")
    kept.later(sessions, hours=-hours)
    assert "a kayak" in _words(sessions.get("s"))
    kept.later(sessions, days=3)  # the running thread, too, is in the database by now
    assert len({one for thread in sessions.warm.threads() for one in thread.message_ids}) == 2


def test_what_is_forgotten_or_erased_is_in_no_byte_of_any_tier(kept: Kept) -> None:
    kept.settings = SessionSettings(after_week="archive")
    sessions = kept.open()
    for name in ("cold", "warm", "hot"):
        kept.say(sessions, name, "a canoe", "a secret zebra")
        sessions.change(name, _end_thread)
        kept.say(sessions, name, "a zebra crossing", "a war")
        kept.later(sessions, days={"cold": 8, "warm": 2, "hot": 0}[name])
    (kept.home.sessions / "hot" / "x.json.broken-1").write_bytes(b"zebra")
    assert [sum(1 for _ in sessions.archive.threads(name)) for name in ("cold", "warm", "hot")] == [2, 0, 0]
    sessions.erase(Gone(touches=lambda text: "zebra" in text))
    for path in kept.home.sessions.rglob("*"):
        assert not path.is_file() or b"zebra" not in path.read_bytes()
    for name in ("cold", "warm", "hot"):
        assert [turn.msg for turn in sessions.threads(name)[0].turns] == ["a canoe"]
        assert sessions.threads(name)[0].summary == ""  # it rested on what went
        assert _words(sessions.get(name))[-1] == "a war"
    sessions.drop("cold")
    assert (sessions.get("cold"), list(sessions.archive.threads("cold"))) == (None, [])


def test_at_every_tier_words_stay_whole_and_a_persona_of_another_name_was_there_all_the_same(kept: Kept) -> None:
    kept.settings = SessionSettings(after_week="archive")
    sessions = kept.open()
    pasted = "one\u2028two\u2029three\x85four"  # these end a line elsewhere
    kept.say(sessions, "pasted", "a canoe", pasted)
    kept.say(sessions, "other", "a secret zebra", "a war")
    for hours, (old, new) in {0: ("A", "C"), 25: ("C", "D"), 24 * 8: ("D", "E")}.items():
        kept.later(sessions, hours=hours)
        sessions.rename("pasted", {old: new})
        assert (record := sessions.get("pasted")) is not None
        assert _words(record) == ["a canoe", pasted]
        assert (record.present, record.targets, record.history[0].present) == ([new, "B"], [new], [new, "B"])
        sessions.erase(Gone(touches=lambda text: "zebra" in text))
        assert _words(sessions.get("other")) == ["a war"]


def test_a_turn_that_cannot_be_read_is_said_costs_no_other_and_goes_with_what_is_erased(kept: Kept) -> None:
    kept.settings = SessionSettings(after_week="archive")
    sessions = kept.open()
    kept.say(sessions, "s", "a canoe", "a kayak")
    kept.later(sessions, days=8)
    [thread] = sessions.threads("s")
    lost = '{"message_id": "lost", "msg": "a dam'
    sessions.archive.put(thread.model_copy(update={"full_log": f"{lost}\n{thread.full_log}"}))
    assert _words(sessions.get("s")) == ["a canoe", "a kayak"]
    [told] = kept.told
    assert told.code == "sessions-turns-unread"
    sessions.erase(Gone(touches=lambda text: "canoe" in text))
    [thread] = sessions.threads("s")
    assert [turn.msg for turn in thread.turns] == ["a kayak"]
    assert lost in thread.full_log
    sessions.erase(Gone({"lost"}))
    assert lost not in sessions.threads("s")[0].full_log


def _tired(home: Path) -> Kept:
    """Return sessions of nine days ago, none of which was moved yet."""
    kept = Kept(Home(home), settings=SessionSettings(after_week="archive"))
    if not kept.home.sessions.exists():
        for number in range(2):
            kept.say(kept.open(), f"s{number}", "a canoe", "a kayak")
    kept.clock.move(days=9)
    return kept


def _move(home: Path) -> None:
    _tired(home).open().move()


def _ready() -> None:
    import duckdb  # noqa: F401, PLC0415  # a quarter of a second for each child


@needs_signals
def test_wherever_the_worker_is_killed_nothing_is_lost_or_doubled(tmp_path: Path, kill: Kill) -> None:
    _tired(tmp_path / "0")
    for death in kill(_move, copies(tmp_path / "0", tmp_path), whens=["before"], ready=_ready):
        sessions = _tired(death.given[0]).open()
        sessions.move()
        assert (inspect(sessions.home, sessions.clock).warm, len(sessions.warm.threads())) == (2, 2)
        assert [_words(sessions.get(f"s{number}")) for number in range(2)] == [["a canoe", "a kayak"]] * 2
        assert (list(sessions.hot.ids()), len(list(sessions.archive.threads()))) == ([], 2)


def test_a_redis_that_goes_and_comes_back_loses_nothing(kept: Kept, redis_server: RedisServer) -> None:
    import redis  # noqa: PLC0415

    def in_redis(name: str) -> list[str]:
        with redis.Redis.from_url(kept.url) as client:
            assert 0 < client.ttl(f"sess:{name}") <= 86400
            return _words(SessionRecord.model_validate_json(client.get(f"sess:{name}")))

    kept.url = redis_server.url
    sessions = kept.open()
    kept.say(sessions, "s", "a canoe")
    assert in_redis("s") == ["a canoe"]
    (kept.home.sessions / "hot" / "s.json").unlink()  # another computer's, say
    assert _words(kept.open().get("s")) == ["a canoe"]
    redis_server.stop()
    kept.say(sessions, "s", "a kayak")
    kept.say(sessions, "t", "a raft")
    assert [one.code for one in kept.told] == ["redis-gone"]
    assert _words(kept.open().get("s")) == ["a canoe", "a kayak"]
    redis_server.start()  # with nothing in it
    kept.later(sessions, seconds=10)
    assert [one.code for one in kept.told][-1] == "redis-back"
    assert (in_redis("s"), in_redis("t")) == (["a canoe", "a kayak"], ["a raft"])
    kept.later(sessions, hours=25)
    with redis.Redis.from_url(kept.url) as client:
        assert client.keys() == []
    assert _words(sessions.get("s")) == ["a canoe", "a kayak"]


def test_redis_puts_nothing_let_go_back(kept: Kept, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import redis  # noqa: PLC0415

    kept.url = redis_server.url
    sessions, reader = kept.open(), kept.open()
    kept.say(sessions, "s", "a secret zebra")
    (kept.home.sessions / "hot" / "s.json").unlink()
    asked = RedisHot._asked

    def dropped_meanwhile(hot: RedisHot, ask: Callable[[redis.Redis], object]) -> object:
        found = asked(hot, ask)
        monkeypatch.setattr(RedisHot, "_asked", asked)
        sessions.drop("s")
        return found

    monkeypatch.setattr(RedisHot, "_asked", dropped_meanwhile)
    assert reader.get("s") is None
    assert not any(b"zebra" in path.read_bytes() for path in kept.home.sessions.rglob("*") if path.is_file())


def test_a_redis_url_that_cannot_be_used_is_said_without_its_password(kept: Kept) -> None:
    for kept.url in ("nonsense", "redis://:hush@127.0.0.1:1"):
        sessions = kept.open()
        kept.say(sessions, "s", "a canoe")
        assert "hush" not in repr(sessions) + repr(sessions.hot)
    assert _words(kept.open().get("s")) == ["a canoe", "a canoe"]
    assert {"redis-address", "redis-gone"} == {one.code for one in kept.told}
    assert all("hush" not in one.ja + one.en for one in kept.told)


def test_what_is_damaged_is_set_aside_and_said(kept: Kept) -> None:
    sessions = kept.open()
    kept.say(sessions, "s", "a canoe")
    path = kept.home.sessions / "hot" / "s.json"
    path.write_bytes(b"{]")
    assert sessions.get("s") is None
    [aside] = path.parent.glob("*.broken-*")
    assert aside.read_bytes() == b"{]"
    assert [one.code for one in kept.told] == ["sessions-set-aside"]
