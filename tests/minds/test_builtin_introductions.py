"""The built-in mind meets somebody: names that are given, used afterwards, and what is no name."""

from dataclasses import replace

import pytest

from managers.language.reading.introductions import name_in, name_noted
from managers.mind import ChatTurn, Sheet, ToolCall
from tests.minds.speaking import converse, pieces, request, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, a keeper of memories, plain and gentle.")
NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。")


@pytest.mark.parametrize(
    "text",
    ["Hi, I'm Aoi", "Hello, I am Aoi.", "hi i'm aoi", "My name is Aoi", "call me Aoi", "Hey there! I'm Aoi. Nice to meet you.", "It's Aoi", "Hi! I'm Aoi Prieto, 41, a nurse in Bristol."],
)  # fmt: skip
def test_an_introduction_is_greeted_by_name(text: str) -> None:
    told = say(text, HAZEL)
    assert "Aoi" in told
    assert "Hazel" in told
    assert "more about" not in told


@pytest.mark.parametrize(
    "text",
    ["こんにちは、あおいです", "あおいっていいます", "私の名前はあおいです", "はじめまして、あおいです。よろしくね", "あおいって呼んで"],
)  # fmt: skip
def test_a_japanese_introduction_is_greeted_by_name(text: str) -> None:
    told = say(text, NEMU)
    assert "あおいさん" in told
    assert "はじめまして" in told


@pytest.mark.parametrize(
    "text",
    ["Hi, I'm tired", "hi, i'm bored", "I'm home", "I'm German", "hello, i'm vegan", "I'm going to bed", "I'm not sure", "こんにちは、元気です", "やあ、さむいです", "嬉しいです", "雨です", "おはよう、学生です", "そうです", "call me later", "call me when you're done", "My name is really hard to pronounce", "I'm good, a bit sleepy", "It's Tuesday, a busy day"],
)  # fmt: skip
def test_what_only_stands_like_a_name_is_none(text: str) -> None:
    assert name_in(text, is_first=True) == ""


def test_the_name_is_used_afterwards_and_remembered() -> None:
    said = converse(["Hi, I'm Aoi", "I baked a cake today", "What's my name?"], HAZEL)
    assert "Aoi" in said[2]
    assert "Aoi" in "".join(converse(["こんにちは、Aoiです", "私の名前、わかる？"], NEMU)[1])


def test_a_bare_name_answers_the_question_for_it() -> None:
    said = converse(["やあ", "私の名前わかる？", "あおい"], NEMU)
    assert "あおいさん" in said[2]
    turns = [ChatTurn("user", "what's my name?"), ChatTurn("persona", "You haven't told me. What shall I call you?")]
    assert "Aoi" in say("Aoi", HAZEL, turns=turns)


def test_the_personas_own_name_in_its_notes_is_not_the_users() -> None:
    assert "Hazel" not in say("what's my name?", HAZEL, notes="I am Hazel. My name is Hazel.")


@pytest.mark.parametrize("name", ["Aoi", "aoi"])
def test_what_follows_the_name_is_answered_too(name: str) -> None:
    told = say(f"My name is {name}, I work as a nurse.", HAZEL)
    assert "Aoi" in told
    assert "name is" not in told
    assert len(told) > len(say("My name is Aoi", HAZEL)) + 20


def test_nobody_is_greeted_as_you() -> None:
    assert not any("、あなた。" in say("こんにちは", NEMU, seed=seed) for seed in range(12))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My name is actually Thomas, not Tom", "Thomas"),
        ("Actually, my real name is Thomas", "Thomas"),
        ("It's Thomas, not Tom", "Thomas"),
        ("My name isn't Tom, it's Thomas", "Thomas"),
    ],
)
def test_a_name_that_is_put_right_takes_the_place_of_the_one_before(text: str, name: str) -> None:
    tom = replace(HAZEL, user_name="Tom")
    notes = "2026-11-19 buy milk\n2026-11-20 Tom said: “My name is Tom”"
    (call,) = pieces(request(text, tom, notes=notes))
    assert isinstance(call, ToolCall)
    assert call.arguments["operation"] == "replace"
    assert call.arguments["old_text"] == "2026-11-20 Tom said: “My name is Tom”"
    assert name_noted(str(call.arguments["text"]), "Hazel") == name
    assert name in say(text, tom, tools=())
    assert "Actually" not in say(text, tom, tools=())


@pytest.mark.parametrize("text", ["名前は本当は健一なんだ", "私の名前は実は健一です", "健太じゃなくて健一だよ"])
def test_a_japanese_name_that_is_put_right_takes_the_place_of_the_one_before(text: str) -> None:
    kenta = replace(NEMU, user_name="健太")
    (call,) = pieces(request(text, kenta, notes="2026-11-20 名前は「健太」。"))
    assert isinstance(call, ToolCall)
    assert call.arguments["old_text"] == "2026-11-20 名前は「健太」。"
    assert name_noted(str(call.arguments["text"]), "ねむ") == "健一"


def test_a_name_is_put_right_in_the_same_talk() -> None:
    said = converse(["健太です、よろしく", "名前は本当は健一なんだ", "私の名前は？"], NEMU, tools=())
    assert "健一さん" in said[2]
    assert "Thomas" in converse(["Hi, I'm Tom", "My name is actually Thomas, not Tom", "What's my name?"], HAZEL)[2]


def test_the_real_name_of_a_pet_is_not_the_users() -> None:
    assert "ポチさん" not in converse(["犬を飼ったよ", "名前は本当はポチなんだ"], NEMU, tools=())[1]


def test_a_name_of_the_settings_is_not_noted_over() -> None:
    told = pieces(request("My name is actually Thomas", replace(HAZEL, user_name="Tom"), notes="2026-11-19 buy milk"))
    assert not any(isinstance(piece, ToolCall) for piece in told)
