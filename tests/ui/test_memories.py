"""The memories room on real stores: found, opened, corrected, pinned, forgotten, brought back."""

from datetime import date, datetime
from typing import Any

import gradio as gr
import pytest

from agent.forgetting import let_go
from agent.memories import Memories
from agent.services import Services
from managers.memory.entities import Entity, Fact, format_entity
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.memory.insights import Insight, Insights
from managers.memory.questions import Question
from tests.fakes import HandClock
from tests.ui.rooms import NAME
from ui import entities, search, shelves
from ui.locales import texts
from ui.memories import SHELVES, MemoryHandlers
from ui.neighbours import in_place, neighbours
from ui.shelves import Place, View

EVIL = "<img src=x onerror=alert(1)> ${alert(2)} {{alert(3)}}"


@pytest.fixture
def room(services: Services, monkeypatch: pytest.MonkeyPatch) -> MemoryHandlers:
    # A toast needs a page to be shown on.
    monkeypatch.setattr("ui.memories.say_done", lambda sentence, t: None)
    return MemoryHandlers(services, texts("ja"))


def view(memories: Memories, clock: HandClock, **place: Any) -> View:
    return View(memories, Place(**place), clock.now(), texts("ja"))


def tell_of_tanaka(memories: Memories) -> str:
    said = memories.log.append("user", "ミナ", "田中さんは大阪に引っ越したよ")
    entity = Entity(
        "田中さん",
        kind="person",
        created="2026-01-02 12:00:00",
        mind="built-in",
        lines=(
            Fact("2026-10まで: 京都に住んでいる", (said.id,), "built-in", "f_1", "home", "2025-12-31", "2026-10"),
            Fact("大阪に住んでいる", (said.id,), "built-in", "f_2", "home", "2026-10-20"),
            "紅茶を出すこと。",
        ),
    )
    memories.apply({memories.entities.path(entity.name): format_entity(entity).encode()}, author="dream", reason="met")
    memories.recall.catch_up()
    return said.id


def test_every_shelf_says_what_it_is_for_while_it_is_empty(
    memories: Memories, room: MemoryHandlers, clock: HandClock
) -> None:
    for shelf in SHELVES:
        _, html = room.do(NAME, Place(), {"action": "go", "shelf": shelf})
        assert f'data-shelf="{shelf}" aria-current="page"' in html
        assert 'class="nothing"' in html or 'class="covered"' in html


def test_a_search_finds_all_kinds_and_is_narrowed_by_kind_and_day(
    memories: Memories, room: MemoryHandlers, clock: HandClock
) -> None:
    tell_of_tanaka(memories)
    old = memories.log.append("user", "ミナ", "大阪は遠いね", time=datetime(2026, 11, 2, 9, 0))
    memories.recall.catch_up()
    found = search.find(view(memories, clock, query="大阪"))
    assert {hit.type for hit in found} >= {"current_log", "entity_memory"}
    only = search.find(view(memories, clock, query="大阪", kinds=("entity_memory",)))
    assert {hit.type for hit in only} == {"entity_memory"}
    then = search.find(view(memories, clock, query="大阪", since="2026-11-01", until="2026-11-03"))
    assert [hit.message_ids for hit in then] == [(old.id,)]
    place, html = room.do(NAME, Place(), {"action": "search", "query": "大阪", "kinds": "current_log"})
    assert place.kinds == ("current_log",)
    assert "<mark>大阪</mark>" in html
    assert f"/around/{old.id}?lang=ja" in html


def test_words_that_were_looked_for_are_marked_and_markup_is_not_made() -> None:
    assert search.marked("<b>大阪</b>と大阪弁", "大阪 <b>") == (
        "<mark>&lt;b&gt;</mark><mark>大阪</mark>&lt;/b&gt;と<mark>大阪</mark>弁"
    )
    assert search.marked("a&b", "amp") == "a&amp;b"


def test_an_entity_says_what_holds_what_held_and_who_said_so(memories: Memories, clock: HandClock) -> None:
    message = tell_of_tanaka(memories)
    html = entities.show(view(memories, clock, shelf="entities", item="田中さん"))
    now, then = html.index(texts("ja")("memories.holds_now")), html.index(texts("ja")("memories.held_once"))
    assert now < html.index("大阪に住んでいる") < then < html.index("京都に住んでいる")
    assert f"/around/{message}?lang=ja" in html
    assert "紅茶を出すこと。" in html


def test_a_corrected_line_is_the_persons_and_the_others_keep_where_they_come_from(
    memories: Memories, room: MemoryHandlers
) -> None:
    message = tell_of_tanaka(memories)
    _, digest = memories.entities.read_text("田中さん")
    text = "- 2026-10まで: 京都に住んでいる\n- 神戸に住んでいる\n紅茶を出すこと。"
    told = {"action": "save", "item": "田中さん", "digest": digest, "kind": "person", "aliases": "田中", "text": text}
    place, html = room.do(NAME, Place("entities", "田中さん", editing=True), told)
    entity = memories.entities.get("田中さん")
    assert entity is not None
    assert [fact.evidence for fact in entity.facts] == [(message,)]
    assert "- 神戸に住んでいる" in entity.lines
    assert entity.aliases == ("田中",)
    assert not place.editing
    assert "神戸に住んでいる" in html
    assert any("神戸" in hit.text for hit in memories.recall.search("田中さんの神戸"))


def test_an_edit_that_met_another_one_shows_both_and_loses_neither(memories: Memories, room: MemoryHandlers) -> None:
    tell_of_tanaka(memories)
    _, digest = memories.entities.read_text("田中さん")
    path = memories.entities.path("田中さん")
    path.write_text(path.read_text(encoding="utf-8") + "よそで書いた行\n", encoding="utf-8")
    told = {"action": "save", "item": "田中さん", "digest": digest, "text": "ページで書いた行"}
    place, html = room.do(NAME, Place("entities", "田中さん", editing=True), told)
    assert place.editing
    assert "よそで書いた行" in html
    assert "ページで書いた行" in html
    assert "ページで書いた行" not in path.read_text(encoding="utf-8")


def test_what_is_forgotten_leaves_search_at_once_and_can_be_brought_back(
    memories: Memories, room: MemoryHandlers
) -> None:
    tell_of_tanaka(memories)
    room.do(NAME, Place("entities", "田中さん"), {"action": "forget", "item": "田中さん"})
    assert "entity_memory" not in {hit.type for hit in memories.recall.search("田中さん 大阪")}
    place, html = room.do(NAME, Place(), {"action": "go", "shelf": "forgotten"})
    assert "<b>田中さん</b>" in html
    entry = memories.history.entries(1)[0]
    room.do(NAME, place, {"action": "restore", "entry": entry.id})
    assert "entity_memory" in {hit.type for hit in memories.recall.search("田中さん 大阪")}
    assert "田中さん.md" not in room.do(NAME, Place(), {"action": "go", "shelf": "forgotten"})[1]


def insight(number: int) -> Insight:
    return Insight(
        created_at=f"2026-11-{number:02d} 03:00:00",
        trigger_topic=f"話題{number}",
        insight=f"気づき{number}",
        strategy="",
        log_entry="",
    )


def test_one_of_a_list_is_brought_back_beside_what_came_later(memories: Memories, room: MemoryHandlers) -> None:
    diary = Insights([]).with_one(insight(1)).with_one(insight(2))
    memories.apply(diary.changes(memories.paths.insights), author="dream", reason="night")
    first = next(entry for entry in memories.insights.entries() if entry.trigger_topic == "話題1")
    room.do(NAME, Place("insights"), {"action": "forget", "item": first.id})
    entry = memories.history.entries(1)[0]
    later = memories.insights.load().with_one(insight(3))
    memories.apply(later.changes(memories.paths.insights), author="dream", reason="night")
    room.do(NAME, Place("forgotten"), {"action": "restore", "entry": entry.id})
    assert [e.trigger_topic for e in memories.insights.entries()] == ["話題3", "話題2", "話題1"]
    assert 'class="nothing"' in room.do(NAME, Place(), {"action": "go", "shelf": "forgotten"})[1]


@pytest.mark.parametrize("shelf", ["entities", "episodes", "insights", "goals", "questions"])
def test_a_pin_is_kept_in_the_memory_and_shown_first(
    memories: Memories, room: MemoryHandlers, clock: HandClock, shelf: str
) -> None:
    item = _one_of(memories, shelf)
    _, before = room.do(NAME, Place(), {"action": "go", "shelf": shelf})
    place, html = room.do(NAME, Place(shelf), {"action": "pin", "item": item})
    mark = texts("ja")("memories.pinned")
    assert f'class="pinned">{mark}' in html
    assert f'class="pinned">{mark}' not in before
    _, html = room.do(NAME, place, {"action": "unpin", "item": item})
    assert f'class="pinned">{mark}' not in html


def _one_of(memories: Memories, shelf: str) -> str:
    """Make two memories of a kind, and return the one that would come second."""
    if shelf == "entities":
        for name in ("あおい", "ムギ"):
            memories.entities.note(name, "話した", author="dream", mind="built-in")
        return "ムギ"
    if shelf == "episodes":
        for day in (date(2026, 11, 3), date(2026, 11, 4)):
            memories.apply({memories.episodes.path(day): episode(day).dump()}, author="dream", reason="night")
        return "2026-11-03"
    if shelf == "insights":
        diary = Insights([]).with_one(insight(1)).with_one(insight(2))
        memories.apply(diary.changes(memories.paths.insights), author="dream", reason="night")
        return memories.insights.entries()[-1].id
    if shelf == "goals":
        two = [Goal(goal=f"目標{n}", priority=n) for n in (1, 2)]
        memories.goals.change(
            lambda goals: goals.created("short_term", two[0]).created("short_term", two[1]),
            author="dream",
            reason="night",
        )
        return memories.goals.load().active("short_term")[-1].id
    for n in (1, 2):
        memories.questions.add(Question(topic=f"問い{n}", priority=0.5 / n), author="dream", reason="night")
    return memories.questions.open()[-1].id


def episode(day: date, summary: str = "川をながめた") -> Episode:
    return Episode(
        date=day, summary=summary, key_events=["灯りを見た"], key_event_evidence=[["m1"]], mind="built-in"
    ).sealed()


def test_a_pinned_day_is_still_the_dreams_and_a_corrected_one_is_the_persons(
    memories: Memories, room: MemoryHandlers
) -> None:
    day = date(2026, 11, 3)
    memories.apply({memories.episodes.path(day): episode(day).dump()}, author="dream", reason="night")
    room.do(NAME, Place("episodes"), {"action": "pin", "item": "2026-11-03"})
    pinned = memories.episodes.get(day)
    assert pinned is not None
    assert pinned.is_pinned
    assert not pinned.is_users
    place, html = room.do(NAME, Place("episodes", "2026-11-03"), {"action": "edit", "item": "2026-11-03"})
    digest = html.split('data-digest="')[1].split('"')[0]
    told = {"action": "save", "item": "2026-11-03", "digest": digest, "summary": "海", "events": "灯りを見た\n歩いた"}
    room.do(NAME, place, told)
    corrected = memories.episodes.get(day)
    assert corrected is not None
    assert (corrected.summary, corrected.key_event_evidence) == ("海", [["m1"], []])
    assert corrected.is_users
    assert corrected.is_pinned


def test_the_calendar_opens_on_the_last_month_and_goes_back(memories: Memories, room: MemoryHandlers) -> None:
    for day in (date(2025, 12, 24), date(2026, 11, 3)):
        memories.apply({memories.episodes.path(day): episode(day, f"日 {day}").dump()}, author="dream", reason="night")
    place, html = room.do(NAME, Place(), {"action": "go", "shelf": "episodes"})
    assert 'data-item="2026-11-03"' in html
    assert 'data-item="2025-12-24"' not in html
    _, html = room.do(NAME, place, {"action": "go", "shelf": "episodes", "item": "2025-12"})
    assert 'data-item="2025-12-24"' in html


def test_the_secret_diary_is_covered_each_time_the_room_is_entered(memories: Memories, room: MemoryHandlers) -> None:
    memories.notes.append("secret_diary", "ひみつの言葉", author=NAME, reason="secret")
    place, html = room.do(NAME, Place(), {"action": "go", "shelf": "secret_diary"})
    assert "ひみつの言葉" not in html
    place, html = room.do(NAME, place, {"action": "uncover"})
    assert "ひみつの言葉" in html
    assert "ひみつの言葉" not in room.enter(NAME, place)[1]


def test_a_diary_is_edited_against_what_was_read(memories: Memories, room: MemoryHandlers) -> None:
    memories.notes.append("main_memory", "はじめ", author=NAME, reason="diary")
    digest = memories.notes.read("main_memory").digest
    told = {"action": "save", "item": "main_memory", "digest": digest, "text": "なおした"}
    room.do(NAME, Place("main_memory", editing=True), told)
    assert memories.notes.read("main_memory").text == "なおした"
    place, html = room.do(NAME, Place("main_memory", editing=True), {**told, "text": "もういちど"})
    assert memories.notes.read("main_memory").text == "なおした"
    assert place.editing
    assert "もういちど" in html


def test_a_question_is_resolved_and_a_goal_reached(memories: Memories, room: MemoryHandlers) -> None:
    question, goal = _one_of(memories, "questions"), _one_of(memories, "goals")
    room.do(NAME, Place("questions"), {"action": "resolve", "item": question})
    assert question not in {one.id for one in memories.questions.open()}
    room.do(NAME, Place("goals"), {"action": "end_goal", "item": goal, "status": "completed"})
    found = memories.goals.load().get(goal)
    assert found is not None
    assert found[1].status == "completed"


def test_a_change_is_taken_back_from_the_history(memories: Memories, room: MemoryHandlers) -> None:
    tell_of_tanaka(memories)
    _, digest = memories.entities.read_text("田中さん")
    room.do(
        NAME, Place("entities", "田中さん"), {"action": "save", "item": "田中さん", "digest": digest, "text": "別人"}
    )
    entry = memories.history.entries(1)[0]
    _, html = room.do(NAME, Place("entities", "田中さん"), {"action": "undo", "entry": entry.id})
    assert "大阪に住んでいる" in html
    assert memories.entities.read_text("田中さん")[1] == digest


def test_what_was_remembered_is_shown_as_text(memories: Memories, room: MemoryHandlers, clock: HandClock) -> None:
    memories.entities.note("ムギ", EVIL, author="dream", mind=EVIL)
    memories.questions.add(Question(topic=EVIL, context=EVIL), author="dream", reason=EVIL)
    memories.notes.append("main_memory", EVIL, author=NAME, reason=EVIL)
    memories.log.append("user", EVIL, EVIL)
    memories.recall.catch_up()
    for told in (
        {"action": "go", "shelf": "entities", "item": "ムギ"},
        {"action": "go", "shelf": "questions"},
        {"action": "go", "shelf": "main_memory"},
        {"action": "search", "query": EVIL},
    ):
        _, html = room.do(NAME, Place(), told)
        assert "<img" not in html
    message = memories.log.tail(1)[0]
    assert "<img" not in in_place(neighbours(memories.log, message.id), message.id, clock.now(), texts("ja"))


def test_a_long_shelf_has_pages(memories: Memories, room: MemoryHandlers) -> None:
    for n in range(entities.PAGE + 3):
        memories.entities.path(f"名{n:02d}").parent.mkdir(exist_ok=True)
        memories.entities.path(f"名{n:02d}").write_text(format_entity(Entity(f"名{n:02d}")), encoding="utf-8")
    place, html = room.do(NAME, Place(), {"action": "go", "shelf": "entities"})
    assert html.count('class="card"') == entities.PAGE
    _, html = room.do(NAME, place, {"action": "page", "page": "1"})
    assert html.count('class="card"') == 3


def test_only_the_first_messages_of_many_are_shown_as_evidence(memories: Memories, clock: HandClock) -> None:
    ids = [memories.log.append("user", "ミナ", f"ことば{n}").id for n in range(shelves.SHOWN_EVIDENCE + 5)]
    html = shelves.evidence(view(memories, clock), ids)
    assert html.count("data-fetch") == shelves.SHOWN_EVIDENCE
    assert texts("ja")("memories.more_evidence", count=5) in html


def test_words_that_were_forgotten_for_a_wish_stand_on_the_shelf_and_come_back(
    room: MemoryHandlers, services: Services, memories: Memories
) -> None:
    said = memories.log.append("user", "ミナ", "田中さんは<b>大阪</b>に引っ越したよ")
    asked = memories.log.append("user", "ミナ", "今の話は忘れて")
    let_go(memories, asked.id)
    shelf = room.do(NAME, Place(), {"action": "go", "shelf": "forgotten"})[1]
    assert "&lt;b&gt;大阪&lt;/b&gt;" in shelf
    assert f'data-action="remember" data-item="{asked.id}"' in shelf
    assert memories.log.get(said.id) is None
    shelf = room.do(NAME, Place("forgotten"), {"action": "remember", "item": asked.id})[1]
    assert memories.log.get(said.id) == said
    assert 'class="nothing"' in shelf


def test_one_comes_back_to_whence_one_opened_a_memory(memories: Memories, room: MemoryHandlers) -> None:
    tell_of_tanaka(memories)
    for day in ("2025-01-01", "2026-01-01"):
        memories.episodes.save(
            Episode(date=date.fromisoformat(day), summary=f"{day}の話"), author="dream", reason="dreamt"
        )
    place, html = room.do(NAME, Place(), {"action": "search", "query": "田中さん 大阪", "kinds": "entity_memory"})
    place, html = room.do(NAME, place, {"action": "go", "shelf": "entities", "item": "田中さん"})
    assert texts("ja")("memories.back_to_found") in html
    place, html = room.do(NAME, place, {"action": "go", "shelf": "search"})
    assert (place.query, place.kinds, place.whence) == ("田中さん 大阪", ("entity_memory",), None)
    place, _ = room.do(NAME, Place("map"), {"action": "go", "shelf": "episodes", "item": "2025-01-01"})
    assert room.do(NAME, place, {"action": "go", "shelf": "map"})[0] == Place("map")
    # From a day back to its month, not to the newest one.
    place, html = room.do(NAME, Place("episodes"), {"action": "go", "shelf": "episodes", "item": "2025-01-01"})
    assert 'data-item="2025-01"' in html


def test_what_was_asked_for_is_done_to_the_memories_that_were_shown(
    services: Services, memories: Memories, room: MemoryHandlers
) -> None:
    other = services.personas.create("ほか", language="ja").name
    theirs = services.companion(other).memories
    for one in (memories, theirs):
        tell_of_tanaka(one)
    told = {"action": "forget", "item": "田中さん", "persona": NAME, "seen": "entities"}
    place, html = room.act(other, Place("episodes", persona=other), gr.EventData(None, {"told": told}))
    assert (place.persona, place.shelf) == (other, "episodes")
    assert f'data-persona="{other}"' in html
    assert (memories.entities.get("田中さん"), bool(theirs.entities.get("田中さん"))) == (None, True)
