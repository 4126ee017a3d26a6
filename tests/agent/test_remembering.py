"""What is at hand when it is asked for, days and nights later, and what an answer shows as its ground: the whole graph."""

from collections.abc import Callable
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
from managers.mind import Cancel
from managers.recall.hits import Hit
from managers.storage.errors import Lang
from managers.storage.files import write_atomic
from tests.agent.conftest import NewScene, Scene

NOW = datetime(2026, 11, 21, 9)  # a Saturday


def reply(scene: Scene, text: str, *, off_record: bool = False) -> str:
    events = scene.live(scene.companion.say(text, off_record=off_record))
    return next(event.message.text for event in events if isinstance(event, Replied))


def recalled(scene: Scene, text: str) -> list[str]:
    """Say something to the scripted mind; return what is recalled for it."""
    scene.mind.enqueue("Hm.")
    events = scene.live(scene.companion.say(text))
    return [hit.text for event in events if isinstance(event, Recalled) for hit in event.hits]


# --- told by the built-in mind


def test_facts_come_with_their_days_after_the_nights(scene: Scene) -> None:
    scene.minds.mind = BuiltInMind()
    days = (
        (
            *("My brother Neil moved to Leeds in May.", "He works in a bakery and he hates mornings."),
            *("My cat is called Biscuit. She's ginger.", "I had a fight with Neil about the car."),
        ),
        (
            *("I'm picking Mum up from the airport on Thursday.", "No, it's on Friday."),
            *("My friend Agnes bought a blue bicycle.", "My sister Priya plays the harp."),
            *("I work as a nurse in York.", "My colleague Tom has two dogs.", "I love hiking in the Dales."),
        ),
    )
    for at, lines in enumerate(days):
        scene.clock.set(datetime(2026, 11, 16 + at, 20))
        for line in lines:
            scene.clock.move(minutes=1)
            reply(scene, line)
        scene.clock.move(hours=8)
        CompanionSleeper(scene.memories, scene.minds, scene.clock).dream(Cancel())
    scene.clock.set(NOW)

    def ask(text: str) -> str:
        scene.companion.new_topic()
        return reply(scene, text)

    answer = ask("Who is Neil?")
    assert "your brother" in answer
    assert "he moved to Leeds in May" in answer
    assert "on monday" in answer.lower()
    assert ask("What colour is Biscuit?").startswith("Ginger")
    assert ask("What colour is Agnes's bicycle?").startswith("Blue")
    assert ask("When am I picking Mum up from the airport?").startswith("On Friday")
    assert "birthday" in ask("When is my birthday?")
    events = scene.live(scene.companion.say("What do you know about me?"))
    found = [hit for event in events if isinstance(event, Recalled) for hit in event.hits]
    assert 5 < len(found) <= scene.settings.recall.max_hits


Said = dict[int, tuple[str, ...]]
EN: Said = {
    13: ("The migration deadline at work is the 4th of December.", "I had ramen for lunch."),
    9: ("I bought a red bicycle.", "It has three gears."),
    7: ("The migration deadline has moved to the 18th of December.", "What is the weather like?"),
    2: ("Good morning!", "I went to the aquarium with Nora and we saw jellyfish.", "Then we ate pancakes."),
    1: ("Good morning!", "I cleaned the whole kitchen.", "In the evening I watched a film about whales."),
}
JA: Said = {
    16: ("クロは全身真っ黒で、しっぽの先だけ白いんだ。", "妹の直子は金沢に住んでる。"),
    13: ("猫のモモが入院しちゃった。", "心配で眠れない。"),
    9: ("おはよう！", "モモちゃんが退院しました!"),
    7: ("モモはどうしてるかな？",),
    5: ("猫のモモはどうなった？", "おやすみ！"),
    1: ("おはよう！", "台所を全部掃除した。", "夜は鯨の映画を観た。"),
}


def lived(new_scene: NewScene, lang: Lang, days: Said) -> Callable[[str], str]:
    """Live through some days with a persona who knows nothing yet; return how it answers today."""
    scene = new_scene(lang=lang)
    scene.minds.mind = BuiltInMind()
    scene.settings.conversation.window_turns = 1
    for ago, said in days.items():
        scene.clock.set(NOW - timedelta(days=ago))
        for text in said:
            scene.clock.move(seconds=40)
            reply(scene, text)
    scene.companion.new_topic()
    scene.memories.recall.catch_up()
    scene.clock.set(NOW + timedelta(minutes=1))
    return lambda text: reply(scene, text, off_record=True)


def test_what_is_asked_in_passing_in_english(new_scene: NewScene) -> None:
    ask = lived(new_scene, "en", EN)
    assert "18th of December" in ask("What is the migration deadline now?").split("4th")[0]
    assert "three gears" in ask("How many gears does the bicycle have?").lower()
    for question in ("What did we talk about last Thursday?", "What did I tell you the day before yesterday?"):
        told = ask(question)
        assert "jellyfish" in told.split("pancakes")[0]
        assert "Good morning" not in told
    told = ask("What did I do yesterday?")
    assert "kitchen" in told.split("whales")[0]
    assert "jellyfish" not in told
    for question in ("How does a fridge work?", "What is the capital of France?", "How are you?"):
        assert "you said" not in ask(question), question
        assert "told me: " not in ask(question)


def test_what_is_asked_in_passing_in_japanese(new_scene: NewScene) -> None:
    ask = lived(new_scene, "ja", JA)
    assert "真っ黒" in ask("クロは何色？")
    assert "真っ黒" in ask("クロについて教えて")
    assert "金沢" in ask("直子はどこに住んでる？")
    told = ask("猫のモモはどうなった？")
    assert "退院した" in told.split("入院")[0]
    assert "私のほうから" not in told
    assert "退院した" in ask("モモは元気？")
    assert "退院しました" in ask("先週の木曜、何の話をしたっけ")
    assert "台所" in ask("昨日、何をしたっけ？").split("鯨")[0]
    for question in ("冷蔵庫の仕組みは？", "フランスの首都はどこ？", "元気？"):
        assert "「" not in ask(question)


# --- what is true of the user, though the question shares no word with it


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


def test_what_was_told_before_the_name_was_known_is_found_under_it_until_something_newer_is(scene: Scene) -> None:
    know(scene, "You", Fact("You: “I live in Bremen”", id="f_1", slot="home", since="2025-01-01"))
    assert recalled(scene, "Where do I live?")[0] == "You: “I live in Bremen”"
    know(scene, "Aoi", Fact("Aoi: “I moved to York”", id="f_2", slot="home", since="2026-01-01"))
    found = recalled(scene, "Where do I live?")
    assert found[0] == "Aoi: “I moved to York”"
    assert "You: “I live in Bremen”" not in found


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


def test_what_somebody_told_of_themselves_is_recalled_before_a_night_has_kept_it(scene: Scene) -> None:
    lines = ("I teach maths at a school in Leeds.", "The bus was late.", "My brother Neil plays the drums.")
    for line in lines:
        scene.talk(line, "I see.")
    scene.companion.new_topic()
    found = recalled(scene, "What do you know about me?")
    assert {lines[0], lines[2]} <= {*found}
    assert lines[1] not in found[:2]


# --- the ground of an answer


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


def test_what_the_built_in_mind_says_rests_on_the_memory_that_says_so_and_on_nothing_where_it_knows_nothing(
    told: Scene,
) -> None:
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
