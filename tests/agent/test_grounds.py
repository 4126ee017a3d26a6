"""What an answer shows as its ground: the memories that it rests on, and none where nothing was known."""

from datetime import datetime, timedelta

import pytest

from agent.events import Recalled, Replied
from agent.minds.builtin import BuiltInMind
from managers.memory.messages import Message
from managers.recall.hits import Hit
from tests.agent.conftest import Scene

TOLD = (
    "My sister Hanako lives in Sapporo.",
    "Hanako has a loud dog called Brisket.",
    "I planted tomatoes behind the shed.",
    "The harbour was full of boats on Sunday.",
    "My bicycle has a flat tyre again.",
)


@pytest.fixture
def told(scene: Scene) -> Scene:
    """Two hundred and more messages of other days."""
    first = scene.clock.now() - timedelta(days=60)
    fillers = [f"The {number}th page of the almanac is about weather and tides." for number in range(230)]
    messages = [
        Message(f"m{number}", first + timedelta(hours=3 * number), "user", "Aoi", text)
        for number, text in enumerate([*TOLD, *fillers])
    ]
    asking = ("What is your dentist's name?", "Does your sister Hanako live far away?")
    questions = [
        Message(f"q{n}", first - timedelta(days=10 + n), "persona", "Nemu", text) for n, text in enumerate(asking)
    ]
    scene.memories.log.append_many([*messages, *questions])
    scene.memories.recall.catch_up()
    return scene


def asked(scene: Scene, text: str) -> tuple[str, list[Hit], list[Hit]]:
    """Say something; return the answer, what was found for it, and what it shows as its ground."""
    events = scene.live(scene.companion.say(text))
    found = next(event for event in events if isinstance(event, Recalled))
    replied = next(event for event in events if isinstance(event, Replied))
    why = scene.companion.why(replied.message.id)
    assert [hit.message_ids for hit in (why.hits if why else ())] == [hit.message_ids for hit in replied.recalled]
    return replied.message.text, list(found.hits), list(replied.recalled)


def test_what_the_built_in_mind_does_not_know_rests_on_nothing(told: Scene) -> None:
    told.minds.mind = BuiltInMind()
    said, found, grounds = asked(told, "Do you remember my dentist's name?")
    assert "Would you tell me?" in said
    assert [hit.message_ids for hit in found] == [("q0",)]  # near enough to be looked at, and it only asks
    assert grounds == []


def test_what_it_knows_rests_on_the_memory_that_says_so_alone(told: Scene) -> None:
    told.minds.mind = BuiltInMind()
    said, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    assert "Sapporo" in said
    assert len(found) > 1
    assert [hit.message_ids for hit in grounds] == [("m0",)]


def test_who_somebody_is_rests_on_all_that_was_told_of_them(told: Scene) -> None:
    told.minds.mind = BuiltInMind()
    said, _, grounds = asked(told, "Who is Hanako?")
    assert "sister" in said
    assert {one for hit in grounds for one in hit.message_ids} == {"m0", "m1"}


def test_small_talk_rests_on_nothing(told: Scene) -> None:
    told.minds.mind = BuiltInMind()
    assert asked(told, "Good morning!")[2] == []


def test_a_model_shows_what_it_was_handed(told: Scene) -> None:
    told.mind.enqueue("In Sapporo.")
    _, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    assert grounds == found
    assert "m0" in {one for hit in grounds for one in hit.message_ids}
    assert all(hit.score <= told.settings.recall.threshold for hit in grounds)


def test_a_model_that_reads_little_shows_only_what_there_was_room_for(told: Scene) -> None:
    long_ago = datetime(2026, 3, 1, 9)
    long = [Message(f"l{n}", long_ago + timedelta(minutes=n), "user", "Aoi", f"Sister Hanako lives {n}, " + "far " * 60) for n in range(8)]  # fmt: skip
    told.memories.log.append_many(long)
    told.memories.recall.catch_up()
    told.mind.context_tokens = 2750
    told.mind.enqueue("Far.")
    _, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    quoted = told.mind.requests[-1].turns[-1].quoted
    assert 0 < len(grounds) < len(found)
    assert all(hit.text[:12] in quoted for hit in grounds)
    assert not any(hit.text in quoted for hit in found if hit not in grounds)
