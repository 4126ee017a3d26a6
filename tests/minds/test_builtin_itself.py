"""What the built-in mind says of itself: its inner life as memory has it, and no line of its own prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from agent.minds.builtin import BuiltInMind
from managers.mind import Cancel, ChatTurn, SelfKnowledge, Sheet, TextPiece
from tests.minds.speaking import request, say

NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。\n- 好きなもの: 雨の音と古い本。\nくだけた言葉で話す。", "ユウ")
HAZEL = Sheet("Hazel", "en", "You are Hazel, plain and gentle. You love rain and old books.", "Tom")
KNOWN = SelfKnowledge(
    "With “exams”, ask about the fear first.",
    ("Support Tom with “learning Welsh”",),
    "curiosity",
    ("In my dream I walked around “Welsh”.",),
)
OWN_JA = SelfKnowledge(
    "急がずに聞く", ("ユウの「簿記」を応援する",), "devotion", ("夢の中で、「簿記」のまわりを歩いていた。",)
)
BODY = ("body", "体がない", "経験がない")


def told(text: str, sheet: Sheet, known: SelfKnowledge) -> str:
    asked = replace(request(text, sheet), itself=lambda: known)
    said = BuiltInMind().reply(asked, Cancel())
    return "".join(piece.text for piece in said if isinstance(piece, TextPiece))


@pytest.mark.parametrize(
    ("text", "sheet", "known", "words"),
    [
        ("What are your goals?", HAZEL, KNOWN, "learning Welsh"),
        ("What is your strategy?", HAZEL, KNOWN, "ask about the fear first"),
        ("What did you dream last night?", HAZEL, KNOWN, "walked around"),
        ("あなたの目標は何？", NEMU, OWN_JA, "簿記"),
        ("方針はある？", NEMU, OWN_JA, "急がずに聞く"),
        ("どんな夢を見た？", NEMU, OWN_JA, "まわりを歩いていた"),
        ("今、何がしたい？", NEMU, OWN_JA, "力になりたい"),
    ],
)
def test_it_tells_of_its_inner_life_from_memory(text: str, sheet: Sheet, known: SelfKnowledge, words: str) -> None:
    assert words in told(text, sheet, known)


@pytest.mark.parametrize(
    ("text", "sheet"),
    [("Do you have any goals?", HAZEL), ("What is your strategy?", HAZEL), ("目標はある？", NEMU), ("方針は？", NEMU)],
)
def test_what_it_does_not_have_it_says_so(text: str, sheet: Sheet) -> None:
    said = told(text, sheet, SelfKnowledge())
    assert "“" not in said
    assert not any(word in said for word in BODY)


@pytest.mark.parametrize("text", ["好きな食べ物は？", "What's your favourite food?"])
def test_a_liking_that_its_sheet_does_not_name_is_not_made_of_another_line(text: str) -> None:
    said = say(text, HAZEL if text.isascii() else NEMU)
    assert not any(line in said for line in ("雨の音", "rain", "You are", "あなたは"))


def test_a_liking_is_said_in_its_own_words() -> None:
    assert "You love" not in say("What do you like?", HAZEL)
    assert "雨の音と古い本" in say("あなたは何が好き？", NEMU)


@pytest.mark.parametrize(
    ("text", "sheet"), [("英語は話せる？", NEMU), ("Do you speak French?", HAZEL), ("Can you speak Japanese?", HAZEL)]
)
def test_a_language_is_no_matter_of_the_body(text: str, sheet: Sheet) -> None:
    said = say(text, sheet)
    assert "英語" in said or "English" in said
    assert not any(word in said for word in BODY)


@pytest.mark.parametrize(
    ("text", "sheet", "before", "words"),
    [
        ("Didn't I tell you about my cat?", HAZEL, "My cat is called Biscuit.", "Biscuit"),
        ("猫を飼ってるって言ったよね？", NEMU, "猫を飼ってる。名前はモモ。", "モモ"),
        ("猫を飼ってるって言ったよね", NEMU, "", "見つから"),
    ],
)
def test_what_was_said_before_is_looked_for_in_memory(text: str, sheet: Sheet, before: str, words: str) -> None:
    at = datetime(2026, 11, 21, 14)
    turns = [ChatTurn("user", before, at), ChatTurn("persona", "…", at)] if before else []
    said = say(text, sheet, turns=turns)
    assert not any(word in said for word in BODY)
    assert words in said or before == "" or before.split("。", maxsplit=1)[0].rstrip(".") in said
