"""Whether to recall, decided by the small model where the settings say so."""

import threading
from typing import Any

import pytest

from agent.events import Noticed, Recalled
from agent.minds.errors import UnreachableError
from agent.prompts import recall_plan
from agent.prompts.recall_plan import RecallDraft
from agent.recall_planning import plan_with_model
from managers.mind import Cancel, Sheet
from managers.recall.question.planner import RecallPlan
from managers.storage.errors import Lang
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene

LOCAL = RecallPlan(wanted=True, query="local")
SHEET = Sheet("Nemu", "en", "")


class Asked(ScriptedMind):
    """A small model that gives one structured answer, fails, or takes until it is stopped."""

    def __init__(self, answer: RecallDraft | Exception | None) -> None:
        super().__init__()
        self.answer = answer
        self.materials: list[str] = []
        self.stopped = threading.Event()

    def ask(
        self,
        instructions: str,
        material: str,
        answer: type[Any],
        *,
        language: Lang = "en",
        cancel: Cancel | None = None,
        **_: object,
    ) -> Any:
        self.materials.append(material)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is None:
            assert cancel is not None
            cancel.wait(20)
            self.stopped.set()
        return self.answer or RecallDraft(search=False)


def test_the_models_plan_is_followed() -> None:
    mind = Asked(RecallDraft(search=True, query=" Aiko's sister "))
    assert plan_with_model(mind, SHEET, "And her?", [], LOCAL) == (RecallPlan(wanted=True, query="Aiko's sister"), None)
    assert plan_with_model(Asked(RecallDraft(search=False)), SHEET, "Hi", [], LOCAL)[0] == RecallPlan(False, "")


def test_a_plan_without_words_looks_for_the_local_ones() -> None:
    assert plan_with_model(Asked(RecallDraft(search=True)), SHEET, "And her?", [], LOCAL)[0] == LOCAL


def test_a_failure_is_said_and_the_local_plan_stands() -> None:
    plan, notice = plan_with_model(Asked(UnreachableError(address="localhost:11434")), SHEET, "And her?", [], LOCAL)
    assert plan == LOCAL
    assert notice is not None
    assert notice.code == "recall-plan-failed"


def test_nobody_waits_for_a_slow_model_and_it_is_stopped() -> None:
    mind = Asked(None)
    plan, notice = plan_with_model(mind, SHEET, "And her?", [], LOCAL, patience=0.05)
    assert plan == LOCAL
    assert notice is not None
    assert notice.code == "recall-plan-slow"
    assert mind.stopped.wait(60)


def test_without_a_language_model_the_local_plan_stands() -> None:
    plan, notice = plan_with_model(ScriptedMind(), SHEET, "And her?", [], LOCAL)
    assert plan == LOCAL
    assert notice is not None
    assert notice.code == "recall-plan-no-model"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_prompt_holds_the_turns_before(scene: Scene, language: Lang) -> None:
    scene.mind.enqueue("She is a potter.")
    scene.live(scene.companion.say("Aiko has a sister."))
    sheet = Sheet("ねむ", language, "")
    instructions, material = recall_plan.build(sheet, "And her dog?", scene.memories.log.tail(10))
    assert "ねむ" in instructions
    assert "Aiko has a sister." in material
    assert "And her dog?" in material


def test_a_turn_asks_the_small_model_only_if_the_settings_say_so(scene: Scene) -> None:
    small = Asked(RecallDraft(search=True, query="kingfisher"))
    scene.minds.small = small
    scene.mind.enqueue("Nice.", "Indeed.", "Hm.")
    scene.live(scene.companion.say("We saw a kingfisher at the pond."))
    assert small.materials == []
    scene.settings.recall.plan_with_model = True
    events = scene.live(scene.companion.say("What a bird."))
    assert [event.query for event in events if isinstance(event, Recalled)] == ["kingfisher"]
    assert "What a bird." in small.materials[0]
    small.answer = UnreachableError(address="localhost:11434")
    events = scene.live(scene.companion.say("Good night."))
    assert "recall-plan-failed" in [event.notice.code for event in events if isinstance(event, Noticed)]
