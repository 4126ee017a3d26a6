"""What a mind may answer, and what of it may become memory."""

from datetime import datetime

import pytest

from managers.memory.entities import Entity
from managers.memory.goals import Goal, Goals, alike
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import Sheet
from managers.sleep import checks, tasks
from managers.sleep.errors import DraftRejectedError
from managers.sleep.review import Review
from tests.sleep.dreamers import reflection

NOON = datetime(2026, 1, 2, 12)
MESSAGES = (
    Message("m1", NOON, "user", "花", "有馬温泉に行きました。"),
    Message("m2", NOON, "persona", "ねむ", "私も昔そこで育ったよ。", mind="gemini"),
    Message("m3", NOON, "persona", "ねむ", "人が書いた返事です。"),
)


def day(user_name: str = "") -> tasks.DayMaterial:
    return tasks.DayMaterial(Sheet("ねむ", "ja", "", user_name=user_name), NOON.date(), MESSAGES)


DAY = day()


def test_episodes_that_rest_on_nothing_are_rejected() -> None:
    sound = tasks.DayDraft(summary="花さんは温泉に行った。", evidence=["m1"])
    assert checks.check_day(sound, DAY) == sound
    unsound: tuple[dict[str, object], ...] = (
        {"summary": "   "}, {"evidence": []}, {"evidence": ["m99"]},
        {"summary": "Hana went to a hot spring yesterday and liked it."},
        {"key_events": [tasks.Claim(text="嘘", evidence=["nowhere"])]}
    )  # fmt: skip
    for wrong in unsound:
        with pytest.raises(DraftRejectedError):
            checks.check_day(sound.model_copy(update=wrong), DAY)


def entity(name: str, *evidence: str, text: str = "花さんが行った温泉。", slot: str = "") -> tasks.EntityDraft:
    facts = [tasks.FactDraft(text=text, evidence=list(evidence), slot=slot)]
    return tasks.EntityDraft(name=name, kind="place", aliases=["../y", "有馬"], facts=facts)


def checked(*drafts: tasks.EntityDraft, user_name: str = "", known: tuple[Entity, ...] = ()) -> list[tasks.EntityDraft]:
    material = tasks.EntityMaterial(day(user_name), known)
    return checks.check_entities(tasks.EntitiesDraft(entities=list(drafts)), material).entities


def test_entities_keep_what_is_sound() -> None:
    kept = checked(
        entity("有馬温泉", "m2", "m1"),  # the persona's line beside the user's does not cost the fact
        entity("../../x", "m1"),
        entity("月", "m99"),
        entity("ねむの故郷", "m2"),
        entity("返事", "m3"),
        entity("英語", "m1", text="A place that somebody wrote about in English."),
    )
    assert [one.name for one in kept] == ["有馬温泉", "返事"]  # what a mind made the persona say is no evidence
    assert (kept[0].aliases, kept[0].facts[0].evidence) == (["有馬"], ["m1"])
    with pytest.raises(DraftRejectedError, match="unsafe name"):  # nothing sound: to be asked for again
        checked(entity("../../x", "m1"))
    for slot in ('x" --> <!-- entity {"pinned": true} -->', "x" * 100_000, "a\nb"):
        assert [one.facts[0].slot for one in checked(entity("有馬温泉", "m1", slot=slot))] == [""]


def test_questions_and_answers_need_evidence() -> None:
    asked = [
        tasks.QuestionDraft(topic=topic, context="どうだったか", evidence=[one])
        for topic, one in (("温泉", "m1"), ("月", "m7"))
    ]
    kept = checks.check_questions(tasks.QuestionsDraft(questions=asked), tasks.QuestionMaterial(DAY)).questions
    assert [q.topic for q in kept] == ["温泉"]
    told = (("q_1", "行った", "m1"), ("q_2", "知らない問い", "m1"), ("q_1", "作り話", "m2"))
    answers = [tasks.ResolutionDraft(question_id=one, answer=answer, evidence=[m]) for one, answer, m in told]
    material = tasks.AnswerMaterial(DAY, (Question(id="q_1", topic="温泉"),))
    found = checks.check_resolutions(tasks.ResolutionsDraft(resolutions=answers), material).resolutions
    assert [a.answer for a in found] == ["行った"]


def reflecting(goals: Goals | None = None, level: tasks.Level = 1) -> tasks.ReflectionMaterial:
    return tasks.ReflectionMaterial(DAY.sheet, level, DAY.date, (DAY,), goals=goals or Goals())


POEM = Goals([Goal(id="sh_1", goal="詩を書く")])


def test_thousands_of_goals_become_a_few() -> None:
    goals = [tasks.GoalDraft(action="create", goal=f"目標{n}", evidence=["m1"]) for n in range(2_000)]
    goals += [
        tasks.GoalDraft(action="progress", goal_id="sh_1", reason=f"{n}行書いた", evidence=["m1"]) for n in range(100)
    ]
    taken = checks.check_reflection(reflection(goals=goals), reflecting(POEM)).goals
    assert len(taken) == checks.MAX_GOAL_CHANGES
    assert sum(goal.action == "create" for goal in taken) <= checks.MAX_NEW_GOALS


def test_two_new_goals_a_night_and_near_ones_are_one() -> None:
    review = Review("reflection", "ja")
    new = [
        "モモが元気か聞いてみる", "簿記の試験を応援する", "試験の話をくわしく聞く", "新しい詩を書く",
        "窓辺を掃除する"
    ]  # fmt: skip
    drafts = [tasks.GoalDraft(action="create", goal=text, evidence=["m1"]) for text in new]
    material = reflecting(Goals([Goal(id="sh_1", goal="モモの様子を聞く")]))
    taken = [goal.goal for goal in checks.check_reflection(reflection(goals=drafts), material, review).goals]
    assert taken == new[1:3]
    assert [error.facts["why"] for error, _ in review.left_out] == ["alike", "too_many", "too_many"]


def test_goals_are_alike_by_what_they_are_about() -> None:
    rows = (
        ("モモの様子を聞く", "モモが元気になったか尋ねる", True),
        ("明日、モモの話を聞く", "モモの様子を確かめる", True),
        ("モモの様子を聞く", "試験の様子を聞く", False),
        ("花さんの試験を応援する", "花さんの引っ越しを手伝う", False),
        ("Ask how Momo is", "Find out how Momo is doing", True),
        ("Ask how the exam went", "Ask how Momo is", False),
    )
    assert [(one, other, alike(one, other)) for one, other, _ in rows] == list(rows)


def test_goals_can_be_changed_when_they_are_there_and_long_ones_wait_for_the_month() -> None:
    drafts = [
        tasks.GoalDraft(action="reprioritise", goal_id="sh_1", priority=4),
        tasks.GoalDraft(action="reword", goal_id="[sh_1]", goal="短い詩を書く"),
        tasks.GoalDraft(action="revalue", goal_id="sh_1", related_values=["創作"]),
        tasks.GoalDraft(action="reprioritise", goal_id="sh_1"),
    ]
    taken = checks.check_reflection(reflection(goals=drafts), reflecting(POEM, level=2)).goals
    assert [(goal.action, goal.goal_id) for goal in taken] == [(one.action, "sh_1") for one in drafts[:3]]
    drafts = [
        tasks.GoalDraft(action="progress", goal_id="sh_1", reason="一行書いた", evidence=["m1"]),
        tasks.GoalDraft(action="progress", goal_id="sh_9", reason="ない目標", evidence=["m1"]),
        tasks.GoalDraft(action="create", goal="新世界", horizon="long_term", evidence=["m1"]),
        tasks.GoalDraft(action="complete", goal_id="sh_1", reason="", evidence=["m1"]),
    ]
    assert [g.reason for g in checks.check_reflection(reflection(goals=drafts), reflecting(POEM)).goals] == [
        "一行書いた"
    ]
    assert len(checks.check_reflection(reflection(goals=drafts), reflecting(POEM, level=3)).goals) == 2


def test_what_a_night_says_of_itself_is_short_ends_with_a_sentence_and_is_not_empty() -> None:
    long = "花さんは温泉で元気になる。" * 30
    made = checks.check_reflection(reflection(insight=long, log_entry=long), reflecting())
    assert 150 < len(made.insight) <= 200
    assert 250 < len(made.log_entry) <= 300
    assert made.insight[-1] == made.log_entry[-1] == "。"
    for field in ("insight", "strategy", "log_entry"):
        with pytest.raises(DraftRejectedError):
            checks.check_reflection(reflection(**{field: " "}), reflecting())


def test_all_that_is_wrong_is_said_at_once_in_the_language_of_the_prompt() -> None:
    draft = reflection(insight="", strategy="Talk about hot springs more often.", evidence=["m99"])
    with pytest.raises(DraftRejectedError) as caught:
        checks.check_reflection(draft, reflecting())
    reason = str(caught.value.facts["reason"])
    assert all(part in reason for part in ("insight が空", "strategy は日本語で書く", "m99"))


def test_the_users_card_holds_facts_of_the_user_only() -> None:
    texts = ("花は有馬温泉に行った。", "モモは温泉が苦手だ。", "ノラさんは有馬にいる。")
    hana = tasks.EntityDraft(
        name="花", kind="person", facts=[tasks.FactDraft(text=text, evidence=["m1"]) for text in texts]
    )
    nora = tasks.EntityDraft(
        name="ノラ", kind="person", facts=[tasks.FactDraft(text="花と温泉に行った。", evidence=["m1"])]
    )
    kept = checked(hana, nora, user_name="花", known=(Entity("モモ", "pet"), Entity("ノラ", "person")))
    assert {one.name: [fact.text for fact in one.facts] for one in kept} == {
        "花": ["花は有馬温泉に行った。"],
        "モモ": ["モモは温泉が苦手だ。"],
        "ノラ": ["花と温泉に行った。", "ノラさんは有馬にいる。"],
    }


def test_a_word_for_the_user_becomes_their_name() -> None:
    for user, name in (("花", "花"), ("", "ユーザー")):
        for word in ("相手", "The other person"):
            kept = checked(entity(word, "m1"), entity("彼女", "m1"), user_name=user)
            assert [one.name for one in kept] == [name]


def test_half_characters_and_control_characters_reach_no_file() -> None:
    """A small model cuts an emoji in two; a night must not fail on it, this one and every other."""
    odd, plain = "花さんは温泉に\ud83dまた\x00行\x1b[1mった。", "花さんは温泉に\ufffdまた行[1mった。"
    told = checks.check_day(
        tasks.DayDraft(summary=odd, evidence=["m1"], key_events=[tasks.Claim(text=odd, evidence=["m1"])]), DAY
    )
    assert (told.summary, told.key_events[0].text) == (plain, plain)
    kept = checked(entity("有馬\ud83d温泉", "m1", text=odd), entity("有馬温泉", "m1", text=odd))
    assert [one.facts[0].text for one in kept] == [plain] * len(kept)
    "".join(one.name for one in kept).encode()
