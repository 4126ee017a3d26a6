"""Lorebooks: what calls an entry up, within which bounds, and how the file is changed."""

import json
import time
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.memory.errors import LoreEntryGoneError
from managers.memory.lore_scanning import LoreScanner, Said, unreadable_keys, within_budget
from managers.memory.lorebook import Lorebook, LorebookStore
from managers.storage.errors import ExternallyChangedError
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

Raw = dict[str, Any]


def entry(*keys: str, says: str = "", **fields: Any) -> Raw:
    return {"keys": [*keys], "content": says or f"about {' '.join(keys)}", "enabled": True, "extensions": {}, **fields}


def told(entries: list[Raw], *said: str, **book: Any) -> list[str]:
    """Return what is told after a conversation in which everything was said by the user."""
    scanner = LoreScanner(Lorebook({"entries": entries, **book}))
    return [one.content for one in scanner.called_up([Said(text, is_users=True) for text in said])]


CALLS = {
    "cat": ("my Cat sleeps", "うちのcatは寝ている", "cat's"), "C++": ("I like C++.",), "猫": ("子猫がいる",),
    "ﾃｽﾄ": ("テストです",), "École": ("une école",), "東京tower": ("東京Towerに行った",),
    "고양이": ("고양이가 잔다",), "old  lighthouse": ("the old lighthouse",)
}  # fmt: skip
CALLS_NOT = {"cat": ("concatenate", "bobcats"), "東京tower": ("東京towers",), "кот": ("котик",), " ": ("any ",)}


def test_words_stand_whole_where_there_are_spaces_and_anywhere_in_japanese() -> None:
    assert [text for key, said in CALLS.items() for text in said if not told([entry(key)], text)] == []
    assert [text for key, said in CALLS_NOT.items() for text in said if told([entry(key)], text)] == []
    assert told([entry("May", case_sensitive=True)], "may I?") == []
    assert told([entry("May", case_sensitive=True)], "In May.") == ["about May"]


def test_only_the_newest_messages_are_looked_through() -> None:
    said = ["the tower", "1", "2", "3", "4"]
    assert told([entry("tower")], *said) == []
    assert told([entry("tower")], *said, scan_depth=5) == ["about tower"]
    assert told([entry("tower", extensions={"scan_depth": 9})], *said) == ["about tower"]
    assert told([entry("tower")], "tower", scan_depth=0) == []


def test_selective_entries_ask_for_a_second_key() -> None:
    one = entry("tower", secondary_keys=["night", "storm"], selective=True)
    assert told([one], "the tower") == []
    assert told([one], "the tower at night") == ["about tower"]
    assert told([{**one, "selective": False}], "the tower") == ["about tower"]
    for logic, text, comes_up in [(1, "tower night", True), (1, "tower night storm", False), (2, "tower", True),
                                  (2, "tower storm", False), (3, "tower night", False), (3, "tower night storm", True)]:  # fmt: skip
        assert bool(told([{**one, "extensions": {"selectiveLogic": logic}}], text)) is comes_up, (logic, text)


def test_constant_and_switched_off_entries_and_their_order() -> None:
    scanner = LoreScanner(Lorebook({"entries": [entry(constant=True, says="always"), entry("a", enabled=False)]}))
    assert [one.content for one in scanner.standing()] == ["always"]
    assert scanner.called_up([Said("a", is_users=True)]) == []
    entries = [entry("a", says="last", insertion_order=9), entry("a", says="first", insertion_order=-1)]
    assert told(entries, "a") == ["first", "last"]


def test_what_entries_say_calls_up_others_a_few_times_over() -> None:
    chain = [entry(f"k{n}", says=f"k{n + 1}") for n in range(9)]
    assert told(chain, "k0") == ["k1"]
    assert told(chain, "k0", recursive_scanning=True) == ["k1", "k2", "k3", "k4"]
    round_and_round = [entry("a", says="b"), entry("b", says="a")]
    assert told(round_and_round, "a", recursive_scanning=True) == ["b", "a"]
    shut = [entry("a", says="b", extensions={"prevent_recursion": True}), entry("b", says="a")]
    assert told(shut, "a", recursive_scanning=True) == ["b"]
    out = [entry("a", says="b"), entry("b", says="a", extensions={"exclude_recursion": True})]
    assert told(out, "a", recursive_scanning=True) == ["b"]
    assert told([entry(says="b", constant=True), entry("b")], "x", recursive_scanning=True) == ["about b"]


def test_an_entry_stays_and_rests_and_waits() -> None:
    sticky = [entry("tower", extensions={"sticky": 2, "scan_depth": 1})]
    assert [bool(told(sticky, "tower", *"123"[:n])) for n in range(4)] == [True, True, True, False]
    resting = [entry("tower", extensions={"cooldown": 2, "scan_depth": 1})]
    assert [bool(told(resting, *["tower"] * n)) for n in range(1, 6)] == [True, False, False, True, False]
    late = [entry("tower", extensions={"delay": 3})]
    assert [bool(told(late, *said)) for said in (["the tower", "tower"], ["a", "b", "tower", "tower"])] == [False, True]


def test_patterns_are_read_as_other_programs_write_them() -> None:
    assert told([entry("colou?r", use_regex=True)], "a Color, colour") == ["about colou?r"]
    assert told([entry("/COLOU?R/i")], "a color") == ["about /COLOU?R/i"]
    assert told([entry("/COLOU?R/")], "a color") == []
    assert told([entry("(", use_regex=True), entry("ok")], "( ok") == ["about ok"]
    assert unreadable_keys(Lorebook({"entries": [entry("(", "a", use_regex=True)]}).entries[0]) == ["("]


def test_patterns_that_would_take_for_ever_hold_up_no_turn() -> None:
    said = [Said("a" * 30_000 + "x" * 2000 + "! end", is_users=True)]
    began = time.thread_time()
    for bomb in ("(a+)+$", "(a|aa)+$", "(.*a){25}", "(x+x+)+y", r"((a*)*)*b", "(a{1,900}){1,900}$"):
        scanner = LoreScanner(Lorebook({"entries": [entry(bomb, use_regex=True), entry("end")]}))
        for _ in range(3):
            assert "about end" in [one.content for one in scanner.called_up(said)]
    none = ["(" * 500 + "a" + ")" * 500, "a{1000}" * 100, "(((a{999}){999}){999}){999}", "[" * 900, "(?R)" * 200]
    for text in none:
        told([entry(text, use_regex=True)], "a" * 5000)
    assert time.thread_time() - began < 60  # of the processor: without bounds it would be years


def test_lines_for_programs_are_not_told_and_some_are_heeded() -> None:
    assert told([entry("a", says="@@depth 4\n@@@role system\nTold.")], "a") == ["Told."]
    assert told([entry("a", says="@@dont_activate\nTold.")], "a") == []
    assert told([entry("a", says="@@exclude_keys b, c\nTold.")], "a c") == []


def test_what_comes_up_only_sometimes_stays_so_for_a_message() -> None:
    half = [entry("a", extensions={"probability": 50})]
    found = [bool(told(half, f"a {n}")) for n in range(200)]
    assert found == [bool(told(half, f"a {n}")) for n in range(200)]
    assert 50 < sum(found) < 150


def test_where_not_all_fit_the_most_important_do() -> None:
    book = Lorebook({"entries": [entry("a", says="x" * n, priority=n) for n in (1, 30, 20)]})
    kept = within_budget([*book.entries.values()], 52, len)
    assert [len(one.content) for one in kept] == [30, 20]


_json = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                     lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3))  # fmt: skip
_fields = st.sampled_from(
    ["keys", "content", "enabled", "extensions", "selective", "use_regex", "insertion_order", "priority"]
)


@given(st.lists(st.dictionaries(_fields, _json, max_size=6) | _json, max_size=4), st.dictionaries(st.sampled_from(["scan_depth", "token_budget", "name"]), _json), st.text())  # fmt: skip
@settings(max_examples=30, deadline=None)
def test_whatever_a_file_holds_is_read_or_left_alone(entries: list[Any], book: Raw, text: str) -> None:
    made = Lorebook({**book, "entries": entries})
    LoreScanner(made).called_up([Said(text, is_users=True)])
    assert made.odd + len(made.entries) == len(entries)


def opened(folder: Path, entries: list[Any], **book: Any) -> LorebookStore:
    folder.mkdir(exist_ok=True)
    (folder / "lorebook.json").write_text(json.dumps({"entries": entries, **book}))
    return LorebookStore(PersonaPaths(folder), HandClock())


def raw(store: LorebookStore) -> Any:
    return json.loads(store.path.read_text())


def test_an_edit_leaves_what_nobody_understands(tmp_path: Path) -> None:
    odd = {"keys": ["a"], "content": "old", "probability": 7, "extensions": {"x/y": [1]}}
    store = opened(tmp_path / "a", ["no entry", odd], unknown=1)
    book = store.load()
    assert (list(book.entries), book.odd) == ([1], 1)
    store.edit(1, {"content": "new", "keys": ["a"]}, based_on=book.digest(1), author="user")
    assert raw(store) == {"entries": ["no entry", {**odd, "content": "new"}], "unknown": 1, "extensions": {}}


def test_an_entry_that_moved_is_still_meant_and_one_that_changed_is_a_conflict(tmp_path: Path) -> None:
    store = opened(tmp_path / "a", [entry("a"), entry("b")])
    begun = store.load().digest(1)
    store.delete(0, based_on=store.load().digest(0), author="user", reason="removed")
    store.edit(1, {"content": "moved"}, based_on=begun, author="user")
    assert [one["content"] for one in raw(store)["entries"]] == ["moved"]
    with pytest.raises(ExternallyChangedError) as met:
        store.edit(0, {"content": "late"}, based_on=begun, author="user")
    assert "moved" in str(met.value.facts["theirs"])
    with pytest.raises(LoreEntryGoneError):
        store.delete(5, based_on=begun, author="user", reason="removed")
    assert [one["content"] for one in raw(store)["entries"]] == ["moved"]


def test_a_book_is_taken_in_once(tmp_path: Path) -> None:
    store = opened(tmp_path / "a", [])
    store.path.unlink()
    book = {"name": "World", "entries": [entry("a"), entry("b")], "extensions": {"mine": 1}}
    for value, count in ((book, 2), (book, 2), ({"entries": [entry("c")]}, 3)):
        joined = store.change(methodcaller("joined", value), author="import", reason="imported")
        assert len(joined.entries) == count
        assert count > 2 or raw(store) == book
    store.change(lambda known: known.added({"keys": ["d"], "content": "D"}), author="user", reason="added")
    assert [one["keys"] for one in raw(store)["entries"]] == [["a"], ["b"], ["c"], ["d"]]
    assert store.current().settings.name == "World"


def test_of_a_group_one_is_told() -> None:
    rivals = [entry("tower", says=f"tale {n}", extensions={"group": "tales"}) for n in range(3)]
    found = {one for n in range(40) for one in told(rivals, f"tower {n}")}
    assert found == {"tale 0", "tale 1", "tale 2"}
    assert all(len(told(rivals, f"tower {n}")) == 1 for n in range(40))
