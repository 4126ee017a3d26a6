"""What a rule takes for odd text grows with its length, not with its square."""

import pytest

from managers.language.reading.corrections import read_correction
from managers.language.reading.reading import read
from managers.language.reading.rules import Rule, rules
from managers.storage.errors import Lang
from tests.parsers.growth import MOST_GROWTH, Recipe, growth
from tests.speeds import one_quick

_LONGEST = 1 << 15
"""Characters, more than any message that is read."""
_RULES: dict[tuple[Lang, str], list[str]] = {
    ("en", "notes"): ["points_back"],
    ("en", "clauses"): ["cut"],
    ("en", "told"): ["trailing", "breaks", "decoration"],
    ("en", "correction"): ["late", "gives"],
    ("en", "statements"): ["aim_ends"],
    ("en", "reality"): ["elsewhere", "led_by", "of_another", "quotation"],
    ("ja", "persons"): ["own_name"],
    ("ja", "reality"): ["elsewhere", "leads_into", "led_by", "quotation"],
    ("ja", "slots"): ["age", "home", "moved", "work", "hired"],
    ("ja", "whose"): ["of_mine"],
    ("en", "whose"): ["of_mine"],
    ("ja", "candidates"): ["names_topics"],
    ("ja", "correction"): ["denied_but", "gives"],
    ("ja", "notes"): ["after"],
    ("ja", "events"): ["long_ago"],
    ("ja", "loss"): ["death"],
    ("ja", "indirect_speech"): ["loose"],
}


@pytest.mark.parametrize(
    "piece", one_quick([" ", "a ", "「", "\n", ",", "-", "1", "please ", "if ", "'", "に", "夢"], quick=3)
)
def test_odd_text_takes_a_rule_time_in_proportion_to_its_length(piece: str) -> None:
    made = Recipe(b"", piece.encode(), b"x")

    def is_slow(rule: Rule) -> bool:
        return growth(lambda raw: rule.search(raw.decode()), made, _LONGEST) >= MOST_GROWTH

    asked = [(lang, topic, name) for (lang, topic), names in _RULES.items() for name in names]
    assert [one for one in asked if is_slow(rules(one[0], one[1])[one[2]])] == []


@pytest.mark.parametrize("piece", one_quick(["、", "/", "\\", "_", "-", "…", "「", " ", "a/", "ー"], quick=2))
def test_a_long_message_of_odd_signs_is_read_in_proportion_to_its_length(piece: str) -> None:
    made = Recipe(b"I am so sad. ", piece.encode(), b"x")
    assert growth(lambda raw: read(raw.decode(), "en", persona="Hazel"), made, _LONGEST) < MOST_GROWTH
    assert growth(lambda raw: read(raw.decode(), "ja", persona="Hazel"), made, _LONGEST) < MOST_GROWTH


@pytest.mark.parametrize("piece", ["not ", "ではなくて"])
def test_no_pasted_text_is_taken_for_a_correction(piece: str) -> None:
    made, said = Recipe(b"No, ", piece.encode(), b"x"), ["The wedding is on Friday."]
    assert growth(lambda raw: read_correction(raw.decode(), said), made, _LONGEST) < MOST_GROWTH
