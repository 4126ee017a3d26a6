"""Every rule of a language is held to its own examples."""

from typing import get_args

from managers.language.reading.rules import rules, topics
from managers.storage.errors import Lang


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
