"""A death that is told, and what only sounds like one."""

from managers.language.emotion import read_emotion
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.rules import rules
from managers.storage.errors import Lang


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
