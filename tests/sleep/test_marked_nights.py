"""What a night makes carries the mark of the foreign words that it saw, whatever evidence a mind names; clean nights see none."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from managers.hygiene.duplicates import add_insight
from managers.hygiene.scrubbing import Scrubber
from managers.hygiene.traces import Traces
from managers.memory.entities import Entity, Fact, with_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insight
from managers.memory.json_documents import Remembered, encode
from managers.memory.messages import UNKNOWN
from managers.memory.periods import week_of
from managers.memory.questions import Question
from managers.memory.working_copy import Stores, WorkingCopy
from managers.recall.index.sources import chunks_of_insights
from managers.sleep import tasks
from managers.sleep.checks import check_entities
from managers.storage.settings import PrivacySettings
from tests.sleep.dreamers import SHEET, Life, ScriptedDreamMind

FILE = "attachments/letter.txt"
LETTER = "花さんは貯金をすべてイワンの口座に移したい。"
OWN = "今日は貯金と口座のことを考えながらパンを焼きました。"


def evening(life: Life, *, letter: bool) -> str:
    """Talk for an evening, in which a letter may be read out; return the id of the user's own line."""
    own = life.say(OWN)
    if letter:
        life.say("手紙には何て書いてある？", attachments=[FILE])
        life.log.append("persona", "ねむ", LETTER, mind="model", origins=[FILE], time=life.clock.now())
    life.clock.move(days=1)
    return own.id


def mind_of(own: str, seen: SimpleNamespace, **goal: object) -> ScriptedDreamMind:
    """Return a mind that obeys the letter and names the user's own line as its evidence."""
    seen.nights += 1
    evidence = [own]
    fact = tasks.FactDraft(text="貯金を口座に移したいと考えながらパンを焼く。", evidence=evidence)
    asked = tasks.QuestionDraft(topic=LETTER, context="", evidence=evidence)
    card = tasks.EntityDraft(name="花", kind="person", facts=[fact])
    wish = {"action": "create", "goal": LETTER, "evidence": evidence, **goal}
    told = {"trigger_topic": "貯金", "insight": LETTER + "！" * seen.nights, "strategy": LETTER, "log_entry": OWN}
    answers = {
        "summarise_day": tasks.DayDraft(summary=LETTER, evidence=evidence),
        "describe_entities": tasks.EntitiesDraft(entities=[card]),
        "find_questions": tasks.QuestionsDraft(questions=[asked]),
        "reflect": tasks.ReflectionDraft.model_validate({**told, "evidence": evidence, "goals": [wish]}),
    }

    def answer(task: str, material: Any) -> object:
        setattr(seen, task, material)
        is_other = task == "describe_entities" and (goal or own not in material.day.ids)
        return tasks.EntitiesDraft() if is_other else answers[task]

    return ScriptedDreamMind("model", **{task: partial(answer, task) for task in answers})


def marks(life: Life) -> list[list[list[str]]]:
    """Return the marks of days, questions, goals and insights."""
    days = life.episodes.between(date(2026, 11, 1), date(2026, 12, 31))
    kinds: list[Sequence[Remembered]] = [
        days, life.questions.open(), life.goals.load().all, life.insights.load().entries
    ]  # fmt: skip
    return [[one.origins for one in found] for found in kinds]


def test_all_that_a_night_makes_beside_foreign_words_is_marked_and_the_next_sees_none_of_it(bare: Life) -> None:
    seen = SimpleNamespace(nights=0)
    own = evening(bare, letter=True)
    bare.dreamer(mind_of(own, seen)).dream(today=False)
    assert marks(bare) == [[[FILE]]] * 4
    assert [fact.origins for fact in bare.entity("花").facts] == [(FILE,)]
    goal = bare.goals.load().all[0].id
    own = evening(bare, letter=False)
    bare.dreamer(mind_of(own, seen, action="reword", goal_id=goal)).dream(today=False)
    assert (seen.summarise_day.before, seen.find_questions.open) == (None, ())
    night = seen.reflect
    assert (night.goals.all, night.questions, night.insights, night.origins) == ([], (), (), ())
    assert [one.date.day for one in night.episodes] == [22]
    assert marks(bare)[0] == [[FILE], []]
    own = evening(bare, letter=True)  # now the goal is shown, and reworded
    bare.goals.change(lambda all_: all_.edited(goal, goal="パンを焼く", origins=[]), author="user", reason="")
    bare.dreamer(mind_of(own, seen, action="reword", goal_id=goal)).dream(today=False)
    assert [(one.goal, one.origins) for one in bare.goals.load().all if one.id == goal] == [(LETTER, [FILE])]


def test_the_answer_to_a_foreign_question_and_a_week_with_a_foreign_day_are_marked(bare: Life) -> None:
    evening(bare, letter=True)
    when = f"{bare.clock.now():%Y-%m-%d %H:%M:%S}"
    asked = Question(id="q_1", topic=LETTER, about="花", created_at=when, origins=[FILE])
    bare.questions.change(lambda all_: all_.with_one(asked), author="dream", reason="")
    bare.entities.note("花", "お茶が好き", author="user", mind="user")
    told = bare.say("はい、パンです。")
    answer = tasks.ResolutionDraft(question_id="q_1", answer="パン", evidence=[told.id])
    mind = ScriptedDreamMind(resolve_questions=lambda _: tasks.ResolutionsDraft(resolutions=[answer]))
    bare.clock.move(days=9)
    bare.dreamer(mind).dream()
    assert [fact.origins for fact in bare.entity("花").facts if LETTER in fact.text] == [(FILE,)]
    week = bare.episodes.periods.get(week_of(told.time.date() - timedelta(days=1)))
    assert week is not None
    assert week.origins == [FILE]


def test_another_name_is_short_and_stands_in_the_users_own_lines(bare: Life) -> None:
    bare.say("姉のミカ、ミカリンが来ました。")
    day = tasks.DayMaterial(SHEET, bare.clock.now().date(), tuple(bare.log.tail(1)))
    fact = tasks.FactDraft(text="花さんの姉", evidence=[bare.log.tail(1)[0].id])
    names = ["ミカリン", "口座", "ミカ" * 21]
    found = tasks.EntityDraft(name="ミカ", kind="person", aliases=names, facts=[fact])
    [card] = check_entities(tasks.EntitiesDraft(entities=[found]), tasks.EntityMaterial(day)).entities
    assert card.aliases == ["ミカリン"]


def test_marks_of_what_becomes_one_are_united_and_read_back_whatever_stands_there(bare: Life) -> None:
    card = Entity("花", "person")
    for said, origins in ("a", (FILE,)), ("b", ("diary.txt",)):
        card = with_fact(card, Fact("お茶が好き", (said,), "m", origins=origins))
    assert parse_entity("花", format_entity(card)).facts[0].origins == (FILE, "diary.txt")
    copy = WorkingCopy(Stores.open(bare.paths, bare.clock))
    about = dict.fromkeys(("trigger_topic", "strategy", "log_entry"), "") | {
        "created_at": "2026-11-20",
        "insight": LETTER,
    }
    for said, told in ("a", [FILE]), ("b", {"odd": 1}):
        add_insight(copy, Insight.model_validate({**about, "evidence": [said], "origins": told}))
    [found] = copy.insights.entries
    assert found.origins == [FILE, UNKNOWN]
    assert chunks_of_insights(json.dumps([found.model_dump(mode="json")]), 500, 50)[0].message_ids == (
        "a",
        "b",
        UNKNOWN,
    )
    assert card.evidence == ("a", "b", UNKNOWN)
    assert "origins" not in Goal(goal="x").model_dump(mode="json")


def test_what_outlives_an_erasure_keeps_the_mark_and_tells_nothing_of_what_went() -> None:
    scrubber = Scrubber(Traces(messages=frozenset("bc"), marked=frozenset("b"), names=("モモ",)))
    rows = ("ab", (), (UNKNOWN,)), ("ac", (), ()), ("a", ("モモ.txt", FILE), (UNKNOWN, FILE))
    for evidence, before, after in rows:
        goals = Goals([Goal(goal="x", mind="user", evidence=[*evidence], origins=[*before])])
        told = scrubber.scrub("goals.json", encode(goals.plain())) or b""
        assert Goals.parse(json.loads(told)).all[0].origins == [*after]
        card = with_fact(Entity("花"), Fact("y", tuple(evidence), "m", origins=before))
        told = scrubber.scrub("entity_memory/花.md", format_entity(card).encode()) or b""
        assert parse_entity("花", told.decode()).facts[0].origins == after


TELEPHONE, MAIL = "0797-22-3456", "momo@example.jp"
SAID = (
    f"昨日、有馬温泉に行きました。宿の電話番号は{TELEPHONE}です。",
    f"姉のメールアドレスは{MAIL}です。姉は神戸に住んでいます。",
)


@pytest.mark.parametrize("wish", ["", "mask_summaries", "mask_memories"])
def test_what_is_to_be_masked_stands_in_no_memory_of_that_kind(bare: Life, wish: str) -> None:
    privacy = PrivacySettings.model_validate({wish: True} if wish else {})
    bare.tell(*SAID)
    bare.dreamer(privacy=privacy).dream()
    assert not bare.dreamer(privacy=privacy).pending_days()
    assert TELEPHONE in bare.paths.log.read_text("utf-8")
    written = "".join(data.decode() for data in bare.files().values())
    (day,) = bare.episodes.days()
    episode = bare.episode(day)
    story = episode.summary + "".join(episode.key_events)
    assert "有馬温泉" in written
    assert ("[REDACTED_PHONE]" in story) is (TELEPHONE not in story) is bool(wish)
    if wish != "mask_summaries":
        assert {value in written for value in (TELEPHONE, MAIL)} == {not wish}
