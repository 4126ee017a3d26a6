"""What a rule takes for odd text grows with its length, not with its square."""

import pytest

from managers.language.reading.reading import read
from managers.language.reading.rules import rules
from managers.storage.errors import Lang
from tests.parsers.growth import MOST_GROWTH, Recipe, growth

_LONGEST = 1 << 15
"""Characters, more than any message that is read."""


@pytest.mark.parametrize("piece", [" ", "\n", ",", "-", "1", "a ", "please ", "if ", "'", "に", "夢", "「"])
@pytest.mark.parametrize(
    ("lang", "topic", "name"),
    [
        ("en", "notes", "points_back"),
        ("en", "clauses", "cut"),
        ("en", "told", "trailing"),
        ("en", "told", "breaks"),
        ("en", "told", "decoration"),
        ("en", "correction", "late"),
        ("en", "statements", "aim_ends"),
        ("en", "reality", "elsewhere"),
        ("en", "reality", "led_by"),
        ("en", "reality", "of_another"),
        ("en", "reality", "quotation"),
        ("ja", "persons", "own_name"),
        ("ja", "reality", "elsewhere"),
        ("ja", "reality", "leads_into"),
        ("ja", "reality", "led_by"),
        ("ja", "reality", "quotation"),
        ("ja", "slots", "age"),
        ("ja", "slots", "home"),
        ("ja", "slots", "moved"),
        ("ja", "whose", "of_mine"),
        ("en", "whose", "of_mine"),
        ("ja", "candidates", "names_topics"),
        ("ja", "correction", "denied_but"),
        ("ja", "correction", "gives"),
        ("en", "correction", "gives"),
        ("ja", "slots", "work"),
        ("ja", "slots", "hired"),
        ("ja", "notes", "after"),
        ("ja", "events", "long_ago"),
        ("ja", "loss", "death"),
        ("ja", "indirect_speech", "loose"),
    ],
)
def test_odd_text_takes_time_in_proportion_to_its_length(lang: Lang, topic: str, name: str, piece: str) -> None:
    rule = rules(lang, topic)[name]
    made = Recipe(b"", piece.encode(), b"x")
    assert growth(lambda raw: rule.search(raw.decode()), made, _LONGEST) < MOST_GROWTH


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("piece", ["/", "\\", "_", "-", "…", "「", " ", "a/", "、", "ー"])
def test_a_long_message_of_odd_signs_is_read_in_proportion_to_its_length(lang: Lang, piece: str) -> None:
    made = Recipe(b"I am so sad. ", piece.encode(), b"x")
    assert growth(lambda raw: read(raw.decode(), lang, persona="Hazel"), made, _LONGEST) < MOST_GROWTH
