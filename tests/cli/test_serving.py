"""`serve` as a process: a second start, requests to stop, and where its address with the token may be seen."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
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

get, post = partial(httpx.get, timeout=60), partial(httpx.post, timeout=60)  # the machine may be busy
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc are POSIX")


class Served:
    """A running server: its process, and the address that it printed."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address
        self.origin = address.partition("?")[0]


@contextmanager
def serving(home: Path, *, before: Sequence[str] = (), **environment: str) -> Iterator[Served]:
    process = subprocess.Popen(
        [*before, sys.executable, "app.py", "serve", "--home", str(home), "--port", "0", "--no-browser"],
        cwd=ROOT,
        env={**os.environ, "UTATANE_LANG": "en", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield Served(process, found.group())
    finally:
        process.kill()
        process.communicate()


@contextmanager
def forked(home: Path) -> Iterator[str]:
    """Serve where it does not matter how it was started; yield the address that is printed, kill it afterwards."""
    process = forking.start(
        ["serve", "--home", str(home), "--port", "0", "--no-browser"], {**os.environ, "UTATANE_LANG": "en"}
    )
    assert process.stdout is not None
    with process.stdout:
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found
            yield found.group()
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Served]:
    with serving(home) as served:
        yield served


def again(home: Path, *arguments: str, **environment: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """Start a second time; return how that ended, and how many seconds of the processor it took."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "app.py", *arguments, "--home", str(home)],
        cwd=ROOT,
        env={**os.environ, "UTATANE_LANG": "en", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    after = os.times()
    return done, after.children_user + after.children_system - before.children_user - before.children_system


@pytest.fixture
def desktop(tmp_path: Path) -> dict[str, str]:
    """An environment with a browser that notes what it was started with, and what it was handed."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$@" >"$0.started"\ncat "${1#file://}" >"$0.handed"\n', encoding="utf-8")
    browser.chmod(0o755)
    return {"BROWSER": f"{browser} %s", "DISPLAY": ":7531"}


def noted(browser: Path) -> str:
    """Return what a browser noted; it was started, and nobody waited for it."""
    for _ in range(1200):
        if browser.exists() and (text := browser.read_text("utf-8")).endswith("\n"):
            return text
        time.sleep(0.05)
    raise AssertionError(f"{browser} is not there")


def test_a_second_start_says_where_the_page_is_before_anything_heavy_is_imported(home: Path, server: Served) -> None:
    for arguments in (["serve", "--no-browser"], ["--no-browser"], ["serve", "--no-browser", "--port", "0"]):
        done, seconds = again(home, *arguments)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"already running at {server.address} " in done.stderr
        assert done.stderr.count("\n") == 1
        assert seconds < 1  # of the processor: the machine may be busy with something else
    assert "もう動いています" in again(home, "--no-browser", UTATANE_LANG="ja")[0].stderr
    assert get(server.address).status_code == 303  # the first one goes on
    assert server.process.poll() is None


def test_a_second_start_imports_no_library_of_the_page(home: Path, server: Served) -> None:
    code = "import sys, app; sys.argv[1:] = ['--no-browser', '--home', sys.argv[1]]\ntry: app.main()\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert not {"typer", "gradio", "numpy", "pydantic", "langgraph", "agent"} & set(done.stdout.split())


@POSIX
def test_a_second_start_opens_the_page_where_a_start_would_have(
    home: Path, server: Served, desktop: dict[str, str], tmp_path: Path
) -> None:
    assert again(home, "serve", **desktop)[0].returncode == 3
    assert "?token=" not in noted(tmp_path / "browser.started")
    assert server.address in noted(tmp_path / "browser.handed")
    for left in tmp_path.glob("browser.*"):
        left.unlink()
    again(home, "serve", "--no-browser", **desktop)
    assert not list(tmp_path.glob("browser.*"))


@POSIX
def test_what_a_browser_is_handed_is_its_owner_s_and_gone_after_the_visit(home: Path, server: Served) -> None:
    os.environ["BROWSER"] = "true"
    try:
        open_page(Home(home), server.address)
    finally:
        del os.environ["BROWSER"]
    opening = Home(home).opening
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
        assert get(second).status_code == 303
        assert second.partition("?")[2] == first.partition("?")[2]  # a bookmark still opens it
        assert second.partition("?")[0] in again(tmp_path, "--no-browser")[0].stderr


def test_one_that_is_only_about_to_start_is_named_without_an_address(home: Path, server: Served) -> None:
    noted = Home(home).serving.read_bytes()
    Home(home).serving.unlink()
    try:
        done, _ = again(home, "--no-browser")
    finally:
        Home(home).serving.write_bytes(noted)
    assert done.returncode == 3
    assert "already running for" in done.stderr


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_asked_to_stop_it_closes_and_says_so_in_its_exit_status(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as served:
        wait_for_page(served)
        served.process.send_signal(number)
        left = served.process.communicate(timeout=30)[0]
        assert (served.process.returncode, left.strip()) == (128 + number, "")
        assert not Home(tmp_path).serving.exists()  # what a killed one leaves


@POSIX
def test_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    with serving(tmp_path, before=["nohup"]) as served:
        wait_for_page(served)
        served.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        wait_for_page(served)


@POSIX
def test_asked_to_stop_while_it_starts_it_stops(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "app.py", "--home", str(tmp_path), "--port", "0", "--no-browser"], cwd=ROOT
    )
    while not is_served(Home(tmp_path)):
        time.sleep(0.02)
    process.terminate()
    assert process.wait(60) == 143


IMPORT_FAILS = """
import os, signal, sys, app, commands.line
def run(arguments):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except SystemExit as end:
        raise ImportError("numpy") from end
commands.line.run = run
sys.argv = ["app.py", "doctor"]
app.main()
"""


@POSIX
def test_asked_to_stop_it_says_so_though_an_import_makes_another_error_of_it() -> None:
    assert subprocess.run([sys.executable, "-c", IMPORT_FAILS], cwd=ROOT, check=False).returncode == 143


def wait_for_page(served: Served) -> None:
    with httpx.Client(follow_redirects=True, timeout=30) as browser:
        assert browser.get(served.address).status_code == 200


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
    with serving(tmp_path, UTATANE_PASSWORD="a long enough password") as served:
        assert "?" not in served.address

        def guess(number: int) -> int:
            headers = {"x-forwarded-for": f"10.0.0.{number}", "forwarded": f"for=10.0.0.{number}"}
            return post(f"{served.origin}login", data={"password": str(number)}, headers=headers).status_code

        with ThreadPoolExecutor(20) as many:
            answers = list(many.map(guess, range(40)))
        assert answers.count(429) >= 36
        assert set(answers) == {401, 429}
        environment = Path(f"/proc/{served.process.pid}/environ")
        if environment.exists():  # what it was started with; programs that it starts are not told
            assert b"a long enough password" in environment.read_bytes()


def test_a_target_with_a_server_s_name_and_headers_said_twice_are_refused(home: Path, server: Served) -> None:
    port = int(server.origin.rstrip("/").rpartition(":")[2])
    access = Access(Home(home))
    cookie = f"Cookie: {access.cookie}={access.session()}\r\n"
    assert _asked(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}") in {200, 307}
    assert _asked(port, f"GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}") == 400
    assert _asked(port, f"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}") == 400
    assert _asked(port, f"GET / HTTP/1.1\r\nHost: evil.example\r\n{cookie}") == 421
    assert _asked(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n{cookie}") == 400
    twice = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n"
    assert _asked(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n{twice}{cookie}") == 400
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\nSec-WebSocket-Version: 13\r\n"
    for origin, status in ((f"http://127.0.0.1:{port}", 101), ("http://127.0.0.1:1", 403)):
        asked = f"GET /p/Hazel/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{upgrade}Origin: {origin}\r\n{cookie}"
        assert _asked(port, asked) == status


def _asked(port: int, request: str) -> int:
    """Return the status of an answer to a request as it stands."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(f"{request}\r\n".encode())
        return int(line.recv(100).split()[1])


def test_the_command_line_shows_and_changes_what_opens_the_page(tmp_path: Path) -> None:
    shown = lines(run("access", "--json", home=tmp_path))[0]
    assert shown == {
        "address": Access(Home(tmp_path)).address("http://127.0.0.1:7860/"),
        "running": False,
        "password": False,
    }
    with forked(tmp_path) as address:
        origin = address.partition("?")[0]
        assert run("access", home=tmp_path).stdout.strip() == address
        renewed = run("access", "--new", home=tmp_path).stdout.strip()
        assert renewed.startswith(origin)
        assert get(address).status_code == 401
        assert get(renewed).status_code == 303
        run("access", "--password", home=tmp_path, given="short\n", expect=1)
        assert get(renewed).status_code == 303
        said = run("access", "--password", home=tmp_path, given="a long enough password\n").stdout
        assert said.startswith(f"{origin} (asks for the password)")
        assert post(f"{origin}login", data={"password": "a long enough password"}).status_code == 303
        run("access", "--no-password", home=tmp_path)
        assert get(renewed).status_code == 303


def test_a_password_in_clear_text_becomes_a_hash_and_its_words_go_everywhere(tmp_path: Path) -> None:
    words = "open sesame"
    secrets, settings = tmp_path / "secrets.toml", tmp_path / "settings.toml"
    secrets.write_text(
        f'# the page: {words}\n[keys]\npage_password = "{words}"  # since May; before: page_password = "old"\n'
        '# page_password = "older"\nopenai = "sk-#open sesame-not"  # mine\n',
        encoding="utf-8",
    )
    settings.write_text(f'[user]\nname = "Aoi"  # says "{words}" at the door\n', encoding="utf-8")
    (tmp_path / ".secrets.toml.99-0.utatane-tmp").write_text(words, encoding="utf-8")
    (tmp_path / "secrets.toml.bak").write_text(words, encoding="utf-8")
    with forked(tmp_path) as address:
        assert "?" not in address
        assert post(f"{address}login", data={"password": words}).status_code == 303
    assert secrets.read_text("utf-8") == '\n[keys]\n\nopenai = "sk-#open sesame-not"  # mine\n'
    assert settings.read_text("utf-8") == '[user]\nname = "Aoi"\n'
    record = json.loads(Home(tmp_path).access.read_text())
    assert record["password"].startswith("scrypt$")
    assert [step["step"] for step in record["migrations"]] == ["hash_password"]
    left = [path.name for path in tmp_path.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]
    assert sorted(left) == ["secrets.toml", "secrets.toml.bak"]  # a key that happens to; and one that is named
    with forked(tmp_path):  # once is enough
        assert len(json.loads(Home(tmp_path).access.read_text())["migrations"]) == 1
