"""A death that is told, and what only sounds like one."""

from __future__ import annotations

import pytest

from managers.language.emotion import read_emotion
from managers.language.lexicons import load
from managers.language.loss import tells_of_loss


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("kind", ["yes", "no"])
def test_the_patterns_keep_to_their_examples(lang: str, kind: str) -> None:
    for example in load("loss")[lang][kind]:
        assert tells_of_loss(example) == (kind == "yes"), example


def test_one_sentence_of_many_is_enough_and_one_does_not_clear_another() -> None:
    assert tells_of_loss("今日は映画を見ました。夕方、母が亡くなりました。")
    assert tells_of_loss("I watched a film. Then they called: my father died.")
    assert not tells_of_loss("")


@pytest.mark.parametrize(
    "text", ["母が死にました。", "うちの猫のモモが死んじゃった", "My cat is dead.", "We had the funeral on Friday."]
)
def test_a_death_is_no_neutral_news(text: str) -> None:
    assert read_emotion(text).emotion == "sadness"
