"""Which files the history has read before: never more than a help, and nobody waits while it looks."""

import json
import os
import threading
import time
from pathlib import Path

import pytest

from managers.storage.files import read_bytes
from managers.storage.history import Draft, History
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

READ = "managers.storage.history.disk.read_bytes"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which files are read."""
    noted = list[str]()

    def noting(path: Path) -> bytes | None:
        noted.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(READ, noting)
    return noted


def note(path: Path, text: str) -> None:
    """Write a file as an editor does, a while ago: a file system may count in two seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    then = time.time() - 60
    os.utime(path, (then, then))


def a_life(paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(20):
        note(paths.entity_memory / f"one{number}.md", f"# Entity Memory: one{number}\n")
    history = History(paths, clock)
    history.begin(author="utatane", reason="")
    history.notice_outside()


def seen(paths: PersonaPaths) -> Path:
    return paths.history / "seen_files.json"


def test_a_start_reads_only_what_changed_meanwhile(paths: PersonaPaths, clock: HandClock, reads: list[str]) -> None:
    a_life(paths, clock)
    reads.clear()
    fresh = History(paths, clock)
    assert fresh.notice_outside() is None
    assert not [name for name in reads if name.endswith(".md")]
    note(paths.entity_memory / "one3.md", "# Entity Memory: one3\n- edited by hand\n")
    entry = History(paths, clock).notice_outside()
    assert entry
    assert fresh.entries(1)[0].files == ("entity_memory/one3.md",)
    assert {name for name in reads if name.endswith(".md")} == {"one3.md"}


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 999, "files": {}}',
        b'{"version": 1}',
        b'{"version": 1, "files": {"entity_memory/one3.md": [1, 2]}}',
        b'{"version": 1, "files": {"entity_memory/one3.md": ["a", 2, 3, 4, "0000000000000000000000000000000000000000"]}}',
        None,
    ],
)
def test_without_notes_that_can_be_used_everything_is_read_again(
    paths: PersonaPaths, clock: HandClock, reads: list[str], broken: bytes | None
) -> None:
    a_life(paths, clock)
    good = json.loads(seen(paths).read_bytes())
    if broken is None:
        seen(paths).unlink()
    else:
        seen(paths).write_bytes(broken)
    note(paths.entity_memory / "one3.md", "# Entity Memory: one3\n- edited by hand\n")
    reads.clear()
    history = History(paths, clock)
    assert history.notice_outside()
    assert history.entries(1)[0].files == ("entity_memory/one3.md",)
    assert len([name for name in set(reads) if name.endswith(".md")]) == 20
    assert json.loads(seen(paths).read_bytes())["files"].keys() == good["files"].keys()


def test_notes_that_lie_about_a_file_are_found_out(paths: PersonaPaths, clock: HandClock) -> None:
    """Notes of another folder, or from before a restored backup: times and places on disk do not fit."""
    a_life(paths, clock)
    notes = json.loads(seen(paths).read_bytes())
    for row in notes["files"].values():
        row[3] += 1  # other places on disk
        row[4] = "0" * 40
    seen(paths).write_text(json.dumps(notes), "utf-8")
    assert History(paths, clock).notice_outside() is None  # all are read, and nothing differs
    assert "0" * 40 not in seen(paths).read_text("utf-8")


def test_two_processes_may_look_at_once(paths: PersonaPaths, clock: HandClock) -> None:
    a_life(paths, clock)
    note(paths.entity_memory / "one3.md", "# Entity Memory: one3\n- edited by hand\n")
    found: list[str | None] = []
    looking = [threading.Thread(target=lambda: found.append(History(paths, clock).notice_outside())) for _ in range(4)]
    for thread in looking:
        thread.start()
    for thread in looking:
        thread.join()
    assert len([entry for entry in found if entry]) == 1  # one edit is one entry
    assert History(paths, clock).notice_outside() is None


def test_nobody_waits_while_years_of_files_are_looked_at(
    paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_life(paths, clock)
    seen(paths).unlink()
    history, met = History(paths, clock), list[int]()

    def elsewhere() -> None:
        with writing(paths, wait=0):
            met.append(len(history.entries(5)))

    def reading(path: Path) -> bytes | None:
        if not met and path.name == "one3.md":
            other = threading.Thread(target=elsewhere)
            other.start()
            other.join(60)
        return read_bytes(path)

    monkeypatch.setattr(READ, reading)
    assert history.notice_outside() is None
    assert met == [1]


def test_an_entry_written_while_somebody_looks_is_not_taken_for_an_edit(
    paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_life(paths, clock)
    seen(paths).unlink()
    history, dreaming = History(paths, clock), History(paths, clock)
    path, dreamt = paths.entity_memory / "one3.md", list[bool]()

    def reading(one: Path) -> bytes | None:
        if one == path and not dreamt:
            dreamt.append(True)
            dreaming.apply({path: b"# Entity Memory: one3\n- dreamt of\n"}, Draft("dream", "night"))
        return read_bytes(one)

    monkeypatch.setattr(READ, reading)
    assert history.notice_outside() is None
    assert [entry.author for entry in history.entries()] == ["dream", "utatane"]
