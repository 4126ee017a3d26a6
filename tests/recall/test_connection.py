"""A connection is closed while others use it: they are told, and the process lives."""

import multiprocessing
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from managers.recall.index.connection import connect
from tests.speeds import one_quick


def close_while_used(path: Path, rounds: int) -> None:
    sys.setswitchinterval(1e-5)
    for _ in range(rounds):
        connection = connect(path, timeout=1, schema="")
        for number in range(60):  # many kept statements make closing long
            connection.execute(f"SELECT {number}").fetchall()
        began = threading.Event()

        def use(connection: sqlite3.Connection = connection, began: threading.Event = began) -> None:
            while True:
                list(connection.execute("SELECT 1 UNION SELECT 2"))
                began.set()

        with ThreadPoolExecutor(1) as another:
            user = another.submit(use)
            began.wait()
            connection.close()
        assert isinstance(user.exception(), sqlite3.ProgrammingError)


@pytest.mark.skipif(sys.platform == "win32", reason="children are forked here, and an open file is not removed there")
@pytest.mark.parametrize("rounds", one_quick([30, 200]))
def test_whoever_uses_what_is_closed_is_told(tmp_path: Path, rounds: int) -> None:
    """In a child: what this is about may end a whole process (SIGBUS)."""
    child = multiprocessing.get_context("forkserver").Process(target=close_while_used, args=(tmp_path / "a.db", rounds))
    child.start()
    child.join()
    assert child.exitcode == 0
