"""From start to the first page, beside a bare server of Gradio's on the same machine; resident memory."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import psutil

from managers.storage.access import Access
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5
Command = Callable[[int], list[str]]
"""Makes the command line of a server from the port it shall take."""
_BARE = """
from fastapi.responses import HTMLResponse
from gradio import Server
server = Server()
@server.get("/", response_class=HTMLResponse)
def page():
    return "<textarea></textarea>"
server.launch(server_port={port}, quiet=True)
"""

_DOORS = [
    "managers.storage.access",
    "managers.storage.installation",
    "managers.storage.opening",
    "managers.storage.printable",
    "managers.storage.copies",
    "managers.storage.encodings",
    "managers.storage.aside",
    "managers.storage.derived",
    "managers.storage.edges",
    "managers.personas.admissions",
    "managers.personas.door",
    "managers.personas.guests",
    "managers.personas.sensitive_settings",
    "managers.transport",
    "managers.recall.documents.process",
    "managers.memory.held_writes",
    "managers.integrity",
    "managers.integrity.inspection",
    "managers.integrity.repair",
    "managers.integrity.wording",
    "managers.integrity.trouble",
    "agent.provenance",
    "agent.approval",
    "agent.health",
    "agent.prompts.holding",
    "agent.prompts.quoting",
    "ui.server.access",
    "ui.server.guesses",
    "ui.server.keys",
]
"""What a start loads because not everybody is let in, and not everything believed."""
_OPENING = """
import sys, time
from pathlib import Path
import agent.services, commands.serve, ui.server.app
from managers.personas.door import Door
from managers.storage.access import Access
from managers.storage.clock import SystemClock
from managers.storage.paths import Home
home, clock = Home(Path(sys.argv[1])), SystemClock()
begun = time.process_time()
access = Access(home)
access.address("http://127.0.0.1:7860/")
Door(home, clock).waiting()
print(time.process_time() - begun)
"""


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield start-up times (median of 5, the later starts: the first copies the sample personas) and memory."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        SettingsFile(Home(home).settings).change("page", onboarded=True)
        _start(_app(home), home=home)  # the first start is another thing: it writes the home folder and byte code
        _start(_bare)
        bares, starts = [], []
        for _ in range(RUNS):  # in turn: what else the machine does falls on both
            bares.append(_start(_bare)[0])
            starts.append(_start(_app(home), settle=8, home=home))
        doors = min(_doors(home) for _ in range(RUNS))
    app, bare = median(seconds for seconds, _ in starts), median(bares)
    yield "bare gradio.Server, start to first page", f"{bare:.2f} s", ""
    yield "Utatane, start to first page", f"{app:.2f} s", "4 s"
    yield "of it, looking who may come in and who lives here", f"{1000 * doors:.0f} ms", "50 ms"
    yield "ratio", f"{app / bare:.2f}", "1.15"
    yield "resident memory, idle, one persona", f"{median(rss for _, rss in starts) / 1e6:.0f} MB", "350 MB"


def _doors(home: Path) -> float:
    """Return the seconds that the doors take of a start: to load their modules, without what these load, and to look."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", _OPENING, str(home)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines() if "|" in line]
    loading = sum(int(line[0]) for line in lines if line[-1].strip() in _DOORS)
    return loading / 1e6 + float(done.stdout)


def _app(home: Path) -> Command:
    return lambda port: [sys.executable, "app.py", "serve", "--home", str(home), "--port", str(port), "--no-browser"]


def _bare(port: int) -> list[str]:
    return [sys.executable, "-c", _BARE.format(port=port)]


def _start(command: Command, settle: float = 0.0, home: Path | None = None) -> tuple[float, int]:
    """Start a server, ours of a home folder or a bare one, wait until its page answers with its text box; return seconds and resident bytes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    started = time.perf_counter()
    process = subprocess.Popen(
        command(port),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"GRADIO_ANALYTICS_ENABLED": "False"},
    )
    try:
        while not _answers(port, home):
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with {process.returncode}")
            time.sleep(0.02)
        seconds = time.perf_counter() - started
        time.sleep(settle)
        return seconds, psutil.Process(process.pid).memory_info().rss
    finally:
        process.kill()
        process.wait()


def _answers(port: int, home: Path | None) -> bool:
    address = f"http://127.0.0.1:{port}/"
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with browser.open(Access(Home(home)).address(address) if home else address, timeout=10) as page:
            return b"<textarea" in page.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
