"""What the built-in mind says of itself: its inner life as memory has it, and no line of its own prompt."""

from dataclasses import replace
from datetime import datetime

import pytest

from agent.minds.builtin import BuiltInMind
from managers.mind import Cancel, ChatTurn, SelfKnowledge, Sheet, TextPiece
from managers.recall.hits import Hit
from tests.minds.speaking import NOW, request, say

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
        ("何か目標ある？", NEMU, OWN_JA, "簿記"),
        ("いま何に向かってる？", NEMU, OWN_JA, "簿記"),
        ("今いちばん強い気持ちは？", NEMU, OWN_JA, "力になりたい"),
        ("最近何を考えてる？", NEMU, OWN_JA, "力になりたい"),
        ("How do you feel?", HAZEL, KNOWN, "you told me"),
        ("Why did you write your diary?", HAZEL, KNOWN, "moves me"),
        ("どうして日記を書いたの？", NEMU, OWN_JA, "心が動いた"),
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


@pytest.mark.parametrize("text", ["Do you have a body?", "体はある？"])
def test_whether_it_has_a_body_hangs_on_no_memory(text: str) -> None:
    sheet = HAZEL if text.isascii() else NEMU
    found = [Hit("I do yoga.", "log_archive", "semantic", "log_archives/2026-08.txt", ("x",), 0.5, NOW, "Tom")]
    assert any(word in say(text, sheet, hits=found, recall_wanted=True) for word in ("no body", "体がない"))


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        ("詩を書いて", NEMU),
        ("俳句を作って", NEMU),
        ("明日の朝8時に起こして", NEMU),
        ("電気をつけて", NEMU),
        ("Remind me tomorrow at 8", HAZEL),
        ("Remind me to call mum", HAZEL),
        ("Turn on the lights", HAZEL),
    ],
)
def test_what_it_cannot_do_it_says_with_the_way_to_a_model(text: str, sheet: Sheet) -> None:
    assert any(way in say(text, sheet) for way in ("こころとモデル", "Mind and model"))


@pytest.mark.parametrize(
    ("text", "sheet", "word"),
    [
        ("マラソンを完走するのが目標", NEMU, "おめでとう"),
        ("from Olivia import Emma", HAZEL, "Olivia"),
        ("helpコマンド: python app.py chat NAME", NEMU, "What"),
        ("Forget the interview.", HAZEL, "nuisance"),
    ],
)
def test_an_aim_is_no_feat_and_code_no_news(text: str, sheet: Sheet, word: str) -> None:
    assert word not in say(text, sheet)


@pytest.mark.parametrize(
    ("text", "sheet", "before", "words"),
    [
        ("Didn't I tell you about my cat?", HAZEL, "My cat is called Biscuit.", "Biscuit"),
        ("猫を飼ってるって言ったよね？", NEMU, "猫を飼ってる。名前はモモ。", "モモ"),
        ("猫を飼ってるって言ったよね", NEMU, "", "見つから"),
        ("Didn't I tell you that I speak French?", HAZEL, "", "French"),
    ],
)
def test_what_was_said_before_is_looked_for_in_memory(text: str, sheet: Sheet, before: str, words: str) -> None:
    at = datetime(2026, 11, 21, 14)
    turns = [ChatTurn("user", before, at), ChatTurn("persona", "…", at)] if before else []
    said = say(text, sheet, turns=turns)
    assert not any(word in said for word in BODY)
    assert words in said or before == "" or before.split("。", maxsplit=1)[0].rstrip(".") in said
