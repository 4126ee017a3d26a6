"""From a model to the eye: how long a piece of an answer is on its way to the screen, with a long conversation open."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import quantiles

from playwright.sync_api import expect, sync_playwright

from benchmarks.past import history
from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.acting import send
from tests.browser.conftest import ARGUMENTS, WHOLE_CHROMIUM
from tests.browser.serving import Server, visit, window
from tests.model_answers import Say
from tests.model_server import ModelServer
from ui.server.addresses import address_of

Row = tuple[str, str, str]

MESSAGES = 200
PIECES = 300
PER_SECOND = 30
_SEEN = """() => {
    window.seen = {};
    const look = () => {
        const words = document.querySelector('#live .bubble')?.innerText.match(/\\d+/g) ?? [];
        const last = words.at(-1);
        if (last && !(last in window.seen)) requestAnimationFrame(() => {
            window.seen[last] ??= performance.timeOrigin + performance.now();
        });
    };
    new MutationObserver(look).observe(document.getElementById('conversation'), {childList: true, subtree: true, characterData: true});
}"""
"""Notes when each newest number is drawn; numbers that are drawn together count once."""


class _Noted(list[str]):
    """Pieces that note when each is taken to be sent."""

    def __init__(self, pieces: list[str]) -> None:
        super().__init__(pieces)
        self.left: dict[str, float] = {}

    def __iter__(self) -> Iterator[str]:
        for piece in list.__iter__(self):
            self.left.setdefault(piece.strip(), 1000 * time.time())
            yield piece


def measure() -> Iterator[Row]:
    """Yield how long pieces take from the model's server to the screen, median and 95th percentile."""
    if WHOLE_CHROMIUM is None:
        yield "pieces of an answer", "skipped: no Chromium on this machine", ""
        return
    pieces = _Noted([f"{number} " for number in range(1_000, 1_000 + PIECES)])
    with tempfile.TemporaryDirectory() as folder, ModelServer() as models, sync_playwright() as playwright:
        server = Server(_home(Home(Path(folder)), models)).start()
        browser = playwright.chromium.launch(executable_path=WHOLE_CHROMIUM, args=ARGUMENTS)
        try:
            with window(browser, server, persona="Bench", lang="en", tolerate=True) as page:
                visit(page, server, address_of("Bench", depth=MESSAGES + 50).lstrip("/"))
                expect(page.locator("#conversation article")).to_have_count(MESSAGES)
                models.otherwise = Say("Warmed.")
                send(page, "Good evening")
                expect(page.locator("article.persona .bubble").last).to_have_text("Warmed.")
                expect(page.locator("#composer .stop")).to_be_hidden()
                page.evaluate(_SEEN)
                models.otherwise = Say(pieces=pieces, gap=1 / PER_SECOND)
                send(page, "Count, please")
                expect(page.locator("#composer .stop")).to_be_hidden(timeout=1000 * (PIECES / PER_SECOND + 20))
                seen: dict[str, float] = page.evaluate("window.seen")
        finally:
            browser.close()
            server.stop()
    waits = sorted(seen[word] - pieces.left[word] for word in seen if word in pieces.left)
    parts = quantiles(waits, n=20)
    yield "a piece on the screen after it left the model, median", f"{parts[9]:.0f} ms", "50 ms"
    yield "95th percentile", f"{parts[18]:.0f} ms", "50 ms"
    yield "drawn by themselves", f"{len(waits)} of {PIECES}", ""


def _home(home: Home, models: ModelServer) -> Path:
    clock, rng = SystemClock(), Random(1)
    persona = PersonaStore(home, clock, rng).create("Bench", language="en")
    ConversationLog(persona.paths, clock, rng).append_many(history(MESSAGES, rng))
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="openai", base_url=models.base_url, model="test-model", retries=0)
    return home.folder
