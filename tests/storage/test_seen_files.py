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


def test_notes_that_cannot_be_used_or_do_not_fit_hide_nothing(
    paths: PersonaPaths, clock: HandClock, reads: list[str]
) -> None:
    """Notes of another folder, or from before a restored backup, have other times and places on disk."""
    a_life(paths, clock)
    notes = json.loads(seen(paths).read_bytes())
    rows = notes["files"]
    lies = {name: [*row[:3], row[3] + 1, "0" * 40] for name, row in rows.items()}
    for number, broken in enumerate(
        (
            None,
            b"",
            b"{",
            {**notes, "version": 999},
            {**notes, "files": lies},
            {**notes, "files": {name: [1] for name in rows}},
        )
    ):
        seen(paths).unlink()
        if broken is not None:
            seen(paths).write_bytes(broken if isinstance(broken, bytes) else json.dumps(broken).encode())
        note(paths.entity_memory / "one3.md", f"# Entity Memory: one3\n- edited {number}\n")
        reads.clear()
        history = History(paths, clock)
        assert history.notice_outside(), broken
        assert history.entries(1)[0].files == ("entity_memory/one3.md",)
        assert len([name for name in set(reads) if name.endswith(".md")]) == 20, broken
        assert json.loads(seen(paths).read_bytes())["files"].keys() == rows.keys()


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
            other.join()
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
