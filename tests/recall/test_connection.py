"""A connection is closed while others use it: they are told, and the process lives."""

import multiprocessing
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from managers.recall.index.connection import connect
from managers.recall.index.store import Store


def use(connection: sqlite3.Connection, began: threading.Event, refused: threading.Event) -> None:
    try:
        while True:
            list(connection.execute("SELECT 1 UNION SELECT 2"))
            began.set()
    except sqlite3.ProgrammingError:
        refused.set()


def close_while_used(path: Path, rounds: int) -> None:
    """In a child: what this is about ends a whole process."""
    sys.setswitchinterval(1e-5)
    for _ in range(rounds):
        connection = connect(path, timeout=1, schema="")
        for number in range(60):  # many kept statements make closing long
            connection.execute(f"SELECT {number}").fetchall()
        began, refused = threading.Event(), threading.Event()
        user = threading.Thread(target=use, args=(connection, began, refused))
        user.start()
        assert began.wait(60)
        connection.close()
        user.join(60)
        assert refused.is_set()


@pytest.mark.skipif(sys.platform == "win32", reason="children are forked here")
def test_whoever_uses_a_closed_connection_is_told(tmp_path: Path) -> None:
    child = multiprocessing.get_context("forkserver").Process(
        target=close_while_used, args=(tmp_path / "some.sqlite", 150)
    )
    child.start()
    child.join()
    assert child.exitcode == 0


def replace_while_opened(path: Path, seconds: float) -> None:
    """In a child: what this is about may end a whole process (SIGBUS)."""
    store = Store(path)
    until = time.monotonic() + seconds

    def read() -> None:
        while time.monotonic() < until:
            store.marks()

    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(read) for _ in range(4)]
        while time.monotonic() < until:
            store.remove()
            with store.transaction():
                store.set_meta("epoch", "x" * 500)
        for reader in readers:
            reader.result()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file is not removed there")
def test_an_index_is_begun_anew_while_others_open_and_read_it(tmp_path: Path) -> None:
    child = multiprocessing.get_context("forkserver").Process(
        target=replace_while_opened, args=(tmp_path / "some.sqlite", 3)
    )
    child.start()
    child.join()
    assert child.exitcode == 0
