"""The real server as a process of its own, and browser windows that note whatever must not happen."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO, Any, Literal, Self
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from agent.minds.server_discovery import PORTS
from managers.personas import PersonaStore
from managers.storage.access import Access
from managers.storage.clock import SystemClock
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import SettingsFile
from tests import forking
from tests.model_server import NOBODY
from ui.server.addresses import address_of

Running = forking.Process | subprocess.Popen[str]
Wait = Literal["commit", "domcontentloaded", "load"]

CHECKOUT = Path(__file__).resolve().parents[2]
ARTIFACTS = CHECKOUT / "test-artifacts"
DESKTOP, PHONE = (1440, 900), (390, 844)
LOCALES = {"ja": "ja-JP", "en": "en-GB"}


class Server:
    """`python app.py serve` on a home of its own, from this checkout or a clone of it."""

    def __init__(self, home: Path, checkout: Path = CHECKOUT, ollama: int = 0) -> None:
        """Hold a home; where `ollama` is a port, an Ollama is looked for there, and no other server."""
        self.home = home
        self._ports = {**dict.fromkeys(PORTS, NOBODY), "Ollama": ollama} if ollama else {}
        self.checkout = checkout
        self.address = ""
        self.said: deque[str] = deque(maxlen=200)
        self._process: Running | None = None

    def start(self, port: int = 0) -> Self:
        environment = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
        arguments = ["serve", "--home", str(self.home), "--no-browser", "--port", str(port)]
        if self.checkout == CHECKOUT:
            self._process = forking.start(arguments, environment, self._ports)
        else:  # as somebody starts it who has just got it
            self._process = subprocess.Popen(
                [sys.executable, "app.py", *arguments], cwd=self.checkout, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding="utf-8",
                env={**environment, "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}
            )  # fmt: skip
        try:
            self.address = self._read_address(self._process)
        except BaseException:  # the time for a test may be up
            self.kill()
            raise
        return self

    def _read_address(self, process: Running) -> str:
        """Wait for it as long as the process lives: what a start may take is measured in the benchmarks."""
        lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        output = process.stdout
        threading.Thread(target=_pump, args=[output, lines, self.said], daemon=True).start()
        said: list[str] = []
        while True:
            said.append(lines.get())
            if not said[-1]:
                raise AssertionError(f"the server did not start: {said}")
            if "http://" in said[-1]:
                return "http://" + said[-1].split("http://")[1].strip().partition("?")[0]

    @property
    def entry(self) -> str:
        """The address that lets a browser in, as it is printed."""
        return Access(Home(self.home)).address(self.address)

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._close()
        self._process = None

    def end(self) -> int:
        """Ask it to stop; return its exit status."""
        assert self._process is not None
        self._process.terminate()
        status = self._process.wait()
        self._close()
        return status

    def stop(self) -> None:
        ended = self.died()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._close()
        assert not ended, ended

    @property
    def process_id(self) -> int:
        assert self._process is not None
        return self._process.pid

    def died(self) -> str:
        """Tell whether the server ended by itself, and what it said last."""
        code = self._process.poll() if self._process is not None else None
        return "" if code is None else f"the server ended by itself ({code}):\n{''.join(self.said)}"

    def _close(self) -> None:
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()


@contextlib.contextmanager
def served(folder: Path, ollama: int = 0, **settings: dict[str, Any]) -> Iterator[Server]:
    """Serve a home in which the first meeting is over; the mind is the built-in one, unless `mind` says something else."""
    file = SettingsFile(folder / "settings.toml")
    wanted: dict[str, dict[str, Any]] = {"page": {"onboarded": True}, "mind": {"provider": "builtin"}, **settings}
    for section, values in wanted.items():
        file.change(section, **values)
    server = Server(folder, ollama=ollama).start()
    try:
        yield server
    finally:
        server.stop()


def store_of(server: Server) -> PersonaStore:
    return PersonaStore(Home(server.home), SystemClock(), Random(3))


def persona(server: Server, name: str, lang: str = "ja", **about: Any) -> str:
    """Make a persona for one test, as the command line would; return its name."""
    return store_of(server).create(name, language="ja" if lang == "ja" else "en", **about).name


def paths_of(server: Server, name: str) -> PersonaPaths:
    return Home(server.home).persona(name)


def clone(folder: Path) -> Path:
    """Make a clean clone, as a new user has it: committed files alone, nothing that was ever generated."""
    subprocess.run(["git", "clone", "--quiet", str(CHECKOUT), str(folder)], check=True)
    return folder


def _pump(output: IO[str], lines: queue.Queue[str], said: deque[str]) -> None:
    with contextlib.suppress(ValueError):  # closed while reading, at the end of a test
        for line in output:
            lines.put(line)
            said.append(line)
    lines.put("")  # the end: nothing more will come


def watch(page: Page, seen: list[str]) -> None:
    """Note what a window does that it must not do."""

    def console(message: ConsoleMessage) -> None:
        is_both_texts = "409 (Conflict)" in message.text  # an answer like others
        # Who is renamed or deleted is asked for once more, until the answer says where that leads.
        is_gone = "404 (Not Found)" in message.text and message.location.get("url", "").endswith("/persona")
        if message.type in {"error", "warning"} and not is_both_texts and not is_gone:
            seen.append(f"console: {message.text} {message.location}")

    def request(asked: Request) -> None:
        url = urlsplit(asked.url)
        if url.scheme in {"http", "https", "ws", "wss"} and url.hostname not in {"127.0.0.1", "localhost"}:
            seen.append(f"request: {asked.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", request)


def wait_for_scripts(page: Page) -> None:
    """Let whatever is done to a page's elements wait until the page's scripts have run, wherever it stands by then.

    What is evaluated waits for nothing, nor do keys that are pressed on the page itself (`page.keyboard`): before them, an
    `expect` of something in `.scripted` waits.
    """
    page.add_locator_handler(page.locator('html:not(.scripted):has(script[src*="/page.js"])'), lambda: None)


def visit(page: Page, server: Server, path: str = "", wait_until: Wait = "load") -> None:
    """Open an address of the page (`p/Hazel/heart`) in a browser that came in with the token before, as a bookmark would."""
    page.context.request.get(server.entry)
    page.goto(f"{server.address}{path}", wait_until=wait_until)


@contextlib.contextmanager
def window(
    browser: Browser, server: Server, *, lang: str = "ja", size: tuple[int, int] = DESKTOP, dark: bool = False,
    persona: str = "", room: str = "", scripts: bool = True, tolerate: bool = False
) -> Iterator[Page]:  # fmt: skip
    """Open a persona's room as a person would; afterwards nothing forbidden may have happened."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, locale=LOCALES[lang],
        color_scheme="dark" if dark else "light", timezone_id="Asia/Tokyo", java_script_enabled=scripts
    )  # fmt: skip
    seen: list[str] = []
    if scripts:
        context.on("page", wait_for_scripts)
    page = context.new_page()
    page.set_default_timeout(20_000)
    watch(page, seen)
    try:
        visit(page, server, address_of(persona, room).lstrip("/") if persona else room)
        expect(page.locator("#room"), f"{seen}").to_be_visible()
        yield page
    finally:
        context.close()
    if not tolerate:
        assert not seen, seen
