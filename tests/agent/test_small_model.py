"""Whether to recall, and what was felt, decided by the small model where the settings say so."""

import threading
from typing import Any

from agent.events import Noticed, Recalled
from agent.minds.errors import UnreachableError
from agent.prompts.message_emotion import EmotionDraft
from agent.prompts.recall_plan import RecallDraft
from agent.recall_planning import plan_with_model
from managers.mind import Cancel, Sheet
from managers.recall.question.planner import RecallPlan
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene, sure

LOCAL = RecallPlan(wanted=True, query="local")
SHEET = Sheet("Nemu", "en", "")
UNREACHABLE = UnreachableError(address="localhost:11434")
BRAVE = "Fine, everything is just fine, I only cried in the car again."


class Asked(ScriptedMind):
    """A small model that gives one structured answer, fails, or takes until it is stopped."""

    def __init__(self, answer: RecallDraft | EmotionDraft | Exception | None) -> None:
        super().__init__()
        self.answer = answer
        self.materials: list[str] = []
        self.stopped = threading.Event()

    def ask(self, _: str, material: str, __: type[Any], *, cancel: Cancel | None = None, **more: object) -> Any:
        self.materials.append(material)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is None:
            sure(cancel).wait()
            self.stopped.set()
        return self.answer or RecallDraft(search=False)


def test_the_models_plan_is_followed_and_where_it_has_none_the_local_one_stands_and_that_is_said() -> None:
    def planned(mind: ScriptedMind, patience: float = 60) -> tuple[RecallPlan, str]:
        plan, notice = plan_with_model(mind, SHEET, "And her?", [], LOCAL, patience=patience)
        return plan, notice.code if notice else ""

    assert planned(Asked(RecallDraft(search=True, query=" Aiko's sister "))) == (
        RecallPlan(wanted=True, query="Aiko's sister"),
        "",
    )
    assert planned(Asked(RecallDraft(search=False))) == (RecallPlan(False, ""), "")
    assert planned(Asked(RecallDraft(search=True))) == (LOCAL, "")
    assert planned(Asked(UNREACHABLE)) == (LOCAL, "recall-plan-failed")
    assert planned(ScriptedMind()) == (LOCAL, "recall-plan-no-model")
    slow = Asked(None)
    assert planned(slow, patience=0.05) == (LOCAL, "recall-plan-slow")
    slow.stopped.wait()


def test_a_turn_asks_the_small_model_only_if_the_settings_say_so(scene: Scene) -> None:
    small = scene.minds.small = Asked(RecallDraft(search=True, query="kingfisher"))
    scene.talk("We saw a kingfisher at the pond.", "Nice.")
    assert small.materials == []
    scene.settings.recall.plan_with_model = True
    scene.mind.enqueue("Indeed.", "Hm.")
    events = scene.live(scene.companion.say("What a bird."))
    assert [event.query for event in events if isinstance(event, Recalled)] == ["kingfisher"]
    assert [one for one in ("We saw a kingfisher at the pond.", "What a bird.") if one not in small.materials[0]] == []
    small.answer = UNREACHABLE
    events = scene.live(scene.companion.say("Good night."))
    assert "recall-plan-failed" in [event.notice.code for event in events if isinstance(event, Noticed)]


def test_the_small_model_reads_what_was_felt_only_where_one_wants_it_and_makes_no_danger_less(scene: Scene) -> None:
    def say(text: str) -> tuple[str, list[str]]:
        scene.talk(text, "Mm.")
        notices = [str(one.level) for one in scene.memories.notices.all if one.code == "emotion-reading"]
        return scene.memories.emotions.recent()[0].emotion, notices

    small = scene.minds.small = Asked(EmotionDraft(emotion="stressed"))
    assert say(BRAVE)[0] != "stressed"
    assert small.materials == []
    scene.settings.conversation.read_emotion_with_model = True
    assert say(BRAVE) == ("stressed", [])
    assert BRAVE in small.materials[0]
    assert len(scene.memories.emotions.entries()) == 2
    small.answer = EmotionDraft(emotion="neutral")
    assert say("I want to die.")[0] == "sadness"
    assert len(small.materials) == 1
    for none in (Asked(UNREACHABLE), ScriptedMind()):
        scene.minds.small = none
        felt, told = say("I am so happy today!")
        assert (felt in {"happy", "joy"}, told) == (True, ["info"])
        scene.minds.small = small
        assert say("Still here!")[1] == []
