"""Every change of a memory can be seen, explained and taken back."""

from __future__ import annotations

import shutil
import threading
import unicodedata
from datetime import datetime
from pathlib import Path

import pytest
from dulwich.object_store import tree_lookup_path
from dulwich.objects import Commit, ObjectID
from dulwich.porcelain import fsck
from dulwich.refs import Ref
from dulwich.repo import Repo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.storage.errors import (
    EntryNotFoundError,
    HistoryDamagedError,
    NotUndoableError,
    UndoConflictError,
)
from managers.storage.files import write_atomic
from managers.storage.history import Draft, History, UndoConflict, unified
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock


@pytest.fixture
def history(paths: PersonaPaths, clock: HandClock) -> History:
    write_atomic(paths.core_memory, "はじめ\n")
    history = History(paths, clock)
    history.begin(author="user", reason="created")
    return history


def _write(history: History, path: Path, text: str | None, author: str = "ねむ", reason: str = "") -> str:
    entry = history.apply({path: None if text is None else text.encode()}, Draft(author, reason))
    assert entry is not None
    return entry


def test_an_entry_says_who_when_why_and_from_what(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 3, 1, 4, 53, 57))
    entry = history.apply(
        {paths.core_memory: b"x", paths.entity_memory / "田中さん.md": b"y"},
        Draft("dream", '夜の整理\n\nBy: "mallory"', ("20260101T000000-aa", 'a "b"\nc', "☕\u2028"), "built-in"),
    )
    newest = history.entries(1)[0]
    assert newest.id == entry
    assert newest.time == datetime(2026, 3, 1, 4, 53, 57)
    assert newest.author == "dream"
    assert newest.reason == '夜の整理\n\nBy: "mallory"'
    assert newest.evidence == ("20260101T000000-aa", 'a "b"\nc', "☕\u2028")
    assert newest.mind == "built-in"
    assert newest.files == ("core_memory.txt", "entity_memory/田中さん.md")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(author=st.text(), reason=st.text(), evidence=st.lists(st.text(), max_size=3), mind=st.text())
def test_any_text_comes_back_as_it_was_given(
    history: History, paths: PersonaPaths, author: str, reason: str, evidence: list[str], mind: str
) -> None:
    write_atomic(paths.notepad, f"{author}{reason}{evidence}{history.entries(1)[0].id}".encode("utf-8", "replace"))
    history.record(author=author, reason=reason, files=[paths.notepad], evidence=evidence, mind=mind)
    newest = history.entries(1)[0]
    assert (newest.author, newest.evidence, newest.mind) == (author, tuple(evidence), mind)
    assert newest.reason == reason.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def test_nothing_changed_is_no_entry(history: History, paths: PersonaPaths) -> None:
    assert history.record(author="user", reason="", files=[paths.core_memory]) is None
    assert history.apply({paths.core_memory: "はじめ\n".encode()}, Draft("user", "")) is None
    assert len(history.entries()) == 1


def test_a_diff_shows_before_and_after(history: History, paths: PersonaPaths) -> None:
    entry = _write(history, paths.core_memory, "はじめ\nつぎ")
    (diff,) = history.diff(entry)
    assert (diff.before, diff.after) == ("はじめ\n".encode(), "はじめ\nつぎ".encode())
    assert diff.unified.splitlines()[2:] == ["@@ -1 +1,2 @@", " はじめ", "+つぎ", "\\ No newline at end of file"]
    assert history.at(entry, paths.core_memory) == "はじめ\nつぎ".encode()
    assert history.at(entry, paths.goals) is None


def test_a_diff_splits_at_line_feeds_only() -> None:
    assert unified("a\x0cb\u2028c\n", "a\x0cb\u2028d\n", "x").count("\n") == 5


def test_undo_restores_edits_creations_and_deletions_byte_for_byte(history: History, paths: PersonaPaths) -> None:
    old = "\ufeffメモ\r\nlatin1 \r".encode() + b"\xff\x00"
    write_atomic(paths.notepad, old)
    write_atomic(paths.goals, b"{}")
    entry = history.apply({paths.notepad: None, paths.goals: b"", paths.insights: b"[]"}, Draft("dream", "night"))
    assert entry
    assert not paths.notepad.exists()
    undo = history.undo(entry, author="user")
    assert paths.notepad.read_bytes() == old
    assert paths.goals.read_bytes() == b"{}"
    assert not paths.insights.exists()
    assert history.entries(1)[0].id == undo
    history.redo(entry, author="user")
    assert not paths.notepad.exists()
    assert (paths.goals.read_bytes(), paths.insights.read_bytes()) == (b"", b"[]")


def test_an_entry_further_back_is_undone_alone(history: History, paths: PersonaPaths) -> None:
    first = _write(history, paths.core_memory, "一")
    later = _write(history, paths.notepad, "メモ")
    history.undo(first, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"
    assert paths.notepad.read_text("utf-8") == "メモ"
    undone = {entry.id: entry.undone_by for entry in history.entries()}
    assert undone[first] == history.entries(1)[0].id
    assert undone[later] is None


def test_a_later_change_of_one_file_keeps_the_whole_from_being_undone(history: History, paths: PersonaPaths) -> None:
    entry = history.apply({paths.core_memory: b"dreamt", paths.goals: b"{}"}, Draft("dream", ""))
    assert entry
    _write(history, paths.core_memory, "mine", author="user")
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
    _write(history, paths.core_memory, "mine", author="user")
    undo = history.undo(entry, author="user", leave_changed=True)
    assert paths.core_memory.read_bytes() == b"mine"
    assert not paths.goals.exists()
    assert history.entries(1)[0].files == ("goals.json", "memory/insights.json")
    history.redo(undo, author="user")  # what the undo left alone is not done again
    assert paths.core_memory.read_bytes() == b"mine"
    assert paths.goals.read_bytes() == b"{}"
    alone = _write(history, paths.notepad, "一")
    _write(history, paths.notepad, "二")
    with pytest.raises(UndoConflictError):  # nothing would be left to take back
        history.undo(alone, author="user", leave_changed=True)


def test_once_the_later_change_is_taken_back_the_earlier_can_be(history: History, paths: PersonaPaths) -> None:
    first = _write(history, paths.core_memory, "一")
    second = _write(history, paths.core_memory, "二")
    history.undo(second, author="user")
    history.undo(first, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"


def test_undo_and_redo_go_back_and_forth(history: History, paths: PersonaPaths) -> None:
    entry = _write(history, paths.core_memory, "一")
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


def test_taking_back_an_undo_is_doing_it_again(history: History, paths: PersonaPaths) -> None:
    entry = _write(history, paths.core_memory, "一")
    undo = history.undo(entry, author="user")
    history.undo(undo, author="user")
    assert paths.core_memory.read_text("utf-8") == "一"
    assert not {e.id: e.undone_by for e in history.entries()}[entry]
    history.undo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"


def test_the_beginning_cannot_be_undone(history: History, paths: PersonaPaths) -> None:
    with pytest.raises(NotUndoableError):
        history.undo(history.entries()[-1].id, author="user")
    assert paths.core_memory.exists()


def test_edits_made_outside_are_nobody_elses(history: History, paths: PersonaPaths) -> None:
    paths.core_memory.write_text("はじめ\n自分で書いた\n", "utf-8")
    entry = _write(history, paths.core_memory, "はじめ\n自分で書いた\nペルソナが書いた\n")
    (diff,) = history.diff(entry)
    assert "+自分で書いた" not in diff.unified
    assert [entry.author for entry in history.entries()] == ["ねむ", "outside", "user"]
    history.undo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n自分で書いた\n"


def test_an_edit_made_outside_survives_a_refused_undo_and_can_itself_be_undone(
    history: History, paths: PersonaPaths
) -> None:
    entry = _write(history, paths.core_memory, "一")
    paths.core_memory.write_text("外", "utf-8")
    with pytest.raises(UndoConflictError):
        history.undo(entry, author="user")
    outside = history.entries(1)[0]
    assert outside.author == "outside"
    history.undo(outside.id, author="user")
    assert paths.core_memory.read_text("utf-8") == "一"


def test_all_edits_made_outside_are_found(history: History, paths: PersonaPaths) -> None:
    _write(history, paths.entity_memory / "猫.md", "三毛")
    _write(history, paths.entity_memory / "犬.md", "柴")
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


def test_files_that_are_not_kept_are_written_with_the_others(history: History, paths: PersonaPaths) -> None:
    assert history.apply({paths.recall_log: b"a", paths.notepad: b"b"}, Draft("ねむ", ""))
    assert paths.recall_log.read_bytes() == b"a"
    assert history.apply({paths.recall_log: b"c"}, Draft("ねむ", "")) is None
    assert paths.recall_log.read_bytes() == b"c"


def test_entries_are_paged_and_filtered_by_file(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    made = []
    for number in range(12):
        clock.move(hours=1)
        made.append(_write(history, paths.notepad if number % 3 else paths.goals, str(number)))
    made.reverse()
    page = history.entries(5)
    assert [entry.id for entry in page] == made[:5]
    assert [entry.id for entry in history.entries(5, before=page[-1].id)] == made[5:10]
    assert [entry.id for entry in history.entries(path=paths.goals)] == made[2::3]
    assert [entry.id for entry in history.entries(path=Path("goals.json"), before=made[2])] == made[5::3]
    assert history.entries(0) == []


def test_an_entry_may_be_named_by_the_beginning_of_its_id(history: History, paths: PersonaPaths) -> None:
    entry = _write(history, paths.notepad, "x")
    assert history.diff(entry[:10])[0].after == b"x"
    for unknown in ("ffffffff", "", "../../x", entry[:3], "core_memory.txt"):
        with pytest.raises(EntryNotFoundError):
            history.diff(unknown)
    blob = history.apply({paths.notepad: b"y"}, Draft("user", ""))
    assert blob is not None


def test_names_in_either_normal_form_are_one_file(history: History, paths: PersonaPaths) -> None:
    """A Mac may hand the name back in another form than it was written in."""
    composed = paths.entity_memory / unicodedata.normalize("NFC", "ガイド.md")
    decomposed = paths.entity_memory / unicodedata.normalize("NFD", "ガイド.md")
    _write(history, composed, "一")
    composed.rename(decomposed)
    assert history.notice_outside() is None
    decomposed.write_text("二", "utf-8")
    entry = history.notice_outside()
    assert entry
    history.undo(entry, author="user")
    assert decomposed.read_text("utf-8") == "一"


def test_a_fresh_history_and_a_second_process_see_the_same(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    other = History(paths, clock)
    first = _write(history, paths.notepad, "一")
    assert other.entries(1)[0].id == first
    second = _write(other, paths.notepad, "二")
    assert [entry.id for entry in history.entries(2)] == [second, first]
    history.undo(second, author="user")
    assert other.entries(2)[1].undone_by


def test_any_git_can_read_it(history: History, paths: PersonaPaths) -> None:
    _write(history, paths.entity_memory / "猫.md", "三毛", reason="話に出た")
    history.maintain(force=True)
    _write(history, paths.entity_memory / "猫.md", "白")
    with Repo(str(paths.history)) as repo:
        assert list(fsck(repo)) == []
        assert repo.bare
        walked = [step.commit for step in repo.get_walker()]
        assert len(walked) == 3
        assert walked[1].message.decode().startswith("話に出た\n")
        assert tree_lookup_path(repo.__getitem__, walked[0].tree, b"core_memory.txt")


def test_packing_changes_nothing_that_can_be_seen(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(40):
        _write(history, paths.entity_memory / f"{number % 7}.md", f"{number}\n" * 50)
        _write(history, paths.main_memory, "\n".join(map(str, range(number))))
    before = history.entries(100)
    diffs = [history.diff(entry.id) for entry in before]
    assert history.maintain() == 0  # not much yet
    assert history.maintain(force=True) > 200
    assert history.maintain(force=True) == 0
    assert not list((paths.history / "objects").glob("[0-9a-f][0-9a-f]/*"))
    for seen in (history, History(paths, clock)):
        assert seen.entries(100) == before
        assert [seen.diff(entry.id) for entry in before] == diffs
    history.undo(before[0].id, author="user")
    with Repo(str(paths.history)) as repo:
        assert list(fsck(repo)) == []


def test_packing_keeps_long_lists_small(history: History, paths: PersonaPaths) -> None:
    many = {paths.episodic_memory / f"{number:04d}.json": str(number).encode() for number in range(200)}
    for path, content in many.items():
        write_atomic(path, content)
    history.notice_outside()
    history.maintain(force=True)
    for number in range(30):
        _write(history, paths.episodic_memory / f"{number:04d}.json", "x")
    loose = _size(paths.history)
    history.maintain(force=True)
    assert _size(paths.history) < loose / 3


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_reading_goes_on_while_another_packs(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(30):
        _write(history, paths.notepad, str(number))
    reader = History(paths, clock)
    failures: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                for entry in reader.entries(40):
                    reader.diff(entry.id)
        except BaseException as error:  # noqa: BLE001  # told to the test
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(5):
        history.maintain(force=True)
        _write(history, paths.notepad, f"again {number}")
    stop.set()
    thread.join(30)
    assert failures == []


@pytest.mark.parametrize("damage", ["head", "head-commit", "HEAD", "empty"])
def test_a_broken_history_is_kept_aside_and_a_new_one_begins(
    history: History, paths: PersonaPaths, clock: HandClock, damage: str
) -> None:
    _write(history, paths.notepad, "一")
    history.close()
    branch = paths.history / "refs" / "heads" / "main"
    head = branch.read_text().strip()
    if damage == "head":
        branch.write_bytes(b"\0" * 41)
    elif damage == "head-commit":
        (paths.history / "objects" / head[:2] / head[2:]).write_bytes(b"")
    elif damage == "HEAD":
        (paths.history / "HEAD").unlink()
    else:
        branch.unlink()
    fresh = History(paths, clock)
    assert fresh.entries() == []
    (notice,) = fresh.notices
    kept = next(paths.folder.glob(".history.broken-*"))
    assert kept.name in notice.sentence("ja")
    assert (kept / "objects").is_dir()
    entry = _write(fresh, paths.notepad, "二")
    assert [e.kind for e in fresh.entries()] == ["change", "beginning"]
    fresh.undo(entry, author="user")
    assert paths.notepad.read_text("utf-8") == "一"


def test_a_missing_history_begins_anew_with_what_is_there(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    _write(history, paths.notepad, "一")
    history.close()
    shutil.rmtree(paths.history)
    fresh = History(paths, clock)
    assert fresh.entries() == []
    entry = _write(fresh, paths.notepad, "二")
    fresh.undo(entry, author="user")
    assert paths.notepad.read_text("utf-8") == "一"
    assert fresh.notices == []
    # and also below the feet of one that is open
    shutil.rmtree(paths.history)
    assert fresh.entries() == []
    assert fresh.record(author="user", reason="", files=[paths.notepad]) is None
    assert len(fresh.entries()) == 1


def test_an_old_damaged_entry_is_named_and_the_rest_lives_on(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    first = _write(history, paths.notepad, "一" * 30)
    second = _write(history, paths.notepad, "二")
    with Repo(str(paths.history)) as repo:
        commit = repo[ObjectID(first.encode())]
        assert isinstance(commit, Commit)
        blob = tree_lookup_path(repo.__getitem__, commit.tree, b"notepad.txt")[1].decode()
    (paths.history / "objects" / blob[:2] / blob[2:]).write_bytes(b"rubbish")
    fresh = History(paths, clock)
    with pytest.raises(HistoryDamagedError):
        fresh.diff(first)
    with pytest.raises(HistoryDamagedError):
        fresh.undo(second, author="user")
    assert paths.notepad.read_text("utf-8") == "二"
    third = _write(fresh, paths.notepad, "三")
    assert len(fresh.entries()) == 4
    fresh.undo(third, author="user")


def test_a_damaged_commit_ends_the_walk_with_a_notice(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    first = _write(history, paths.notepad, "一")
    second = _write(history, paths.notepad, "二")
    (paths.history / "objects" / first[:2] / first[2:]).write_bytes(b"rubbish")
    fresh = History(paths, clock)
    assert [entry.id for entry in fresh.entries()] == [second]
    assert [notice.code for notice in fresh.notices] == ["history-damaged"]
    third = _write(fresh, paths.notepad, "三")
    fresh.undo(third, author="user")
    assert paths.notepad.read_text("utf-8") == "二"


def test_commits_made_by_somebodys_own_git_are_entries_too(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    _forge(paths, message=b"by hand\n", author=b"Aya <aya@example.org>")
    newest = History(paths, clock).entries(1)[0]
    assert (newest.author, newest.reason, newest.files) == ("Aya", "by hand", ())


def test_a_name_that_leads_out_of_the_folder_is_never_followed(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    """A persona's folder may come from somebody else."""
    target = paths.folder.parent / "elsewhere.txt"
    target.write_text("precious", "utf-8")
    _write(history, paths.notepad, "x")
    forged = _forge(paths, replaced=(b'"notepad.txt"', b'"../elsewhere.txt"'))
    fresh = History(paths, clock)
    with pytest.raises(HistoryDamagedError):
        fresh.undo(forged, author="user")
    assert target.read_text("utf-8") == "precious"


def _forge(
    paths: PersonaPaths, message: bytes = b"", author: bytes = b"", replaced: tuple[bytes, bytes] = (b"", b"")
) -> str:
    """Put a commit on top of the newest one, as another program could."""
    with Repo(str(paths.history)) as repo:
        commit = repo[repo.head()].copy()
        assert isinstance(commit, Commit)
        commit.parents = [repo.head()]
        commit.message = message or commit.message.replace(*replaced)
        commit.author = author or commit.author
        repo.object_store.add_object(commit)
        repo.refs[Ref(b"refs/heads/main")] = commit.id
        return commit.id.decode()


_NAMES = ("core_memory.txt", "notepad.txt", "entity_memory/猫.md", "memory/insights.json")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_walk_of_changes_can_be_taken_back_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    paths = PersonaPaths(tmp_path_factory.mktemp("walk") / "ねむ")
    paths.folder.mkdir()
    history = History(paths, HandClock())
    states: list[dict[str, bytes]] = []
    made: list[str] = []
    for _ in range(data.draw(st.integers(1, 6))):
        change = data.draw(
            st.dictionaries(st.sampled_from(_NAMES), st.none() | st.binary(max_size=3), min_size=1, max_size=4)
        )
        before = _content(paths)
        entry = history.apply({paths.folder / name: content for name, content in change.items()}, Draft("x", ""))
        if entry is not None:
            states.append(before)
            made.append(entry)
            assert _content(paths) == {
                name: content for name, content in {**before, **change}.items() if content is not None
            }
    for entry, before in zip(reversed(made), reversed(states), strict=True):
        history.undo(entry, author="user")
        assert _content(paths) == before


def _content(paths: PersonaPaths) -> dict[str, bytes]:
    return {name: (paths.folder / name).read_bytes() for name in _NAMES if (paths.folder / name).exists()}
