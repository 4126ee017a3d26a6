"""What somebody felt, read once more by the small model where the settings say so."""

from typing import Any

import pytest

from agent.minds.errors import UnreachableError
from agent.prompts import message_emotion
from agent.prompts.message_emotion import EmotionDraft
from managers.mind import Cancel, Sheet
from managers.storage.errors import Lang
from tests.agent.choosing import ScriptedMind
from tests.agent.conftest import Scene

BRAVE = "Fine, everything is just fine, I only cried in the car again."


class Reader(ScriptedMind):
    """A small model that reads one emotion, or fails."""

    def __init__(self, answer: EmotionDraft | Exception) -> None:
        super().__init__()
        self.answer = answer
        self.materials: list[str] = []

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
        return self.answer


def say(scene: Scene, text: str) -> str:
    scene.clock.move(minutes=1)
    scene.mind.enqueue("Mm.")
    scene.live(scene.companion.say(text))
    return scene.memories.emotions.recent()[0].emotion


def test_the_small_model_reads_only_where_a_person_wants_it(scene: Scene) -> None:
    small = scene.minds.small = Reader(EmotionDraft(emotion="stressed"))
    assert say(scene, BRAVE) != "stressed"
    assert small.materials == []
    scene.settings.conversation.read_emotion_with_model = True
    assert say(scene, BRAVE) == "stressed"
    assert BRAVE in small.materials[0]
    assert len(scene.memories.emotions.entries()) == 2


def test_of_danger_no_model_makes_less(scene: Scene) -> None:
    small = scene.minds.small = Reader(EmotionDraft(emotion="neutral"))
    scene.settings.conversation.read_emotion_with_model = True
    assert say(scene, "I want to die.") == "sadness"
    assert small.materials == []


def test_what_was_read_here_stands_where_the_model_fails_and_that_is_said(scene: Scene) -> None:
    scene.settings.conversation.read_emotion_with_model = True
    scene.minds.small = Reader(UnreachableError(address="localhost:11434"))
    assert say(scene, "I am so happy today!") in {"happy", "joy"}
    assert [one.level for one in scene.memories.notices.all if one.code == "emotion-reading"] == ["info"]
    scene.minds.small = Reader(EmotionDraft(emotion="joy"))
    say(scene, "Still happy!")
    assert "emotion-reading" not in [one.code for one in scene.memories.notices.all]


def test_without_a_language_model_that_is_said(scene: Scene) -> None:
    scene.settings.conversation.read_emotion_with_model = True
    scene.minds.small = ScriptedMind()
    say(scene, "I am so happy today!")
    assert "emotion-reading" in [one.code for one in scene.memories.notices.all]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_prompt_names_every_feeling_and_who_is_meant(scene: Scene, language: Lang) -> None:
    say(scene, "Aiko left without a word.")
    told = message_emotion.build(Sheet("ねむ", language, "", user_name="Mina"), BRAVE, scene.memories.log.tail(4))
    assert "“Mina”" in told[0] or "「Mina」" in told[0]
    for one in ("joy", "neutral", "stressed", "anger"):
        assert one in told[0]
    assert "Aiko left" in told[1]
