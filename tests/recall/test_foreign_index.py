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
from tests.recall.looking import Talk, codes, found

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")

Harm = Callable[[Path, Path], None]
"""Does something to an index's file; the second path is a file that must come to no harm."""

STATEMENTS: dict[str, tuple[str, ...]] = {
    "one more table": ("CREATE TABLE smuggled (what TEXT)",),
    "endless view": ("DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS} CAST(x AS TEXT) AS key, 'x' AS value FROM n"),
    "trigger": ("CREATE TRIGGER told AFTER INSERT ON vectors BEGIN DELETE FROM chunks; END",),
    "default that computes": ("ALTER TABLE files ADD COLUMN more TEXT DEFAULT 'x' CHECK (length(more) < 9)",),
    "computed column": ("ALTER TABLE chunks ADD COLUMN loud TEXT AS (upper(text)) VIRTUAL",),
}


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


FILES: dict[str, Harm] = {"folder": folder, "journal": journal_that_deletes}
if sys.platform != "win32":  # links and pipes are made in other ways there
    FILES |= {"link": link, "link beside": link_beside, "pipe": pipe}


def do_harm(harm: str, path: Path, precious: Path) -> None:
    if harm in FILES:
        FILES[harm](path, precious)
        return
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in STATEMENTS[harm]:
            connection.execute(statement)
        connection.commit()


@pytest.fixture
def precious(tmp_path: Path) -> Iterator[Path]:
    """A file of the user's, elsewhere; it is as it was when all is over."""
    path = tmp_path / "precious.txt"
    path.write_text("the only copy", "utf-8")
    yield path
    assert path.read_text("utf-8") == "the only copy"


@pytest.mark.parametrize("harm", [*STATEMENTS, *FILES])
def test_a_search_index_of_somebody_elses_is_begun_anew(
    open_recall: Open, talk: Talk, paths: PersonaPaths, harm: str, precious: Path
) -> None:
    talk.user("The violin needs new strings.")
    first = open_recall()
    first.catch_up()
    first.close()
    for name in ("current_log_index", "faiss_index_static"):
        do_harm(harm, paths.rag_index / name / "index.sqlite", precious)
    second = open_recall()
    assert found(second, "violin") == []
    assert "index-broken" in codes(second)
    second.catch_up()
    assert found(second, "violin") == ["The violin needs new strings."]
    assert "index-broken" not in codes(second)


@pytest.mark.parametrize("harm", ["one more table", *FILES])
def test_so_is_a_map_and_a_cache_of_vectors(tmp_path: Path, harm: str, precious: Path) -> None:
    file = SheetFile(tmp_path / "map.sqlite", NETWORK)
    with file.opened() as sheet:
        sheet.note(revision=3)
    do_harm(harm, file.path, precious)
    with pytest.raises(sqlite3.DatabaseError), file.opened():
        pass
    file.remove()
    with file.opened() as sheet:
        assert sheet.number("revision") == 0
    path = tmp_path / "embeddings.sqlite"
    before = CachedEmbedder(NgramEmbedder(), path).passages(["a violin"])
    do_harm(harm, path, precious)
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
