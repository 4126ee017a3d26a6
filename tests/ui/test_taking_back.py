"""Undo and redo in the rooms: one memory's own history, and what stands in the way, alike everywhere."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from managers.memory.episodes import Episode
from managers.storage.history.parts import record_part
from tests.ui.rooms import EVENING, NAME, House, clicked
from ui import memories as memories_room
from ui import notes as notes_room
from ui.heart import HeartHandlers
from ui.locales import texts
from ui.memories import MemoryHandlers
from ui.notes import NoteHandlers
from ui.server import create_app
from ui.shelves import Place

JA, EN = texts("ja"), texts("en")
PAST = re.compile(r'data-fetch="([^"]+/past\?[^"]+)"')


@pytest.fixture
def client(house: House) -> TestClient:
    return TestClient(create_app(house.services), base_url="http://127.0.0.1")


@pytest.fixture
def room(house: House, monkeypatch: pytest.MonkeyPatch) -> MemoryHandlers:
    monkeypatch.setattr(memories_room, "say_done", lambda sentence, t: None)
    return MemoryHandlers(house.services, JA)


def dreamt(house: House) -> str:
    house.tell()
    return house.dream().entries[0]


@pytest.mark.parametrize("shelf", ["insights", "goals", "questions"])
def test_each_memory_of_a_shelf_has_its_own_history(
    house: House, room: MemoryHandlers, client: TestClient, shelf: str
) -> None:
    entry = dreamt(house)
    page = room.do(NAME, Place(shelf), {"action": "show"})[1]
    pasts = [unescape(found) for found in PAST.findall(page)]
    assert len(pasts) == len(set(pasts)) == page.count('<div class="deeds">')
    listed = client.get(pasts[0]).text
    assert listed.count("<li") == 1
    assert f'data-entry="{entry}"' in listed
    part = unescape(re.findall(r'data-part="([^"]+)"', listed)[0])
    changed = client.get(unescape(re.findall(r'data-fetch="([^"]+)"', listed)[0])).text
    assert changed.count('class="diff"') == 1
    told = {"insights": "insight", "goals": "goal", "questions": "topic"}[shelf]
    assert changed.count(f'<div class="added">+{JA(f"taking_back.field_{told}")}: ') == 1  # this one alone
    assert "&quot;" not in changed  # as people read it
    page = room.do(NAME, Place(shelf), {"action": "undo", "entry": entry, "part": part})[1]
    assert part.removeprefix("#") not in page
    assert len(PAST.findall(page)) == len(pasts) - 1
    assert house.memories.episodes.get(EVENING.date()) is not None  # the night itself stands
    again = client.get(pasts[0]).text
    assert 'data-action="redo"' in again
    page = room.do(NAME, Place(shelf), {"action": "redo", "entry": entry, "part": part})[1]
    assert len(PAST.findall(page)) == len(pasts)


def test_an_entity_is_taken_back_without_the_rest_of_the_night(house: House, room: MemoryHandlers) -> None:
    entry = dreamt(house)
    name = house.memories.entities.names()[0]
    shown = room.do(NAME, Place("entities", name), {"action": "show"})[1]
    part = f"entity_memory/{name}.md"
    assert f'data-entry="{entry}" data-part="{part}"' in unescape(shown)
    room.do(NAME, Place("entities", name), {"action": "undo", "entry": entry, "part": part})
    assert name not in house.memories.entities.names()
    assert house.memories.insights.load().entries
    assert house.memories.episodes.get(EVENING.date()) is not None


def test_what_stands_in_the_way_is_shown_on_the_shelves(house: House, room: MemoryHandlers) -> None:
    entry = dreamt(house)
    day = EVENING.date()
    house.memories.episodes.save(Episode(date=day, summary="ほんとう"), author="user", reason="edited")
    told = {"action": "undo", "entry": entry, "part": f"episodic_memory/{day}.json"}
    place, shown = room.do(NAME, Place("episodes", str(day)), told)
    assert JA("taking_back.undo_title") in shown
    assert JA("taking_back.would_go") in shown
    assert 'data-action="undo_rest"' not in shown  # there is no rest
    assert JA("taking_back.undo_title") not in room.do(NAME, place, {"action": "leave"})[1]


def test_what_stands_in_the_way_is_shown_in_the_heart(house: House) -> None:
    dreamt(house)
    heart = HeartHandlers(house.services, EN)
    question = house.memories.questions.open()[0]
    house.memories.questions.resolve(question.id, author="user", reason="question_resolved")
    entry = house.memories.history.entries(1, part=record_part(question.id))[0]
    house.memories.questions.delete(question.id, author="user", reason="question_deleted")
    house.memories.history.undo(house.memories.history.entries(1)[0].id, author="user")
    house.memories.questions.resolve(question.id, answer="Momo is well.", author="user", reason="question_resolved")
    changes = heart.change(NAME, 7, clicked(action="undo", entry=entry.id))[-1]
    assert EN("taking_back.undo_title") in changes
    assert f"-{EN('taking_back.field_answer')}: Momo is well." in changes
    assert f"+{EN('taking_back.field_status')}: {EN('taking_back.value_open')}" in changes
    assert EN("taking_back.undo_title") not in heart.change(NAME, 7, clicked(action="leave"))[-1]


def test_what_stands_in_the_way_is_shown_beside_a_note(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_room, "say_done", lambda sentence, t: None)
    notes, room = house.memories.notes, NoteHandlers(house.services, JA)
    for text in ("紅茶が好き\n", "珈琲が好き\n", "水が好き\n"):
        note = notes.read("core_memory")
        notes.write("core_memory", text, based_on=note.digest, author="user", reason="edited")
    entry = house.memories.history.entries(2)[1]
    shown = room.go_back(NAME, {"kind": "core_memory"}, clicked(action="undo", entry=entry.id))
    assert '<div class="removed">-水が好き</div>' in shown[-1]
    assert '<div class="added">+紅茶が好き</div>' in shown[-1]
    assert notes.read("core_memory").text == "水が好き\n"
    assert JA("taking_back.undo_title") not in room.go_back(NAME, {"kind": "core_memory"}, clicked(action="leave"))[-1]
