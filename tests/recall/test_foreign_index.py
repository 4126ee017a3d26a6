"""An index that somebody else wrote runs nothing, leads nowhere, and is begun anew: what is found comes from the files."""

import contextlib
import os
import sqlite3
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from managers.memory_map.sheet import NETWORK, SheetFile
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.index.connection import ForeignTablesError, connect
from managers.storage.paths import PersonaPaths
from tests.recall.conftest import Open
from tests.recall.looking import Talk

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")

Harm = Callable[[Path, Path], None]
"""Does something to an index's file; the second path is a file that must come to no harm."""


def written(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def endless_view(path: Path, _precious: Path) -> None:
    written(path, "DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS} CAST(x AS TEXT) AS key, 'x' AS value FROM n")


def trigger(path: Path, _precious: Path) -> None:
    written(path, "CREATE TRIGGER told AFTER INSERT ON vectors BEGIN DELETE FROM chunks; END")


def default_that_computes(path: Path, _precious: Path) -> None:
    written(path, "ALTER TABLE files ADD COLUMN more TEXT DEFAULT 'x' CHECK (length(more) < 9)")


def computed_column(path: Path, _precious: Path) -> None:
    written(path, "ALTER TABLE chunks ADD COLUMN loud TEXT AS (upper(text)) VIRTUAL")


def one_more_table(path: Path, _precious: Path) -> None:
    written(path, "CREATE TABLE smuggled (what TEXT)")


def link(path: Path, precious: Path) -> None:
    path.unlink()
    path.symlink_to(precious)


def link_beside(path: Path, precious: Path) -> None:
    path.with_name(path.name + "-wal").symlink_to(precious)


def pipe(path: Path, _precious: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path, _precious: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("in it", "utf-8")


def journal_that_deletes(path: Path, precious: Path) -> None:
    """SQLite ends a transaction over several files by deleting the file that a left-over journal names."""
    page, sector, name = 4096, 512, os.fsencode(precious)
    header = NAMES_ANOTHER + struct.pack(">IIIII", 0, 1234, path.stat().st_size // page, sector, page)
    named = struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name)) + NAMES_ANOTHER
    path.with_name(path.name + "-journal").write_bytes(header.ljust(sector, b"\0") + named)


ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are made in other ways there")
HARMS = [
    endless_view,
    trigger,
    default_that_computes,
    computed_column,
    one_more_table,
    folder,
    journal_that_deletes,
    *(pytest.param(harm, marks=ON_POSIX, id=harm.__name__) for harm in (link, link_beside, pipe)),
]


@pytest.fixture
def precious(tmp_path: Path) -> Iterator[Path]:
    """A file of the user's, elsewhere; it is as it was when all is over."""
    path = tmp_path / "precious.txt"
    path.write_text("the only copy", "utf-8")
    yield path
    assert path.read_text("utf-8") == "the only copy"


@pytest.mark.parametrize("harm", HARMS)
def test_a_search_index_of_somebody_elses_is_begun_anew(
    open_recall: Open, talk: Talk, paths: PersonaPaths, harm: Harm, precious: Path
) -> None:
    talk.user("The violin needs new strings.")
    first = open_recall()
    first.catch_up()
    first.close()
    for name in ("current_log_index", "faiss_index_static"):
        harm(paths.rag_index / name / "index.sqlite", precious)
    second = open_recall()
    assert second.search("violin") == []
    assert "index-broken" in {notice.code for notice in second.status().notices}
    second.catch_up()
    assert [hit.text for hit in second.search("violin")] == ["The violin needs new strings."]
    assert "index-broken" not in {notice.code for notice in second.status().notices}


@pytest.mark.parametrize("harm", [one_more_table, folder, journal_that_deletes, pytest.param(link, marks=ON_POSIX)])
def test_so_is_a_map(tmp_path: Path, harm: Harm, precious: Path) -> None:
    file = SheetFile(tmp_path / "map.sqlite", NETWORK)
    with file.opened() as sheet:
        sheet.note(revision=3)
    harm(file.path, precious)
    with pytest.raises(sqlite3.DatabaseError), file.opened():
        pass
    file.remove()
    with file.opened() as sheet:
        assert sheet.number("revision") == 0


@pytest.mark.parametrize("harm", [one_more_table, folder, journal_that_deletes, pytest.param(link, marks=ON_POSIX)])
def test_so_is_a_cache_of_vectors(tmp_path: Path, harm: Harm, precious: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    before = CachedEmbedder(NgramEmbedder(), path).passages(["a violin"])
    harm(path, precious)
    assert (CachedEmbedder(NgramEmbedder(), path).passages(["a violin"]) == before).all()


def test_no_statement_works_without_end(tmp_path: Path) -> None:
    with contextlib.closing(connect(tmp_path / "some.sqlite", 1, "")) as connection:
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute(f"{ENDLESS} max(x) FROM n").fetchone()
        assert connection.execute("SELECT 1").fetchone() == (1,)  # the next one begins with nothing behind it


def test_a_schema_trusts_nothing(tmp_path: Path) -> None:
    with contextlib.closing(connect(tmp_path / "some.sqlite", 1, "CREATE TABLE IF NOT EXISTS one (a TEXT);")) as opened:
        assert opened.execute("PRAGMA trusted_schema").fetchone() == (0,)
        opened.execute("CREATE TABLE two (b TEXT)")
    with pytest.raises(ForeignTablesError):
        connect(tmp_path / "some.sqlite", 1, "CREATE TABLE IF NOT EXISTS one (a TEXT);")
