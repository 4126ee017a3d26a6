"""The built-in mind meets somebody: names that are given, used afterwards, and what is no name."""

from __future__ import annotations

import pytest

from agent.minds.builtin.talk.introduction import name_in
from managers.mind import ChatTurn, Sheet
from tests.minds.speaking import converse, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, a keeper of memories, plain and gentle.")
NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。")


@pytest.mark.parametrize(
    "text",
    ["Hi, I'm Aoi", "Hello, I am Aoi.", "hi i'm aoi", "My name is Aoi", "call me Aoi", "Hey there! I'm Aoi. Nice to meet you.", "It's Aoi"],
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
    ["Hi, I'm tired", "hi, i'm bored", "I'm home", "I'm German", "hello, i'm vegan", "I'm going to bed", "I'm not sure", "こんにちは、元気です", "やあ、さむいです", "嬉しいです", "雨です", "おはよう、学生です", "そうです"],
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


def test_what_follows_the_name_is_answered_too() -> None:
    told = say("My name is Aoi, I work as a nurse.", HAZEL)
    assert "Aoi" in told
    assert "name is" not in told
    assert len(told) > len(say("My name is Aoi", HAZEL)) + 20


def test_nobody_is_greeted_as_you() -> None:
    assert not any("、あなた。" in say("こんにちは", NEMU, seed=seed) for seed in range(12))
