"""`serve` as a process: a second start, requests to stop, and where its address with the token may be seen."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from commands.browser import open_page
from managers.storage.access import Access
from managers.storage.locks import is_served
from managers.storage.paths import Home
from tests import forking
from tests.cli.test_commands import ROOT, lines, run

get, post = partial(httpx.get, timeout=None), partial(httpx.post, timeout=None)  # the machine may be busy
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc are POSIX")


class Served:
    """A running server: its process, and the address that it printed."""

    def __init__(self, process: forking.Process | subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        self.process = process
        self.address = found.group()
        self.origin = self.address.partition("?")[0]

    def is_there(self) -> bool:
        with httpx.Client(follow_redirects=True, timeout=None) as browser:
            return browser.get(self.address).status_code == 200


def usual_signals() -> None:
    """Be stopped by what stops programs: who runs the tests may ignore it (`nohup`), and what they start would, too."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _arguments(home: Path) -> list[str]:
    return ["serve", "--home", str(home), "--port", "0", "--no-browser"]


@contextmanager
def forked(home: Path, **environment: str) -> Iterator[Served]:
    """Serve where it does not matter how it was started."""
    process = forking.start(_arguments(home), {**os.environ, "UTATANE_LANG": "en", **environment})
    assert process.stdout is not None
    with process.stdout:
        try:
            yield Served(process)
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Served]:
    with forked(home) as served:
        yield served


def again(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Start a second time."""
    return subprocess.run(
        [sys.executable, "app.py", *arguments, "--home", str(home)],
        cwd=ROOT,
        env={**os.environ, "UTATANE_LANG": "en", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_second_start_says_where_the_page_is_before_anything_heavy_is_imported(home: Path, server: Served) -> None:
    for arguments in (["serve", "--no-browser"], ["--no-browser", "--port", "0"]):
        done = again(home, *arguments)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"already running at {server.address} " in done.stderr
        assert done.stderr.count("\n") == 1
    assert "もう動いています" in again(home, "--no-browser", UTATANE_LANG="ja").stderr
    code = "import sys, app; sys.argv[1:] = ['--no-browser', '--home', sys.argv[1]]\ntry: app.main()\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, home], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert not {"typer", "gradio", "numpy", "pydantic", "langgraph", "agent"} & set(done.stdout.split())
    assert get(server.address).status_code == 303  # the first one goes on
    noted = Home(home).serving.read_bytes()
    Home(home).serving.unlink()  # as long as it is only about to start
    try:
        done = again(home, "--no-browser")
    finally:
        Home(home).serving.write_bytes(noted)
    assert done.returncode == 3
    assert "already running for" in done.stderr


def noted(browser: Path) -> str:
    """Return what a browser noted; it was started, and nobody waited for it."""
    while not (browser.exists() and (text := browser.read_text("utf-8")).endswith("\n")):
        time.sleep(0.05)
    return text


@POSIX
def test_a_second_start_opens_it(home: Path, server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser, opening = tmp_path / "browser", Home(home).opening
    browser.write_text('#!/bin/sh\necho "$@" >"$0.started"\ncat "${1#file://}" >"$0.handed"\n', encoding="utf-8")
    browser.chmod(0o755)
    desktop = {"BROWSER": f"{browser} %s", "DISPLAY": ":7531"}
    assert again(home, "serve", **desktop).returncode == 3
    assert "?token=" not in noted(tmp_path / "browser.started")
    assert server.address in noted(tmp_path / "browser.handed")
    monkeypatch.setenv("BROWSER", "true")
    open_page(Home(home), server.address)
    assert stat.S_IMODE(opening.stat().st_mode) == 0o600
    get(server.address)
    assert not opening.exists()


def test_a_lock_that_a_killed_process_left_behind_fools_nobody(tmp_path: Path) -> None:
    with forked(tmp_path) as first:
        pass
    assert Home(tmp_path).lock.exists()
    assert Home(tmp_path).serving.exists()
    assert not is_served(Home(tmp_path))
    with forked(tmp_path) as second:
        assert get(second.address).status_code == 303
        assert second.address.partition("?")[2] == first.address.partition("?")[2]  # a bookmark still opens it
        assert second.origin in again(tmp_path, "--no-browser").stderr


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_asked_to_stop_it_closes_and_says_so_in_its_exit_status(tmp_path: Path, number: signal.Signals) -> None:
    with forked(tmp_path) as served:
        assert served.is_there()
        served.process.send_signal(number)
        assert served.process.stdout is not None
        assert served.process.stdout.read().strip() == ""
        assert served.process.wait() == 128 + number
        assert not Home(tmp_path).serving.exists()  # what a killed one leaves


@POSIX
@pytest.mark.slow
def test_asked_to_stop_while_it_starts_it_stops(tmp_path: Path) -> None:
    command = [sys.executable, "app.py", *_arguments(tmp_path)[1:]]
    process = subprocess.Popen(command, cwd=ROOT, preexec_fn=usual_signals)  # noqa: PLW1509  # nothing else runs in it yet
    while not is_served(Home(tmp_path)):
        time.sleep(0.02)
    process.terminate()
    assert process.wait() == 143


@POSIX
def test_the_token_stands_in_no_process_list_no_log_and_not_in_doctor_s_words(home: Path, server: Served) -> None:
    token = Access(Home(home)).token
    for asked in ("?token=guess", f"?token={token}", f"nowhere?token={token}"):
        get(server.origin + asked)
    run("chat", "Hazel", "-m", "Hello", home=home)
    doctor = run("doctor", home=home)
    assert token not in doctor.stdout + doctor.stderr
    listing = [*Path("/proc").glob("[0-9]*/cmdline")]
    for path in [*listing, *(home / ".logs").glob("*"), *(home / "characters").rglob("*.*")]:
        try:
            data = path.read_bytes()
        except OSError:
            continue  # ended meanwhile, or a folder
        assert token.encode() not in data, path


def test_who_they_say_they_are_is_not_believed(tmp_path: Path) -> None:
    """200 of 200 guesses were looked at that each named another address."""
    with forked(tmp_path, UTATANE_PASSWORD="a long enough password") as served:
        assert "?" not in served.address

        def guess(number: int) -> int:
            headers = {"x-forwarded-for": f"10.0.0.{number}", "forwarded": f"for=10.0.0.{number}"}
            return post(f"{served.origin}login", data={"password": str(number)}, headers=headers).status_code

        with ThreadPoolExecutor(20) as many:
            answers = list(many.map(guess, range(40)))
    assert answers.count(429) >= 36
    assert set(answers) == {401, 429}


def test_a_target_with_a_server_s_name_and_headers_said_twice_are_refused(home: Path, server: Served) -> None:
    port, access = int(server.origin.rstrip("/").rpartition(":")[2]), Access(Home(home))
    served_at = f"http://127.0.0.1:{port}"

    def asked(target: str, *headers: str) -> int:
        """Return the status of an answer to a request as it stands."""
        cookie = f"Cookie: {access.cookie}={access.come_in()}"
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall("\r\n".join([f"GET {target} HTTP/1.1", *headers, cookie, "", ""]).encode())
            return int(line.recv(100).split()[1])

    here, evil = "Host: 127.0.0.1", "Host: evil.example"
    assert asked("/", here) in {200, 307}
    assert asked("http://127.0.0.1/", here) == 400
    assert asked("http://evil.example/", here) == 400
    assert asked("/", evil) == 421
    assert {asked(target, here) for target in ("*", "evil.example:443", "")} == {400}
    said = {"Origin": served_at, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
    for name, value in {"Host": f"127.0.0.1:{port}", **said}.items():
        others = [] if name == "Host" else [f"{here}:{port}"]
        assert asked("/", *others, f"{name}: {value}", f"{name}: evil.example") == 400, name
    upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA=="]
    for origin, status in ((served_at, 101), ("http://127.0.0.1:1", 403)):
        socket_of = [f"{here}:{port}", *upgrade, "Sec-WebSocket-Version: 13", f"Origin: {origin}"]
        assert asked("/p/Hazel/live", *socket_of) == status


def test_the_command_line_shows_and_changes_what_opens_the_page(tmp_path: Path) -> None:
    command = partial(run, "access", home=tmp_path)
    address = Access(Home(tmp_path)).address("http://127.0.0.1:7860/")
    assert lines(command("--json")) == [{"address": address, "running": False, "password": False}]
    with forked(tmp_path) as served:
        assert command().stdout.strip() == served.address
        renewed = command("--new").stdout.strip()
        assert renewed.startswith(served.origin)
        assert get(served.address).status_code == 401
        assert get(renewed).status_code == 303
        command("--password", given="short\n", expect=1)
        assert get(renewed).status_code == 303
        said = command("--password", given="a long enough password\n").stdout
        assert said.startswith(f"{served.origin} (asks for the password)")
        assert post(f"{served.origin}login", data={"password": "a long enough password"}).status_code == 303
        command("--no-password")
        assert get(renewed).status_code == 303
