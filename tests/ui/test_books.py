"""The shelves of what helps and of the lorebook: seen, corrected, forgotten, brought back, taken back."""

import json
from typing import Any

import pytest

from agent.companion import Companion
from agent.memories import Memories
from agent.services import Services
from managers.memory.lore_scanning import Said
from managers.memory.strategies import DecompositionPattern, FailurePattern
from tests.ui.reading import press
from tests.ui.rooms import EVIL, NAME, Shelves
from ui.locales import texts
from ui.server.addresses import address_of

JA = texts("ja")
ASK = "観葉植物の育て方を教えて"


@pytest.fixture
def taught(services: Services, memories: Memories) -> Companion:
    """A persona whose answers were taken in one way and another."""
    requests, answers = [], []
    for answer in ("1. 水をやる\n2. 向きを変える", "・水をやる\n・話しかける"):
        requests.append(memories.log.append("user", "花", ASK).id)
        answers.append(memories.log.append("persona", NAME, answer).id)
    good, bad = (list(pair) for pair in zip(requests, answers, strict=True))
    way = DecompositionPattern(
        kind="decomposition", query_pattern=ASK, subtasks=["水をやる", "向きを変える"], strategy=["steps", "short"],
        evidence=good,
    )  # fmt: skip
    failure = FailurePattern(
        kind="failure", pattern="lists", indicators=["植物"], mitigation="箇条書きを使わない。", evidence=bad
    )
    store = memories.strategies
    for _ in range(2):
        store.change(lambda known: known.tried(way, way_of(memories), helped=True), author="utatane", reason="learned")
    store.change(lambda known: known.complained(failure), author="utatane", reason="learned")
    return services.companion(NAME)


def way_of(memories: Memories) -> str:
    return next((one.id for one in memories.strategies.load().decompositions), "")


def test_it_says_what_is_avoided_and_where_that_comes_from(services: Services, taught: Companion) -> None:
    shelves = Shelves(services)
    page = shelves.look("/helping")
    assert page.texts("h2") == [JA("helping.avoided"), JA("helping.tried")]
    assert page.texts("h3") == [JA("helping.fault_lists"), ASK]
    known = taught.memories.strategies.load()
    failure, way = (page.one(f"#{one.id}") for one in (*known.failures, *known.decompositions))
    assert failure.texts("dd") == ["箇条書きを使わない。", "植物"]
    assert way.texts(".kind") == [JA("helping.rate", rate=100, count=2), JA("helping.suggested")]
    assert way.texts("ol li") == ["水をやる", "向きを変える"]
    first = known.failures[0].evidence[0]
    assert failure.all(".evidence details")[0].attributes["data-src"] == address_of(NAME, f"around/{first}")
    assert JA("history.reason_learned") in shelves.fold(way.one(".past details")).text


def test_what_a_person_corrects_is_theirs_and_what_it_counts_goes_on(services: Services, taught: Companion) -> None:
    shelves, store = Shelves(services), taught.memories.strategies
    failure = store.load().failures[0]
    page = shelves.look(f"/helping/{failure.id}")
    shelves.press(page, "#memory-editor .main", words="ふつうの文で。", lines="植物\r\n 庭 ", severity="4")
    found = store.load().failures[0]
    assert (found.mitigation, found.indicators, found.severity) == ("ふつうの文で。", ["植物", "庭"], 4)
    assert (found.mind, found.evidence) == ("user", failure.evidence)
    again = failure.model_copy(update={"indicators": ["靴"], "evidence": ["m9"]})
    store.change(lambda known: known.complained(again), author="utatane", reason="learned")
    found = store.load().failures[0]
    assert (found.mitigation, found.indicators, found.severity) == ("ふつうの文で。", ["植物", "庭"], 5)
    assert taught.memories.advisor.advise("庭の話をしよう").mitigations == ("ふつうの文で。",)
    page = shelves.look(f"/helping/{way_of(taught.memories)}")
    shelves.press(page, "#memory-editor .main", words="部屋の片づけ方を教えて", lines="ひとつ空にする")
    (way,) = store.load().decompositions
    assert (way.query_pattern, way.subtasks, way.usage_count) == ("部屋の片づけ方を教えて", ["ひとつ空にする"], 2)


def test_what_is_forgotten_is_brought_back_and_what_is_odd_is_refused(services: Services, taught: Companion) -> None:
    shelves, store = Shelves(services), taught.memories.strategies
    failure = store.load().failures[0]
    page = shelves.press(shelves.look("/helping"), f"#{failure.id} .danger")
    assert not store.load().failures
    assert JA("helping.fault_lists") not in page.text
    assert not taught.memories.advisor.advise("植物の話").mitigations
    assert shelves.look("/forgotten").texts(".history b") == ["箇条書きを使わない。"]
    shelves.press(shelves.look("/forgotten"), ".history button")
    assert store.load().failures == [failure]
    assert shelves.look("/helping/fp_nothing").one(".nothing p").text == JA("memories.gone")
    page = shelves.look(f"/helping/{failure.id}")
    assert press(shelves.browser, page, "#memory-editor .main", severity="9").status_code >= 400
    assert store.load().failures == [failure]


SAVE = "#memory-editor .main"
ODD = {
    "keys": [" 灯台 ", "tower"], "content": "a\r\nb ", "insertion_order": 1.5, "comment": "The  tower",
    "unknown": [1], "extensions": {"sticky": 3, "mine": {}}, "enabled": 1
}  # fmt: skip


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
