"""Damage, copies, whoever cannot be looked at: told in one line where one talks, in full by the doctor, put right by `mend`."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent.services import open_services
from commands import doctor
from commands.line import run as run_here
from managers.integrity.inspection import examine
from managers.storage.paths import Home, PersonaPaths
from tests.cli.conftest import Shown, Told
from tests.cli.test_commands import lines, run, transcript
from tests.ordinary import closed_to_all

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


@pytest.mark.slow
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


@pytest.fixture
def hazel(own_home: Home, capsys: Shown) -> Path:
    """Hazel's, after a talk; ねむ lives there as well."""
    assert run_here(["chat", "Hazel", "-m", "The lighthouse is lit again"]) == 0
    assert run_here(["chat", "ねむ", "-m", "おはよう"]) == 0
    capsys.readouterr()
    return own_home.persona("Hazel").folder


@pytest.fixture
def amiss(hazel: Path) -> Path:
    """Something of ねむ's, who comes after Hazel, that can be mended."""
    path = hazel.with_name("ねむ") / "notepad.txt.broken-20261120-120000"
    path.write_bytes(b"x")
    return path


def test_the_doctor_goes_on_and_names_what_cannot_be_read(hazel: Path, tmp_path: Path, told: Told) -> None:
    assert run_here(["import", "transcript", transcript(tmp_path), "--persona", "Hazel", "--json"]) == 0
    assert (hazel / "log_archives" / ".index" / "2024-05.index").exists()
    files = ["memory/recall_log.jsonl", "memory/emotion_log.json", "log_archives/2024-05.txt", "attachments/a.png"]
    for name in files:
        (hazel / name).parent.mkdir(exist_ok=True)
        (hazel / name).touch()
    told()
    for names in (["rag_index"], ["log.txt"], ["."], files):
        with closed_to_all(*(hazel / name for name in names)):
            run_here(["doctor", "--json"])
        found = told()
        said = " ".join(one["sentence"] for one in found if one["about"] == "Hazel" and one["state"] != "ok")
        assert all((hazel / name).name in said for name in names), names
        assert not any("guest" in one["sentence"] for one in found)
        assert any(one["about"] == "ねむ" and "all readable" in one["sentence"] for one in found)


def test_the_doctor_and_mending_go_on_whatever_is_raised(
    hazel: Path, amiss: Path, monkeypatch: pytest.MonkeyPatch, told: Told, capsys: Shown
) -> None:
    for target in ("look_at_indexes", "examine_files", "EmbedderChoice"):
        real = getattr(doctor, target)

        def broken(*given: Any, real: Any = real, **named: Any) -> Any:
            about = given[0].name if isinstance(given[0], PersonaPaths) else str(given[1:2])
            if "Hazel" in about:
                raise RecursionError("whatever")
            return real(*given, **named)

        with monkeypatch.context() as patched:
            patched.setattr(doctor, target, broken)
            assert run_here(["doctor", "--json"]) == 1
        found = told()
        assert [one["state"] for one in found if "whatever" in one["sentence"]] == ["problem"]
        assert any(one["about"] == "ねむ" for one in found)

    def failing(paths: PersonaPaths, *given: Any) -> Any:
        if paths.name == "Hazel":
            raise RecursionError("whatever")
        return examine(paths, *given)

    monkeypatch.setattr("agent.health.examine_files", failing)
    assert run_here(["mend", "--yes"]) == 1
    assert not amiss.exists()
    assert "whatever" in capsys.readouterr().err


def test_who_cannot_be_read_is_neither_here_nor_guest(own_home: Home, hazel: Path, told: Told, capsys: Shown) -> None:
    mark = (hazel / ".persona-id").read_bytes()
    with closed_to_all(hazel / ".persona-id"):
        assert run_here(["personas", "list", "--json"]) == 0
        assert [one["name"] for one in told()] == ["ねむ"]
        assert run_here(["chat", "Hazel", "-m", "Hello"]) == 1
        assert ".persona-id" in capsys.readouterr().err
        run_here(["personas", "admit", "Hazel", "--yes"])
        with closing(open_services(own_home)) as services:
            assert [notice.code for notice in services.gather_notices()] == ["persona-unreadable"]
    assert (hazel / ".persona-id").read_bytes() == mark
    record, _copy = sorted(own_home.admitted.iterdir())
    before = record.read_bytes()
    for closed in (record, own_home.admitted, own_home.installation_key):
        capsys.readouterr()
        with closed_to_all(closed):
            run_here(["personas", "list", "--json"])
            out, err = capsys.readouterr()
            assert (out, closed.name in err) == ("", True)
            run_here(["personas", "admit", "--all", "--yes"])
    assert record.read_bytes() == before
    assert run_here(["chat", "Hazel", "-m", "Hello"]) == 0
