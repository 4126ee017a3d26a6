"""Edits made outside are noticed, and are nobody else's; what is no memory is not kept; what has been read is not read again."""

import os
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from managers.storage.errors import ExternallyChangedError, UndoConflictError
from managers.storage.files import digest, read_bytes, write_atomic
from managers.storage.history import Draft, History
from managers.storage.journal import Journal
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write


def test_edits_made_outside_are_nobody_elses_and_can_be_taken_back(history: History, paths: PersonaPaths) -> None:
    paths.core_memory.write_text("はじめ\n自分で書いた\n", "utf-8")
    entry = write(history, paths.core_memory, "はじめ\n自分で書いた\nペルソナが書いた\n")
    (diff,) = history.diff(entry)
    assert "+自分で書いた" not in diff.unified
    assert [entry.author for entry in history.entries()] == ["ねむ", "outside", "user"]
    history.undo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n自分で書いた\n"
    entry = write(history, paths.core_memory, "一")
    paths.core_memory.write_text("外", "utf-8")
    with pytest.raises(UndoConflictError):
        history.undo(entry, author="user")
    outside = history.entries(1)[0]
    assert outside.author == "outside"
    history.undo(outside.id, author="user")
    assert paths.core_memory.read_text("utf-8") == "一"


def test_an_edit_of_the_same_length_within_the_same_instant_is_found(history: History, paths: PersonaPaths) -> None:
    for text in ("あい", "うえ", "おか", "きく"):
        paths.core_memory.write_text(text, "utf-8")
        assert history.notice_outside() is not None
    assert len(history.entries()) == 5


def test_logs_documents_indexes_and_secrets_are_not_kept(history: History, paths: PersonaPaths) -> None:
    names = "log.txt log_archives/2026-01.txt attachments/a.txt knowledge/b.md rag_index/index.bin secrets.toml"
    names += " memory/emotion_log.json memory/emotion_log_2026-01.json memory/recall_log.jsonl memory/secrets.toml"
    names += " core_memory.txt.broken-20260101-000000 memory/.insights.json.77.utatane-tmp"
    others = [paths.folder / name for name in names.split()]
    assert {paths.log, paths.rag_index / "index.bin", paths.emotion_log, paths.recall_log} < {*others}
    for path in others:
        write_atomic(path, "x")
    assert history.notice_outside() is None
    assert history.record(author="user", reason="", files=others) is None
    for content, notepad in ((b"a", b"b"), (b"c", b"b")):
        is_kept = history.apply({paths.recall_log: content, paths.notepad: notepad}, Draft("ねむ", ""))
        assert paths.recall_log.read_bytes() == content
        assert bool(is_kept) == (content == b"a")


def test_what_is_rewritten_all_the_time_enters_only_with_a_change(history: History, paths: PersonaPaths) -> None:
    for moment in ("1", "2", "3"):
        write_atomic(paths.internal_state, moment)
        assert history.notice_outside() is None
    entry = history.apply({paths.internal_state: b"dreamt", paths.goals: b"{}"}, Draft("dream", ""))
    assert entry
    assert [entry.author for entry in history.entries()] == ["dream", "user"]
    history.undo(entry, author="user")
    assert paths.internal_state.read_text() == "3"


def test_names_in_either_normal_form_are_one_file(history: History, paths: PersonaPaths) -> None:
    """A Mac may hand the name back in another form than it was written in."""
    composed = paths.entity_memory / unicodedata.normalize("NFC", "ガイド.md")
    decomposed = paths.entity_memory / unicodedata.normalize("NFD", "ガイド.md")
    write(history, composed, "一")
    composed.rename(decomposed)
    assert history.notice_outside() is None
    decomposed.write_text("二", "utf-8")
    entry = history.notice_outside()
    assert entry
    history.undo(entry, author="user")
    assert decomposed.read_text("utf-8") == "一"
    write(history, composed, "三")  # where it lies
    assert [path.read_text("utf-8") for path in paths.entity_memory.iterdir()] == ["三"]


def _save_while_a_change_is_written(monkeypatch: pytest.MonkeyPatch, path: Path, *texts: str) -> None:
    """Let an editor save after the files were looked at and before they are replaced, each time another text."""
    apply, waiting = Journal.apply, list(texts)

    def just_saved(self: Journal, *given: Any, **named: Any) -> None:
        if waiting:
            path.write_text(waiting.pop(0), "utf-8")
        apply(self, *given, **named)

    monkeypatch.setattr(Journal, "apply", just_saved)


def test_an_editors_save_enters_first(history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "自分で書いた\n")
    entry = write(history, paths.core_memory, "ペルソナが書いた\n")
    assert [entry.author for entry in history.entries()] == ["ねむ", "outside", "user"]
    assert paths.core_memory.read_text("utf-8") == "ペルソナが書いた\n"
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "ペルソナが書いた\nそのあと書いた\n")
    history.undo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "自分で書いた\nそのあと書いた\n"


def test_no_change_while_editors_save(history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "自分で書いた")
    based_on = {paths.core_memory: digest(read_bytes(paths.core_memory) or b"")}
    with pytest.raises(ExternallyChangedError):
        history.apply({paths.core_memory: b"x"}, Draft("ねむ", ""), based_on)
    assert paths.core_memory.read_text("utf-8") == "自分で書いた"
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "一", "二")
    with pytest.raises(ExternallyChangedError):
        history.apply({paths.core_memory: b"x"}, Draft("ねむ", ""))
    assert paths.core_memory.read_text("utf-8") == "二"


READ = "managers.storage.history.disk.read_bytes"


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


def test_a_start_reads_only_changes(paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    a_life(paths, clock)
    reads = list[str]()

    def noting(path: Path) -> bytes | None:
        reads.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(READ, noting)
    assert History(paths, clock).notice_outside() is None
    assert not [name for name in reads if name.endswith(".md")]
    note(paths.entity_memory / "one3.md", "# Entity Memory: one3\n- edited by hand\n")
    history = History(paths, clock)
    assert history.notice_outside()
    assert history.entries(1)[0].files == ("entity_memory/one3.md",)
    assert {name for name in reads if name.endswith(".md")} == {"one3.md"}


def test_an_entry_meanwhile_is_no_edit(paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    a_life(paths, clock)
    (paths.history / "seen_files.json").unlink()
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
