"""An index that somebody else wrote runs nothing, leads nowhere, and is begun anew: what is found comes from the files."""

import contextlib
import sqlite3
import sys
from pathlib import Path

import pytest

from managers.recall.index.connection import connect
from managers.storage.paths import PersonaPaths
from tests.recall.conftest import Open
from tests.recall.looking import Talk, codes, found

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
STATEMENTS = {
    "one more table": "CREATE TABLE smuggled (what TEXT)",
    "endless view": f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS} CAST(x AS TEXT) AS key, 'x' AS value FROM n",
    "trigger": "CREATE TRIGGER told AFTER INSERT ON vectors BEGIN DELETE FROM chunks; END",
    "computed column": "ALTER TABLE chunks ADD COLUMN loud TEXT AS (upper(text)) VIRTUAL",
}


@pytest.mark.parametrize("harm", [*STATEMENTS, "folder", "link"])
def test_a_search_index_of_somebody_elses_is_begun_anew(
    open_recall: Open, talk: Talk, paths: PersonaPaths, harm: str, tmp_path: Path
) -> None:
    if harm == "link" and sys.platform == "win32":
        pytest.skip("links are made in another way there")
    precious = tmp_path / "precious.txt"
    precious.write_text("the only copy", "utf-8")
    talk.user("The violin needs new strings.")
    first = open_recall()
    first.catch_up()
    first.close()
    for name in ("current_log_index", "faiss_index_static"):
        path = paths.rag_index / name / "index.sqlite"
        if harm in STATEMENTS:
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.executescript(STATEMENTS[harm])
            continue
        path.unlink()
        if harm == "link":
            path.symlink_to(precious)
        else:
            path.mkdir()
            (path / "something").write_text("in it", "utf-8")
    second = open_recall()
    assert found(second, "violin") == []
    assert "index-broken" in codes(second)
    second.catch_up()
    assert found(second, "violin") == ["The violin needs new strings."]
    assert "index-broken" not in codes(second)
    assert precious.read_text("utf-8") == "the only copy"


def test_no_statement_works_without_end(tmp_path: Path) -> None:
    with contextlib.closing(connect(tmp_path / "some.sqlite", 1, "")) as connection:
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute(f"{ENDLESS} max(x) FROM n").fetchone()
        assert connection.execute("SELECT 1").fetchone() == (1,)  # the next one begins with nothing behind it
