"""The eleven emotions, in both languages: sentences to develop on, and others that nothing was tuned on."""

from pathlib import Path

import pytest

from managers.language.emotion import EMOTIONS, read_emotion

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
