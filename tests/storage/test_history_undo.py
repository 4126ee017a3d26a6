"""What an entry did is taken back, and done again: whole, in part, in any order."""

import pytest

from managers.storage.errors import NotUndoableError, UndoConflictError
from managers.storage.history import Draft, History, UndoConflict
from managers.storage.paths import PersonaPaths
from tests.storage.histories import write


def test_a_later_change_of_one_file_keeps_the_whole_from_being_undone(history: History, paths: PersonaPaths) -> None:
    entry = history.apply({paths.core_memory: b"dreamt", paths.goals: b"{}"}, Draft("dream", ""))
    assert entry
    write(history, paths.core_memory, "mine", author="user")
    count = len(history.entries())
    with pytest.raises(UndoConflictError) as refused:
        history.undo(entry, author="user")
    conflicts: tuple[UndoConflict, ...] = refused.value.facts["conflicts"]  # type: ignore[assignment]  # as it says
    (conflict,) = conflicts
    assert (conflict.path, conflict.current, conflict.restored) == ("core_memory.txt", b"mine", "はじめ\n".encode())
    assert paths.core_memory.read_bytes() == b"mine"
    assert paths.goals.read_bytes() == b"{}"
    assert len(history.entries()) == count


def test_the_rest_of_an_entry_can_be_undone_around_what_changed_later(history: History, paths: PersonaPaths) -> None:
    entry = history.apply({paths.core_memory: b"dreamt", paths.goals: b"{}", paths.insights: b"[]"}, Draft("dream", ""))
    assert entry
    write(history, paths.core_memory, "mine", author="user")
    undo = history.undo(entry, author="user", leave_changed=True)
    assert paths.core_memory.read_bytes() == b"mine"
    assert not paths.goals.exists()
    assert history.entries(1)[0].files == ("goals.json", "memory/insights.json")
    history.redo(undo, author="user")  # what the undo left alone is not done again
    assert paths.core_memory.read_bytes() == b"mine"
    assert paths.goals.read_bytes() == b"{}"
    alone = write(history, paths.notepad, "一")
    write(history, paths.notepad, "二")
    with pytest.raises(UndoConflictError):  # nothing would be left to take back
        history.undo(alone, author="user", leave_changed=True)


def test_undo_and_redo_go_back_and_forth(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.core_memory, "一")
    undo = history.undo(entry, author="user")
    with pytest.raises(NotUndoableError):
        history.undo(entry, author="user")
    redo = history.redo(undo, author="user")  # the undo's id does as well
    with pytest.raises(NotUndoableError):
        history.redo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "一"
    history.undo(redo, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"
    assert [entry.kind for entry in history.entries()] == ["undo", "redo", "undo", "change", "beginning"]
    assert {e.id: bool(e.undone_by) for e in history.entries()}[entry]
