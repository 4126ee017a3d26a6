"""The built-in mind in everyday Japanese: what is told is not taken for a question, and what is asked is met."""

from __future__ import annotations

import pytest

from agent.minds.builtin.introducing import is_about_oneself, name_in
from agent.minds.builtin.understanding import understand
from managers.mind import Sheet
from tests.minds.speaking import converse, say

NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。")


# --- told, or asked? -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["江ノ島とか。", "もっと静か", "まじか", "カレーとか食べた。ラーメンとか", "家族の中だとあの店とか"]
)
def test_what_only_ends_with_the_sign_of_asking_is_told(text: str) -> None:
    assert not understand(text, "ねむ", "ja").sentences[-1].is_question


@pytest.mark.parametrize("text", ["もう行ったか", "覚えとるか", "それでいいか", "雨か", "誰が来たか知ってるか"])
def test_a_bare_ka_still_asks(text: str) -> None:
    assert understand(text, "ねむ", "ja").sentences[-1].is_question


def test_who_wants_company_is_answered_about_what_was_told() -> None:
    assert not understand("シフト勝手に変えられたんだけどありえなくない？", "ねむ", "ja").sentences[-1].is_question


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("名前は遥。横浜に住んでる。", "遥"),
        ("わしは茂。岐阜におる。", "茂"),
        ("名前は湊", "湊"),
        ("俺は健太！", "健太"),
    ],
)
def test_a_name_is_given_in_an_early_message_too(text: str, name: str) -> None:
    told = converse(["こんばんは", text, "わたしの名前は？"], NEMU)
    assert f"{name}さん" in told[1]
    assert f"{name}さん" in told[2]


@pytest.mark.parametrize("text", ["名前は秘密", "名前は決まってない", "僕は猫。", "わしは大工。", "わたしは学生"])
def test_what_stands_where_a_name_would_is_not_always_one(text: str) -> None:
    assert name_in(text, is_first=True, is_own=True) == ""


def test_the_name_of_somebody_told_of_is_theirs() -> None:
    assert not is_about_oneself(["猫を飼い始めたよ"])
    said = converse(["猫を飼い始めたよ", "名前はクロ。", "わたしの名前は？"], NEMU)
    assert "クロさん" not in "".join(said)
    assert "ねむというよ" not in said[1]


@pytest.mark.parametrize("text", ["名前は？", "お名前教えて", "名前は何？", "君の名前は？"])
def test_the_personas_name_can_still_be_asked_for(text: str) -> None:
    assert "ねむ" in say(text, NEMU)


def test_who_wants_somebody_to_talk_to_is_talked_to() -> None:
    told = say("退屈だから、話し相手になってくれんか。", NEMU)
    assert "体" not in told
    assert "経験" not in told
