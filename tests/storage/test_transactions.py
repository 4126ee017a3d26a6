"""Several files change all or not at all, whatever happens in the middle."""

import itertools
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from managers.storage.errors import DiskFullError, ExternallyChangedError, UnwritableError
from managers.storage.files import digest, write_atomic
from managers.storage.history import Draft, History
from managers.storage.history.checking import check_history
from managers.storage.journal import Journal, journal_of, put_aside, settle, settle_to_read
from managers.storage.locks import writing
from managers.storage.paths import Home, PersonaPaths
from tests.crash import Kill, full_disk, kill_everywhere, needs_signals
from tests.fakes import HandClock

BEFORE = {"core_memory.txt": "前".encode(), "notepad.txt": b"old", "memory/internal_state.json": b"{}"}
CHANGES: Mapping[str, bytes | None] = {
    "core_memory.txt": "後".encode() * 30, "notepad.txt": None, "entity_memory/田中さん.md": b"new",
    "memory/internal_state.json": b'{"level": 1}', "memory/recall_log.jsonl": b"not kept\n"
}  # fmt: skip
AFTER = {name: content for name, content in {**BEFORE, **CHANGES}.items() if content is not None}


def _written(folder: Path) -> PersonaPaths:
    paths = PersonaPaths(folder / "ねむ")
    for name, content in BEFORE.items():
        write_atomic(paths.folder / name, content)
    return paths


def _prepare(folder: Path) -> PersonaPaths:
    paths = _written(folder)
    _begin(paths)
    return paths


def _content(paths: PersonaPaths) -> dict[str, bytes]:
    names = {**BEFORE, **CHANGES}
    return {name: (paths.folder / name).read_bytes() for name in names if (paths.folder / name).exists()}


def _paths(changes: Mapping[str, bytes | None], paths: PersonaPaths) -> dict[Path, bytes | None]:
    return {paths.folder / name: content for name, content in changes.items()}


def _apply_to(history: History) -> str | None:
    return history.apply(_paths(CHANGES, history.paths), Draft("dream", "night", ("m1",)))


def _apply(paths: PersonaPaths) -> None:
    _apply_to(History(paths, HandClock()))


def _begin(paths: PersonaPaths) -> None:
    History(paths, HandClock()).begin(author="user", reason="created")


def _pack(paths: PersonaPaths) -> None:
    History(paths, HandClock()).maintain(force=True)


def _fresh(
    root: Path, finish: Callable[[PersonaPaths], object] = lambda paths: None, made: Any = _prepare
) -> Callable[[], tuple[PersonaPaths]]:
    """Return what makes a new folder for each run, in a state of the test's choosing."""
    numbers = itertools.count()

    def fresh() -> tuple[PersonaPaths]:
        paths = made(root / str(next(numbers)))
        finish(paths)
        return (paths,)

    return fresh


def _no_leftovers(paths: PersonaPaths) -> None:
    assert not list((paths.history / "pending").glob("*"))
    assert check_history(paths.history).is_sound


@needs_signals
def test_killed_anywhere_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    seen = set()
    for death in kill_everywhere(_apply, _fresh(tmp_path), whens=("before", "half")):
        paths: PersonaPaths = death.given[0]
        history = History(paths, HandClock())  # whoever comes next
        entries = history.entries()
        dreamt = [entry for entry in entries if entry.author == "dream"]
        content = _content(paths)
        assert content == (AFTER if dreamt else BEFORE), death
        assert not [entry for entry in entries if entry.author == "outside"], death
        seen.add(bool(dreamt))
        if death.number % 9 == 0 or death.when is None:
            if dreamt:
                history.undo(dreamt[0].id, author="user")
                del content["memory/recall_log.jsonl"]
                assert _content(paths) == {**BEFORE, "memory/recall_log.jsonl": b"not kept\n"}, death
            else:
                assert _apply_to(history), death
                assert _content(paths) == AFTER, death
            _no_leftovers(paths)
    assert seen == {True, False}


@needs_signals
def test_killed_while_finishing_it_is_finished_by_the_next(tmp_path: Path) -> None:
    def half_done(paths: PersonaPaths) -> None:
        """Leave a transaction as a process killed right after its journal would."""
        with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(Journal, "_roll_forward", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            _apply(paths)

    for death in kill_everywhere(settle, _fresh(tmp_path, half_done), whens=("before",)):
        paths: PersonaPaths = death.given[0]
        history = History(paths, HandClock())
        assert _content(paths) == AFTER, death
        assert history.entries(1)[0].author == "dream", death
        history.apply({paths.notepad: b"next"}, Draft("user", ""))
        _no_leftovers(paths)


@needs_signals
def test_killed_anywhere_a_history_begins_or_has_not_begun(tmp_path: Path, kill: Kill) -> None:
    for death in kill(_begin, _fresh(tmp_path, made=_written), whens=("before",), stride=3):
        paths: PersonaPaths = death.given[0]
        history = History(paths, HandClock())
        history.begin(author="user", reason="created")
        assert [entry.kind for entry in history.entries()] == ["beginning"], death
        assert history.notices == [], death
        assert not list(paths.folder.glob(".history.broken*")), death


@needs_signals
def test_killed_while_packing_nothing_is_lost(tmp_path: Path, kill: Kill) -> None:
    for death in kill(_pack, _fresh(tmp_path, _apply), whens=("before",), stride=2):
        paths: PersonaPaths = death.given[0]
        history = History(paths, HandClock())
        assert [entry.kind for entry in history.entries()] == ["change", "beginning"], death
        history.maintain(force=True)
        history.undo(history.entries(1)[0].id, author="user")
        assert check_history(paths.history).is_sound, death


def test_an_edit_between_the_crash_and_the_next_start_is_kept(tmp_path: Path) -> None:
    paths = _prepare(tmp_path)
    journal = journal_of(paths)
    journal._decide("forward", journal._stage(_paths(CHANGES, paths)))
    paths.core_memory.write_text("わたしが直した", "utf-8")
    history = History(paths, HandClock())
    assert paths.core_memory.read_text("utf-8") == "わたしが直した"
    assert not paths.notepad.exists()
    assert history.notice_outside([paths.core_memory])


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = _prepare(tmp_path)
    history = History(paths, HandClock())
    for room in (0, 200, 500, 900, 1200):
        told = pytest.raises(DiskFullError, match=r"core_memory|田中|internal|recall_log|journal")
        with full_disk(monkeypatch, room), told:
            _apply_to(history)
        assert _content(paths) == BEFORE
        _no_leftovers(paths)
    _apply_to(history)
    assert _content(paths) == AFTER


def _held(monkeypatch: pytest.MonkeyPatch, call: str, name: str) -> None:
    """Let another program hold a file open, as it may be on Windows: it can be neither replaced nor removed."""
    real = getattr(os, call)

    def refuse(*given: Any, **named: Any) -> None:
        if Path(given[-1]).name == name:
            raise PermissionError(13, "in use", str(given[-1]))
        real(*given, **named)

    monkeypatch.setattr(os, call, refuse)


def test_a_file_that_cannot_be_replaced_turns_the_whole_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = _prepare(tmp_path)
    history = History(paths, HandClock())
    count = len(history.entries())
    with monkeypatch.context() as patched:
        _held(patched, "replace", "internal_state.json")
        with pytest.raises(UnwritableError, match=r"internal_state\.json"):
            _apply_to(history)
    assert _content(paths) == BEFORE
    assert len(history.entries()) == count
    _no_leftovers(paths)


def test_what_is_left_of_a_change_that_stands_fails_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scanner that holds the journal for a moment must not make a night that is written look as if it were not."""
    paths = _prepare(tmp_path)
    with monkeypatch.context() as patched:
        _held(patched, "unlink", "journal.json")
        assert _apply_to(History(paths, HandClock())) is not None
        assert _content(paths) == AFTER
        History(paths, HandClock())  # still held: it can be read all the same, and it is said in a sentence
        assert (unfinished := settle_to_read(paths)) is not None
        assert "journal.json" in unfinished.en
    History(paths, HandClock())
    assert _content(paths) == AFTER
    _no_leftovers(paths)


def test_one_changed_file_refuses_the_whole(tmp_path: Path) -> None:
    paths = _prepare(tmp_path)
    apply = History(paths, HandClock()).change
    read = {paths.core_memory: digest(BEFORE["core_memory.txt"]), paths.goals: None}
    paths.core_memory.write_text("編集中", "utf-8")
    with pytest.raises(ExternallyChangedError) as conflict:
        apply(_paths(CHANGES, paths), author="dream", reason="", based_on=read)
    assert conflict.value.facts["theirs"] == "編集中"
    assert paths.notepad.read_bytes() == b"old"
    paths.core_memory.write_bytes(BEFORE["core_memory.txt"])
    assert apply(_paths(CHANGES, paths), author="dream", reason="", based_on=read)


def test_who_looks_while_somebody_writes_puts_nothing_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Home(tmp_path).persona("Hazel")
    paths.folder.mkdir(parents=True)
    decided, looked = threading.Event(), threading.Event()
    roll_forward, is_pending = Journal._roll_forward, Journal.is_pending

    def slowly(self: Journal, steps: Any) -> None:
        decided.set()
        looked.wait()
        roll_forward(self, steps)

    def noticed(self: Journal) -> bool:
        found = is_pending(self)
        looked.set()
        return found

    def write() -> None:
        with writing(paths):
            journal_of(paths).apply({paths.notepad: b"written"})

    monkeypatch.setattr(Journal, "_roll_forward", slowly)
    with ThreadPoolExecutor() as pool:
        writer = pool.submit(write)
        decided.wait()
        monkeypatch.setattr(Journal, "is_pending", noticed)
        settle(paths)  # sees the journal, and waits for the lock
    writer.result()
    assert paths.notepad.read_bytes() == b"written"
    assert put_aside(paths) == []
