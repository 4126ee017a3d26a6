"""Facts asked for on a later day, after nights of dreaming and in a new conversation: through the whole graph."""

from datetime import datetime, timedelta

from agent.events import Recalled, Replied
from agent.minds.builtin import BuiltInMind
from agent.prompt_building import witnesses
from agent.sleeper import CompanionSleeper
from managers.mind import Cancel
from managers.recall.hits import Hit
from tests.agent.conftest import Scene

MONDAY = datetime(2026, 11, 16, 20)
DAYS = (
    (
        "My brother Neil moved to Leeds in May.",
        "He works in a bakery and he hates mornings.",
        "My cat is called Biscuit. She's ginger.",
        "I had a fight with Neil about the car.",
    ),
    (
        "I'm picking Mum up from the airport on Thursday.",
        "No, it's on Friday.",
        "My friend Agnes bought a blue bicycle.",
        "My sister Priya plays the harp.",
        "I work as a nurse in York.",
        "My colleague Tom has two dogs.",
        "I love hiking in the Dales.",
    ),
)


def live(scene: Scene) -> None:
    """Live through some days with their nights, and begin anew on Saturday."""
    scene.minds.mind = BuiltInMind()
    for at, lines in enumerate(DAYS):
        scene.clock.set(MONDAY + timedelta(days=at))
        for line in lines:
            scene.clock.move(minutes=1)
            scene.live(scene.companion.say(line))
        scene.clock.set(MONDAY + timedelta(days=at, hours=8))
        CompanionSleeper(scene.memories, scene.minds, scene.clock).dream(Cancel())
    scene.companion.new_topic()
    scene.companion.settle()
    scene.clock.set(datetime(2026, 11, 21, 9))


def ask(scene: Scene, text: str) -> str:
    """Return the answer, in a conversation of its own."""
    scene.companion.new_topic()
    events = scene.live(scene.companion.say(text))
    return "".join(event.message.text for event in events if isinstance(event, Replied))


def test_facts_come_with_their_days_after_the_nights(scene: Scene) -> None:
    live(scene)
    answer = ask(scene, "Who is Neil?")
    assert "your brother" in answer
    assert "he moved to Leeds in May" in answer
    assert "on monday" in answer.lower()
    assert ask(scene, "What colour is Biscuit?").startswith("Ginger")
    assert ask(scene, "What colour is Agnes's bicycle?").startswith("Blue")
    assert ask(scene, "When am I picking Mum up from the airport?").startswith("On Friday")
    assert ask(scene, "Who is Agnes?").count("Agnes") > 0
    assert "birthday" in ask(scene, "When is my birthday?")


def test_a_question_about_oneself_brings_ten_passages_at_most(scene: Scene) -> None:
    live(scene)
    events = scene.live(scene.companion.say("What do you know about me?"))
    found = [hit for event in events if isinstance(event, Recalled) for hit in event.hits]
    assert 5 < len(found) <= scene.settings.recall.max_hits


def test_what_was_taken_back_is_no_witness(scene: Scene) -> None:
    scene.mind.enqueue("Hm.", "Hm.", "Hm.")
    for line in ("I like tea.", "My pin is 4471.", "It rains."):
        scene.clock.move(minutes=1)
        scene.live(scene.companion.say(line))
    said = [m for m in scene.memories.log.messages() if m.role == "user"]
    hit = Hit("I like tea.", "current_log", "semantic", "log.txt", (said[0].id,), 0.1)
    assert [m.text for m in witnesses(scene.memories.log, [hit])] == ["I like tea.", "My pin is 4471.", "It rains."]
    scene.memories.log.supersede(said[1].id, None)
    assert [m.text for m in witnesses(scene.memories.log, [hit])] == ["I like tea.", "It rains."]
