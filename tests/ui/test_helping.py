"""The shelf of what helps: seen with where it comes from, corrected, forgotten, brought back, taken back."""

import pytest

from agent.companion import Companion
from agent.memories import Memories
from agent.services import Services
from managers.memory.strategies import DecompositionPattern, FailurePattern
from tests.ui.reading import press, read
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


def test_it_says_what_is_avoided_what_was_tried_and_where_that_comes_from(
    services: Services, taught: Companion
) -> None:
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


def test_an_edit_that_met_another_one_shows_both_as_text(services: Services, taught: Companion) -> None:
    shelves, store = Shelves(services), taught.memories.strategies
    failure = store.load().failures[0]
    page = shelves.look(f"/helping/{failure.id}")
    evil = {"mitigation": EVIL, "indicators": [EVIL], "pattern": EVIL}
    store.change(lambda known: known.edited(failure.id, **evil), author="user", reason="edited")
    answer = press(shelves.browser, page, "#memory-editor .main", words="ここで書いた", severity="1")
    assert answer.status_code == 409
    page = read(answer).one("#room")
    for shown in (page, shelves.look("/helping"), shelves.look(f"/helping/{failure.id}")):
        assert EVIL in shown.text
        assert shown.all("img") + shown.all("script") == []
    assert store.load().failures[0].mitigation == EVIL
    shelves.press(page, "#memory-editor .main", severity="1")
    assert store.load().failures[0].mitigation == "ここで書いた"


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
