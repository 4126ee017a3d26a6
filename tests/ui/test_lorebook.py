"""The shelf of the lorebook: seen, added to, edited, switched off, removed, taken back."""

import json
from typing import Any

from agent.memories import Memories
from agent.services import Services
from managers.memory.lore_scanning import Said
from tests.ui.reading import press, read
from tests.ui.rooms import EVIL, Shelves
from ui.locales import texts

JA = texts("ja")
SAVE = "#memory-editor .main"
ODD = {
    "keys": [" 灯台 ", "tower"],
    "content": "a\r\nb ",
    "insertion_order": 1.5,
    "comment": "The  tower",
    "unknown": [1],
    "extensions": {"sticky": 3, "mine": {}},
    "enabled": 1,
}


def written(memories: Memories) -> Any:
    return json.loads(memories.paths.lorebook.read_text("utf-8"))


def contents(memories: Memories) -> list[str]:
    return [one["content"] for one in written(memories)["entries"]]


def put(memories: Memories, *entries: object, **book: object) -> None:
    memories.paths.lorebook.write_text(json.dumps({"entries": entries, **book}), "utf-8")


def test_a_persona_without_a_card_has_a_lorebook_too(services: Services, memories: Memories) -> None:
    shelves = Shelves(services)
    page = shelves.look("/lorebook")
    assert page.one(".nothing").text.strip() == JA("lorebook.empty")
    for _ in range(2):  # a form that is sent twice
        after = shelves.press(page, "#lore-new button", keys="灯台\r\ntower\r\n", content="海辺に立つ。\r\n古い。")
    assert after.texts("h2") == ["灯台, tower"]
    (entry,) = written(memories)["entries"]
    assert (entry["keys"], entry["content"], entry["id"]) == (["灯台", "tower"], "海辺に立つ。\n古い。", 1)
    assert JA("lorebook.nothing") in press(shelves.browser, page, "#lore-new button", content=" ").text
    assert len(written(memories)["entries"]) == 1
    put(memories, *written(memories)["entries"], unknown=1)
    typed = {"name": "Bruma", "scan_depth": "9", "token_budget": "", "recursive": "1"}
    shelves.press(shelves.look("/lorebook"), "#lore-settings button", **typed)
    book = {key: one for key, one in written(memories).items() if key != "entries"}
    assert book == {"name": "Bruma", "scan_depth": 9, "recursive_scanning": True, "unknown": 1}


def test_what_was_not_changed_in_the_form_stays_as_it_is_written(services: Services, memories: Memories) -> None:
    put(memories, "no entry", ODD)
    shelves = Shelves(services)
    shelves.press(shelves.look("/lorebook/1"), SAVE)
    assert written(memories)["entries"] == ["no entry", ODD]
    shelves.press(shelves.look("/lorebook/1"), SAVE, sticky="", priority="7", name="Tower")
    changed = {**ODD, "priority": 7, "comment": "Tower", "extensions": {"mine": {}}}
    assert written(memories)["entries"] == ["no entry", changed]
    shelves.press(shelves.look("/lorebook/1"), SAVE, keys="a\r\n b", content="c\r\nd", use_regex="1")
    changed |= {"keys": ["a", "b"], "content": "c\nd", "use_regex": True}
    assert written(memories)["entries"] == ["no entry", changed]


def test_an_edit_that_met_another_one_shows_both(services: Services, memories: Memories) -> None:
    put(memories, {"keys": ["a"], "content": "old"})
    shelves = Shelves(services)
    page = shelves.look("/lorebook/0")
    put(memories, {"keys": ["a"], "content": "よそで書いた"})
    answer = press(shelves.browser, page, SAVE, content="ここで書いた")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    assert "よそで書いた" in page.one("[data-conflict] pre").text
    assert contents(memories) == ["よそで書いた"]
    shelves.press(page, SAVE)
    assert contents(memories) == ["ここで書いた"]


def test_entries_are_switched_off_removed_and_brought_back(services: Services, memories: Memories) -> None:
    put(memories, {"keys": ["a"], "content": "A"}, {"keys": ["b"], "content": "B"})
    shelves = Shelves(services)
    page = shelves.press(shelves.look("/lorebook"), "#entry-1 button:first-of-type")
    assert written(memories)["entries"][1]["enabled"] is False
    assert page.one("#entry-1 .kind").text == JA("lorebook.is_off")
    old = shelves.look("/lorebook")
    shelves.press(old, "#entry-0 .danger")
    assert contents(memories) == ["B"]
    assert press(shelves.browser, old, "#entry-0 .danger").status_code >= 400  # it is gone, and B is not it
    assert contents(memories) == ["B"]
    memories.history.undo(memories.history.entries()[0].id, author="user")
    assert contents(memories) == ["A", "B"]


def test_what_can_never_come_up_is_told_and_words_are_shown_as_words(services: Services, memories: Memories) -> None:
    put(memories, {"keys": ["("], "use_regex": True, "content": EVIL, "name": EVIL}, {"keys": [], "content": "x"}, 5)
    shelves = Shelves(services)
    told = shelves.look("/lorebook").texts(".told")
    assert told == [JA("lorebook.unreadable", word="("), JA("lorebook.keyless"), JA("lorebook.odd", count=1)]
    for place in ("/lorebook", "/lorebook/0"):
        assert "<img src=x" not in shelves.answer(place).text
    bomb = "/(a+)+i$/i"
    put(memories, {"keys": [bomb], "content": "x"})
    for _ in range(3):
        memories.lore.scanner.called_up([Said("a" * 5000, is_users=True)])
    assert shelves.look("/lorebook").texts(".told") == [JA("lorebook.slow", word=bomb)]
    assert shelves.look("/lorebook/7").one(".nothing p").text == JA("memories.gone")
