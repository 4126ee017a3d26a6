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


def use(connection: sqlite3.Connection, began: threading.Event, refused: threading.Event) -> None:
    try:
        while True:
            list(connection.execute("SELECT 1 UNION SELECT 2"))
            began.set()
    except sqlite3.ProgrammingError:
        refused.set()


def close_while_used(path: Path, rounds: int) -> None:
    sys.setswitchinterval(1e-5)
    for _ in range(rounds):
        connection = connect(path, timeout=1, schema="")
        for number in range(60):  # many kept statements make closing long
            connection.execute(f"SELECT {number}").fetchall()
        began, refused = threading.Event(), threading.Event()
        user = threading.Thread(target=use, args=(connection, began, refused))
        user.start()
        began.wait()
        connection.close()
        user.join()
        assert refused.is_set()


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
@pytest.mark.parametrize(
    ("harm", "rounds"),
    one_quick([(close_while_used, 30), (replace_while_opened, 30), (close_while_used, 150), (replace_while_opened, 400)], quick=2),
)  # fmt: skip
def test_whoever_uses_what_is_closed_or_begun_anew_is_told(
    tmp_path: Path, harm: Callable[[Path, int], None], rounds: int
) -> None:
    """In a child: what this is about may end a whole process (SIGBUS)."""
    child = multiprocessing.get_context("forkserver").Process(target=harm, args=(tmp_path / "some.sqlite", rounds))
    child.start()
    child.join()
    assert child.exitcode == 0
