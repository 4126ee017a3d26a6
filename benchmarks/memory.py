"""What the app holds in memory: after its start, in a conversation, and once it rests again."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psutil
from playwright.sync_api import sync_playwright

from benchmarks.words import sentence
from managers.sleep.scheduler import TICK_SECONDS
from managers.storage.settings import SettingsFile
from tests.browser.acting import say
from tests.browser.conftest import ARGUMENTS
from tests.browser.serving import Server, visit

TURNS = 20


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the server's resident memory, one persona, a page open, the built-in mind."""
    chromium = shutil.which("chromium")
    if chromium is None:
        yield "resident memory", "skipped: no Chromium on this machine", ""
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = SettingsFile(Path(folder) / "settings.toml")
        settings.change("page", onboarded=True)
        settings.change("mind", provider="builtin")
        server = Server(Path(folder)).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_context(locale="ja-JP").new_page()
        visit(page, server)
        page.locator("textarea").first.wait_for()
        yield "resident memory, page just opened", _resident(server), ""
        rng = Random(2)
        for number in range(TURNS):
            say(page, sentence(rng, question=number % 3 == 0))
        yield f"in a conversation, after {TURNS} turns", _resident(server), ""
        time.sleep(TICK_SECONDS + 5)
        yield "idle, one persona, a minute after talking", _resident(server), "350 MB"
        browser.close()
        server.stop()


def _resident(server: Server) -> str:
    return f"{psutil.Process(server.process_id).memory_info().rss / 1e6:.0f} MB"
