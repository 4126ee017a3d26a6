"""What stands around a room and a message: notices, neighbours, changes taken back, letters, and what does not fit."""

from datetime import timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.memory.notes import Edit
from managers.storage.errors import Lang, Notice, UnreadableError
from tests.fakes import HandClock
from tests.ui.reading import Element, press, read
from tests.ui.rooms import EVENING, EVIL, NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.server.addresses import address_of


def told(visitor: TestClient, address: str) -> str:
    return " ".join(one.text for one in read(visitor.get(address)).all("#notices li"))


def test_every_notice_is_there_though_a_persona_cannot_be_read(services: Services, visitor: TestClient) -> None:
    notices = [f"お知らせ{number}号" for number in range(40)]
    services.notices.replace("many", [Notice(words, words, words) for words in notices])
    assert [words for words in notices if words not in told(visitor, address_of(NAME))] == []

    def unreadable(_name: str) -> None:
        raise UnreadableError(path="log.txt", cause="-")

    services.companion = unreadable  # type: ignore[assignment,method-assign]
    assert notices[-1] in told(visitor, f"/settings/user?persona={NAME}")


def test_an_address_that_leads_nowhere_stays_with_its_persona(services: Services, visitor: TestClient) -> None:
    other = next(name for name in services.personas.list_names() if name != NAME)
    services.companion(other).memories.log.append("user", "", "さっき")  # whoever was talked to last
    answer = visitor.get(address_of(NAME, "nothing/here"))
    assert (answer.status_code, read(answer).one("#head .who").text) == (404, NAME)
    assert read(visitor.get("/nothing")).one("#head .who").text == other


def around(house: House, message: str, **query: object) -> Element:
    fold = {"x-utatane": "swap", "accept-language": "ja"}
    return read(visitor_of(house.services).get(address_of(NAME, f"around/{message}", **query), headers=fold))


def test_a_message_stands_in_its_place_as_text(house: House) -> None:
    said = house.tell([("ひとつめ", "joy"), (EVIL, "joy"), ("みっつめ", "joy")])
    excerpt = around(house, said[1])
    rows = [(one.classes[0], "aria-current" in one.attributes) for one in excerpt.all("li")]
    assert rows == [("user", False), ("persona", False), ("user", True), *[("persona", False), ("user", False)],
                    ("persona", False)]  # fmt: skip
    assert EVIL in excerpt.one("li[aria-current]").text
    assert excerpt.all("script") + excerpt.all("img") == []
    assert "花" in excerpt.texts("li b")
    assert excerpt.one("details").attributes["data-src"] == address_of(NAME, f"around/{said[1]}", beside=30)
    page = read(visitor_of(house.services).get(address_of(NAME, f"around/{said[0]}")))  # without scripts: a page
    assert page.one("#room li[aria-current]")
    assert page.one("nav#rooms")
    house.memories.log.supersede(said[1], None)
    for gone in (said[1], "20200101T000000-gone"):
        assert around(house, gone).text == texts("ja")("around.gone")
    assert visitor_of(house.services).get(address_of("nobody", "around/x")).status_code == 404


@pytest.mark.slow
def test_more_of_the_conversation_ends_somewhere_and_the_talk_shows_the_message_too(house: House) -> None:
    early = house.tell(at=EVENING - timedelta(days=1))
    late = house.tell([(f"{n}", "neutral") for n in range(60)], at=EVENING.replace(hour=9))
    for beside, count in ((30, 61), (99_999, 61), (-1, 1)):
        excerpt = around(house, late[30], beside=beside)
        assert len(excerpt.all("li")) == count
        assert len(excerpt.all("details")) == (beside < 30)
    for message in (early[0], late[0], late[-1]):
        way = around(house, message).all("p.quiet a")[0].attributes["href"]
        assert way.endswith(f"#m-{message}")
        before = way.partition("before=")[2].partition("#")[0]
        shown = house.memories.log.tail(50, before or None, controls=True)  # as the talk does
        assert message in [one.id for one in shown]


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


def test_a_note_is_written_and_one_changed_elsewhere_is_not_overwritten(house: House, visitor: TestClient) -> None:
    notes, place = house.memories.notes, address_of(NAME, "notes/notepad")
    page = read(visitor.get(place)).one("#room")
    assert press(visitor, page, "#note button.main", text="わたしの版").status_code == 200
    assert notes.read("notepad").text.strip() == "わたしの版"
    page = read(visitor.get(place)).one("#room")
    notes.write("notepad", "よその版\n", based_on=notes.read("notepad").digest, author="user", reason="edited")
    answer = press(visitor, page, "#note button.main", text="あたらしい版")
    both = read(answer).one("#room")
    assert (answer.status_code, both.one("textarea").text) == (409, "あたらしい版")
    assert "よその版" in both.one("[data-conflict]").text
    assert notes.read("notepad").text == "よその版\n"
    press(visitor, both, "[data-conflict] button", text="あたらしい版")
    assert notes.read("notepad").text.strip() == "あたらしい版"


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


TOLD: dict[Lang, str] = {"ja": "入りきりません", "en": "too many for what the model"}


def test_the_editor_says_what_does_not_fit(services: Services) -> None:
    visitor = visitor_of(services)

    def languages_that_tell(room: str = "core_memory") -> list[str]:
        place = address_of(NAME, f"notes/{room}")
        pages = {lang: visitor.get(place, headers={"accept-language": lang}).text for lang in TOLD}
        return [lang for lang, words in TOLD.items() if words in pages[lang]]

    address = "http://127.0.0.1:9/v1"
    services.settings_file.change("mind", provider="openai", base_url=address, model="m", context_tokens=4096)
    assert languages_that_tell() == []
    promises = "\n".join(f"約束{number}をまもる。" for number in range(400))
    services.companion(NAME).memories.notes.append("core_memory", promises, author="user", reason="-")
    assert languages_that_tell() == ["ja", "en"]
    assert languages_that_tell("notepad") == []
    services.settings_file.change("mind", context_tokens=200_000)
    assert languages_that_tell() == []


def letters(visitor: TestClient, *, words: bool = False) -> list[dict[str, Any]]:
    answer = visitor.get(f"/letters{'?words=true' if words else ''}")
    assert answer.headers["cache-control"] == "no-store"
    found: list[dict[str, Any]] = answer.json()
    return found


def write_first(services: Services, clock: HandClock, name: str) -> str:
    log = services.sleeper(name).log
    clock.move(minutes=1)
    log.append("system", "autonomous", "退屈 0.7", time=clock.now())
    return log.append("persona", name, "ひみつの言葉", time=clock.now()).id


def test_a_first_word_is_told_until_it_is_answered(services: Services, clock: HandClock, visitor: TestClient) -> None:
    assert letters(visitor) == []
    written = write_first(services, clock, NAME)
    [told] = letters(visitor)
    assert (told["persona"], told["id"]) == (NAME, written)
    assert "words" not in told
    assert visitor.get(told["face"]).headers["content-type"] == "image/png"
    assert visitor.get(told["address"]).status_code == 200
    assert letters(visitor, words=True)[0]["words"] == "ひみつの言葉"
    clock.move(minutes=1)
    services.sleeper(NAME).log.append("user", "花", "読んだよ", time=clock.now())
    assert letters(visitor) == []
    for name in (NAME, "Hazel"):
        write_first(services, clock, name)
    assert len(letters(visitor)) == 2
    with services.away(NAME):
        services.personas.delete(NAME)
    assert [told["persona"] for told in letters(visitor)] == ["Hazel"]
