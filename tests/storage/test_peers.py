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
from tests.cli.test_serving import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
NOBODY = 65534
ASK = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Cookie": sys.argv[2]})).status)
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
"""


@pytest.fixture(params=["127.0.0.1", "::1"])
def listener(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with socket.create_server((request.param, 0), family=family) as server:
        yield server


def ends(accepted: socket.socket) -> tuple[tuple[str, int], tuple[str, int]]:
    return accepted.getpeername()[:2], accepted.getsockname()[:2]


def test_ones_own_connection_is_ones_own(listener: socket.socket) -> None:
    with socket.create_connection(listener.getsockname()[:2]) as _mine:
        accepted, _ = listener.accept()
        with accepted:
            assert not is_of_another_account(*ends(accepted))


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be somebody else")
def test_another_accounts_connection_is_not(listener: socket.socket) -> None:
    address = listener.getsockname()[:2]
    connect = f"import socket, sys; line = socket.create_connection({address}); sys.stdin.read()"
    other = subprocess.Popen(["/usr/bin/env", "python3", "-c", connect], stdin=subprocess.PIPE, user=NOBODY, cwd="/")
    accepted, _ = listener.accept()
    with accepted:
        assert is_of_another_account(*ends(accepted))
    other.communicate()


def test_a_port_tells_who_listens_there(listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    assert owner_of_listener(host, port) == os.getuid()
    listener.close()
    assert owner_of_listener(host, port) is None


@pytest.mark.parametrize("host", ["192.168.1.5", "localhost", ""])
def test_what_is_not_on_this_computer_has_no_owner(host: str) -> None:
    assert owner_of_listener(host, 80) is None


def test_a_listener_on_all_addresses_is_found_at_each() -> None:
    with socket.create_server(("", 0)) as server:
        assert owner_of_listener("127.0.0.1", server.getsockname()[1]) == os.getuid()


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be somebody else")
def test_another_accounts_listener_is_told_by_its_name() -> None:
    listen = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); "
    other = subprocess.Popen(
        ["/usr/bin/env", "python3", "-c", f"{listen} sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        user=NOBODY,
        cwd="/",
    )
    assert other.stdout is not None
    assert owner_of_listener("127.0.0.1", int(other.stdout.readline())) == NOBODY
    other.communicate()
    assert account_name(NOBODY) == "nobody"
    assert account_name(4_000_000) == "4000000"


@pytest.mark.parametrize("client", [None, ("192.168.1.5", 1), ("127.0.0.1", 1), ("testclient", 1)])
def test_what_nobody_can_tell_is_left_to_the_cookie(client: tuple[str, int] | None) -> None:
    assert not is_of_another_account(client, ("127.0.0.1", 7860))


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can be somebody else")
def test_a_cookie_that_another_account_has_got_hold_of_opens_nothing_there(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        access = Access(Home(tmp_path))
        command = [sys.executable, "-c", ASK, f"{served.origin}access", f"{access.cookie}={access.session()}"]
        mine = subprocess.run(command, capture_output=True, text=True, check=True)
        assert mine.stdout.strip() == "200"
        command[0] = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
        theirs = subprocess.run(command, capture_output=True, text=True, check=False, user=NOBODY, cwd="/")
        assert theirs.stdout.startswith("403"), theirs.stderr
        assert access.token not in theirs.stdout
        access.set_password("a long enough password")  # which is for others as well
        command[-1] = f"{access.cookie}={access.session()}"
        theirs = subprocess.run(command, capture_output=True, text=True, check=False, user=NOBODY, cwd="/")
        assert theirs.stdout.strip() == "200"
