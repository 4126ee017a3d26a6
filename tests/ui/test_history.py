"""Taking changes back and making them again, alike in every room; and what stands in the way of it."""

import pytest
from starlette.testclient import TestClient

from managers.memory.notes import Edit
from managers.storage.history.parts import record_part
from tests.ui.reading import press, read
from tests.ui.rooms import NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.server.addresses import address_of

EN = texts("en")


@pytest.fixture
def browser(house: House) -> TestClient:
    visitor = visitor_of(house.services)
    visitor.headers["accept-language"] = "en"
    return visitor


def test_a_change_of_a_note_is_taken_back_and_made_again(house: House, browser: TestClient) -> None:
    notes = house.memories.notes
    notes.apply_edit("notepad", [Edit("", "ふたつめ")], author="user", reason="edited")
    page = read(browser.get(address_of(NAME, "notes/notepad"))).one("#room")
    page = read(press(browser, page, '.history [value="undo"]')).one("#room")
    assert "ふたつめ" not in notes.read("notepad").text
    assert page.one("textarea").text == notes.read("notepad").text.strip()
    read(press(browser, page, '.history [value="redo"]'))
    assert "ふたつめ" in notes.read("notepad").text


def test_what_stands_in_the_way_is_shown_and_nothing_is_changed(house: House, browser: TestClient) -> None:
    notes = house.memories.notes
    for text in ("紅茶が好き\n", "珈琲が好き\n", "水が好き\n"):
        note = notes.read("core_memory")
        notes.write("core_memory", text, based_on=note.digest, author="user", reason="edited")
    entry = house.memories.history.entries(2)[1]
    page = read(browser.get(address_of(NAME, "notes/core_memory"))).one("#room")
    row = next(one for one in page.all(".history li") if one.attributes["data-key"] == entry.id)
    answer = press(browser, row, "button")
    assert answer.status_code == 409
    shown = read(answer).one("#room")
    assert shown.one("h1").text == EN("taking_back.undo_title")
    assert shown.texts(".removed") == ["-水が好き"]
    assert shown.texts(".added") == ["+紅茶が好き"]
    assert notes.read("core_memory").text == "水が好き\n"
    left = read(browser.get(shown.one("a.small").attributes["href"])).one("#room")
    assert left.one("h1").text == EN("notes.title")


def test_one_record_is_told_as_people_read_it(house: House, browser: TestClient) -> None:
    house.tell()
    house.dream()
    questions, history = house.memories.questions, house.memories.history
    question = questions.open()[0]
    questions.resolve(question.id, author="user", reason="question_resolved")
    entry = history.entries(1, part=record_part(question.id))[0]
    questions.delete(question.id, author="user", reason="question_deleted")
    history.undo(history.entries(1)[0].id, author="user")
    questions.resolve(question.id, answer="Momo is well.", author="user", reason="question_resolved")
    answer = browser.post(address_of(NAME, f"history/{entry.id}"), data={"step": "undo"})
    assert answer.status_code == 409
    shown = read(answer).one("#room")
    assert f"-{EN('taking_back.field_answer')}: Momo is well." in shown.texts(".removed")
    assert f"+{EN('taking_back.field_status')}: {EN('taking_back.value_open')}" in shown.texts(".added")


def test_what_has_changed_since_may_stay_and_the_rest_is_taken_back(house: House, browser: TestClient) -> None:
    house.tell()
    entry = house.dream().entries[0]
    day = next(iter(house.memories.episodes.days()))
    episode = house.memories.episodes.get(day)
    assert episode is not None
    house.memories.episodes.save(episode.model_copy(update={"summary": "ほんとう"}), author="user", reason="edited")
    back = address_of(NAME, f"memories/days/{day}")
    answer = browser.post(address_of(NAME, f"history/{entry}"), data={"step": "undo", "back": back})
    assert answer.status_code == 409
    led = press(browser, read(answer).one("#room"), '[name="rest"]')
    assert read(led).one("#room h1").text == "Yesterday"
    assert "ほんとう" in read(led).one("#room").text
    assert house.memories.insights.load().entries == []


def test_one_is_led_back_into_the_persona_s_rooms_and_nowhere_else(house: House, browser: TestClient) -> None:
    notes = house.memories.notes
    for back in ("https://elsewhere.example/", "//elsewhere.example", "/p/Hazel/notes"):
        notes.apply_edit("notepad", [Edit("", "ひとつ")], author="user", reason="edited")
        entry = house.memories.history.entries(1)[0].id
        answer = browser.post(address_of(NAME, f"history/{entry}"), data={"step": "undo", "back": back})
        assert answer.headers["location"].startswith(address_of(NAME, "heart"))
