"""Edits made outside are noticed, and are nobody else's; what is no memory is not kept."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from managers.storage.errors import ExternallyChangedError, UndoConflictError
from managers.storage.files import digest, read_bytes, write_atomic
from managers.storage.history import Draft, History
from managers.storage.journal import Journal
from managers.storage.paths import PersonaPaths
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


def test_all_edits_made_outside_are_found(history: History, paths: PersonaPaths) -> None:
    write(history, paths.entity_memory / "猫.md", "三毛")
    write(history, paths.entity_memory / "犬.md", "柴")
    assert history.notice_outside() is None
    (paths.entity_memory / "猫.md").write_text("白", "utf-8")
    (paths.entity_memory / "犬.md").unlink()
    paths.goals.write_text("{}", "utf-8")
    entry = history.notice_outside()
    assert entry is not None
    assert history.entries(1)[0].files == ("entity_memory/犬.md", "entity_memory/猫.md", "goals.json")
    assert history.notice_outside() is None
    history.undo(entry, author="user")
    assert (paths.entity_memory / "犬.md").read_text("utf-8") == "柴"


def test_an_edit_of_the_same_length_within_the_same_instant_is_found(history: History, paths: PersonaPaths) -> None:
    for text in ("あい", "うえ", "おか", "きく"):
        paths.core_memory.write_text(text, "utf-8")
        assert history.notice_outside() is not None
    assert len(history.entries()) == 5


def test_logs_documents_indexes_and_secrets_are_not_kept(history: History, paths: PersonaPaths) -> None:
    others = [
        paths.log,
        paths.log_archives / "2026-01.txt",
        paths.attachments / "a.txt",
        paths.knowledge / "b.md",
        paths.rag_index / "index.bin",
        paths.emotion_log,
        paths.memory / "emotion_log_2026-01.json",
        paths.recall_log,
        paths.memory / "secrets.toml",
        paths.folder / "secrets.toml",
        paths.folder / "core_memory.txt.broken-20260101-000000",
        paths.memory / ".insights.json.77.utatane-tmp",
    ]
    for path in others:
        write_atomic(path, "x")
    assert history.notice_outside() is None
    assert history.record(author="user", reason="", files=others) is None
    for content, notepad in ((b"a", b"b"), (b"c", b"b")):
        is_kept = history.apply({paths.recall_log: content, paths.notepad: notepad}, Draft("ねむ", ""))
        assert paths.recall_log.read_bytes() == content
        assert bool(is_kept) == (content == b"a")


def test_what_the_app_rewrites_all_the_time_enters_only_with_a_change_that_names_it(
    history: History, paths: PersonaPaths
) -> None:
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


def test_json_that_is_nested_beyond_reading_is_kept_as_bytes(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.goals, "{}")
    paths.goals.write_bytes(b"[" * 200_000)
    assert history.notice_outside() is not None
    history.undo(history.entries(1)[0].id, author="user")
    assert paths.goals.read_bytes() == history.at(entry, paths.goals) == b"{}"


def _save_while_a_change_is_written(monkeypatch: pytest.MonkeyPatch, path: Path, *texts: str) -> None:
    """Let an editor save after the files were looked at and before they are replaced, each time another text."""
    apply, waiting = Journal.apply, list(texts)

    def just_saved(self: Journal, *given: Any, **named: Any) -> None:
        if waiting:
            path.write_text(waiting.pop(0), "utf-8")
        apply(self, *given, **named)

    monkeypatch.setattr(Journal, "apply", just_saved)


def test_what_an_editor_saves_while_a_change_is_written_enters_the_history_before_the_change(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "自分で書いた\n")
    entry = write(history, paths.core_memory, "ペルソナが書いた\n")
    assert [entry.author for entry in history.entries()] == ["ねむ", "outside", "user"]
    assert paths.core_memory.read_text("utf-8") == "ペルソナが書いた\n"
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "ペルソナが書いた\nそのあと書いた\n")
    history.undo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "自分で書いた\nそのあと書いた\n"


def test_a_change_is_refused_where_an_editor_saves_what_it_rests_on_or_goes_on_saving(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "自分で書いた")
    based_on = {paths.core_memory: digest(read_bytes(paths.core_memory) or b"")}
    with pytest.raises(ExternallyChangedError):
        history.apply({paths.core_memory: b"x"}, Draft("ねむ", ""), based_on)
    assert paths.core_memory.read_text("utf-8") == "自分で書いた"
    _save_while_a_change_is_written(monkeypatch, paths.core_memory, "一", "二")
    with pytest.raises(ExternallyChangedError):
        history.apply({paths.core_memory: b"x"}, Draft("ねむ", ""))
    assert paths.core_memory.read_text("utf-8") == "二"
