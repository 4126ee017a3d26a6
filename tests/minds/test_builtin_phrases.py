"""The reply tables: both languages say the same kinds of things, and every template can be filled in."""

import re
from random import Random

import pytest

from agent.minds.builtin.talk.voice import Phrasebook, Voice
from managers.language.lexicons import load
from managers.storage.errors import Lang

_LEFTOVER = re.compile(r"[<>{}|]")
_SLOTS = dict.fromkeys(("topic", "person", "place", "when", "quote", "quotes", "text", "facts", "time", "date", "heading", "count", "greeting", "alone", "undated", "friend", "past", "present", "who", "relation", "told", "value", "amended", "old", "new"), "X")  # fmt: skip


def test_both_languages_have_the_same_tables() -> None:
    ja, en = load("ja/replies"), load("en/replies")
    assert {table: set(keys) for table, keys in ja.items()} == {table: set(keys) for table, keys in en.items()}


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("polite", [True, False])
@pytest.mark.parametrize("you", ["", "ユウさん"])
def test_every_template_can_be_filled_in(lang: Lang, polite: bool, you: str) -> None:
    voice = Voice(lang, "しおり", "私", you, polite)
    for table, keys in load(f"{lang}/replies").items():
        for key, templates in keys.items():
            book = Phrasebook(voice, Random(0), ())
            said = {book.say(table, key, echo="E", **_SLOTS) for _ in templates}
            assert not any(_LEFTOVER.search(text) for text in said), said
            assert not any(text.startswith(("、", ",")) or "、。" in text or " ," in text for text in said), said


def test_plain_and_polite_are_told_apart() -> None:
    for key, templates in load("ja/replies")["small"].items():
        for template in templates:
            plain = re.sub(r"\{[^|]*\|([^}]*)\}", r"\1", template)
            assert not re.search(r"(?:です|ます|ました)(?:[。！？]|ね|か|よ)", re.sub(r"「[^」]*」", "", plain)), (
                key,
                plain,
            )


def test_what_was_just_said_is_not_said_again_while_there_are_others() -> None:
    voice = Voice("ja", "しおり", "私", "", polite=True)
    book = Phrasebook(voice, Random(1), ())
    count = len(load("ja/replies")["small"]["thanks"])
    assert len({book.say("small", "thanks") for _ in range(count)}) == count


def test_a_condition_that_is_not_met_leaves_its_template_out() -> None:
    voice = Voice("en", "Mia", "I", "", polite=False)
    for seed in range(20):
        book = Phrasebook(voice, Random(seed), ())
        assert "go with someone" not in book.say("follow", "go_past", place="Kyoto", alone="")
