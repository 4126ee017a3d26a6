"""What a rule takes for odd text grows with its length, not with its square."""

import pytest

from managers.language.reading.rules import rules
from managers.storage.errors import Lang
from tests.parsers.growth import MOST_GROWTH, Recipe, growth

_LONGEST = 1 << 15
"""Characters, more than any message that is read."""


@pytest.mark.parametrize("piece", [" ", "\n", ",", "-", "1", "a ", "please ", "に"])
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
        ("ja", "slots", "home"),
        ("ja", "slots", "moved"),
        ("ja", "correction", "denied_but"),
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
