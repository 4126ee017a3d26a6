"""The first paint of every room over a long life, in headless Chromium: from the address to what one came for."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

from agent.services import open_services
from benchmarks.past import NIGHTS, READINGS, write_past
from benchmarks.rooms import ENTITIES, NAME
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.conftest import ARGUMENTS, WHOLE_CHROMIUM
from tests.browser.serving import Server, window
from ui.server.addresses import address_of

Row = tuple[str, str, str]

EMPTY = "空っぽ"
ROUNDS = 3
BUDGET = "0.3 s more than empty"
ROOMS: Final = (
    "heart",
    "dreams",
    "memories",
    *(f"memories/{shelf}" for shelf in ("people", "days", "insights", "goals", "questions", "diary", "forgotten")),
    "memories/map",
    "memories/network",
    "knowledge",
    "notes/core_memory",
    "persona",
)
_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


def measure(nights: int = NIGHTS, readings: int = READINGS, entities: int = ENTITIES) -> Iterator[Row]:
    """Yield how long each room and each shelf takes to be seen: the first time after a start, and at best."""
    if WHOLE_CHROMIUM is None:
        yield "first paint", "not measured: no Chromium on this machine", ""
        return
    with tempfile.TemporaryDirectory() as folder:
        yield "the past", f"{nights:,} nights, {readings:,} readings, {entities:,} entities", ""
        _live(Home(Path(folder)), nights, readings, entities)
        server = Server(Path(folder)).start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=WHOLE_CHROMIUM, args=ARGUMENTS)
                yield from _compared(browser, server)
                browser.close()
        finally:
            server.stop()


def _live(home: Home, nights: int, readings: int, entities: int) -> None:
    services = open_services(home, SystemClock(), Random(1))
    services.settings_file.change("mind", provider="builtin")
    services.settings_file.change("page", onboarded=True)
    services.personas.create(EMPTY, language="ja")
    write_past(services.memories(NAME), nights=nights, readings=readings, entities=entities)
    services.close()


def _compared(browser: Browser, server: Server) -> Iterator[Row]:
    # The empty one goes first: what is imported at the first look is no fault of a long life.
    found = {name: [_walk(browser, server, name) for _ in range(ROUNDS)] for name in (EMPTY, NAME)}
    for place in found[NAME][0]:
        first, best = found[NAME][0][place], min(one[place] for one in found[NAME])
        empty = min(one[place] for one in found[EMPTY])
        yield place, f"{first:.2f} s, again {best:.2f} s; empty {empty:.2f} s", BUDGET


def _walk(browser: Browser, server: Server, persona: str) -> Mapping[str, float]:
    """Return how long each place took in a new window, in seconds."""
    started = perf_counter()
    with window(browser, server, persona=persona, tolerate=True) as page:
        took = {"talk, with a new window": perf_counter() - started}
        for room in ROOMS:
            took[room] = _painted(page, f"{server.address}{address_of(persona, room).lstrip('/')}")
    return took


def _painted(page: Page, address: str) -> float:
    """Return how long after its address was asked for a room was painted, with its heading."""
    page.goto(address)
    expect(page.locator("#room h1")).to_be_attached()
    milliseconds: float = page.wait_for_function(_PAINTED).json_value()
    return milliseconds / 1000
