"""Damage and copies on the command line: told in one line where one talks, in full by the doctor, put right by `mend`."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run, transcript

COPY = "log (Hana's conflicted copy 2026-11-20).txt"
ASIDE = "notepad.txt.broken-20261120-120000"


@pytest.fixture
def folder(home: Path) -> Path:
    """Hazel's, after a talk."""
    run("chat", "Hazel", "-m", "The lighthouse is lit again")
    return home / "characters" / "Hazel"


def seen(home: Path) -> dict[Path, tuple[int, int, bytes]]:
    """Every file and folder: its time, its mode, its bytes."""
    found = {}
    for path in [home, *home.rglob("*")]:
        status = path.lstat()
        found[path] = (status.st_mtime_ns, status.st_mode, path.read_bytes() if path.is_file() else b"")
    return found


def leave(folder: Path, name: str, data: bytes) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def damage_everything(folder: Path) -> None:
    """Leave something of every kind that the program itself would put right, set aside or finish."""
    shutil.copy(folder / "log.txt", folder / COPY)
    leave(folder, "log.txt", (folder / "log.txt").read_bytes() + b"## USER:Aoi\nnever finis")
    leave(folder, "core_memory.txt", "猫のももを知っている。".encode("cp932"))
    leave(folder, "goals.json", b"{")
    leave(folder, "memory/insights.json", b"\xff\xfe\x00")
    leave(folder, "entity_memory/もも.md", "# Entity Memory: もも\n\n- 猫だったと思う\n".encode("euc_jp"))
    leave(folder, ASIDE, b"\x83")
    leave(folder, "log_archives/.moving.json", b'{"first_id": "x", "sizes": {}}')
    leave(folder, ".history/pending/journal.json", b'{"direction": "forward", "steps": []}')
    leave(folder, ".notepad.txt.1-1.utatane-tmp", b"half")


def leave_unfinished(folder: Path, change: str) -> None:
    """Leave an index as a killed process leaves it: with its last changes beside it."""
    file = folder / "rag_index" / "current_log_index" / "index.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(change)
        connection.commit()
        kept = {path: path.read_bytes() for path in file.parent.glob("index.sqlite*")}
    for path, content in kept.items():
        path.write_bytes(content)


def test_the_doctor_changes_nothing_and_names_all_that_is_damaged(home: Path, folder: Path) -> None:
    before = seen(home)
    assert {finding["state"] for finding in lines(run("doctor", "--json"))} == {"ok"}
    assert seen(home) == before
    damage_everything(folder)
    leave_unfinished(folder, "INSERT OR REPLACE INTO meta VALUES ('left', 'here')")
    shutil.copytree(folder, folder.with_name("Hazel (Hana's conflicted copy 2026-11-20)"))
    leave(home, "settings.toml", b"[mind]\nprovidr = 1\n")
    leave(home, "settings (1).toml", b"[mind]\nprovidr = 1\n")
    before = seen(home)
    done = run("doctor", "--json")
    assert seen(home) == before
    said = " ".join(finding["sentence"] for finding in lines(done) if finding["state"] != "ok")
    names = (COPY, "core_memory.txt", "goals.json", "insights.json", "もも.md", "notepad.txt.broken", "settings (1)")
    assert [words for words in (*names, "Shift_JIS", "EUC-JP", "Hazel (Hana's") if words not in said] == []


def test_the_doctor_makes_nothing_where_nothing_is(home: Path) -> None:
    run("doctor", "--json")
    assert not home.exists()


def test_whoever_works_with_a_persona_is_told_in_one_line_and_without_a_yes_nothing_is_mended(folder: Path) -> None:
    shutil.copy(folder / "log.txt", folder / COPY)
    listed = lines(run("mend", "Hazel", "--json"))
    assert [(one["kind"], one["name"]) for one in listed] == [("copy", COPY)]
    assert "→" in run("mend").stdout
    leave(folder, ASIDE, b"\x83")
    for name, *options in (("chat", "-m", "Hello"), ("recall", "lighthouse"), ("dream",), ("history",)):
        done = run(name, "Hazel", *options, "--json")
        (told,) = [line for line in done.stderr.splitlines() if "mend" in line]
        assert ASIDE in told
        assert "1 more" in told
    assert (folder / COPY).exists()


def test_a_yes_mends_everything_that_can_be_mended(folder: Path) -> None:
    other = folder.with_name("Hazel (Hana's conflicted copy 2026-11-20)")
    shutil.copytree(folder, other)
    damage_everything(folder)
    with (other / "log.txt").open("ab") as log:
        log.write(b"## USER:Aoi\nsaid elsewhere\n\n2026-11-20 (Fri) 10:00:00 |  | 20261120T100000-abcdefgh\n\n")
    assert "Shift_JIS" in run("mend", "--yes").stdout
    assert run("mend").stdout.strip() == "Nothing is amiss."
    assert (folder / "core_memory.txt").read_text("utf-8") == "猫のももを知っている。"
    assert not other.exists()
    found = lines(run("recall", "Hazel", "said elsewhere", "--json"))[0]["results"]
    assert "said elsewhere" in found[0]["text"]
    assert [one["name"] for one in lines(run("personas", "list", "--json")) if "trash" in one] == [other.name]


@pytest.mark.slow
def test_a_month_that_was_taken_away_is_told_until_somebody_accepts_it(folder: Path, tmp_path: Path) -> None:
    run("import", "transcript", transcript(tmp_path), "--persona", "Hazel")
    month = folder / "log_archives" / "2024-05.txt"
    month.unlink()
    done = run("doctor", "--json", expect=1)
    assert month.name in " ".join(finding["sentence"] for finding in lines(done) if finding["state"] == "problem")
    assert month.name in run("chat", "Hazel", "-m", "Hello").stderr
    run("mend", "Hazel", "--yes")
    assert month.name in run("chat", "Hazel", "-m", "And again").stderr
    run("mend", "Hazel", "--accept")
    assert month.name not in run("chat", "Hazel", "-m", "And now?").stderr
    run("doctor")
