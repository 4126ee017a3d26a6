"""A language model's dreams, with the model itself replaced at its `ask`."""

from __future__ import annotations

import json
from collections import deque
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from agent.errors import MindError
from agent.minds.language_model.dreaming import LanguageModelDreamMind
from agent.minds.language_model.impulse import LanguageModelImpulse
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import Cancel, Sheet
from managers.sleep.autonomy import Occasion
from managers.sleep.tasks import AnswerMaterial, DayMaterial, EntityMaterial, ReflectionMaterial
from managers.storage.errors import Lang


class GaveUpError(MindError):
    ja = "だめ"
    en = "gave up"


class FakeModel:
    """Answers from a queue; a wrong answer is asked for once more, as the real one does."""

    name = "fake"

    def __init__(self, *answers: object, context_tokens: int = 32_000) -> None:
        self.context_tokens = context_tokens
        self.asked: list[tuple[str, str]] = []
        self._answers = deque(answers)
        self.problems: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text)

    def ask(
        self,
        instructions: str,
        material: str,
        answer: type[Any],
        *,
        language: Lang = "en",
        cancel: Cancel | None = None,
    ) -> Any:
        assert issubclass(answer, BaseModel)
        self.asked.append((instructions, material))
        for _ in range(2):
            try:
                return answer.model_validate_json(json.dumps(self._answers.popleft()))
            except ValidationError as error:
                self.problems.append(str(error))
        raise GaveUpError


def said(number: int, text: str, role: str = "user") -> Message:
    time = datetime(2026, 1, 2, 20) + timedelta(minutes=number)
    speaker = "Hana" if role == "user" else "Nemu"
    return Message(f"20260102T2000{number:02d}-abcdefgh", time, "user" if role == "user" else "persona", speaker, text)


SHEET = Sheet("Nemu", "en", "", user_name="Hana")
DAY = DayMaterial(
    SHEET,
    date(2026, 1, 2),
    (said(0, "I went to Oslo with my sister."), said(1, "How lovely!", "persona"), said(2, "We saw the fjord.")),
)
EPISODE = {"summary": "Hana told me about Oslo and the fjord.", "evidence": ["m1", "m3"], "emotional_tone": "positive"}


def test_labels_become_ids_again() -> None:
    model = FakeModel(EPISODE)
    draft = LanguageModelDreamMind(model).summarise_day(DAY, Cancel())
    assert draft.evidence == [DAY.messages[0].id, DAY.messages[2].id]
    instructions, material = model.asked[0]
    assert "Nemu" in instructions
    assert "[m1] 20:00 Hana: I went to Oslo with my sister." in material
    assert DAY.messages[0].id not in material


def test_evidence_that_does_not_exist_is_sent_back_once() -> None:
    model = FakeModel({**EPISODE, "evidence": ["m1", "m42"]}, EPISODE)
    draft = LanguageModelDreamMind(model).summarise_day(DAY, Cancel())
    assert draft.evidence[0] == DAY.messages[0].id
    assert "m42" in model.problems[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"summary": "", "evidence": ["m1"]},
        {"summary": "オスロとフィヨルドの話を聞いた一日だった。", "evidence": ["m1"]},
        {"summary": "They flew to the moon.", "evidence": ["m77"]},
        {"nonsense": 1},
    ],
)
def test_a_wrong_answer_twice_is_given_up(wrong: dict[str, object]) -> None:
    with pytest.raises(GaveUpError):
        LanguageModelDreamMind(FakeModel(wrong, wrong)).summarise_day(DAY, Cancel())


def test_unsafe_entities_are_sent_back() -> None:
    fact = {"text": "Hana went to Oslo with her sister.", "evidence": ["m1"]}
    good = {"entities": [{"name": "Oslo", "kind": "place", "facts": [fact]}]}
    bad = {"entities": [{"name": "../../x", "kind": "place", "facts": [fact]}]}
    draft = LanguageModelDreamMind(FakeModel(bad, good)).describe_entities(EntityMaterial(DAY), Cancel())
    assert [entity.name for entity in draft.entities] == ["Oslo"]


def test_a_long_day_is_cut_by_relevance_not_by_position() -> None:
    chatter = [said(n % 60, "Yeah, okay.") for n in range(300)]
    telling = said(59, "My sister Aiko moved to Oslo last month and works at the harbour museum.")
    messages = tuple(
        Message(f"id{n}", m.time, m.role, m.speaker, m.text)
        for n, m in enumerate([*chatter[:250], telling, *chatter[250:]])
    )
    model = FakeModel({**EPISODE, "evidence": ["m251"]}, context_tokens=3000)
    day = DayMaterial(SHEET, date(2026, 1, 2), messages)
    draft = LanguageModelDreamMind(model).summarise_day(day, Cancel())
    material = model.asked[0][1]
    assert "harbour museum" in material
    assert len(material) < 1700
    assert draft.evidence == ["id250"]


def test_questions_bring_what_may_answer_them() -> None:
    filler = [
        Message(f"f{n}", datetime(2026, 1, 2, 21), "user", "Hana", f"Today I cooked soup number {n} for lunch.")
        for n in range(80)
    ]
    answer = Message("answer", datetime(2026, 1, 2, 22), "user", "Hana", "I passed the exam!")
    day = DayMaterial(SHEET, date(2026, 1, 2), (*filler, answer))
    question = Question(id="q_1", topic="the exam", context="Did she pass?")
    model = FakeModel(
        {"resolutions": [{"question_id": "q_1", "answer": "She passed.", "evidence": ["m81"]}]}, context_tokens=2000
    )
    draft = LanguageModelDreamMind(model).resolve_questions(AnswerMaterial(day, (question,)), Cancel())
    assert "I passed the exam!" in model.asked[0][1]
    assert draft.resolutions[0].evidence == ["answer"]


def test_reflection_reads_level_goals_and_days() -> None:
    model = FakeModel(
        {
            "trigger_topic": "Oslo",
            "insight": "Travel brings the sisters together.",
            "strategy": "Ask about the next trip.",
            "log_entry": "I dreamt of a fjord.",
            "evidence": ["m3"],
        }
    )
    draft = LanguageModelDreamMind(model).reflect(ReflectionMaterial(SHEET, 2, date(2026, 1, 3), (DAY,)), Cancel())
    assert draft is not None
    assert draft.evidence == [DAY.messages[2].id]
    assert "Weekly reflection" in model.asked[0][0]


OCCASION = Occasion(
    SHEET,
    "boredom",
    "[Inner state log] Boredom: 0.75",
    datetime(2026, 1, 3, 12),
    last_words=(said(0, "I went to Oslo with my sister."),),
)


def test_a_model_may_write_first_note_a_thought_or_rather_not() -> None:
    write = {"kind": "write", "text": "How was the way home from Oslo?"}
    model = FakeModel(write, {"kind": "thought", "text": "I miss her stories."}, {"kind": "nothing", "text": ""})
    impulse = LanguageModelImpulse(model)
    deeds = [impulse(OCCASION) for _ in range(3)]
    assert [(deed.kind, deed.text, deed.mind) if deed else None for deed in deeds] == [
        ("write", "How was the way home from Oslo?", "fake"),
        ("thought", "I miss her stories.", "fake"),
        None,
    ]
    assert "Boredom: 0.75" in model.asked[0][1]
    assert "Oslo" in model.asked[0][1]


def test_where_the_model_fails_the_built_in_mind_decides() -> None:
    for wrong in ({"kind": "dance"}, {"kind": "write", "text": "オスロはどうでしたか？帰り道の話を聞かせて。"}):
        deed = LanguageModelImpulse(FakeModel(wrong, wrong))(OCCASION)
        assert deed is not None
        assert deed.mind == "built-in"
        assert "Oslo" in deed.text
