"""The map and the network as pages: dots and lines that are links, what they open, tables, and kind words for little."""

from datetime import timedelta
from itertools import product
from random import Random

import pytest

from agent.memories import Memories
from agent.services import Services
from managers.memory.episodes import Episode
from managers.storage.errors import Lang
from tests.memory_map.living import FIRST_DAY, TOPICS
from tests.ui.reading import Element, read
from tests.ui.rooms import NAME
from tests.ui.test_memories import EVIL, Shelves
from tests.ui.test_theme import AA_SIGNS, AA_TEXT, contrast
from ui.components.palette import PALETTE
from ui.components.revision import revision_of
from ui.locales import LANGUAGES, texts
from ui.rooms.map.canvas import AGES, turns_of
from ui.rooms.network.picture import COLOURS

EN = texts("en")


@pytest.fixture
def shelves(services: Services) -> Shelves:
    return Shelves(services, "en")


def live(memories: Memories, days: int = 24) -> None:
    """Talk on some evenings, each about one thing; some days have their page, somebody is known."""
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


def test_every_dot_is_a_link_and_says_what_it_is(services: Services, memories: Memories) -> None:
    live(memories)
    for place, lang in product(("/map", "/map/0", "/map/0/0"), LANGUAGES):
        for by in ("like", "time"):
            page = Shelves(services, lang).look(place, by=by)
            assert [one.classes[0] for one in pictures(page)] == ["wide", "narrow"]
            for picture in pictures(page):
                dots = picture.all("a.star")
                assert dots
                assert all(dot.attributes["aria-label"] for dot in dots)
                assert all("by=time" in dot.attributes["href"] for dot in dots) == (by == "time")
                assert picture.attributes["role"] == "group"
                assert picture.attributes["aria-label"]
            assert page.all("img") == []
            assert texts(lang)("map.newest") in page.text


def test_the_list_beside_the_picture_has_every_region(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    page = shelves.look("/map")
    listed = {one.attributes["href"]: one for one in page.all("#panel a")}
    named = {one.attributes["href"] for one in pictures(page)[0].all("a.place")}
    assert named <= listed.keys()
    assert len(listed) >= 2
    counts = [int(one.one("span").text.split()[0]) for one in listed.values()]
    assert f"{sum(counts)} in all:" in page.text
    inner = read(shelves.browser.get(next(iter(listed)))).one("#room")
    assert inner.one("h1").text == next(iter(listed.values())).one("b").text
    whole = inner.one("p.buttons a")
    assert whole.text == EN("map.whole")
    assert read(shelves.browser.get(whole.attributes["href"])).one("#room h1").text == EN("map.title")


def test_a_dot_opens_what_it_stands_for_at_its_own_address(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    page = shelves.look("/map")
    at = f"/p/{NAME}/memories/map"
    talk = read(shelves.browser.get(at + dot_of(page, "talk"))).one("#room")
    assert "5 messages" in talk.one("#panel").text
    assert "/around/" in talk.one("#panel .near details").attributes["data-src"]
    assert len(pictures(talk)[0].all('a.star[aria-current="true"]')) == 1
    day = read(shelves.browser.get(at + dot_of(page, "episodic_memory"))).one("#room")
    assert "/memories/days/2026-" in day.one("#panel .near a.small").attributes["href"]
    assert day.all("img") == []
    entity = read(shelves.browser.get(at + dot_of(page, "entity_memory/Mia"))).one("#room")
    opened = read(shelves.browser.get(entity.one("#panel .near a.small").attributes["href"]))
    assert opened.one("#room h1").text == "Mia"
    close = entity.one("#panel [data-close]").attributes["href"]
    assert read(shelves.browser.get(close)).all("#panel .near") == []
    for region in (
        "/map/0",
        "/map/1",
    ):  # in one of them it lies; the other is what was left of its region in a new drawing
        opened = read(shelves.browser.get(at.removesuffix("/map") + region + dot_of(page, "talk"))).one("#panel")
        assert "5 messages" in opened.text
    gone = shelves.look("/map", dot="nothing")
    assert gone.one("#panel h2").text == EN("memories.gone")


def test_a_small_picture_opens_what_its_own_dots_stand_for(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    narrow = pictures(shelves.look("/map"))[1]
    assert all(one.attributes["href"].endswith("&size=narrow") for one in narrow.all("a.star"))
    opened = read(shelves.browser.get(f"/p/{NAME}/memories/map{narrow.all('a.star')[0].attributes['href']}"))
    assert opened.all("#panel .near li")


def test_what_is_forgotten_is_on_neither_picture(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    assert "Mia.md" in shelves.answer("/map").text
    assert "?who=Mia" in shelves.answer("/network").text
    points = f"/p/{NAME}/tables/map.csv"
    before = shelves.browser.get(points).text.count("grows roses")
    memories.entities.delete("Mia", author="user", reason="forgotten")
    for _ in range(2):  # before the index has heard of it, and after
        assert "?who=Mia" not in shelves.answer("/network").text
        assert "Mia.md" not in shelves.answer("/map").text
        opened = shelves.look("/map", dot="entity_memory/Mia.md")
        assert "roses" not in opened.one("#panel").text
        assert shelves.look("/network", who="Mia").one("#panel h2").text == EN("memories.gone")
        memories.recall.catch_up()
    after = shelves.browser.get(points).text.count("grows roses")
    assert (before, after) == (2, 1)  # what Mia herself said of them stands in the log


@pytest.mark.parametrize("lang", LANGUAGES)
def test_little_gets_a_kind_sentence(services: Services, memories: Memories, lang: Lang) -> None:
    t, shelves = texts(lang), Shelves(services, lang)
    assert shelves.look("/map").one(".nothing").text == t("map.empty")
    assert shelves.look("/network").one(".nothing").text == t("network.empty")
    memories.log.append("user", "Emma", "Hello, it is me.")
    memories.recall.catch_up()
    assert pictures(shelves.look("/map"))[0].all("a.star")
    memories.entities.note("Mia", "is a friend", author="dream", mind="built-in")
    memories.recall.catch_up()
    assert shelves.look("/network").one("#panel").text == t("network.no_ties")
    assert shelves.look("/map/99").one(".nothing a").text == t("map.whole")


def test_a_picture_that_is_being_drawn_comes_by_itself(
    services: Services, shelves: Shelves, memories: Memories
) -> None:
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


def test_a_line_opens_the_messages_and_a_sign_its_card(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    page = shelves.look("/network")
    tie = pictures(page)[0].all("a.tie")[0]
    opened = read(shelves.browser.get(f"/p/{NAME}/memories/network{tie.attributes['href']}")).one("#room")
    assert len(opened.all("#panel .near li")) == 20
    assert "/around/" in opened.all("#panel .near details")[0].attributes["data-src"]
    assert "and 100 more" in opened.one("#panel").text
    assert len(pictures(opened)[0].all('a.tie[aria-current="true"]')) == 1
    listed = page.one("#panel .lines a").attributes["href"]
    assert read(shelves.browser.get(listed)).one("#panel h2").text == opened.one("#panel h2").text
    card = shelves.look("/network", who="Mia").one("#panel")
    assert "grows roses" in card.text
    person, centre = (one.attributes["href"] for one in card.all(".buttons a"))
    assert read(shelves.browser.get(person)).one("#room h1").text == "Mia"
    assert read(shelves.browser.get(centre)).one("#room h1").text == EN("network.around", name="Mia")
    gone = shelves.look("/network", one="Mia", other="Nobody")
    assert gone.one("#panel h2").text == EN("memories.gone")


def test_the_one_that_is_looked_for_sits_in_the_middle(shelves: Shelves, memories: Memories) -> None:
    live(memories)
    for page in (shelves.look("/network", query="osk"), shelves.look("/network/Oskar")):
        assert page.one("h1").text == EN("network.around", name="Oskar")
        star = next(one for one in pictures(page)[0].all("a.star") if one.attributes["href"] == "?who=Oskar")
        assert star.attributes["transform"] == "translate(340 280)"
    nobody = shelves.look("/network", query="nobody of that name")
    assert nobody.one('[role="status"]').text == EN("network.not_found", query="nobody of that name")
    assert nobody.one("h1").text == EN("network.title")


def test_colours_stand_for_as_many_memories_each() -> None:
    assert turns_of([]) == ()
    assert turns_of([5, 5, 5]) == ()
    assert turns_of(list(range(100))) == (20, 40, 60, 80)
    assert len(turns_of(list(range(1000)))) == AGES - 1


@pytest.mark.parametrize("look", [0, 1], ids=["light", "dark"])
def test_dots_and_names_stand_out_on_every_land(look: int) -> None:
    for land in (*(name for name in PALETTE if name.startswith("land-")), "surface"):
        for sign in (*(name for name in PALETTE if name.startswith("age-")), *COLOURS.values()):
            assert contrast(PALETTE[sign][look], PALETTE[land][look]) >= AA_SIGNS, f"{sign} on {land}"
        assert contrast(PALETTE["ink"][look], PALETTE[land][look]) >= AA_TEXT
