"""The first paint of every tab over a long life, in headless Chromium: from the click to what one came for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from time import perf_counter

from playwright.sync_api import Browser, Page, sync_playwright

from agent.services import open_services
from benchmarks.rooms import ENTITIES, NAME, NIGHTS, READINGS, write_past
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.serving import Server, window
from ui.memories import SHELVES

Row = tuple[str, str, str]

EMPTY = "空っぽ"
ROUNDS = 3
BUDGET = "1 s more than empty"
ROOMS = {
    "heart": "#heart-drives .drive",
    "dreams": "#dream-state .sleeping",
    "memories": "#memories .shelf",
    "knowledge": "#knowledge .shelf",
    "notes": "#note-history > *",
    "persona": "#persona-more button",
    "settings": "#options .option",
}
"""For each room, what shows that it is there."""
_UNTIL_SEEN = """([button, wanted]) => new Promise((done, failed) => {
    const started = performance.now();
    document.querySelector(button).click();
    const look = () => {
        const found = document.querySelector(wanted);
        if (found?.checkVisibility()) requestAnimationFrame(() => done(performance.now() - started));
        else if (performance.now() - started > 60000) failed(new Error(`nothing to be seen of ${wanted}`));
        else requestAnimationFrame(look);
    };
    look();
})"""


def measure(nights: int = NIGHTS, readings: int = READINGS, entities: int = ENTITIES) -> Iterator[Row]:
    """Yield how long each tab and each shelf takes to be seen: the first time after a start, and at best."""
    if CHROMIUM is None:
        yield "first paint", "not measured: no Chromium on this machine", ""
        return
    with tempfile.TemporaryDirectory() as folder:
        yield "the past", f"{nights:,} nights, {readings:,} readings, {entities:,} entities", ""
        _live(Home(Path(folder)), nights, readings, entities)
        server = Server(Path(folder)).start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                yield from _compared(browser, server)
                browser.close()
        finally:
            server.stop()


def _live(home: Home, nights: int, readings: int, entities: int) -> None:
    services = open_services(home, SystemClock(), Random(1))
    services.settings_file.change("mind", provider="builtin")
    services.settings_file.change("page", onboarded=True)
    services.personas.create(EMPTY, language="ja")
    memories = services.companion(NAME).memories
    services.companion(NAME).settle()
    write_past(services, memories.paths, nights, readings, entities)
    memories.recall.catch_up()  # as it is after years: day by day, long before this start
    memories.history.notice_outside()
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
    with window(browser, server.address, persona=persona, tolerate=True) as page:
        took = {"Talk, the page itself": perf_counter() - started}
        page.wait_for_timeout(1000)  # what the page does by itself at its start is over
        for room, wanted in ROOMS.items():
            took[room.capitalize()] = _seen(page, f"#{room}-room-button", wanted)
            if room == "memories":
                for shelf in SHELVES:
                    button = f'#memories .shelves [data-shelf="{shelf}"]'
                    took[f"Memories, {shelf}"] = _seen(page, button, f'{button}[aria-current="page"]')
    return took


def _seen(page: Page, button: str, wanted: str) -> float:
    milliseconds: float = page.evaluate(_UNTIL_SEEN, [button, wanted])
    return milliseconds / 1000
