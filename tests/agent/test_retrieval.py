"""What `recall --as-turn` shows is what a turn would hand to its prompt."""

from agent.events import Recalled
from agent.retrieval import retrieve_as_turn
from managers.storage.settings import MemorySettings
from tests.agent.conftest import Scene


def recalled(scene: Scene, text: str) -> list[str]:
    scene.mind.enqueue("Hm.")
    events = scene.live(scene.companion.say(text))
    return [hit.text for event in events if isinstance(event, Recalled) for hit in event.hits]


def test_it_is_the_same_as_in_a_turn(scene: Scene) -> None:
    scene.settings.conversation.window_turns = 1
    for text in ("My sister Mia plays the cello.", "The kettle is red.", "I like the rain."):
        recalled(scene, text)
    scene.memories.recall.catch_up()
    for text in ("What does my sister Mia play?", "Good morning!", "What colour is my kettle?"):
        shown = [hit.text for hit in retrieve_as_turn(scene.memories, text)]
        assert recalled(scene, text) == shown
        assert bool(shown) == text.endswith("?")
    scene.settings.recall.enable_auto_retrieval = False
    assert retrieve_as_turn(scene.memories, "What does my sister Mia play?") == []


def test_talk_that_is_no_longer_in_use_stands_in_no_prompt(scene: Scene) -> None:
    scene.mind.enqueue("Zebulon? I see.")
    scene.live(scene.companion.say("My neighbour is called Zebulon."))
    scene.clock.move(days=40)
    for retention, is_there in (("table", False), ("everything", True)):
        scene.settings.memory = MemorySettings.model_validate({"retention": retention})
        scene.mind.enqueue("Hm.")
        scene.live(scene.companion.say("What is my neighbour called?"))
        request = scene.mind.requests[-1]
        held = [*(turn.text + turn.quoted for turn in request.turns), *(hit.text for hit in request.hits)]
        assert any("Zebulon" in one for one in held) is is_there
