"""A database file: whole after every piece of work, set aside with every byte where it is damaged, loaded by who needs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.services import open_services
from managers.sessions.database import Database, rows
from managers.sessions.errors import DatabaseDamagedError, DatabaseHeldError
from managers.storage.errors import Notice
from managers.storage.paths import CHECKOUT, Home
from tests.fakes import HandClock
from tests.speeds import one_quick

TABLES = "CREATE TABLE IF NOT EXISTS said (id TEXT PRIMARY KEY, words TEXT)"


@pytest.fixture
def told() -> list[Notice]:
    return []


@pytest.fixture
def database(tmp_path: Path, told: list[Notice]) -> Database:
    made = Database(tmp_path / "sessions" / "warm.duckdb", TABLES, HandClock(), told.append)
    made.run(lambda one: one.execute("INSERT INTO said VALUES ('a', 'a canoe'), ('b', repeat('a kayak ', 20000))"))
    return made


def _ids(database: Database) -> list[str]:
    return [row["id"] for row in database.run(lambda one: rows(one, "SELECT id FROM said ORDER BY id"))]


def test_what_is_written_is_its_owners_alone_and_work_that_fails_leaves_it_as_it_was(database: Database) -> None:
    def work(connection: object) -> None:
        connection.execute("DELETE FROM said")  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.run(work)
    assert _ids(database) == ["a", "b"]
    assert database.path.stat().st_mode & 0o077 == 0
    assert [path.name for path in database.path.parent.iterdir() if path.suffix == ".wal"] == []


@pytest.mark.parametrize("damage", one_quick(["flipped", "garbage", "torn"]))
def test_a_damaged_file_is_set_aside_with_every_byte(
    database: Database, told: list[Notice], damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = database.path.read_bytes()
    data = {"garbage": b"no database", "torn": whole[:5000], "flipped": whole[:4200] + b"\xff" * 99 + whole[4299:]}
    database.path.write_bytes(data[damage])
    assert _ids(database) == []
    [kept] = database.path.parent.glob("*.broken-*")
    assert kept.read_bytes() == data[damage]
    assert [one.code for one in told] == ["sessions-set-aside"]
    assert all(kept.name in sentence for sentence in (told[0].ja, told[0].en))
    monkeypatch.setattr(Database, "_set_aside", lambda _: None)  # what stays damaged is said
    database.path.write_bytes(b"no database")
    with pytest.raises(DatabaseDamagedError):
        _ids(database)


def test_a_file_that_another_program_has_open_is_left_to_it(database: Database) -> None:
    code = f"import duckdb; one = duckdb.connect({str(database.path)!r}); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(DatabaseHeldError) as caught:
            _ids(database)
        assert str(other.pid) in caught.value.sentence("ja")
        other.communicate(b"\n")
    assert _ids(database) == ["a", "b"]


def test_what_was_deleted_is_in_no_byte_of_the_file_once_it_is_written_anew(database: Database) -> None:
    assert b"a canoe" in database.path.read_bytes()
    database.run(lambda one: one.execute("DELETE FROM said WHERE id = 'a'"))
    database.rewrite()
    assert b"a canoe" not in database.path.read_bytes()
    assert _ids(database) == ["b"]
    assert database.path.stat().st_mode & 0o077 == 0
    with pytest.raises(Exception, match=r"[Cc]onstraint"):  # the key is one still
        database.run(lambda one: one.execute("INSERT INTO said VALUES ('b', '')"))


def test_who_lists_personas_or_talks_with_one_does_not_load_duckdb(own_home: Home) -> None:
    services = open_services(own_home)
    services.memories("Hazel").kpi.update()  # there is something to open
    services.close()
    code = """
import app, os, sys
from agent.services import open_services
from managers.storage.paths import find_home
sys.argv[1:] = ["personas", "list"]
try:
    app.main()
except SystemExit:
    services = open_services(find_home(None))
services._move_sessions()
services.memories("Hazel")
services.gather_notices()
one = services.companion("Hazel")
list(one.say("Hello, I am Aoi.").events())
one.settle()
print(*sys.modules, flush=True)
os._exit(0)  # a talk that ends is counted, which loads it
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert "duckdb" not in done.stdout.split("\n")[-2].split(), done.stderr
