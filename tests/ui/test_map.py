"""The map and the network as the room shows them: dots, lines, what they open, tables, and kind words for little."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agent.memories import Memories
from agent.services import Services
from managers.memory.episodes import Episode
from managers.storage.errors import Lang
from tests.memory_map.living import FIRST_DAY, TOPICS
from tests.ui.rooms import NAME
from tests.ui.test_theme import AA_SIGNS, AA_TEXT, contrast
from ui.locales import LANGUAGES, texts
from ui.map import item_of, parsed
from ui.map_canvas import AGES, CANVASES, turns_of
from ui.map_files import map_router
from ui.memories import MemoryHandlers
from ui.shelves import Place
from ui.theme import PALETTE

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def client(services: Services) -> TestClient:
    app = FastAPI()
    app.include_router(map_router(services))
    return TestClient(app)


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


def shown(services: Services, lang: Lang = "en", **place: Any) -> str:
    handlers = MemoryHandlers(services, texts(lang))
    return handlers.do(NAME, Place(**place), {"action": "show"})[1]


def pictures(html: str) -> list[ET.Element]:
    """Return the pictures, which are well-formed or nothing."""
    return [ET.fromstring(svg) for svg in re.findall(r'<svg class="(?:wide|narrow) sky".*?</svg>', html, re.DOTALL)]


def marked(picture: ET.Element, mark: str) -> list[ET.Element]:
    return [one for one in picture.iter("g") if one.get("class") == mark]


def test_every_dot_is_reached_by_keyboard_and_says_what_it_is(services: Services, memories: Memories) -> None:
    live(memories)
    for item, lang in product(("like", "time", "like/0", "time/0", "like/0/0"), LANGUAGES):
        html = shown(services, lang, shelf="map", item=item)
        assert len(pictures(html)) == 2
        for picture in pictures(html):
            dots = marked(picture, "star")
            assert [dot.get("tabindex") for dot in dots].count("0") == 1
            assert all(dot.get("role") == "button" and dot.get("aria-label") for dot in dots)
            assert picture.get("role") == "group"
            assert picture.get("aria-label")
        assert EVIL not in html
        assert texts(lang)("map.newest") in html


def test_the_list_beside_the_picture_has_every_region(services: Services, memories: Memories) -> None:
    live(memories)
    html = shown(services, shelf="map")
    wide, _ = pictures(html)
    named = {place.get("data-place-number") for place in marked(wide, "place")}
    listed = set(re.findall(r'data-place-row="(\d+)"', html))
    assert named <= listed
    assert len(listed) >= 2
    counts = [int(count) for count in re.findall(r"<span>(\d+) memories", html)]
    assert f"{sum(counts)} memories:" in html


def test_a_dot_opens_what_it_stands_for(services: Services, memories: Memories, client: TestClient) -> None:
    live(memories)
    html = shown(services, shelf="map")
    wide, _ = pictures(html)
    by_kind = {
        str(dot.get("data-key")).split(" ")[0].split("/")[0]: str(dot.get("data-key")) for dot in marked(wide, "star")
    }
    talk = client.get(f"/personas/{NAME}/map/dot", params={"key": by_kind["talk"], "lang": "en"}).text
    assert "/around/" in talk  # the message in its place
    assert "5 messages" in talk
    day = client.get(f"/personas/{NAME}/map/dot", params={"key": by_kind["episodic_memory"], "lang": "ja"}).text
    assert 'data-shelf="episodes" data-item="2026-' in day
    assert EVIL not in day
    entity = client.get(f"/personas/{NAME}/map/dot", params={"key": "entity_memory/Mia.md", "lang": "ja"}).text
    assert 'data-shelf="entities" data-item="Mia"' in entity
    gone = client.get(f"/personas/{NAME}/map/dot", params={"key": "nothing", "lang": "en"})
    assert texts("en")("memories.gone") in gone.text


def test_what_is_forgotten_is_on_neither_picture(services: Services, memories: Memories, client: TestClient) -> None:
    live(memories)
    assert "entity_memory/Mia.md" in shown(services, shelf="map")
    assert 'data-name="Mia"' in shown(services, shelf="network")
    memories.entities.delete("Mia", author="user", reason="forgotten")
    for _ in range(2):  # before the index has heard of it, and after
        assert 'data-name="Mia"' not in shown(services, shelf="network")
        assert "entity_memory/Mia.md" not in shown(services, shelf="map")
        answer = client.get(f"/personas/{NAME}/map/dot", params={"key": "entity_memory/Mia.md", "lang": "en"}).text
        assert "roses" not in answer
        memories.recall.catch_up()
    assert "Mia is" not in client.get(f"/personas/{NAME}/map/memories.csv").text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_little_gets_a_kind_sentence(services: Services, memories: Memories, lang: Lang) -> None:
    t = texts(lang)
    assert t("map.empty") in shown(services, lang, shelf="map")
    assert t("network.empty") in shown(services, lang, shelf="network")
    memories.log.append("user", "Emma", "Hello, it is me.")
    memories.recall.catch_up()
    assert len(marked(pictures(shown(services, lang, shelf="map"))[0], "star")) >= 1
    memories.entities.note("Mia", "is a friend", author="dream", mind="built-in")
    memories.recall.catch_up()
    assert t("network.no_ties") in shown(services, lang, shelf="network")


def test_much_that_is_new_is_drawn_while_one_waits_elsewhere(
    services: Services, memories: Memories, client: TestClient
) -> None:
    said = [f"The {word} of day {day}." for day in range(12) for word in TOPICS["sailing"].split()]
    for number, text in enumerate(said):
        memories.log.append("user", "Emma", text, time=FIRST_DAY + timedelta(hours=7 * number))
    memories.recall.catch_up()
    html = shown(services, shelf="map")
    assert f'data-watch="/personas/{"%E3%81%AD%E3%82%80"}/map/state"' in html
    memories.map.wait()
    assert client.get(f"/personas/{NAME}/map/state").json() == {"drawing": False}
    assert len(pictures(shown(services, shelf="map"))) == 2


def test_a_line_opens_the_messages_and_a_sign_its_card(
    services: Services, memories: Memories, client: TestClient
) -> None:
    live(memories)
    html = shown(services, shelf="network")
    tie = marked(pictures(html)[0], "tie")[0]
    both = {"one": str(tie.get("data-one")), "other": str(tie.get("data-other"))}
    assert set(both.values()) == {"Mia", "Oskar"}
    told = client.get(f"/personas/{NAME}/network/look", params={**both, "lang": "en"}).text
    assert told.count("<li>") == 20
    assert "/around/" in told
    assert "and 100 more" in told
    card = client.get(f"/personas/{NAME}/network/look", params={"entity": "Mia", "lang": "en"}).text
    assert 'data-shelf="entities" data-item="Mia"' in card
    assert "grows roses" in card
    assert texts("en")("memories.gone") in client.get(f"/personas/{NAME}/network/look?entity=Nobody").text


def test_the_one_that_is_looked_for_sits_in_the_middle(services: Services, memories: Memories) -> None:
    live(memories)
    by_name = shown(services, shelf="network", query="osk")
    by_click = shown(services, shelf="network", item="Oskar")
    for html in (by_name, by_click):
        assert texts("en")("network.around", name="Oskar") in html
        assert pictures(html)[0].find("./g[@data-name='Oskar']").get("transform") == "translate(340 280)"  # type: ignore[union-attr]  # it is there


def test_the_tables_hold_what_the_pictures_show(services: Services, memories: Memories, client: TestClient) -> None:
    live(memories)
    answer = client.get(f"/personas/{NAME}/map/memories.csv", params={"lang": "en"})
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[0][:4] == ["Day", "Kind", "Region", "Part of it"]
    assert len(rows) - 1 == len(marked(pictures(shown(services, shelf="map"))[0], "star"))
    part = client.get(f"/personas/{NAME}/map/memories.csv", params={"lang": "ja", "item": "like/0"})
    assert 1 < len(part.content.decode("utf-8-sig").splitlines()) < len(rows) + 1
    ties = client.get(f"/personas/{NAME}/network/ties.csv", params={"lang": "en"})
    assert "Mia,Oskar,120" in ties.text


def test_an_address_within_the_shelf_is_read_as_it_is_written() -> None:
    for item in ("like", "time", "like/3", "time/3/17"):
        assert item_of(*parsed(item)) == item
    assert item_of(*parsed("")) == "like"
    assert item_of(*parsed("like/x/../2")) == "like"


def test_colours_stand_for_as_many_memories_each() -> None:
    assert turns_of([]) == []
    assert turns_of([5, 5, 5]) == []
    assert turns_of(list(range(100))) == [20, 40, 60, 80]
    assert len(turns_of(list(range(1000)))) == AGES - 1
    assert {canvas.kind for canvas in CANVASES.values()} == {"wide", "narrow"}


@pytest.mark.parametrize("look", [0, 1], ids=["light", "dark"])
def test_dots_and_names_stand_out_on_every_land(look: int) -> None:
    lands = [name for name in PALETTE if name.startswith("land-")] + ["surface"]
    for land in lands:
        for age in (name for name in PALETTE if name.startswith("age-")):
            assert contrast(PALETTE[age][look], PALETTE[land][look]) >= AA_SIGNS, f"{age} on {land}"
        assert contrast(PALETTE["ink"][look], PALETTE[land][look]) >= AA_TEXT
