"""Words, sentences, languages and names."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from agent.minds.builtin.dreams.statements import said_in
from managers.language.dates_in_words import say_when
from managers.language.reading.bounds import LONGEST, MOST
from managers.language.words import content_words, detect_language, entities, sentences, words
from managers.memory.messages import Message


def test_the_language_of_a_message() -> None:
    languages = {
        "今日は楽しかった": "ja", "了解": "ja", "PythonとJavaScriptとTypeScriptが好き": "ja", "LINEで送るね": "ja",
        "I had ramen and 寿司 with my friends today": "en", "thanks": "en",
        "What does 懐かしい mean in English?": "en"
    }  # fmt: skip
    assert {text: detect_language(text) for text in languages} == languages
    for text in ("", "…", "12345", "😀😀", "\x00\x01"):  # without letters: the default
        assert (detect_language(text, "en"), detect_language(text, "ja")) == ("en", "ja")


def test_sentences_are_cut_where_people_end_them() -> None:
    cuts = {
        "今日は晴れ。散歩した！楽しかった": ["今日は晴れ。", "散歩した！", "楽しかった"],
        "「もう帰る。疲れた」と言った。": ["「もう帰る。疲れた」と言った。"],
        "Dr. Smith came at 3.5 p.m. today. He left.": ["Dr. Smith came at 3.5 p.m. today.", "He left."],
        "No. I won't!! Really?!": ["No.", "I won't!!", "Really?!"],
        "一行目\n\n二行目": ["一行目", "二行目"],
        'She said "I am late." Then she left.': ['She said "I am late."', "Then she left."],
        "   ": [],
    }
    assert {text: sentences(text) for text in cuts} == cuts
    assert sentences("「え" + "、" * 250 + "。次の文。")[-1] == "次の文。"  # an unclosed bracket


def test_a_long_diary_is_read_to_its_end_and_what_is_pasted_so_far_and_no_further() -> None:
    for line in ("今日は川のそばを歩いて、カワセミを見た。", "I walked along the river and saw a kingfisher."):
        diary = Message(
            "m", datetime(2026, 11, 28), "user", "Aoi", f"{line}\n" * (8_000 // len(line)) + "My cat is ill."
        )
        assert said_in([diary])[-1].text == "My cat is ill."
    assert {len(one) for one in sentences("あ" * MOST * 4)} == {LONGEST}
    assert sum(map(len, sentences("あ。" * MOST))) == MOST


def test_inflected_forms_and_spellings_share_a_lemma() -> None:
    assert {content_words(text)[0] for text in ("走る", "走った", "走らない", "走ってる")} == {"走る"}
    assert len({tuple(content_words(text)) for text in ("She bought it", "buy", "buying", "buys")}) == 1
    assert content_words("children") == content_words("child")
    assert content_words("引越し") == content_words("引っ越し")
    assert content_words("ＰＣ") == content_words("PC") == content_words("pc")
    assert "選挙" in content_words("選挙管理委員会")  # compounds are cut for search and kept for names
    assert [word.surface for word in words("選挙管理委員会")] == ["選挙管理委員会"]
    assert [word.lemma for word in words("I don't, can’t")] == ["i", "do", "n't", ",", "can", "n't"]
    found = {word.surface: word.kind for word in words("昨日Netflixでmovieを見たよ")}
    assert (found["昨日"], found["Netflix"], found["見"]) == ("noun", "proper", "verb")


def test_named_things() -> None:
    named: dict[str, list[tuple[str, str]]] = {
        "田中さんと東京タワーに行った": [("田中", "person"), ("東京", "place")],
        "ゆうちゃんとポチくんが来た": [("ゆう", "person"), ("ポチ", "person")],
        "店員さんとお客さんと赤ちゃん": [],
        "桜がきれい。さくらちゃんも来た": [("さくら", "person")],
        "山田太郎です": [("山田太郎", "person")],
        "京都大学に通ってる": [("京都大学", "organisation")],
        "My sister Aiko lives in New York.": [("Aiko", "person"), ("New York", "place")],
        "Will you call Dr. Smith on Monday?": [("Dr. Smith", "person")],
        "Caroline went home. Then she slept.": [("Caroline", "person")],
        "I study at the University of Tokyo": [("University of Tokyo", "organisation")],
        "THIS IS SO ANNOYING TODAY": [],
        "Thanks, that's great! My PC and TV are on.": [],
        "Nothing special. Cooking dinner. Then bed.": [],
    }
    assert {text: [(one.text, one.kind) for one in entities(text)] for text in named} == named


def test_any_text_is_safe() -> None:
    for text in ("あ" * 60_000, "長い文。" * 20_000, "a" * 60_000, "\ud800たろう", "a\x00b", "あ\u202eい"):
        assert (found := words(text))
        assert all(text[word.start : word.end] == word.surface for word in found)


@given(st.text(max_size=60))
def test_words_lie_in_the_text_in_order(text: str) -> None:
    at = 0
    for word in words(text):
        assert word.start >= at
        assert text[word.start : word.end] == word.surface
        at = word.end
    "".join(sentences(text))
    content_words(text)


def test_threads_read_at_the_same_time() -> None:
    def read(_: int) -> list[list[str]]:
        return [content_words(f"{n}番の電車で田中さんと海に行った going home") for n in range(50)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(read, range(4)))
    assert results == [read(0)] * 4


def test_nothing_heavy_is_loaded_before_the_first_japanese_word() -> None:
    script = (
        "import sys; from managers.language.words import words; words('plain English');"
        "sys.exit('sudachipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_what_lies_ahead_is_not_said_to_be_earlier_today() -> None:
    now = datetime(2026, 11, 28, 21)
    assert [say_when(datetime(2027, 11, 28, 20), now, lang) for lang in ("en", "ja")] == [
        "on 28 November 2027",
        "2027年11月28日",
    ]
    assert [say_when(datetime(2026, 11, 28, 8), now, lang) for lang in ("en", "ja")] == ["earlier today", "今日の朝"]
