"""Taking changes back and making them again, alike in every room; and what stands in the way of it."""

from starlette.testclient import TestClient

from managers.memory.notes import Edit
from tests.ui.reading import press, read
from tests.ui.rooms import NAME, House
from ui.locales import texts
from ui.server.addresses import address_of

EN = texts("en")


def test_a_change_of_a_note_is_taken_back_and_made_again(house: House, visitor: TestClient) -> None:
    notes = house.memories.notes
    notes.apply_edit("notepad", [Edit("", "ふたつめ")], author="user", reason="edited")
    page = read(visitor.get(address_of(NAME, "notes/notepad"))).one("#room")
    page = read(press(visitor, page, '.history [value="undo"]')).one("#room")
    assert "ふたつめ" not in notes.read("notepad").text
    assert page.one("textarea").text == notes.read("notepad").text.strip()
    read(press(visitor, page, '.history [value="redo"]'))
    assert "ふたつめ" in notes.read("notepad").text
    for back in ("https://elsewhere.example/", "//elsewhere.example", "/p/Hazel/notes"):
        notes.apply_edit("notepad", [Edit("", "ひとつ")], author="user", reason="edited")
        entry = house.memories.history.entries(1)[0].id
        answer = visitor.post(address_of(NAME, f"history/{entry}"), data={"step": "undo", "back": back})
        assert answer.headers["location"].startswith(address_of(NAME, "heart"))


def test_what_stands_in_the_way_is_shown_and_nothing_is_changed(house: House, visitor: TestClient) -> None:
    notes = house.memories.notes
    for text in ("紅茶が好き\n", "珈琲が好き\n", "水が好き\n"):
        notes.write("core_memory", text, based_on=notes.read("core_memory").digest, author="user", reason="edited")
    entry = house.memories.history.entries(2)[1]
    page = read(visitor.get(address_of(NAME, "notes/core_memory"))).one("#room")
    row = next(one for one in page.all(".history li") if one.attributes["data-key"] == entry.id)
    answer = press(visitor, row, "button")
    assert answer.status_code == 409
    shown = read(answer).one("#room")
    assert shown.one("h1").text == EN("taking_back.undo_title")
    assert (shown.texts(".removed"), shown.texts(".added")) == (["-水が好き"], ["+紅茶が好き"])
    assert notes.read("core_memory").text == "水が好き\n"
    left = read(visitor.get(shown.one("a.small").attributes["href"])).one("#room")
    assert left.one("h1").text == EN("notes.title")


def test_what_has_changed_since_may_stay_and_the_rest_is_taken_back(house: House, visitor: TestClient) -> None:
    house.tell()
    entry = house.dream().entries[0]
    day = next(iter(house.memories.episodes.days()))
    episode = house.memories.episodes.get(day)
    assert episode is not None
    house.memories.episodes.save(episode.model_copy(update={"summary": "ほんとう"}), author="user", reason="edited")
    back = address_of(NAME, f"memories/days/{day}")
    answer = visitor.post(address_of(NAME, f"history/{entry}"), data={"step": "undo", "back": back})
    assert answer.status_code == 409
    led = read(press(visitor, read(answer).one("#room"), '[name="rest"]')).one("#room")
    assert led.one("h1").text == "Yesterday"
    assert "ほんとう" in led.text
    assert house.memories.insights.load().entries == []
