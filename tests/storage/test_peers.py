"""Which account is at the other end of a connection, with real sockets, and real accounts where there are some."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from managers.storage.access import Access
from managers.storage.paths import Home
from managers.storage.peers import account_name, is_of_another_account, owner_of_listener

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
NOBODY = 65534
ASK = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Cookie": sys.argv[2]})).status)
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
"""


as_root = pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be somebody else")


@pytest.fixture(params=["127.0.0.1", "::1"])
def listener(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    try:
        server = socket.create_server((request.param, 0), family=family)
    except OSError:
        pytest.skip(f"no connection to {request.param} here")
    with server:
        yield server


def ends(accepted: socket.socket) -> tuple[tuple[str, int], tuple[str, int]]:
    return accepted.getpeername()[:2], accepted.getsockname()[:2]


def somebody_else(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["/usr/bin/env", "python3", "-c", f"import socket, sys; {program}; sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, user=NOBODY, cwd="/"
    )  # fmt: skip


def test_ones_own_connection_and_port_are_ones_own(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    with socket.create_connection((host, port)) as _mine:
        accepted, _ = listener.accept()
        with accepted:
            assert not is_of_another_account(*ends(accepted))
    assert owner_of_listener(host, port) == os.getuid()
    with socket.create_server(("", 0)) as everywhere:
        assert owner_of_listener("127.0.0.1", everywhere.getsockname()[1]) == os.getuid()


@as_root
def test_another_accounts_connection_is_not(listener: socket.socket) -> None:
    other = somebody_else(f"line = socket.create_connection({listener.getsockname()[:2]})")
    accepted, _ = listener.accept()
    with accepted:
        assert is_of_another_account(*ends(accepted))
    other.communicate()


@as_root
def test_another_accounts_listener_is_told_by_its_name() -> None:
    other = somebody_else("s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)")
    assert other.stdout is not None
    port = int(other.stdout.readline())
    assert owner_of_listener("127.0.0.1", port) == NOBODY
    other.communicate()
    import pwd  # noqa: PLC0415  # there is none on Windows

    assert account_name(NOBODY) == pwd.getpwuid(NOBODY).pw_name
    assert account_name(4_000_000) == "4000000"


def test_what_nobody_can_tell_has_no_owner_and_is_left_to_the_cookie() -> None:
    for host in ("192.168.1.5", "localhost", ""):
        assert owner_of_listener(host, 80) is None
    for client in (None, ("192.168.1.5", 1), ("127.0.0.1", 1), ("testclient", 1)):
        assert not is_of_another_account(client, ("127.0.0.1", 7860))


@as_root
def test_a_cookie_that_another_account_has_got_hold_of_opens_nothing_there(tmp_path: Path) -> None:
    from tests.cli.test_serving import forked  # noqa: PLC0415  # only this test serves

    with forked(tmp_path) as served:
        access = Access(Home(tmp_path))
        command = [sys.executable, "-c", ASK, f"{served.origin}access", f"{access.cookie}={access.come_in()}"]
        mine = subprocess.run(command, capture_output=True, text=True, check=True)
        assert mine.stdout.strip() == "200"
        command[0] = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
        theirs = subprocess.run(command, capture_output=True, text=True, check=False, user=NOBODY, cwd="/")
        assert theirs.stdout.startswith("403"), theirs.stderr
        assert access.token not in theirs.stdout
        access.set_password("a long enough password")  # which is for others as well
        command[-1] = f"{access.cookie}={access.come_in()}"
        theirs = subprocess.run(command, capture_output=True, text=True, check=False, user=NOBODY, cwd="/")
        assert theirs.stdout.strip() == "200"
