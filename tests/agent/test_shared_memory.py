"""What personas share of the user: given to those who may have it, gone with its origin, and never another user's."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest

from agent.erasing import erase, plan_erasure
from agent.memories import Memories
from agent.retrieval import retrieve_as_turn
from agent.services import Services, open_services
from managers.memory.messages import Message
from managers.sessions.long_term import Chunk, chunk_id
from managers.sessions.records import ThreadRecord
from managers.storage.clock import new_id
from managers.storage.paths import Home
from tests.fakes import HandClock

FACT = "ユーザーは京都の北白川に住んでいる"
LIKES = "ユーザーは紅茶より珈琲のほうが好き"
ASKED = "京都の北白川に住んでいるか覚えてる？"


@pytest.fixture
def house(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Services]:
    services = open_services(own_home, clock, rng)
    services.settings_file.change("user", name="ハル")
    for name in ("Claris", "Nox", "Lumina"):
        if name not in services.personas.list_names():
            services.personas.create(name, language="ja")
    yield services
    services.close()


def share(house: Services, *names: str, on: bool = True) -> None:
    for name in names:
        house.personas.set_settings(name, "memory", shared=on)


def tell(house: Services, name: str, text: str = FACT) -> str:
    """Let a persona know a fact of the user, and the message it rests on."""
    memories = house.memories(name)
    message = Message(new_id(house.clock, house.rng), house.clock.now(), "user", "ハル", text)
    memories.log.append_shared(message)
    memories.entities.note("ハル", text, author=name, mind="built-in", evidence=[message.id])
    memories.shared.renew()
    return message.id


def shared(memories: Memories, query: str = ASKED, *, leaves: bool = False) -> list[str]:
    return [hit.text for hit in memories.shared.hits(query, leaves=leaves)]


def test_is_given_to_those_whom_the_user_lets_share(house: Services) -> None:
    tell(house, "Claris")
    nox = house.memories("Nox")
    assert not shared(nox)  # nobody shares
    share(house, "Claris")
    nox.shared.renew()
    assert not shared(nox)
    share(house, "Nox")
    nox.shared.renew()
    assert shared(nox) == [FACT]
    assert not shared(house.memories("Claris"))  # it knows that itself
    assert not shared(house.memories("Lumina"))
    [hit] = [one for one in retrieve_as_turn(nox, ASKED) if one.shared_by]
    assert (hit.text, hit.shared_by) == (FACT, "Claris")
    share(house, "Claris", on=False)
    assert not shared(nox)  # at once, before anything is made anew
    nox.shared.keep_up()
    assert FACT not in nox.shared.store().path.read_text("utf-8")


def test_a_thread_is_for_those_who_heard_all_of_it(house: Services) -> None:
    share(house, "Claris", "Nox", "Lumina")
    present = ("Claris", "Nox")
    now = house.clock.now()
    said = Message(new_id(house.clock, house.rng), now, "user", "ハル", "灯台の映画を観た", present=present, group="g1")
    for name in present:
        house.memories(name).log.append_shared(said)
    record = ThreadRecord(
        thread_id=1, session_id="g1", ts_start=said.time, ts_end=said.time, summary="灯台の映画の話をした",
        present=["Claris", "Nox"], message_ids=[said.id], domain="movie",
    )  # fmt: skip
    for name in ("Claris", "Lumina"):
        house.memories(name).shared.threads = lambda _: [record]
    house.memories("Claris").shared.renew()
    assert shared(house.memories("Nox"), "灯台の映画") == ["灯台の映画の話をした"]
    assert not shared(house.memories("Lumina"), "灯台の映画")
    [chunk] = [one for one in house.memories("Nox").shared.store().load().chunks if one.kind == "thread"]
    assert "domain:movie" in chunk.tags
    house.memories("Nox").log.supersede(said.id, None)
    assert not shared(house.memories("Nox"), "灯台の映画")  # it was taken back
    house.memories("Claris").shared.renew()
    assert "灯台" not in house.memories("Nox").shared.store().path.read_text("utf-8")


def test_users_are_kept_apart(house: Services, clock: HandClock) -> None:
    share(house, "Claris", "Nox")
    house.settings_file.change("user", uid="a")
    house.memories("Claris").settings()
    clock.move(minutes=1)
    tell(house, "Claris")
    nox = house.memories("Nox")
    assert shared(nox) == [FACT]
    clock.move(minutes=1)
    house.settings_file.change("user", uid="b")
    nox.settings()
    clock.move(minutes=1)
    tell(house, "Claris", LIKES)
    nox.shared.renew()
    assert not shared(nox)
    assert shared(nox, "珈琲は好き？") == [LIKES]
    assert not [hit for hit in retrieve_as_turn(nox, ASKED) if hit.text == FACT]
    folder = house.home.sessions / "users"
    assert FACT not in (folder / "b" / "long_term.json").read_text("utf-8")
    assert LIKES not in (folder / "a" / "long_term.json").read_text("utf-8")
    clock.move(minutes=1)
    house.settings_file.change("user", uid="a")
    nox.settings()
    nox.shared.renew()
    assert shared(nox) == [FACT]
    assert not shared(nox, "珈琲は好き？")


def test_what_is_for_this_computer_or_for_one_persona_alone_is_given_to_no_other(house: Services) -> None:
    share(house, "Claris", "Nox")
    message = tell(house, "Claris")
    tell(house, "Claris", LIKES)
    claris, nox = house.memories("Claris"), house.memories("Nox")
    house.memories("Lumina").log.append_shared(claris.log.originals([message])[message])
    house.memories("Lumina").audiences.mark(message, "this-computer", [message])  # who heard it, too
    assert not shared(nox)  # its origin reads otherwise now
    nox.shared.renew()
    assert shared(nox) == [FACT]
    assert not shared(nox, leaves=True)
    claris.audiences.mark(message, "this-persona", [message])
    nox.shared.renew()
    assert shared(nox, f"{ASKED}珈琲は好き？") == [LIKES]
    assert FACT not in nox.shared.store().path.read_text("utf-8")
    claris.notes.append("core_memory", "- ハルは京都の北白川に住んでいる", author="user", reason="edit")
    nox.shared.renew()
    assert shared(nox) == ["ハルは京都の北白川に住んでいる"]
    claris.audiences.mark("core_memory.txt", "this-persona")
    assert not shared(nox)
    nox.shared.renew()
    assert not shared(nox)
    claris.audiences.mark(message, "any")
    nox.shared.renew()
    assert shared(nox) == [FACT]


def test_what_is_erased_leaves_it_to_the_last_byte(house: Services) -> None:
    share(house, "Claris", "Nox")
    message = tell(house, "Claris")
    assert shared(house.memories("Nox")) == [FACT]
    claris = house.memories("Claris")
    erase(claris, plan_erasure(claris, message))
    assert not shared(house.memories("Nox"))
    for path in (house.home.sessions / "users").rglob("*"):
        assert not path.is_file() or "北白川".encode() not in path.read_bytes()


def test_what_is_old_and_worth_little_is_put_away_and_comes_back(house: Services, clock: HandClock) -> None:
    store = house.memories("Nox").shared.store()
    old, dear = (
        Chunk(id=chunk_id("thread", "g", str(kpi)), kind="thread", text=f"{kpi}", origin="g", time=clock.now(), kpi=kpi)
        for kpi in (3.0, 30.0)
    )
    store.renew([old, dear], {})
    clock.move(days=100)
    store.renew([old, dear], {})
    assert [one.id for one in store.put_away()] == [old.id]
    assert [one.id for one in store.load().in_use] == [dear.id]
    store.restore([old.id])
    clock.set(clock.now() + timedelta(days=30))
    store.renew([old, dear], {})
    assert not store.put_away()
