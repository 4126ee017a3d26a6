"""Taking up what was told: echoes with their grammar intact, and phrases to ask after."""

from dataclasses import replace

import pytest

from agent.minds.builtin.talk import echo_en, echo_ja
from agent.minds.builtin.talk.voice import Voice
from managers.language.reading import told_en, told_ja
from managers.language.reading.reading import read
from managers.language.reading.told import Told
from tests.minds.speaking import MIA, converse

POLITE = Voice("ja", "しおり", "私", "ユウさん", polite=True)
PLAIN = Voice("ja", "しおり", "わたし", "", polite=False)


def japanese(text: str, voice: Voice = POLITE) -> Told:
    sentence = read(text, "ja", persona="しおり").sentences[-1]
    return replace(told_ja.take_up(sentence, voice.you), echo=echo_ja.echo_of(sentence, voice, "しおり"))


def english(text: str) -> Told:
    sentence = read(text, "en", persona="Mia").sentences[-1]
    return replace(told_en.take_up(sentence), echo=echo_en.echo_of(sentence))


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("昨日は妹と京都に行ってきたよ", "昨日は妹さんと京都に行ってきたんですね。"),
        ("今日は会議で発表しました。", "今日は会議で発表したんですね。"),
        ("友達に本を借りています", "お友達に本を借りているんですね。"),
        ("来週は母の誕生日なんだ", "来週はお母さんの誕生日なんですね。"),
        ("私は朝からずっと本を読んでました", "朝からずっと本を読んでたんですね。"),
        ("図書館が休みでした", "図書館が休みだったんですね。"),
        ("あまりお酒は飲みません", "あまりお酒は飲まないんですね。"),
        ("結局間に合いませんでした", "結局間に合わなかったんですね。"),
        ("新しい靴が欲しいです", "新しい靴が欲しいんですね。"),
        ("紅茶が好きです", "紅茶が好きなんですね。"),
        ("でも来月には引っ越すつもり", "来月には引っ越すつもりなんですね。"),
        ("うちの猫が窓から出ちゃった", "ユウさんのところの猫が窓から出ちゃったんですね。"),
    ],
)
def test_japanese_echoes(text: str, echo: str) -> None:
    assert japanese(text).echo == echo


@pytest.mark.parametrize(
    "text",
    [
        "あなたはどう思ってるのか気になる",
        "一緒に行こうよ",
        "ちゃんと聞いてください",
        "いい天気ですね",
        "今度こっそり「秘密だよ」と言われた",
        "京都へ",
        "しおりと話すのは楽しい",
    ],
)
def test_what_cannot_be_given_back_is_not(text: str) -> None:
    assert japanese(text).echo == ""


def test_the_plain_form() -> None:
    assert japanese("昨日は図書館に行きました", PLAIN).echo == "昨日は図書館に行ったんだね。"


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("I went to Kyoto with my sister", "So you went to Kyoto with your sister. "),
        ("I'm learning to bake bread", "So you're learning to bake bread. "),
        ("Yeah, my brother got a new job", "So your brother got a new job. "),
        ("I was really late for work", "So you were really late for work. "),
        ("Went to the beach with Emma", "So you went to the beach with Emma. "),
    ],
)
def test_english_echoes(text: str, echo: str) -> None:
    assert english(text).echo == echo


@pytest.mark.parametrize(
    "text", ["It was great", "You said that before", "Thanks a lot", "What a day", "Maybe next week then"]
)
def test_english_that_cannot_be_given_back_is_not(text: str) -> None:
    assert english(text).echo == ""


def test_phrases_to_ask_after() -> None:
    told = japanese("昨日は友達の佐藤さんと横浜の水族館に行ったよ")
    assert told.person == "お友達の佐藤さん"
    assert told.place == "横浜の水族館"
    assert told.act == "go"
    assert told.is_past
    assert told.is_dated
    english_told = english("I want to visit the old museum with my friend Tom")
    assert english_told.person == "your friend Tom"
    assert english_told.is_wish
    assert english_told.act == "go"


def test_a_negative_wish_is_none() -> None:
    assert japanese("京都に行きたい").is_wish
    assert not japanese("会社に行きたくない").is_wish


def test_others_deeds_are_not_the_tellers_own() -> None:
    assert not japanese("妹は大阪に住んでる").is_own
    assert not english("My sister lives in Osaka").is_own
    assert english("I live in Osaka").is_own


def test_who_is_named_in_a_sentence_is_what_the_sentence_says() -> None:
    cat, sister = english("My cat Momo is funny"), english("My sister Nora lives in York")
    assert (cat.is_pet, cat.person) == (True, "")
    assert (sister.is_pet, sister.person, sister.is_relative) == (False, "your sister Nora", True)
    said = converse(["My cat Momo is funny", "my sister Nora is coming tomorrow"], MIA)
    assert "known your cat" not in said[0]
    assert "Animals" not in said[1]
