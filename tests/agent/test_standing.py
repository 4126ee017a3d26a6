"""What is true of the user is at hand when it is asked for, though the question shares no word with it."""

from dataclasses import replace

from agent.events import Recalled
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.storage.files import write_atomic
from tests.agent.conftest import Scene


def know(scene: Scene, name: str, *facts: Fact) -> None:
    path = scene.memories.entities.path(name)
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, format_entity(Entity(name, "person", lines=facts)).encode())


def recalled(scene: Scene, text: str) -> list[str]:
    scene.mind.enqueue("Hm.")
    events = scene.live(scene.companion.say(text))
    return [hit.text for event in events if isinstance(event, Recalled) for hit in event.hits]


def test_where_one_lives_is_recalled_from_a_fact_in_other_words(scene: Scene) -> None:
    old = Fact("Aoi: “I moved to Leeds”", id="f_1", slot="home", since="2025-01-01", until="2025-06")
    know(scene, "Aoi", old, replace(old, text="Aoi: “I moved to York”", id="f_2", until=""))
    assert recalled(scene, "Where do I live?")[0] == "Aoi: “I moved to York”"
    assert "Aoi: “I moved to Leeds”" not in recalled(scene, "Do you remember where I live?")[:1]


def test_what_was_told_before_the_name_was_known_is_found_under_it_until_something_newer_is(scene: Scene) -> None:
    know(scene, "You", Fact("You: “I live in Bremen”", id="f_1", slot="home", since="2025-01-01"))
    assert recalled(scene, "Where do I live?")[0] == "You: “I live in Bremen”"
    know(scene, "Aoi", Fact("Aoi: “I moved to York”", id="f_2", slot="home", since="2026-01-01"))
    assert recalled(scene, "Where do I live?")[0] == "Aoi: “I moved to York”"
    assert "You: “I live in Bremen”" not in recalled(scene, "Where do I live?")


def test_what_was_not_asked_for_is_not_brought_up(scene: Scene) -> None:
    know(scene, "Aoi", Fact("Aoi: “I moved to York”", id="f_1", slot="home", since="2025-01-01"))
    assert not recalled(scene, "Where do people buy stamps?")
    assert not recalled(scene, "How old am I?")


def test_a_name_that_is_no_file_name_is_no_error(scene: Scene) -> None:
    scene.settings.user.name = "Aoi/Mio"
    assert recalled(scene, "Where do I live?") == []


def test_a_name_that_was_only_told_is_the_one_under_which_facts_are_kept_and_found(scene: Scene) -> None:
    scene.settings.user.name = ""
    scripted, scene.minds.mind = scene.minds.mind, BuiltInMind()
    for line in ("Hi, my name is Greta.", "I live in Bremen now."):
        scene.clock.move(minutes=2)
        scene.live(scene.companion.say(line))
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
        assert [text.split(": ")[1] for text in found[:3]] == [
            "“I moved to York”",
            "“I am allergic to nuts”",
            "“My sister Priya plays the harp”",
        ]
        assert not any("Leeds" in text for text in found)


def test_what_somebody_told_of_themselves_is_recalled_before_a_night_has_kept_it(scene: Scene) -> None:
    for line in ("I teach maths at a school in Leeds.", "The bus was late.", "My brother Neil plays the drums."):
        scene.clock.move(minutes=2)
        scene.mind.enqueue("I see.")
        scene.live(scene.companion.say(line))
    scene.companion.new_topic()
    found = recalled(scene, "What do you know about me?")
    assert "I teach maths at a school in Leeds." in found
    assert "My brother Neil plays the drums." in found
    assert "The bus was late." not in found[:2]
