"""Every rule of a language is held to its own examples."""

from typing import get_args

import pytest

from managers.language.reading.rules import rules, topics
from managers.storage.errors import Lang

FILES = [(lang, topic) for lang in get_args(Lang) for topic in topics(lang)]


def test_there_are_rules_in_each_language() -> None:
    assert {lang for lang, _ in FILES} == set(get_args(Lang))


@pytest.mark.parametrize(("lang", "topic"), FILES)
def test_a_rule_is_found_in_what_it_is_for_and_in_nothing_else(lang: Lang, topic: str) -> None:
    for one in rules(lang, topic).values():
        assert one.yes, f"{one.name}: a rule shows what it is for"
        assert one.no, f"{one.name}: a rule shows what it must leave alone"
        missed = [text for text in one.yes if not one.search(text)]
        found = [text for text in one.no if one.search(text)]
        assert (one.name, missed, found) == (one.name, [], [])
