"""How long the page takes to show a conversation of 100,000 messages, beside an empty one, in a real browser."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from benchmarks.turns import history
from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.conftest import ARGUMENTS
from tests.browser.serving import Server

MESSAGES = 100_000
RUNS = 7
_SHOWN = "#conversation .transcript > div"


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the time from the address to the conversation, median of 7 openings in turn."""
    chromium = shutil.which("chromium")
    if chromium is None:
        yield "opening the page", "skipped: no Chromium on this machine", ""
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        servers = {count: Server(_home(Path(folder) / str(count), count)).start() for count in (0, MESSAGES)}
        times: dict[int, list[float]] = {count: [] for count in servers}
        for run in range(RUNS + 1):
            for count, server in servers.items():
                seconds = _open(browser, server.address)
                if run:  # the first opening imports and compiles
                    times[count].append(seconds)
        for server in servers.values():
            server.stop()
        browser.close()
    empty, full = median(times[0]), median(times[MESSAGES])
    yield "an empty conversation", f"{empty:.2f} s", ""
    yield f"{MESSAGES:,} messages", f"{full:.2f} s", ""
    yield "ratio", f"{full / empty:.2f}", "1.2"


def _home(folder: Path, count: int) -> Path:
    home, clock, rng = Home(folder), SystemClock(), Random(1)
    persona = PersonaStore(home, clock, rng).create("Bench", language="ja", greeting="おはよう。")
    ConversationLog(persona.paths, clock, rng).append_many(history(count, rng))
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    (folder / ".samples.json").write_text('{"copied": ["Hazel", "ねむ"]}', "utf-8")
    return folder


def _open(browser: Browser, address: str) -> float:
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    started = time.perf_counter()
    page.goto(address)
    page.locator(_SHOWN).first.wait_for(state="visible", timeout=60_000)
    seconds = time.perf_counter() - started
    context.close()
    return seconds
