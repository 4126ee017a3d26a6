"""What is at hand when it is asked for, days and nights later, and what an answer shows as its ground: the whole graph."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from agent.events import Recalled, Replied
from agent.minds.builtin import BuiltInMind
from agent.prompt_building import witnesses
from agent.sleeper import CompanionSleeper
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.storage.files import write_atomic
from tests.agent.conftest import Scene

NOW = datetime(2026, 11, 21, 9)  # a Saturday


def reply(scene: Scene, text: str, *, off_record: bool = False) -> str:
    events = scene.live(scene.companion.say(text, off_record=off_record))
    return next(event.message.text for event in events if isinstance(event, Replied))


def recalled(scene: Scene, text: str) -> list[str]:
    """Say something to the scripted mind; return what is recalled for it."""
    scene.mind.enqueue("Hm.")
    events = scene.live(scene.companion.say(text))
    return [hit.text for event in events if isinstance(event, Recalled) for hit in event.hits]


def know(scene: Scene, name: str, *facts: Fact) -> None:
    path = scene.memories.entities.path(name)
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, format_entity(Entity(name, "person", lines=facts)).encode())


def test_where_one_lives_is_recalled_from_a_fact_in_other_words(scene: Scene) -> None:
    old = Fact("Aoi: “I moved to Leeds”", id="f_1", slot="home", since="2025-01-01", until="2025-06")
    know(scene, "Aoi", old, replace(old, text="Aoi: “I moved to York”", id="f_2", until=""))
    assert recalled(scene, "Where do I live?")[0] == "Aoi: “I moved to York”"
    assert "Aoi: “I moved to Leeds”" not in recalled(scene, "Do you remember where I live?")[:1]
    assert not recalled(scene, "Where do people buy stamps?")
    assert not recalled(scene, "How old am I?")
    scene.settings.user.name = "Aoi/Mio"  # no name of a file
    assert recalled(scene, "How tall am I?") == []


def test_a_name_that_was_only_told_is_the_one_under_which_facts_are_kept_and_found(scene: Scene) -> None:
    scene.settings.user.name = ""
    scripted, scene.minds.mind = scene.minds.mind, BuiltInMind()
    for line in ("Hi, my name is Greta.", "I live in Bremen now."):
        scene.clock.move(minutes=2)
        reply(scene, line)
    CompanionSleeper(scene.memories, scene.minds, scene.clock).dream_of(scene.clock.now().date())
    assert scene.memories.entities.get("You") is None
    scene.minds.mind = scripted
    scene.companion.new_topic()
    assert recalled(scene, "Where do I live?")[0] == "Greta: “I live in Bremen now.”"


def test_all_that_is_known_of_somebody_is_recalled_when_they_ask_for_it(scene: Scene) -> None:
    own = [
        Fact("Aoi: “I moved to York”", id="f_1", slot="home", since="2025-01-01"),
        Fact("Aoi: “I am allergic to nuts”", id="f_2"),
    ]
    know(scene, "Aoi", *own, Fact("Aoi: “I live in Leeds”", id="f_3", slot="home", since="2024-01-01", until="2025-01"))
    know(scene, "Priya", Fact("Aoi: “My sister Priya plays the harp”", id="f_4"))
    for asked in ("What do you know about me?", "わたしのこと、どれくらい知ってる？"):
        found = recalled(scene, asked)
        told = ["“I moved to York”", "“I am allergic to nuts”", "“My sister Priya plays the harp”"]
        assert [text.split(": ")[1] for text in found[:3]] == told
        assert not any("Leeds" in text for text in found)


@pytest.fixture
def told(scene: Scene) -> Scene:
    """Two hundred and more messages of other days."""
    first = scene.clock.now() - timedelta(days=60)
    texts = ["My sister Hanako lives in Sapporo.", "Hanako has a loud dog called Brisket."]
    texts += [f"The {number}th page of the almanac is about weather and tides." for number in range(230)]
    said = [Message(f"m{n}", first + timedelta(hours=3 * n), "user", "Aoi", text) for n, text in enumerate(texts)]
    asking = ("What is your dentist's name?", "Does your sister Hanako live far away?")
    asked = [Message(f"q{n}", first - timedelta(days=10 + n), "persona", "Nemu", text) for n, text in enumerate(asking)]
    scene.memories.log.append_many([*said, *asked])
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


def test_what_the_built_in_mind_says_rests_on_the_memory_that_says_so_or_on_nothing_if_none_does(told: Scene) -> None:
    told.minds.mind = BuiltInMind()
    said, found, grounds = asked(told, "Do you remember my dentist's name?")
    assert "Would you tell me?" in said
    assert [hit.message_ids for hit in found] == [("q0",)]  # near enough to be looked at, and it only asks
    assert grounds == []
    said, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    assert "Sapporo" in said
    assert len(found) > 1
    assert [hit.message_ids for hit in grounds] == [("m0",)]
    said, _, grounds = asked(told, "Who is Hanako?")
    assert "sister" in said
    assert {one for hit in grounds for one in hit.message_ids} == {"m0", "m1"}
    assert asked(told, "Good morning!")[2] == []


def test_a_model_shows_what_it_was_handed_and_only_what_there_was_room_for(told: Scene) -> None:
    told.mind.enqueue("In Sapporo.", "Far.")
    _, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    assert grounds == found
    assert "m0" in {one for hit in grounds for one in hit.message_ids}
    assert all(hit.score <= told.settings.recall.threshold for hit in grounds)
    first, far = datetime(2026, 3, 1, 9), "far " * 60
    said = [(f"l{n}", first + timedelta(minutes=n), f"Sister Hanako lives {n}, {far}") for n in range(8)]
    told.memories.log.append_many([Message(key, time, "user", "Aoi", text) for key, time, text in said])
    told.companion.new_topic()
    told.memories.recall.catch_up()
    told.mind.context_tokens = 2750
    _, found, grounds = asked(told, "Do you remember where my sister Hanako lives?")
    quoted = told.asked.turns[-1].quoted
    assert 0 < len(grounds) < len(found)
    assert all(hit.text[:12] in quoted for hit in grounds)
    assert not any(hit.text in quoted for hit in found if hit not in grounds)


def test_what_was_taken_back_is_no_witness(scene: Scene) -> None:
    tea, _, pin, *_ = scene.talk("I like tea.", "Hm.", "My pin is 4471.", "Hm.", "It rains.", "Hm.")
    hit = Hit("I like tea.", "current_log", "semantic", "log.txt", (tea,), 0.1)
    assert [m.text for m in witnesses(scene.memories.log, [hit])] == ["I like tea.", "My pin is 4471.", "It rains."]
    scene.memories.log.supersede(pin, None)
    assert [m.text for m in witnesses(scene.memories.log, [hit])] == ["I like tea.", "It rains."]
