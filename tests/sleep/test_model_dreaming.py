"""A language model's dreams: with the model replaced at its `ask`, and whole nights with one behind a loopback server."""

import json
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from agent.minds.errors import InvalidAnswerError, MindError
from agent.minds.language_model.answers import describe_form
from agent.minds.language_model.dream_lines import Labels, message_line
from agent.minds.language_model.model_dreams import LanguageModelDreamMind, impulse
from agent.minds.tokens import count_tokens
from managers.memory.entities import Entity, Fact
from managers.memory.messages import Message, Role
from managers.memory.questions import Question
from managers.mind import Cancel, Sheet
from managers.sleep.autonomy import Occasion
from managers.sleep.tasks import AnswerMaterial, DayMaterial, EntityMaterial, QuestionMaterial, ReflectionMaterial
from managers.storage.errors import Lang
from tests.minds.talking import behind_openai
from tests.model_server import ModelServer
from tests.sleep.dreamers import DAY_ONE, Life, messages


class GaveUpError(MindError):
    ja = "だめ"
    en = "gave up"


class FakeModel:
    """Answers from a queue; a wrong answer is asked for once more, as the real one does."""

    name = "fake"

    def __init__(self, *answers: object, context_tokens: int = 32_000, count: Callable[[str], int] = len) -> None:
        self.context_tokens = context_tokens
        self.count_tokens = count
        self.forms: list[type[BaseModel]] = []
        self.asked: list[tuple[str, str]] = []
        self._answers = deque(answers)
        self.problems: list[str] = []

    def ask(
        self, instructions: str, material: str, answer: type[Any], *, language: Lang = "en",
        cancel: Cancel | None = None, **__: object
    ) -> Any:  # fmt: skip
        assert issubclass(answer, BaseModel)
        self.asked.append((instructions, material))
        self.forms.append(answer)
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
    told = replace(DAY.messages[1], mind="fake", origins=("letter.txt",))
    assert message_line(told, Labels([told]), SHEET) == "[m1] 20:01 Nemu: [from a file] How lovely!"
    assert "[from a file]" in instructions
    assert DAY.messages[0].id not in material


def test_what_is_unsound_is_sent_back_once_and_given_up_the_second_time() -> None:
    model = FakeModel({**EPISODE, "evidence": ["m1", "m42"]}, EPISODE)
    assert LanguageModelDreamMind(model).summarise_day(DAY, Cancel()).evidence[0] == DAY.messages[0].id
    assert "m42" in model.problems[0]
    for wrong in (
        {"summary": "", "evidence": ["m1"]},
        {"summary": "オスロとフィヨルドの話を聞いた一日だった。", "evidence": ["m1"]},
        {"summary": "They flew to the moon.", "evidence": ["m77"]},
        {"nonsense": 1},
    ):
        with pytest.raises(GaveUpError):
            LanguageModelDreamMind(FakeModel(wrong, wrong)).summarise_day(DAY, Cancel())
    fact = {"text": "Hana went to Oslo with her sister.", "evidence": ["m1"]}
    named = [{"entities": [{"name": name, "kind": "place", "facts": [fact]}]} for name in ("../../x", "Oslo")]
    draft = LanguageModelDreamMind(FakeModel(*named)).describe_entities(EntityMaterial(DAY), Cancel())
    assert [entity.name for entity in draft.entities] == ["Oslo"]
    model = FakeModel({"people": [{"name": "Oslo"}]}, {"entities": []})  # an answer to something else is no empty one
    LanguageModelDreamMind(model).describe_entities(EntityMaterial(DAY), Cancel())
    assert "entities" in model.problems[0]


def test_a_long_day_is_cut_by_relevance_not_by_position() -> None:
    lines = ["Yeah, okay."] * 300
    lines.insert(250, "My sister Aiko moved to Oslo last month and works at the harbour museum.")
    messages = tuple(replace(said(n % 60, line), id=f"id{n}") for n, line in enumerate(lines))
    model = FakeModel({**EPISODE, "evidence": ["m251"]}, context_tokens=3000)
    draft = LanguageModelDreamMind(model).summarise_day(DayMaterial(SHEET, DAY.date, messages), Cancel())
    material = model.asked[0][1]
    assert "harbour museum" in material
    assert len(material) < 1700
    assert draft.evidence == ["id250"]


def a_day(lang: Lang, persona: str, user: str, description: str, *lines: str) -> DayMaterial:
    sheet = Sheet(persona, lang, description, user_name=user)
    time = datetime(2026, 11, 20, 21)
    speakers: tuple[tuple[Role, str, str], ...] = (("user", user, ""), ("persona", persona, "model"))
    messages = tuple(
        Message(f"id{n}", time + timedelta(minutes=n), role, name, line, mind)
        for n, (line, (role, name, mind)) in enumerate(zip(lines, cycle(speakers), strict=False))
    )
    return DayMaterial(sheet, time.date(), messages)


_NIGHT = ("trigger_topic", "insight", "strategy", "log_entry")
REFLECTED: dict[Lang, dict[str, object]] = {
    "ja": dict(zip(_NIGHT, ("検査", "心配はあとから来る。", "静かに待つ。", "夢の中で雨が降っていた。"), strict=True)),
    "en": dict(
        zip(_NIGHT, ("test", "The worry comes later.", "Leave a moment.", "It rained in the dream."), strict=True)
    ),
}
for _told in REFLECTED.values():
    _told["evidence"] = ["m3"]
SHIPPED = Path(__file__).parents[2] / "characters"
LINES: dict[Lang, tuple[str, ...]] = {
    "ja": ("妹のノラが試験に受かったの。", "よかったね。", "モモは9歳だった。来週の火曜に検査。"),
    "en": ("My sister Nora passed.", "How lovely.", "Momo is 9. Next test on Tuesday."),
}
WHO: dict[Lang, tuple[str, str]] = {"ja": ("ねむ", "花"), "en": ("Hazel", "Hana")}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_night_of_a_small_model_knows_the_persona_and_the_rules(lang: Lang) -> None:
    """What prompts of the night must hold, within 4,096 tokens: who dreams, whose words prove something, which day it is."""
    persona, user = WHO[lang]
    day = a_day(lang, persona, user, (SHIPPED / persona / "SystemPrompt.txt").read_text(encoding="utf-8"), *LINES[lang])
    facts = tuple(Fact(text, ("old",), "model", id=f"f_{n}") for n, text in enumerate([*LINES[lang], "x"]))
    known = (Entity("モモ", "pet", lines=facts),)
    empty: dict[str, list[object]] = {"entities": [], "questions": [], "resolutions": []}
    summary = {"summary": LINES[lang][0], "evidence": ["m1"]}
    model = FakeModel(summary, empty, empty, empty, REFLECTED[lang], context_tokens=4096, count=count_tokens)
    mind = LanguageModelDreamMind(model)
    mind.summarise_day(day, Cancel())
    mind.describe_entities(EntityMaterial(day, known), Cancel())
    mind.find_questions(QuestionMaterial(day), Cancel())
    mind.resolve_questions(AnswerMaterial(day, (Question(id="q_1", topic="x"),)), Cancel())
    mind.reflect(ReflectionMaterial(day.sheet, 1, date(2026, 11, 21), (day,)), Cancel())
    for (instructions, material), form in zip(model.asked, model.forms, strict=True):
        assert count_tokens(instructions + material + describe_form(form, lang)) < 4096 - 1024
        assert {"ja": "一人称は「わたし」", "en": 'You say "I"'}[lang] in instructions
        assert "2026-11-2" in material
    alone = {"ja": f"evidence には「{user}」の発言", "en": f"`evidence` holds messages of “{user}”"}[lang]
    assert [alone in instructions for instructions, _ in model.asked] == [False, True, False, True, False]


def test_what_the_day_bears_on_is_shown_of_what_is_known() -> None:
    """Of a card with many facts the last five were shown: the age that is corrected was not among them."""
    texts = ["Momo is 8 years old.", *(f"Momo likes the {n}th cushion by the window." for n in range(40))]
    facts = tuple(
        Fact(text, ("old",), "model", id=f"f_{n:02}", since=f"2026-01-{n % 28 + 1:02}") for n, text in enumerate(texts)
    )
    day = a_day("en", "Hazel", "Hana", "", "Momo is not 8 years old, Momo is 9 years old.")
    model = FakeModel({"entities": []}, context_tokens=8_000)
    LanguageModelDreamMind(model).describe_entities(
        EntityMaterial(day, (Entity("Momo", "pet", lines=facts),)), Cancel()
    )
    assert "[f_00] Momo is 8 years old." in model.asked[0][1]
    assert "[f_05]" not in model.asked[0][1]


def test_a_model_may_write_first_note_a_thought_or_rather_not_in_the_personas_language() -> None:
    said_last = (said(0, "I went to Oslo with my sister."),)
    occasion = Occasion(SHEET, "boredom", "Boredom: 0.75", datetime(2026, 1, 3, 12), last_words=said_last)
    told = (("write", "How was the way home from Oslo?"), ("thought", "I miss her stories."), ("nothing", ""))
    model = FakeModel(*({"kind": kind, "text": text} for kind, text in told))
    deeds = [impulse(model, occasion) for _ in told]
    assert [(deed.kind, deed.text, deed.mind) if deed else None for deed in deeds] == [
        *((kind, text, "fake") for kind, text in told[:2]),
        None,
    ]
    assert "Boredom: 0.75" in model.asked[0][1]
    assert "Oslo" in model.asked[0][1]
    with pytest.raises(InvalidAnswerError):
        impulse(FakeModel({"kind": "write", "text": "オスロはどうでしたか？帰り道の話を聞かせて。"}), occasion)


CLAIM = {"text": "花さんは有馬温泉で岩盤浴を楽しんだ。", "evidence": ["m3"]}
STORY = {
    "summary": "花さんが温泉の話をしてくれた。", "evidence": ["m3"], "key_events": [CLAIM],
    "emotional_tone": "mixed"
}  # fmt: skip
ENTITIES = {"entities": [{"name": "有馬温泉", "kind": "place", "facts": [CLAIM]}]}
QUESTIONS = {
    "questions": [{"topic": "モモの入院", "context": "退院できたか知りたい。", "priority": 0.9, "evidence": ["m6"]}]
}
REFLECTION = {
    "trigger_topic": "モモ", "insight": "花さんは大切なものの話ほど言葉が短くなる。",
    "strategy": "モモの様子をこちらから尋ねる。", "log_entry": "夢の中で、湯けむりの向こうに猫がいた。",
    "evidence": ["m6"]
}  # fmt: skip

EVENING = datetime(2026, 11, 20)


@pytest.fixture
def evening(bare: Life) -> Life:
    bare.log.append_many(messages(EVENING.replace(hour=20), DAY_ONE, "a"))
    return bare


def test_a_night_over_the_wire(server: ModelServer, evening: Life) -> None:
    mind = LanguageModelDreamMind(behind_openai(server))
    answers = [{**STORY, "evidence": ["m99"]}, STORY, ENTITIES, QUESTIONS, REFLECTION]
    server.enqueue(*(json.dumps(answer, ensure_ascii=False) for answer in answers))
    assert evening.dreamer(mind).dream().failures == ()
    assert len(server.chats) == 5
    assert "m99" in server.chats[1].prompt
    episode = evening.episode(EVENING.date())
    assert (episode.summary, episode.evidence, episode.mind) == (STORY["summary"], ["a2"], mind.name)
    assert evening.entity("有馬温泉").facts[0].evidence == ("a2",)
    assert [one.strategy for one in [evening.insights.with_strategy()] if one] == [REFLECTION["strategy"]]


def test_a_model_that_talks_nonsense_costs_no_day(server: ModelServer, evening: Life) -> None:
    server.enqueue(*(["すみません、わかりません。"] * 12))
    report = evening.dreamer(LanguageModelDreamMind(behind_openai(server))).dream()
    assert {failure.task for failure in report.failures} == {"episode", "entities", "questions", "reflection"}
    episode = evening.episode(EVENING.date())
    assert (episode.mind, episode.redo) == ("built-in", True)
    assert "有馬温泉" in episode.summary
