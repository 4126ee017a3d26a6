"""From start to a usable page, beside a bare Gradio page on the same machine; resident memory."""

from __future__ import annotations

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

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5
Command = Callable[[int], list[str]]
"""Makes the command line of a server from the port it shall take."""
_BARE = """
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    gr.Chatbot()
    gr.Textbox()
page.launch(server_port={port}, quiet=True)
"""


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield start-up times (median of 5, the later starts: the first copies the sample personas) and memory."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        _start(_app(home))  # the first start is another thing: it writes the home folder and byte code
        bare = median(_start(_bare)[0] for _ in range(RUNS))
        starts = [_start(_app(home), settle=8) for _ in range(RUNS)]
    app = median(seconds for seconds, _ in starts)
    yield "bare Gradio page, start to first page", f"{bare:.2f} s", ""
    yield "Utatane, start to usable page", f"{app:.2f} s", "4 s"
    yield "ratio", f"{app / bare:.2f}", "1.5"
    yield "resident memory, idle, one persona", f"{median(rss for _, rss in starts) / 1e6:.0f} MB", "350 MB"


def _app(home: Path) -> Command:
    return lambda port: [sys.executable, "app.py", "serve", "--home", str(home), "--port", str(port), "--no-browser"]


def _bare(port: int) -> list[str]:
    return [sys.executable, "-c", _BARE.format(port=port)]


def _start(command: Command, settle: float = 0.0) -> tuple[float, int]:
    """Start a server, wait until its page answers with everything in it; return seconds and resident bytes."""
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
        while not _answers(port):
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with {process.returncode}")
            time.sleep(0.02)
        seconds = time.perf_counter() - started
        time.sleep(settle)
        return seconds, psutil.Process(process.pid).memory_info().rss
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
            return b"gradio" in page.read().lower()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
