"""Every rule of a language is held to its own examples, and what it takes for odd text grows with its length, not with its square."""

import time
from collections.abc import Callable
from typing import get_args

import pytest

from agent.minds.builtin.talk.quotation import between_quotes
from managers.language.emotion import read_emotion
from managers.language.masking.detection import find_people
from managers.language.reading.concern import find_concern
from managers.language.reading.corrections import read_correction
from managers.language.reading.english import english_words
from managers.language.reading.forget_wishes import names_something
from managers.language.reading.reading import read
from managers.language.reading.reality import claims
from managers.language.reading.rules import Rule, rules, topics
from managers.language.reading.slots import told_slot
from managers.language.reading.whose import told_of
from managers.storage.errors import Lang
from tests.parsers.growth import MOST_GROWTH, Recipe, growth
from tests.speeds import one_quick

_LONGEST = 1 << 15
"""Characters, more than any message that is read."""
_MOST_SECONDS = 2
"""Ten times what it takes; where it grew with the square it would be half a minute."""
_READERS: dict[str, Callable[[str], object]] = {
    "a message": lambda text: [read(text, lang, persona="Hazel") for lang in ("ja", "en")],
    "a correction": lambda text: read_correction(text, ["The wedding is on Friday."]),
    "what is put right": lambda text: read_correction("No, on Friday.", [text]),
    "what a slot is told of": lambda text: told_slot(text, "ja"),
    "whose it is": lambda text: [told_of(text, lang) for lang in ("ja", "en")],
    "what is claimed": lambda text: list(claims("en", "slots", "home", text)),
    **{
        one.__name__: one
        for one in (english_words, find_concern, find_people, names_something, between_quotes, read_emotion)
    },
}
_RULES: dict[tuple[Lang, str], list[str]] = {
    ("en", "notes"): ["points_back"], ("en", "clauses"): ["cut"],
    ("en", "told"): ["trailing", "breaks", "decoration"], ("en", "correction"): ["late", "gives"],
    ("en", "statements"): ["aim_ends"], ("en", "reality"): ["elsewhere", "led_by", "of_another", "quotation"],
    ("ja", "persons"): ["own_name"], ("ja", "reality"): ["elsewhere", "leads_into", "led_by", "quotation"],
    ("ja", "slots"): ["age", "home", "moved", "work", "hired"], ("ja", "whose"): ["of_mine"],
    ("en", "whose"): ["of_mine"], ("ja", "candidates"): ["names_topics"],
    ("ja", "correction"): ["denied_but", "gives"], ("ja", "notes"): ["after"], ("ja", "events"): ["long_ago"],
    ("ja", "loss"): ["death"], ("ja", "indirect_speech"): ["loose"]
}  # fmt: skip


@pytest.mark.parametrize(
    "piece", one_quick([" ", "a ", "「", "\n", ",", "-", "1", "please ", "if ", "'", "に", "夢"], quick=3)
)
def test_odd_text_takes_a_rule_time_in_proportion_to_its_length(piece: str) -> None:
    made = Recipe(b"", piece.encode(), b"x")

    def is_slow(rule: Rule) -> bool:
        return growth(lambda raw: rule.search(raw.decode()), made, _LONGEST) >= MOST_GROWTH

    asked = [(lang, topic, name) for (lang, topic), names in _RULES.items() for name in names]
    assert [one for one in asked if is_slow(rules(one[0], one[1])[one[2]])] == []


@pytest.mark.parametrize(
    "piece",
    one_quick(
        ["「", "金曜じゃなくて", "“", "a\n", "not ", "の", "20歳", '"', "a-", "http://", "😀", "、", "\\", "_", "…"]
    ),
)
def test_nothing_pasted_holds_a_reader_up(piece: str) -> None:
    pasted = "No, I am so sad. \ud800" + piece * (64_000 // len(piece))

    def seconds(reader: Callable[[str], object]) -> float:
        before = time.process_time()
        reader(pasted)
        return time.process_time() - before

    assert [name for name, reader in _READERS.items() if seconds(reader) > _MOST_SECONDS] == []


def test_a_rule_is_found_in_what_it_is_for_and_in_nothing_else() -> None:
    wrong = []
    for lang in get_args(Lang):
        ruled = [(topic, one) for topic in topics(lang) for one in rules(lang, topic).values()]
        assert ruled
        for topic, one in ruled:
            assert one.yes, f"{one.name}: a rule shows what it is for"
            assert one.no, f"{one.name}: a rule shows what it must leave alone"
            wrong += [(lang, topic, one.name, "missed", text) for text in one.yes if not one.search(text)]
            wrong += [(lang, topic, one.name, "found", text) for text in one.no if one.search(text)]
    assert wrong == []
