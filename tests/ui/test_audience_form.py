"""The page says of each memory which minds may be given it, and changes that with one button."""

from datetime import date

import pytest

from agent.memories import Memories
from agent.services import Services
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.questions import Question
from managers.memory.strategies import DecompositionPattern, Strategies
from tests.ui.reading import press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, texts
from ui.server.addresses import address_of

DAY = date(2026, 11, 3)
BUTTON = 'button[name="audience"]'


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_day_and_a_message_are_kept_here_and_let_go(services: Services, memories: Memories, lang: str) -> None:
    said = memories.log.append("user", "ミナ", "海へ行った")
    episode = Episode(date=DAY, summary="海へ行った。", evidence=[said.id], mind="built-in").sealed()
    memories.apply({memories.episodes.path(DAY): episode.dump()}, author="dream", reason="night")
    browser, t = visitor_of(services), texts(lang)
    browser.headers["accept-language"] = lang
    day = read(browser.get(address_of(NAME, f"memories/days/{DAY}")))
    assert t("memories.audience_any") in day.one(".trust").text
    day = read(press(browser, day, BUTTON))
    assert t("memories.audience_here") in day.one(".trust").text
    assert said.id in memories.audiences.kept().messages
    around = read(browser.get(address_of(NAME, f"around/{said.id}")))
    assert t("memories.audience_here") in around.text
    assert not around.all('button[value="any"]'), "it is let go where it was marked"
    day = read(press(browser, day, BUTTON))
    assert t("memories.audience_any") in day.one(".trust").text
    around = read(press(browser, read(browser.get(address_of(NAME, f"around/{said.id}"))), BUTTON))
    assert t("memories.audience_here") in around.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_day_is_kept_with_its_persona_and_let_go(services: Services, memories: Memories, lang: str) -> None:
    said = memories.log.append("user", "ミナ", "海へ行った")
    episode = Episode(date=DAY, summary="海へ行った。", evidence=[said.id], mind="built-in").sealed()
    memories.apply({memories.episodes.path(DAY): episode.dump()}, author="dream", reason="night")
    browser, t = visitor_of(services), texts(lang)
    browser.headers["accept-language"] = lang
    day = read(
        press(browser, read(browser.get(address_of(NAME, f"memories/days/{DAY}"))), 'button[value="this-persona"]')
    )
    assert t("memories.audience_own") in day.one(".trust").text
    assert t("memories.audience_any") in day.one(".trust").text, "any mind of this persona may have it"
    assert said.id in memories.audiences.own().messages
    assert not memories.audiences.kept()
    day = read(press(browser, day, 'button[value="any"]'))
    assert t("memories.audience_own") not in day.one(".trust").text
    assert not memories.audiences.own()


def test_a_goal_a_question_and_a_way_to_help_are_kept_here_and_let_go(services: Services, memories: Memories) -> None:
    memories.goals.change(
        lambda there: there.created("short_term", Goal(id="sh_1", goal="海を見る", mind="model")),
        author="dream",
        reason="",
    )
    memories.questions.add(Question(id="q_1", topic="海", created_at="2026-11-10 03:00:00"), author="dream", reason="")
    way = DecompositionPattern(kind="decomposition", id="st_1", query_pattern="海の話", success_rate=1.0, usage_count=1)
    memories.apply(Strategies([way]).changes(memories.strategies.path), author="dream", reason="")
    browser = visitor_of(services)
    for shelf, marked in (("goals", "sh_1"), ("questions", "q_1"), ("helping", "st_1")):
        page = read(press(browser, read(browser.get(address_of(NAME, f"memories/{shelf}"))), BUTTON))
        assert set(memories.audiences.kept().marked) == {marked}
        read(press(browser, page, 'button[value="any"]'))
        assert not memories.audiences.kept()


def test_what_is_not_there_is_not_found(services: Services, memories: Memories) -> None:
    browser = visitor_of(services)
    for form in (
        {"memory": "f_none", "kind": "fact", "place": "x"},
        {"memory": "log.txt", "kind": "file"},
        {"memory": "sh_none", "kind": "listed"},
        {"memory": "20260101T000000-aaaaaaaa"},
    ):
        answer = browser.post(address_of(NAME, "memories/audience"), data={"audience": "any", **form})
        assert answer.status_code == 404
    assert not memories.audiences._path.exists()


@pytest.mark.parametrize(("room", "path"), [("notes/notepad", "notepad.txt"), ("knowledge", "knowledge/plan.md")])
def test_a_note_and_a_document_are_kept_here_and_let_go(
    services: Services, memories: Memories, room: str, path: str
) -> None:
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "plan.md").write_text("海へ行く。", "utf-8")
    browser = visitor_of(services)
    page = read(press(browser, read(browser.get(address_of(NAME, room))), BUTTON))
    assert memories.audiences.kept().holds_file(path)
    read(press(browser, page, BUTTON))
    assert not memories.audiences.kept()


def test_a_document_that_comes_back_under_another_name_is_kept_as_it_was(
    services: Services, memories: Memories
) -> None:
    memories.paths.knowledge.mkdir(exist_ok=True)
    file = memories.paths.knowledge / "plan.md"
    file.write_text("海へ行く。", "utf-8")
    memories.audiences.mark("knowledge/plan.md", "this-computer")
    browser = visitor_of(services)
    browser.post(address_of(NAME, "knowledge/plan.md/remove"))
    file.write_text("別のもの。", "utf-8")
    browser.post(address_of(NAME, "knowledge/plan.md/restore"))
    names = {f"knowledge/{one.name}" for one in memories.knowledge.list()}
    assert len(names) == 2
    assert names == set(memories.audiences.kept().marked)
