"""Words, sentences, languages and names."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.language.words import content_words, detect_language, entities, sentences, words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("今日は楽しかった", "ja"),
        ("了解", "ja"),
        ("PythonとJavaScriptとTypeScriptが好き", "ja"),
        ("LINEで送るね", "ja"),
        ("I had ramen and 寿司 with my friends today", "en"),
        ("thanks", "en"),
        ("What does 懐かしい mean in English?", "en"),
    ],
)
def test_the_language_of_a_message(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "…", "12345", "😀😀", "\x00\x01"])
def test_a_text_without_letters_has_the_default_language(text: str) -> None:
    assert detect_language(text, "en") == "en"
    assert detect_language(text, "ja") == "ja"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今日は晴れ。散歩した！楽しかった", ["今日は晴れ。", "散歩した！", "楽しかった"]),
        ("「もう帰る。疲れた」と言った。", ["「もう帰る。疲れた」と言った。"]),
        ("Dr. Smith came at 3.5 p.m. today. He left.", ["Dr. Smith came at 3.5 p.m. today.", "He left."]),
        ("No. I won't!! Really?!", ["No.", "I won't!!", "Really?!"]),
        ("一行目\n\n二行目", ["一行目", "二行目"]),
        ('She said "I am late." Then she left.', ['She said "I am late."', "Then she left."]),
        ("   ", []),
    ],
)
def test_sentences_are_cut_where_people_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_an_unclosed_bracket_does_not_swallow_the_rest() -> None:
    text = "「え" + "、" * 250 + "。次の文。"
    assert sentences(text)[-1] == "次の文。"


def test_inflected_forms_share_a_lemma() -> None:
    assert {content_words(text)[0] for text in ("走る", "走った", "走らない", "走ってる")} == {"走る"}
    assert len({tuple(content_words(text)) for text in ("She bought it", "buy", "buying", "buys")}) == 1
    assert content_words("children") == content_words("child")


def test_spelling_variants_share_a_normal_form() -> None:
    assert content_words("引越し") == content_words("引っ越し")
    assert content_words("ＰＣ") == content_words("PC") == content_words("pc")


def test_compounds_are_cut_for_search_and_kept_for_names() -> None:
    assert "選挙" in content_words("選挙管理委員会")
    assert [word.surface for word in words("選挙管理委員会")] == ["選挙管理委員会"]


def test_mixed_text_is_read_by_both_tools() -> None:
    found = {word.surface: word.kind for word in words("昨日Netflixでmovieを見たよ")}
    assert found["昨日"] == "noun"
    assert found["Netflix"] == "proper"
    assert found["見"] == "verb"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("田中さんと東京タワーに行った", [("田中", "person"), ("東京", "place")]),
        ("ゆうちゃんとポチくんが来た", [("ゆう", "person"), ("ポチ", "person")]),
        ("店員さんとお客さんと赤ちゃん", []),
        ("桜がきれい。さくらちゃんも来た", [("さくら", "person")]),
        ("山田太郎です", [("山田太郎", "person")]),
        ("京都大学に通ってる", [("京都大学", "organisation")]),
        ("My sister Aiko lives in New York.", [("Aiko", "person"), ("New York", "place")]),
        ("Will you call Dr. Smith on Monday?", [("Dr. Smith", "person")]),
        ("Caroline went home. Then she slept.", [("Caroline", "person")]),
        ("I study at the University of Tokyo", [("University of Tokyo", "organisation")]),
        ("THIS IS SO ANNOYING TODAY", []),
        ("Thanks, that's great! My PC and TV are on.", []),
        ("Nothing special. Cooking dinner. Then bed.", []),
    ],
)
def test_named_things(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entity.text, entity.kind) for entity in entities(text)] == expected


def test_negation_is_a_word_of_its_own() -> None:
    assert [word.lemma for word in words("I don't, can’t")] == ["i", "do", "n't", ",", "can", "n't"]


@pytest.mark.parametrize(
    "text", ["あ" * 60_000, "長い文。" * 20_000, "a" * 60_000, "\ud800たろう", "a\x00b", "あ\u202eい"]
)
def test_any_text_is_safe(text: str) -> None:
    found = words(text)
    assert found
    assert all(text[word.start : word.end] == word.surface for word in found)


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_words_lie_in_the_text_in_order(text: str) -> None:
    at = 0
    for word in words(text):
        assert word.start >= at
        assert text[word.start : word.end] == word.surface
        at = word.end
    "".join(sentences(text))
    content_words(text)


def test_threads_read_at_the_same_time() -> None:
    results: list[list[str]] = []

    def read() -> None:
        results.append(
            [term for n in range(50) for term in content_words(f"{n}番の電車で田中さんと海に行った going home")]
        )

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


def test_nothing_heavy_is_loaded_before_the_first_japanese_word() -> None:
    script = (
        "import sys; from managers.language.words import words; words('plain English');"
        "sys.exit('sudachipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
