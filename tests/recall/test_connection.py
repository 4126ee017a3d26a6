"""A connection is closed while others use it: they are told, and the process lives."""

import multiprocessing
import sqlite3
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from managers.recall.index.connection import connect
from managers.recall.index.store import Store
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


def replace_while_opened(path: Path, rounds: int) -> None:
    store, over = Store(path), threading.Event()

    def read() -> None:
        while not over.is_set():
            store.marks()

    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(read) for _ in range(4)]
        for _ in range(rounds):
            store.remove()
            with store.transaction():
                store.set_meta("epoch", "x" * 500)
        over.set()
        for reader in readers:
            reader.result()


@pytest.mark.skipif(sys.platform == "win32", reason="children are forked here, and an open file is not removed there")
@pytest.mark.parametrize("rounds", one_quick([30, 200]))
@pytest.mark.parametrize("harm", [close_while_used, replace_while_opened])
def test_whoever_uses_what_is_closed_is_told(tmp_path: Path, harm: Callable[[Path, int], None], rounds: int) -> None:
    """In a child: what this is about may end a whole process (SIGBUS)."""
    child = multiprocessing.get_context("forkserver").Process(target=harm, args=(tmp_path / "some.sqlite", rounds))
    child.start()
    child.join()
    assert child.exitcode == 0
