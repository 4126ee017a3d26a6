"""The conversation around a message, wherever a room leads to it."""

from datetime import timedelta

from tests.ui.reading import Element, read
from tests.ui.rooms import EVENING, EVIL, NAME, House
from tests.ui.visitors import visitor_of
from ui.locales import texts
from ui.server.addresses import address_of


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


def test_more_of_the_conversation_ends_somewhere_and_the_talk_shows_the_message_too(house: House) -> None:
    early = house.tell()
    late = house.tell([(f"{n}", "neutral") for n in range(60)], at=EVENING + timedelta(days=1))
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
