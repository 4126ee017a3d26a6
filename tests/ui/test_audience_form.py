"""The page says of each memory which minds may be given it, and changes that with one button."""

from datetime import date

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.memory.strategies import DecompositionPattern, Strategies
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.server.addresses import address_of

DAY = date(2026, 11, 3)
BUTTON, LET_GO = 'button[name="audience"]', 'button[value="any"]'
EN = texts("en")


@pytest.fixture
def said(memories: Memories) -> str:
    """A message, and the day that rests on it."""
    said = memories.log.append("user", "ミナ", "海へ行った").id
    episode = Episode(date=DAY, summary="海へ行った。", evidence=[said], mind="built-in").sealed()
    memories.apply({memories.episodes.path(DAY): episode.dump()}, author="dream", reason="night")
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "plan.md").write_text("海へ行く。", "utf-8")
    return said


def look(visitor: TestClient, place: str) -> Element:
    return read(visitor.get(address_of(NAME, place)))


def test_a_day_and_a_message_are_kept_here_and_let_go(visitor: TestClient, memories: Memories, said: str) -> None:
    day = look(visitor, f"memories/days/{DAY}")
    assert EN("memories.audience_any") in day.one(".trust").text
    day = read(press(visitor, day, BUTTON))
    assert EN("memories.audience_here") in day.one(".trust").text
    assert said in memories.audiences.kept().messages
    around = look(visitor, f"around/{said}")
    assert EN("memories.audience_here") in around.text
    assert not around.all(LET_GO), "it is let go where it was marked"
    day = read(press(visitor, day, BUTTON))
    assert EN("memories.audience_any") in day.one(".trust").text
    assert EN("memories.audience_here") in read(press(visitor, look(visitor, f"around/{said}"), BUTTON)).text


def test_a_day_is_kept_with_its_persona_and_let_go(visitor: TestClient, memories: Memories, said: str) -> None:
    day = read(press(visitor, look(visitor, f"memories/days/{DAY}"), 'button[value="this-persona"]'))
    assert EN("memories.audience_own") in day.one(".trust").text
    assert EN("memories.audience_any") in day.one(".trust").text, "any mind of this persona may have it"
    assert said in memories.audiences.own().messages
    assert not memories.audiences.kept()
    day = read(press(visitor, day, LET_GO))
    assert EN("memories.audience_own") not in day.one(".trust").text
    assert not memories.audiences.own()


def test_everything_else_is_kept_here_and_let_go_too(visitor: TestClient, memories: Memories, said: str) -> None:
    goal = Goal(id="sh_1", goal="海を見る", mind="model")
    memories.goals.change(lambda there: there.created("short_term", goal), author="dream", reason="")
    memories.questions.add(Question(id="q_1", topic="海", created_at="2026-11-10 03:00:00"), author="dream", reason="")
    way = DecompositionPattern(kind="decomposition", id="st_1", query_pattern="海の話", success_rate=1.0, usage_count=1)
    memories.apply(Strategies([way]).changes(memories.strategies.path), author="dream", reason="")
    for place, marked in (
        ("memories/goals", "sh_1"),
        ("memories/questions", "q_1"),
        ("memories/helping", "st_1"),
        ("notes/notepad", "notepad.txt"),
        ("knowledge", "knowledge/plan.md"),
    ):
        page = read(press(visitor, look(visitor, place), BUTTON))
        assert set(memories.audiences.kept().marked) == {marked}
        press(visitor, page, LET_GO)
        assert not memories.audiences.kept()


def test_what_is_not_there_is_not_found(visitor: TestClient, memories: Memories) -> None:
    for form in (
        {"memory": "f_none", "kind": "fact", "place": "x"},
        {"memory": "log.txt", "kind": "file"},
        {"memory": "sh_none", "kind": "listed"},
        {"memory": "20260101T000000-aaaaaaaa"},
    ):
        answer = visitor.post(address_of(NAME, "memories/audience"), data={"audience": "any", **form})
        assert answer.status_code == 404
    assert not memories.audiences._path.exists()


def test_a_document_that_comes_back_under_another_name_is_kept_as_it_was(
    visitor: TestClient, memories: Memories, said: str
) -> None:
    memories.audiences.mark("knowledge/plan.md", "this-computer")
    visitor.post(address_of(NAME, "knowledge/plan.md/remove"))
    (memories.paths.knowledge / "plan.md").write_text("別のもの。", "utf-8")
    visitor.post(address_of(NAME, "knowledge/plan.md/restore"))
    names = {f"knowledge/{one.name}" for one in memories.knowledge.list()}
    assert len(names) == 2
    assert names == set(memories.audiences.kept().marked)
