"""A death that is told, and what only sounds like one."""

import pytest

from managers.language.emotion import read_emotion
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.rules import rules
from managers.storage.errors import Lang


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_message_tells_what_the_rule_of_its_sentences_does(lang: Lang) -> None:
    death = rules(lang, "loss")["death"]
    assert all(tells_of_loss(example) for example in death.yes)
    assert not any(tells_of_loss(example) for example in death.no)


def test_one_sentence_of_many_is_enough_and_one_does_not_clear_another() -> None:
    assert tells_of_loss("今日は映画を見ました。夕方、母が亡くなりました。")
    assert tells_of_loss("I watched a film. Then they called: my father died.")
    assert not tells_of_loss("")


@pytest.mark.parametrize(
    "text", ["母が死にました。", "うちの猫のモモが死んじゃった", "My cat is dead.", "We had the funeral on Friday."]
)
def test_a_death_is_no_neutral_news(text: str) -> None:
    assert read_emotion(text).emotion == "sadness"
