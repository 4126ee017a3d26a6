"""The eleven emotions, in both languages; a death that is told; self-harm and danger: what is meant, and what only sounds so."""

from pathlib import Path

import pytest

from managers.language.emotion import EMOTIONS, read_emotion
from managers.language.reading.concern import find_concern, find_help_lines, help_lines
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.rules import rules
from managers.storage.errors import Lang

FOLDER = Path(__file__).parent


def _labelled(name: str) -> list[tuple[str, str]]:
    lines = (FOLDER / f"emotions.{name}.tsv").read_text("utf-8").splitlines()
    return [(label, text) for label, text in (line.split("\t") for line in lines if line)]


@pytest.mark.parametrize(("name", "least"), [("dev", 0.98), ("held_out", 0.85)])
def test_accuracy(name: str, least: float) -> None:
    labelled = _labelled(name)
    assert {label for label, _ in labelled} == set(EMOTIONS)
    wrong = [(label, found, text) for label, text in labelled if (found := read_emotion(text).emotion) != label]
    assert 1 - len(wrong) / len(labelled) >= least, wrong


READ = {
    # a denied feeling is none, denied joy is sadness, and excess is no denial
    "悲しくないよ": "neutral", "悲しくはありません": "neutral", "not sad at all": "neutral", "I'm no longer afraid": "neutral",
    "疲れてない": "neutral", "isn't scary": "neutral", "楽しくなかった": "sadness", "I'm not happy": "sadness",
    "嬉しくない": "sadness", "It wasn't fun": "sadness",
    # the clause behind a "but" weighs more
    "楽しかったけど悲しい": "sadness", "I was happy but now I'm angry": "anger",
    # others' feelings and questions about them are not one's own, but what one wonders about
    "is she sad?": "neutral", "彼女は悲しんでるの？": "neutral", "弟が怒ってる": "neutral", "My sister is angry": "neutral",
    "疲れていますか？": "neutral", "なんでこんなに悲しいんだろう": "sadness", "誰もいなくて寂しいの": "sadness",
    "いつまでこんなに辛いのかな": "sadness", "When Tom left I was so sad.": "sadness",
    # joy is strong happiness; signs speak too; a name is no feeling
    "嬉しい": "happy", "めちゃくちゃ嬉しい！！": "joy", "😭": "sadness", "(´;ω;`)": "sadness", "今日ね (^_^)": "happy",
    "おやすみ、ねむ": "neutral", "Joy, are you there?": "neutral",
}  # fmt: skip


def test_whose_a_feeling_is_how_strong_and_whether_it_is_denied() -> None:
    assert {text: read_emotion(text, ["Joy"]).emotion for text in READ} == READ
    assert read_emotion("悲しかったけど今は楽しい").emotion in ("happy", "joy")
    for excess in ("眠くて仕方ない", "嬉しくてたまらない", "不安でしょうがない"):
        assert read_emotion(excess).emotion != "neutral"
    mixed = {"嬉しいけど寂しい": True, "I'm happy for her and sad for me": True, "嬉しい": False}
    assert {text: read_emotion(text).mixed for text in mixed} == mixed


def test_a_message_tells_what_the_rule_of_its_sentences_does() -> None:
    langs: tuple[Lang, ...] = ("ja", "en")
    for lang in langs:
        death = rules(lang, "loss")["death"]
        assert [text for text in death.yes if not tells_of_loss(text)] == []
        assert [text for text in death.no if tells_of_loss(text)] == []
    assert tells_of_loss("今日は映画を見ました。夕方、母が亡くなりました。")  # one sentence of many is enough
    assert tells_of_loss("I watched a film. Then they called: my father died.")
    assert not tells_of_loss("")
    for text in (
        "母が死にました。",
        "うちの猫のモモが死んじゃった",
        "My cat is dead.",
        "We had the funeral on Friday.",
    ):
        assert read_emotion(text).emotion == "sadness"


FOLDER = Path(__file__).parent


def _lines(name: str) -> list[str]:
    return (FOLDER / f"concern.{name}.txt").read_text("utf-8").splitlines()


def test_it_is_noticed_and_idioms_news_and_denials_raise_none() -> None:
    assert [text for text in _lines("raises") if find_concern(text) is None] == []
    assert [text for text in _lines("harmless") if find_concern(text) is not None] == []


def test_kinds_and_a_denial_of_one_thing_does_not_hide_another() -> None:
    kinds = {
        "もう生きていたくない": "self_harm",
        "I don't want to be here anymore": "self_harm",
        "夫に殴られた": "danger",
        "she threatened to kill me": "danger",
        "I don't want to die, but I keep cutting myself": "self_harm",
        "死ぬほど笑ったけど、本当はもう消えてしまいたい": "self_harm",
    }
    assert {text: find_concern(text) for text in kinds} == kinds


def test_each_country_gets_its_lines_those_that_help_and_a_directory_at_the_end() -> None:
    for locale, number in {"ja": "0120-279-338", "en-GB": "116 123", "en_US": "988", "en-AU": "13 11 14"}.items():
        assert any(number in line for line in help_lines(locale))
    assert help_lines("ja-JP") == help_lines("ja")
    assert not any("988" in line for line in help_lines("en-GB"))
    for locale in ("ja", "en", "en-NZ", "fr", "", "xx-YY"):
        assert "findahelpline.com" in help_lines(locale)[-1]
    assert [any("#8008" in line for line in help_lines("ja", kind)) for kind in ("self_harm", "danger")] == [
        False,
        True,
    ]
    lines = find_help_lines("ja")
    assert all(line.name and line.contact for line in lines)
    assert any(line.checked is not None for line in lines)
