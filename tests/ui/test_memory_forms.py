"""The page says of each memory which minds may be given it, and changes that with one button; and erasing, asked first."""

from datetime import date

import pytest
from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.memory.strategies import DecompositionPattern, Strategies
from tests.speeds import one_quick
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME, aim_for
from ui.locales import LANGUAGES, texts
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


def test_a_day_is_kept_here_or_with_its_persona_and_let_go(visitor: TestClient, memories: Memories, said: str) -> None:
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
    day = read(press(visitor, day, 'button[value="this-persona"]'))
    assert EN("memories.audience_own") in day.one(".trust").text
    assert (said in memories.audiences.own().messages, bool(memories.audiences.kept())) == (True, False)
    assert EN("memories.audience_own") not in read(press(visitor, day, LET_GO)).one(".trust").text


def test_a_message_is_kept_or_let_go(services: Services, visitor: TestClient, memories: Memories, said: str) -> None:
    services.personas.create("Rin", language="ja")
    services.memories("Rin").log.append_shared(memories.log.originals([said])[said])
    page, kept = look(visitor, f"around/{said}"), services.memories("Rin").audiences.kept
    for button, is_kept in ((BUTTON, True), (LET_GO, False)):
        page = read(press(visitor, page, button))
        assert (said in kept().messages) == is_kept
    visitor.post(address_of(NAME, f"history/{memories.history.entries(1)[0].id}"), data={"step": "undo"})
    assert said in kept().messages


def test_everything_else_is_kept_here_and_let_go_too(visitor: TestClient, memories: Memories, said: str) -> None:
    aim_for(memories, Goal(id="sh_1", goal="海を見る", mind="model"))
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


def test_a_document_under_another_name_is_kept_as_it_was(visitor: TestClient, memories: Memories, said: str) -> None:
    memories.audiences.mark("knowledge/plan.md", "this-computer")
    visitor.post(address_of(NAME, "knowledge/plan.md/remove"))
    (memories.paths.knowledge / "plan.md").write_text("別のもの。", "utf-8")
    visitor.post(address_of(NAME, "knowledge/plan.md/restore"))
    names = {f"knowledge/{one.name}" for one in memories.knowledge.list()}
    assert len(names) == 2
    assert names == set(memories.audiences.kept().marked)


CAT = "ミケランジェロ"


@pytest.fixture
def cat(memories: Memories) -> str:
    message = memories.log.append("user", "花", f"うちの{CAT}が退院したよ")
    memories.log.append("user", "花", "あしたは貴船に行くよ")
    memories.entities.note(CAT, "退院した", author=NAME, mind="m", evidence=[message.id], kind="pet")
    return message.id


def _room(browser: TestClient, place: str, **query: object) -> Element:
    return read(browser.get(address_of(NAME, place, **query), follow_redirects=True)).one("#room")


@pytest.mark.parametrize("lang", one_quick(LANGUAGES))
def test_what_would_go_is_shown_first(visitor: TestClient, memories: Memories, cat: str, lang: str) -> None:
    visitor.headers["accept-language"], t = lang, texts("ja" if lang == "ja" else "en")
    for place in (f"memories/people/{CAT}", f"around/{cat}"):
        assert t("erasing.link") in read(visitor.get(address_of(NAME, place))).text
    page = _room(visitor, "memories/erase", about=CAT)
    assert t("erasing.kinds.message", count=1) in page.text
    refused = read(press(visitor, page, "button.danger")).one("#room")
    assert t("erasing.not_ticked") in refused.text
    later = memories.log.append("user", "花", f"{CAT}はもう元気").id
    again = read(press(visitor, page, "button.danger", yes="yes")).one("#room")
    assert t("erasing.kinds.message", count=2) in again.text  # it has changed since it was shown
    assert None not in map(memories.log.get, (cat, later))
    done = read(press(visitor, again, "button.danger", yes="yes"))
    assert t("erasing.outside") in done.text
    assert [memories.log.get(one) for one in (cat, later)] == [None, None]
    assert memories.entities.find(CAT) is None
    for place in ("memories/people", "history", "memories/audit", "memories/forgotten"):
        assert CAT not in _room(visitor, place).text


def test_where_nothing_is_found_the_page_asks_again_and_leads_to_the_search(visitor: TestClient, cat: str) -> None:
    page = read(visitor.get(address_of(NAME, "memories/erase", about="Zebulon")))
    assert 'Nothing of "Zebulon" was found' in page.one("#told").text
    assert "app.py" not in page.text
    assert [one.attributes.get("value") for one in page.all(".lookup input")] == ["Zebulon"]
    way = page.one("#room p a").attributes["href"]
    assert read(visitor.get(way)).one("#memory-query").attributes["value"] == "Zebulon"
