"""The map and the network as pages: dots and lines that are links, what they open, tables, and kind words for little."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest

from agent.memories import Memories
from agent.services import Services, open_services
from managers.memory.episodes import Episode
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.memory_map.living import FIRST_DAY, TOPICS
from tests.ui.reading import Element, read
from tests.ui.rooms import EVIL, NAME, Shelves
from tests.ui.test_memory_forms import table
from ui.components.revision import revision_of
from ui.locales import texts

EN = texts("en")
MAP = f"/p/{NAME}/memories/map"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A life that is only looked at: some evenings, each about one thing; some days have their page, two are known."""
    services = open_services(Home(tmp_path_factory.mktemp("lived")), HandClock(), Random(3))
    services.settings_file.change("mind", provider="builtin")
    live(services.companion(NAME).memories)
    yield services
    services.close()


@pytest.fixture
def shelves(lived: Services) -> Shelves:
    return Shelves(lived, "en")


def live(memories: Memories, days: int = 24) -> None:
    rng = Random(5)
    topics = list(TOPICS.values())
    for day in range(days):
        words = topics[day % len(topics)].split()
        for number in range(5):
            text = f"Mia and Oskar: the {rng.choice(words)} and the {rng.choice(words)}."
            memories.log.append("user", "Emma", text, time=FIRST_DAY + timedelta(days=day, minutes=number))
        if day % 6 == 0:
            date = (FIRST_DAY + timedelta(days=day)).date()
            memories.episodes.save(Episode(date=date, summary=f"{words[0]} {EVIL}"), author="dream", reason="night")
    for name in ("Mia", "Oskar"):
        memories.entities.note(name, "grows roses", author="dream", mind="built-in", kind="person")
    memories.recall.catch_up()
    memories.map.redraw()


def pictures(page: Element) -> list[Element]:
    return page.all("svg.sky")


def dot_of(page: Element, beginning: str) -> str:
    """Return where the first dot leads whose memory's key begins so."""
    found = (one.attributes["href"] for one in pictures(page)[0].all("a.star"))
    return next(href for href in found if href.partition("dot=")[2].startswith(beginning))


def opened(shelves: Shelves, address: str) -> Element:
    return read(shelves.browser.get(address, follow_redirects=True)).one("#room")


def test_every_dot_is_a_link_and_says_what_it_is(lived: Services) -> None:
    for place, lang, by in (("/map", "en", "like"), ("/map/0", "ja", "time"), ("/map/0/0", "en", "time")):
        page = Shelves(lived, lang).look(place, by=by)
        assert [one.classes[0] for one in pictures(page)] == ["wide", "narrow"]
        for picture in pictures(page):
            assert (dots := picture.all("a.star"))
            assert all(dot.attributes["aria-label"] for dot in dots)
            assert all("by=time" in dot.attributes["href"] for dot in dots) == (by == "time")
            assert picture.attributes["role"] == "group"
            assert picture.attributes["aria-label"]
        assert page.all("img") == []
        assert texts("ja" if lang == "ja" else "en")("map.newest") in page.text


def test_the_list_beside_the_picture_has_every_region(shelves: Shelves) -> None:
    page = shelves.look("/map")
    listed = {one.attributes["href"]: one for one in page.all("#panel a")}
    named = {one.attributes["href"] for one in pictures(page)[0].all("a.place")}
    assert named <= listed.keys()
    assert len(listed) >= 2
    counts = [int(one.one("span").text.split()[0]) for one in listed.values()]
    assert f"{sum(counts)} in all:" in page.text
    rows = table(shelves.browser, "map", "en")
    assert len(rows) - 1 == len(pictures(page)[0].all("a.star"))


def test_a_dot_opens_what_it_stands_for_at_its_own_address(shelves: Shelves) -> None:
    page = shelves.look("/map")
    talk = opened(shelves, MAP + dot_of(page, "talk"))
    assert "5 messages" in talk.one("#panel").text
    assert "/around/" in talk.one("#panel .near details").attributes["data-src"]
    assert len(pictures(talk)[0].all('a.star[aria-current="true"]')) == 1
    day = opened(shelves, MAP + dot_of(page, "episodic_memory"))
    assert "/memories/days/2026-" in day.one("#panel .near a.small").attributes["href"]
    assert day.all("img") == []
    entity = opened(shelves, MAP + dot_of(page, "entity_memory/Mia"))
    assert opened(shelves, entity.one("#panel .near a.small").attributes["href"]).one("h1").text == "Mia"
    assert opened(shelves, entity.one("#panel [data-close]").attributes["href"]).all("#panel .near") == []
    assert shelves.look("/map", dot="nothing").one("#panel h2").text == EN("memories.gone")
    small = [one.attributes["href"] for one in pictures(page)[1].all("a.star")]
    assert all(one.endswith("&size=narrow") for one in small)
    assert opened(shelves, MAP + small[0]).all("#panel .near li")


def test_a_line_opens_the_messages_and_a_sign_its_card(shelves: Shelves) -> None:
    page = shelves.look("/network")
    tie = opened(shelves, f"/p/{NAME}/memories/network{pictures(page)[0].all('a.tie')[0].attributes['href']}")
    assert len(tie.all("#panel .near li")) == 20
    assert "/around/" in tie.all("#panel .near details")[0].attributes["data-src"]
    card = shelves.look("/network", who="Mia").one("#panel")
    assert "grows roses" in card.text
    person, centre = (opened(shelves, one.attributes["href"]).one("h1").text for one in card.all(".buttons a"))
    assert (person, centre) == ("Mia", EN("network.around", name="Mia"))
    assert shelves.look("/network", one="Mia", other="Nobody").one("#panel h2").text == EN("memories.gone")
    assert ["Mia", "Oskar", "120"] in table(shelves.browser, "ties", "en")
    for page in (shelves.look("/network", query="osk"), shelves.look("/network/Oskar")):  # in the middle
        assert page.one("h1").text == EN("network.around", name="Oskar")
        star = next(one for one in pictures(page)[0].all("a.star") if one.attributes["href"] == "?who=Oskar")
        assert star.attributes["transform"] == "translate(340 280)"
    nobody = shelves.look("/network", query="nobody of that name")
    assert nobody.one('[role="status"]').text == EN("network.not_found", query="nobody of that name")


def test_what_is_forgotten_is_on_neither_picture(services: Services, memories: Memories) -> None:
    live(memories)
    shelves = Shelves(services, "en")
    assert "Mia.md" in shelves.answer("/map").text
    assert "?who=Mia" in shelves.answer("/network").text
    points = f"/p/{NAME}/tables/map.csv"
    before = shelves.browser.get(points).text.count("grows roses")
    memories.entities.delete("Mia", author="user", reason="forgotten")
    for _ in range(2):  # before the index has heard of it, and after
        assert "?who=Mia" not in shelves.answer("/network").text
        assert "Mia.md" not in shelves.answer("/map").text
        assert "roses" not in shelves.look("/map", dot="entity_memory/Mia.md").one("#panel").text
        assert shelves.look("/network", who="Mia").one("#panel h2").text == EN("memories.gone")
        memories.recall.catch_up()
    after = shelves.browser.get(points).text.count("grows roses")
    assert (before, after) == (2, 1)  # what Mia herself said of them stands in the log


@pytest.mark.slow
def test_little_gets_a_kind_sentence_until_it_is_drawn(services: Services, memories: Memories) -> None:
    shelves = Shelves(services, "en")
    for place in ("map", "network"):
        assert shelves.look(f"/{place}").one(".nothing").text == EN(f"{place}.empty")
    memories.log.append("user", "Emma", "Hello, it is me.")
    memories.recall.catch_up()
    assert pictures(shelves.look("/map"))[0].all("a.star")
    said = [f"The {word} of day {day}." for day in range(12) for word in TOPICS["sailing"].split()]
    for number, text in enumerate(said):
        memories.log.append("user", "Emma", text, time=FIRST_DAY + timedelta(hours=7 * number))
    memories.recall.catch_up()
    page = shelves.look("/map")
    assert page.one(".drawing").text.startswith(EN("map.drawing"))
    assert page.one(".drawing a").attributes["href"] == page.one('.shelves a[aria-current="page"]').attributes["href"]
    memories.map.wait()
    # The page asks again when this differs from what it was drawn at.
    assert revision_of(services, services.companion(NAME)) != page.attributes["data-revision"]
    assert len(pictures(shelves.look("/map"))) == 2
