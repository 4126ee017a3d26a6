"""From an address to a text box: a conversation of 100,000 messages, an empty one, and a bare Gradio chat, in a real browser."""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, CDPSession, sync_playwright

from agent.services import open_services
from benchmarks.past import history
from managers.memory.log import ConversationLog
from managers.personas import PersonaStore
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.browser.conftest import ARGUMENTS, WHOLE_CHROMIUM
from tests.browser.serving import CHECKOUT, Server

MESSAGES = 100_000
RUNS = 5
_BARE = """
import gradio as gr
def answer(message, history):
    return message
gr.ChatInterface(answer, analytics_enabled=False).launch(server_port={port}, quiet=True)
"""
_USABLE = "() => [...document.querySelectorAll('textarea')].some((one) => one.checkVisibility())"
"""Looked at with each frame: a locator looks ever more seldom, half a second apart in the end."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One opening of a page in a browser that has never seen it.

    Attributes:
        seconds: until the text box could be written in.
        responses: how many answers the page took until nothing more came.
        received: their bytes, as they went over the line.
    """

    seconds: float
    responses: int
    received: int


def measure(messages: int = MESSAGES) -> Iterator[tuple[str, str, str]]:
    """Yield the time from the address to the text box, medians of openings in turn, and what the first page loads."""
    if WHOLE_CHROMIUM is None:
        yield "opening the page", "skipped: no Chromium on this machine", ""
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, _bare() as bare:
        browser = playwright.chromium.launch(executable_path=WHOLE_CHROMIUM, args=ARGUMENTS)
        servers = {count: Server(_home(Path(folder) / str(count), count)).start() for count in (0, messages)}
        ways = {f"{count:,} messages": (server.address, server.entry) for count, server in servers.items()}
        ways["a bare Gradio chat"] = (bare, "")
        taken: dict[str, list[Opening]] = {name: [] for name in ways}
        for run in range(RUNS + 1):
            for name, (address, entry) in ways.items():
                opening = _open(browser, address, entry)
                if run:  # the first opening imports and compiles
                    taken[name].append(opening)
        for server in servers.values():
            server.stop()
        browser.close()
    seconds = {name: median(one.seconds for one in openings) for name, openings in taken.items()}
    full, plain = f"{messages:,} messages", "a bare Gradio chat"
    for name, budget in (("0 messages", ""), (full, "0.4 s"), (plain, "")):
        yield name, f"{seconds[name]:.2f} s", budget
    yield "beside an empty conversation", f"{seconds[full] / seconds['0 messages']:.2f}", "1.2"
    yield "beside a bare Gradio chat", f"{seconds[full] / seconds[plain]:.2f}", "0.35"
    yield "responses to the first page", f"{max(one.responses for one in taken[full])}", "12"
    yield "bytes to the first page", f"{max(one.received for one in taken[full]) / 1000:.0f} KB", "300 KB"


def _home(folder: Path, count: int) -> Path:
    home, clock, rng = Home(folder), SystemClock(), Random(1)
    persona = PersonaStore(home, clock, rng).create("Bench", language="ja", greeting="おはよう。")
    ConversationLog(persona.paths, clock, rng).append_many(history(count, rng))
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    services = open_services(home, clock, rng)
    services.memories(persona.name).recall.catch_up()  # as it is after years: day by day, long before
    services.close()
    return folder


@contextmanager
def _bare() -> Iterator[str]:
    """Serve a chat of Gradio's own, and nothing else."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", _BARE.format(port=port)], cwd=CHECKOUT)
    address = f"http://127.0.0.1:{port}/"
    try:
        while not _answers(address):
            if process.poll() is not None:
                raise RuntimeError(f"the bare page ended with {process.returncode}")
            time.sleep(0.1)
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=10) as page:
            return bool(page.read())
    except (URLError, ConnectionError, TimeoutError):
        return False


def _open(browser: Browser, address: str, entry: str) -> Opening:
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    if entry:
        context.request.get(entry)
    line: CDPSession = context.new_cdp_session(page)
    line.send("Network.enable")
    asked: set[str] = set()
    received: list[float] = []
    line.on("Network.responseReceived", lambda event: asked.add(event["requestId"]) if _is_asked_for(event) else None)
    line.on(
        "Network.loadingFinished",
        lambda event: received.append(event["encodedDataLength"]) if event["requestId"] in asked else None,
    )
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(_USABLE, timeout=60_000)
    seconds = time.perf_counter() - started
    if entry:  # a bare page of Gradio's keeps a line open
        page.wait_for_load_state("networkidle")
    context.close()
    return Opening(seconds, len(received), int(sum(received)))


def _is_asked_for(event: dict[str, Any]) -> bool:
    return str(event["response"]["url"]).startswith("http")  # pictures within the styles are no responses
