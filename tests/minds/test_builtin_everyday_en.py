"""The built-in mind in English small talk: what happened is not to come, joy for joyful news, goodnights, who one is."""

import re

import pytest

from managers.mind import Sheet
from tests.minds.speaking import NOW, converse, hit, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, plain and gentle.")
SEEDS = range(6)
_PLANS = re.compile(r"look forward|preparations|just as you want|that day to be")
_JOY = re.compile(r"wonderful|lovely news|Congratulations|happy for you|Well done", re.IGNORECASE)
_NIGHT = re.compile(r"night|Sleep well|Until tomorrow", re.IGNORECASE)


def all_of(text: str) -> list[str]:
    return [say(text, HAZEL, seed=seed) for seed in SEEDS]


@pytest.mark.parametrize(
    "text",
    ["I burnt the risotto tonight lol", "I spilt tea over the rug tonight", "We baked a cake for next week", "We had a lovely weekend at the lake"],
)  # fmt: skip
def test_what_has_happened_is_nothing_to_look_forward_to(text: str) -> None:
    assert not any(_PLANS.search(told) for told in all_of(text))


def test_what_is_to_come_still_is() -> None:
    assert any(_PLANS.search(told) for told in all_of("We are playing cards tonight"))


@pytest.mark.parametrize(
    "text",
    ["My wife Anna is expecting, due in May!", "My daughter Ellie got into the school choir!", "My niece had her baby last night, a boy!", "I passed my ward exam."],
)  # fmt: skip
def test_joyful_news_is_met_with_joy(text: str) -> None:
    assert all(_JOY.search(told) for told in all_of(text))


def test_a_package_is_no_baby() -> None:
    assert not any(_JOY.search(told) for told in all_of("My wife is expecting a package"))


@pytest.mark.parametrize("text", ["Right, bed. Night.", "Well, I'll turn in. Goodnight.", "Ok, bedtime.", "I'm going to call it a night", "Anyway, off to bed", "Night all", "Ok night x"])  # fmt: skip
def test_a_goodnight_in_passing_is_one(text: str) -> None:
    for told in all_of(text):
        assert _NIGHT.search(told)
        assert "?" not in told


@pytest.mark.parametrize("text", ["I'm off until Thursday, thank goodness.", "I'm off today", "I'm off work this week"])
def test_a_day_off_is_no_leaving(text: str) -> None:
    assert not any(re.search(r"Take care out there|See you later|Travel", told) for told in all_of(text))
    assert any(re.search(r"Take care out there|See you later", told) for told in all_of("I'm off to the shops"))


@pytest.mark.parametrize(
    ("text", "unfit"),
    [
        ("My friend Beth says I should go part time.", r"good to get out|outing"),
        ("My father went blind in one eye.", r"good to get out|outing|What was"),
        ("She's losing her memory, bit by bit.", r"bad luck|nuisance|Oh no\."),
        ("Year nine were a nightmare today.", r"scared"),
        ("It was about money, stupid really.", r"furious"),
        ("Just got in from a twelve-hour shift and my feet are killing me.", r"Both feelings|different feelings"),
        ("My wife Anna made soup.", r"Do you see"),
        ("My grandson comes on Sundays to help in the workshop.", r"What did you say"),
        ("She called me by her brother's name.", r"name like"),
        ("I'm the maid of honour.", r"honour like|more about honour"),
        ("I want to use you as a diary.", r"good wish|comes true|What gave you"),
    ],
)
def test_words_are_not_taken_for_what_they_only_look_like(text: str, unfit: str) -> None:
    assert not any(re.search(unfit, told) for told in all_of(text))


def test_a_cut_thumb_hurts_and_a_cut_cake_does_not() -> None:
    hurts = re.compile(r"Oh no|painful|nasty thing|still hurt|had a look at it")
    assert all(hurts.search(told) for told in all_of("I cut my thumb on the bandsaw, silly old fool."))
    assert not any(hurts.search(told) for told in all_of("I cut the cake for everyone."))


def test_somebody_elses_injury_asks_after_them() -> None:
    for told in all_of("My mum broke her hip on Friday."):
        assert not re.search(r"nuisance|like that|Were you", told)
        assert "How is your mum now?" in told


def test_what_was_forgotten_today_is_no_search_for_it() -> None:
    for told in (say("I forgot my lunch today, typical.", HAZEL, seed=seed, recall_wanted=True) for seed in SEEDS):
        assert "remember" not in told
        assert "memory" not in told
    assert "Alma" in converse(["My aunt is called Alma.", "I forgot my aunt's name"], HAZEL, recall_wanted=True)[-1]


def test_saying_something_to_him_is_no_wish_to_be_entertained() -> None:
    told = converse(["My neighbour keeps playing drums at midnight.", "Should I say something to him?"], HAZEL)[-1]
    assert "drums" in told
    assert not re.search(r"best small thing|on your mind lately", told)
    assert "?" in say("Say something", HAZEL)


def test_thinking_aloud_about_a_step_is_weighed_together() -> None:
    for told in all_of("Maybe I should call my brother."):
        assert re.search(r"part of you|You could|no need to decide", told)


def test_an_old_death_leaves_the_talk_free() -> None:
    lines = ["My uncle Stanley died in the war.", "I'm building a birdhouse for the garden."]
    for seed in SEEDS:
        told = converse(lines, HAZEL, seed=seed)
        assert "somebody near you" not in told[0]
    fresh = ["My uncle Stanley died on Monday.", "My niece had her baby, a little girl!"]
    assert all(_JOY.search(converse(fresh, HAZEL, seed=seed)[-1]) for seed in SEEDS)


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    [
        (["My wife Anna is expecting!", "We can't decide on a name. I like Paul, she likes Omar."], "What name does Anna like?", "Omar"),
        (["My grandson Jack comes on Sundays.", "He wants to be an engineer."], "What does Jack want to be?", "engineer"),
        (["My granddaughter had her baby last night!", "They've called her Rose."], "What's the baby called?", "Rose"),
    ],
)  # fmt: skip
def test_an_answer_may_call_somebody_she(lines: list[str], question: str, answer: str) -> None:
    told = converse([*lines, question], HAZEL)[-1]
    assert answer in re.split(r"Also|And there is|And then", told)[0]


def test_what_is_known_of_somebody_is_what_they_told_of_themselves() -> None:
    lines = [
        "Hi, I'm Tom.", "I teach maths at a school in Leeds.", "The traffic was slow this morning.",
        "My wife Anna is expecting, due in May!", "Maybe I should call her.", "What do you know about me?",
    ]  # fmt: skip
    told = converse(lines, HAZEL)[-1]
    assert "You're Tom" in told
    assert "teach maths" in told
    assert "Anna is expecting" in told
    assert "traffic" not in told
    assert "Maybe" not in told
    assert "My name is" not in told


def test_what_is_known_holds_earlier_days_and_notes() -> None:
    found = [hit("I work at the harbour office.", NOW.replace(month=8), "Tom"), hit("It rained.", NOW.replace(month=8), "Tom")]  # fmt: skip
    sheet = Sheet("Hazel", "en", "You are Hazel.", "Tom")
    told = say("How well do you know me?", sheet, hits=found, notes="- 2026-08-01 Tom said: “I am allergic to nuts”")
    assert "harbour office" in told
    assert "allergic to nuts" in told
    assert "rained" not in told


def test_who_somebody_is_is_told_in_japanese_too() -> None:
    nemu = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。")
    lines = [
        "図書館で働いてるんだ。",
        "今日は道が混んでた。",
        "うちの猫はモモっていうの。",
        "わたしのこと、どれくらい知ってる？",
    ]
    told = converse(lines, nemu)[-1]
    assert "図書館" in told
    assert "モモ" in told
    assert "混んで" not in told


def test_who_brings_news_along_is_not_asked_what_brings_them() -> None:
    told = [say("Hello, I'm Dana. I drive a school bus in Bristol.", HAZEL, seed=seed) for seed in range(12)]
    assert not any("What brings you" in one for one in told)
    assert any("What brings you" in say("Hello, I'm Dana.", HAZEL, seed=seed) for seed in range(12))


def test_an_opinion_quotes_what_was_told_of_the_thing() -> None:
    lines = ["My brother Neil and I haven't spoken since the funeral.", "What should I do about my brother?"]
    for seed in SEEDS:
        told = converse(lines, HAZEL, seed=seed)[-1]
        assert "haven't spoken" in told
        assert ".”," not in told
        assert ".”." not in told


def test_nothing_is_known_of_somebody_who_told_nothing() -> None:
    assert "don't know much" in say("What do you know about me?", HAZEL)


def test_a_heavy_thing_that_was_left_is_not_gone_back_to() -> None:
    lines = ["I have to give a speech and I'm terrified.", "My ex called last night.", "We talked for two hours."]
    comfort = re.compile(r"hardest part|no hurry|It takes something|I'm listening|as much or as little")
    assert not any(comfort.search(converse(lines, HAZEL, seed=seed)[-1]) for seed in SEEDS)
    lines = ["My dog died on Monday.", "We buried him in the garden.", "The vet was there."]
    assert any(re.search(r"listening|no hurry|Take your time|Thank you|It takes|safe|Tell me more", converse(lines, HAZEL, seed=seed)[-1]) for seed in SEEDS)  # fmt: skip
