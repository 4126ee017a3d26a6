"""The built-in mind in conversation: pieces, voices, languages, odd messages, a long day."""

import re
import time
from datetime import datetime

import pytest

from agent.minds.builtin import BuiltInMind
from managers.language.words import detect_language
from managers.mind import (
    Cancel,
    ChatTurn,
    Image,
    Sheet,
)
from tests.minds.speaking import DAY_EN, DAY_JA, MIA, NOW, SHIORI, converse, hit, pieces, request, say

# --- the seam ------------------------------------------------------------------------------------------------


def test_it_speaks_in_pieces_and_the_same_way_again() -> None:
    asked = request("昨日は妹と京都に行ってきたよ")
    first, second = pieces(asked), pieces(asked)
    assert first == second
    assert len(first) > 2


def test_another_seed_may_choose_other_words() -> None:
    assert len({say("今日は映画を見てきたよ", seed=seed) for seed in range(8)}) > 1


def test_cancel_stops_it_at_the_next_piece() -> None:
    cancel = Cancel()
    stream = BuiltInMind().reply(request("あなたは何者ですか？"), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []


def test_what_it_is() -> None:
    mind = BuiltInMind()
    assert mind.name == "built-in"
    assert not mind.can_see
    assert mind.count_tokens("あいう") >= 3
    assert "言語モデル" in say("あなたはAIなの？")
    assert "language model" in say("Are you a real person?", MIA)


# --- voice and language --------------------------------------------------------------------------------------


def test_it_answers_in_the_language_of_the_message() -> None:
    assert detect_language(say("I went to Kyoto with my sister yesterday")) == "en"
    assert detect_language(say("昨日は京都に行ったよ", MIA)) == "ja"


@pytest.mark.parametrize(
    ("prompt", "i", "sign"),
    [
        ("一人称は「僕」。タメ口で話す。", "僕", r"(?:だよ|んだ|ない|てる)"),
        ("一人称は「わし」、語尾は「のじゃ」。", "わし", r"(?:じゃ|のじゃ|ぞ)"),
        ("「ボクはタマだにゃ。よろしくにゃ」", "ボク", r"にゃ"),
        ("一人称は「うち」。関西弁で話す。", "うち", r"(?:ねん|やで|や。)"),
        ("お嬢様言葉。「わたくし、紅茶が好きですわ」", "わたくし", r"わ。"),
        ("一人称は「わたし」。くだけた言葉で話す。敬語は使わない。", "わたし", r"(?:だよ|んだ|ない)"),
    ],
)
def test_it_speaks_in_the_personas_voice(prompt: str, i: str, sign: str) -> None:
    sheet = Sheet("タマ", "ja", prompt, "ユウ")
    told = say("あなたは何者？", sheet) + say("あなたは人間なの？", sheet, seed=3)
    assert i in told
    assert re.search(sign, told)
    assert "です。" not in told


def test_it_calls_the_user_as_its_sheet_says() -> None:
    sheet = Sheet("コン", "ja", "ユーザーのことは「おぬし」と呼ぶ。一人称は「わし」。語尾は「のじゃ」。", "ユウ")
    assert any("おぬし" in say("おやすみ", sheet, seed=seed) for seed in range(6))


def test_it_learns_a_name_that_was_given() -> None:
    sheet = Sheet("ねむ", "ja", "くだけた言葉で話す。")
    turns = [ChatTurn("user", "はじめまして、ミナといいます"), ChatTurn("persona", "はじめまして。")]
    assert "ミナさん" in say("私の名前、わかる？", sheet, turns=turns)
    assert "ミナ" not in say("私の名前、わかる？", sheet)


# --- odd messages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "…", "😀", "😭😭", "！！！", "\x00\x01\x02\x03\x04\x05", "a" * 5000, "ああああああああああああああああああああああああああああああああああああ",
        "<script>alert(1)</script>", "<b>今日は楽しかった</b>", "import os; os.system('rm -rf /')", "長い話です。" * 5000,
        "aGVsbG8gd29ybGQgdGhpcyBpcyBhIGJpbmFyeSBmaWxlIGluIGJhc2U2NA==aGVsbG8gd29ybGQgdGhpcyBpcyBhIGJpbmFyeSBmaWxl",
        "\ud800", "12345", "## USER:x", "\u202eこんにちは", "?" * 100,
    ],
)  # fmt: skip
def test_odd_messages_get_a_sensible_answer(text: str) -> None:
    told = say(text)
    assert told.strip()
    assert len(told) < 600
    assert "<script" not in told


def test_markup_around_words_is_read_through() -> None:
    assert detect_language(say("<b>I had a great day with my sister</b>")) == "en"


def test_an_image_is_owned_up_to() -> None:
    told = say("これ見て！", images=(Image("image/png", b"x"),))
    assert re.search(r"見る力がありません|見えない", told)


def test_the_same_message_twice_is_noticed() -> None:
    text = "今日は図書館で本を借りてきたよ"
    told = say(text, turns=[ChatTurn("user", text, NOW), ChatTurn("persona", "いいですね。", NOW)])
    assert re.search(r"さっきも|もう一度", told)


@pytest.mark.parametrize(("lines", "sheet"), [(DAY_JA, SHIORI), (DAY_EN, MIA)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_twenty_turns_do_not_feel_like_a_form(lines: list[str], sheet: Sheet, seed: int) -> None:
    told = converse(lines, sheet, seed=seed)
    assert len(set(told)) == len(told)
    endings = [reply.rstrip().endswith(("？", "?")) for reply in told]
    assert not any(all(endings[at : at + 4]) for at in range(len(endings) - 3)), told
    sentences = [part for reply in told for part in re.split(r"(?<=[。！？.!?])\s*", reply) if len(part) > 8]
    most = max(sentences.count(sentence) for sentence in sentences)
    assert most <= 2, [s for s in set(sentences) if sentences.count(s) == most]
    assert not any(re.search(r"[<>{}|]", reply) for reply in told)


def test_a_reply_takes_less_than_twenty_milliseconds() -> None:
    hits = [hit(f"{n}月は田中さんと海へ行きました。とても楽しかったです。", datetime(2026, n, 1)) for n in range(1, 11)]
    converse(DAY_JA, SHIORI, hits=hits)
    started = time.thread_time()
    converse([f"{line}。" for line in DAY_JA], SHIORI, hits=hits)
    assert (time.thread_time() - started) / len(DAY_JA) < 0.04  # twice the budget: the machine is shared
