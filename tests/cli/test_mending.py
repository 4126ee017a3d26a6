"""Damage and copies on the command line: told in one line where one talks, in full by the doctor, put right by `mend`."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.test_commands import lines, run

COPY = "log (Hana's conflicted copy 2026-11-20).txt"
Seen = dict[str, tuple[int, int, bytes]]


@pytest.fixture
def folder(home: Path) -> Path:
    """Hazel's, after a talk."""
    run("chat", "Hazel", "-m", "The lighthouse is lit again")
    return home / "characters" / "Hazel"


def seen(home: Path) -> Seen:
    """Every file and folder: its time, its mode, its bytes."""
    found = {}
    for path in [home, *home.rglob("*")]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[path.relative_to(home).as_posix()] = (status.st_mtime_ns, status.st_mode, content)
    return found


def damage_everything(folder: Path) -> None:
    """Leave something of every kind that the program itself would put right, set aside or finish."""
    shutil.copy(folder / "log.txt", folder / COPY)
    with (folder / "log.txt").open("ab") as log:
        log.write(b"## USER:Aoi\nnever finis")
    (folder / "core_memory.txt").write_bytes("猫のももを知っている。".encode("cp932"))
    (folder / "goals.json").write_bytes(b"{")
    (folder / "memory" / "insights.json").write_bytes(b"\xff\xfe\x00")
    (folder / "entity_memory").mkdir(exist_ok=True)
    (folder / "entity_memory" / "もも.md").write_bytes("# Entity Memory: もも\n\n- 猫だったと思う\n".encode("euc_jp"))
    (folder / "notepad.txt.broken-20261120-120000").write_bytes(b"\x83")
    (folder / "log_archives").mkdir(exist_ok=True)
    (folder / "log_archives" / ".moving.json").write_text('{"first_id": "x", "sizes": {}}')
    (folder / ".history" / "pending").mkdir(exist_ok=True)
    (folder / ".history" / "pending" / "journal.json").write_text('{"direction": "forward", "steps": []}')
    (folder / ".notepad.txt.1-1.utatane-tmp").write_bytes(b"half")


def unfinished_index(folder: Path) -> None:
    """Leave an index as a killed process leaves it: with its last changes beside it."""
    file = folder / "rag_index" / "current_log_index" / "index.sqlite"
    kept = {}
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('left', 'here')")
    connection.commit()
    for suffix in ("", "-wal", "-shm"):
        path = file.with_name(file.name + suffix)
        kept[path] = path.read_bytes()
    connection.close()
    for path, content in kept.items():
        path.write_bytes(content)


def test_the_doctor_changes_nothing_of_what_is_whole(home: Path, folder: Path) -> None:
    before = seen(home)
    assert {finding["state"] for finding in lines(run("doctor", "--json"))} == {"ok"}
    assert seen(home) == before


def test_the_doctor_changes_nothing_of_what_is_damaged_and_names_all_of_it(home: Path, folder: Path) -> None:
    damage_everything(folder)
    unfinished_index(folder)
    shutil.copytree(folder, folder.with_name("Hazel (Hana's conflicted copy 2026-11-20)"))
    (home / "settings.toml").write_text("[mind]\nprovidr = 1\n")
    shutil.copy(home / "settings.toml", home / "settings (1).toml")
    before = seen(home)
    done = run("doctor", "--json")
    assert seen(home) == before
    said = " ".join(finding["sentence"] for finding in lines(done) if finding["state"] != "ok")
    for name in (
        COPY,
        "core_memory.txt",
        "goals.json",
        "insights.json",
        "もも.md",
        "notepad.txt.broken",
        "settings (1)",
    ):
        assert name in said
    assert "Shift_JIS" in said
    assert "EUC-JP" in said
    assert "Hazel (Hana's conflicted copy" in said


def test_the_doctor_makes_nothing_where_nothing_is(home: Path) -> None:
    run("doctor", "--json")
    assert not home.exists()


@pytest.mark.parametrize("command", [("chat", "-m", "Hello"), ("recall", "lighthouse"), ("dream",), ("history",)])
def test_whoever_works_with_a_persona_is_told_in_one_line(home: Path, folder: Path, command: tuple[str, ...]) -> None:
    shutil.copy(folder / "log.txt", folder / COPY)
    (folder / "notepad.txt.broken-20261120-120000").write_bytes(b"\x83")
    name, *options = command
    done = run(name, "Hazel", *options, "--json")
    told = [line for line in done.stderr.splitlines() if "mend" in line]
    assert len(told) == 1
    assert "notepad.txt.broken-20261120-120000" in told[0]
    assert "1 more" in told[0]


def test_without_a_yes_nothing_is_mended(home: Path, folder: Path) -> None:
    shutil.copy(folder / "log.txt", folder / COPY)
    listed = lines(run("mend", "Hazel", "--json"))
    assert [(one["kind"], one["name"]) for one in listed] == [("copy", COPY)]
    assert "→" in run("mend", given="").stdout
    assert (folder / COPY).exists()


def test_a_yes_mends_everything_that_can_be_mended(home: Path, folder: Path) -> None:
    other = folder.with_name("Hazel (Hana's conflicted copy 2026-11-20)")
    shutil.copytree(folder, other)
    damage_everything(folder)
    with (other / "log.txt").open("ab") as log:
        log.write(b"## USER:Aoi\nsaid elsewhere\n\n2026-11-20 (Fri) 10:00:00 |  | 20261120T100000-abcdefgh\n\n")
    done = run("mend", "--yes")
    assert "Shift_JIS" in done.stdout
    assert run("mend").stdout.strip() == "Nothing is amiss."
    assert (folder / "core_memory.txt").read_text("utf-8") == "猫のももを知っている。"
    assert not other.exists()
    found = lines(run("recall", "Hazel", "said elsewhere", "--json"))[0]["results"]
    assert "said elsewhere" in found[0]["text"]
    assert [one["name"] for one in lines(run("personas", "list", "--json")) if "trash" in one] == [
        other.name
    ]


def test_a_month_that_was_taken_away_is_told_until_somebody_accepts_it(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    said = {"id": "a:1", "time": "2024-05-01T10:00:00", "role": "user", "speaker": "Aoi", "text": "My boat is green"}
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps(said) + "\n", "utf-8")
    run("import", "transcript", str(file), "--persona", "Hazel")
    archive = folder / "log_archives" / "2024-05.txt"
    archive.unlink()
    done = run("doctor", "--json", expect=1)
    assert "2024-05.txt" in " ".join(finding["sentence"] for finding in lines(done) if finding["state"] == "problem")
    assert "2024-05.txt" in run("chat", "Hazel", "-m", "Hello").stderr
    assert "2024-05.txt" in run("chat", "Hazel", "-m", "Hello again").stderr
    run("mend", "Hazel", "--yes")
    assert "2024-05.txt" in run("chat", "Hazel", "-m", "And again").stderr
    run("mend", "Hazel", "--accept")
    assert "2024-05.txt" not in run("chat", "Hazel", "-m", "And now?").stderr
    run("doctor")
