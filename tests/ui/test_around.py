"""The conversation around a message, wherever a room leads to it."""

from datetime import timedelta

from tests.ui.reading import read
from tests.ui.rooms import EVENING, NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.server.addresses import address_of

JA = texts("ja")
EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)">'
FOLD = {"x-utatane": "swap", "accept-language": "ja"}


def test_a_message_stands_in_its_place(house: House) -> None:
    said = house.tell()
    answer = visitor_of(house.services).get(address_of(NAME, f"around/{said[1]}"), headers=FOLD)
    excerpt = read(answer)
    roles = [(one.classes[0], "aria-current" in one.attributes) for one in excerpt.all("li")]
    assert roles == [
        ("user", False),
        ("persona", False),
        ("user", True),
        *[("persona", False), ("user", False)] * 1,
        ("persona", False),
    ]
    assert "貴船神社" in excerpt.one("li[aria-current]").text
    assert "花" in excerpt.texts("li b")
    assert excerpt.one("details").attributes["data-src"] == address_of(NAME, f"around/{said[1]}", beside=30)


def test_more_of_the_conversation_ends_somewhere(house: House) -> None:
    said = house.tell([(f"{n}", "neutral") for n in range(60)], at=EVENING.replace(hour=9))
    browser = visitor_of(house.services)
    for beside, count in ((30, 61), (99_999, 61), (-1, 1)):
        excerpt = read(browser.get(address_of(NAME, f"around/{said[30]}", beside=beside), headers=FOLD))
        assert len(excerpt.all("li")) == count
        assert len(excerpt.all("details")) == (beside < 30)


def test_the_way_into_the_talk_shows_the_message_there(house: House) -> None:
    early = house.tell()
    late = house.tell([(f"{n}", "neutral") for n in range(60)], at=EVENING + timedelta(days=1))
    browser = visitor_of(house.services)
    for message in (early[0], late[0], late[-1]):
        excerpt = read(browser.get(address_of(NAME, f"around/{message}"), headers=FOLD))
        way = excerpt.all("p.quiet a")[0].attributes["href"]
        assert way.endswith(f"#m-{message}")
        before = way.partition("before=")[2].partition("#")[0]
        shown = house.memories.log.tail(50, before or None, controls=True)  # as the talk does
        assert message in [one.id for one in shown]


def test_a_message_that_is_gone_is_said_to_be(house: House) -> None:
    said = house.tell()
    house.memories.log.supersede(said[1], None)
    browser = visitor_of(house.services)
    for gone in (said[1], "20200101T000000-gone"):
        assert read(browser.get(address_of(NAME, f"around/{gone}"), headers=FOLD)).text == JA("around.gone")
    assert browser.get(address_of("nobody", "around/x"), headers=FOLD).status_code == 404


def test_what_was_said_is_shown_as_text(house: House) -> None:
    said = house.tell([(EVIL, "joy")])
    excerpt = read(visitor_of(house.services).get(address_of(NAME, f"around/{said[0]}"), headers=FOLD))
    assert EVIL in excerpt.one("li[aria-current]").text
    assert excerpt.all("script") + excerpt.all("img") == []


def test_without_scripts_it_is_a_page_of_its_own(house: House) -> None:
    said = house.tell()
    page = read(visitor_of(house.services).get(address_of(NAME, f"around/{said[0]}")))
    assert page.one("#room").one("li[aria-current]")
    assert page.one("nav#rooms")
