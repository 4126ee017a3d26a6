"""Every change of a memory can be seen, explained, and taken back; damage to a history is found and named, and life goes on."""

import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from dulwich.objects import Commit
from dulwich.refs import Ref
from dulwich.repo import Repo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.storage.errors import EntryNotFoundError, HistoryDamagedError, NotUndoableError
from managers.storage.files import digest, write_atomic
from managers.storage.history import Draft, History, unified
from managers.storage.history.checking import check_history
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write

NAMES = ("core_memory.txt", "notepad.txt", "entity_memory/猫.md", "memory/insights.json")


def test_an_entry_says_who_when_why_and_from_what(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 3, 1, 4, 53, 57))
    entry = history.apply(
        {paths.core_memory: b"x", paths.entity_memory / "田中さん.md": b"y"},
        Draft("dream", '夜の整理\n\nBy: "mallory"', ("20260101T000000-aa", 'a "b"\nc', "☕\u2028"), "built-in"),
    )
    newest = history.entries(1)[0]
    assert (newest.id, newest.time) == (entry, datetime(2026, 3, 1, 4, 53, 57))
    assert (newest.author, newest.reason, newest.mind) == ("dream", '夜の整理\n\nBy: "mallory"', "built-in")
    assert newest.evidence == ("20260101T000000-aa", 'a "b"\nc', "☕\u2028")
    assert newest.files == ("core_memory.txt", "entity_memory/田中さん.md")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(author=st.text(), reason=st.text(), evidence=st.lists(st.text(), max_size=3), mind=st.text())
def test_any_words_about_a_change_come_back_as_they_were_given(
    history: History, paths: PersonaPaths, author: str, reason: str, evidence: list[str], mind: str
) -> None:
    write_atomic(paths.notepad, f"{author}{reason}{evidence}{history.entries(1)[0].id}".encode("utf-8", "replace"))
    history.record(author=author, reason=reason, files=[paths.notepad], evidence=evidence, mind=mind)
    newest = history.entries(1)[0]
    assert (newest.author, newest.evidence, newest.mind) == (author, tuple(evidence), mind)
    assert newest.reason == reason.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


changes = st.dictionaries(st.sampled_from(NAMES), st.none() | st.binary(max_size=3), min_size=1, max_size=4)
steps = st.lists(st.tuples(changes, st.sampled_from(["dream", "outside", "dream, then kept small"])), max_size=6)


@settings(max_examples=25)
@given(walk=steps)
def test_each_version_of_any_walk_comes_back_and_each_change_can_be_taken_back_and_done_again(
    tmp_path_factory: pytest.TempPathFactory, walk: list[tuple[dict[str, bytes | None], str]]
) -> None:
    paths = PersonaPaths(tmp_path_factory.mktemp("walk") / "ねむ")
    paths.folder.mkdir()
    history = History(paths, HandClock())

    def content() -> dict[str, bytes]:
        return {name: (paths.folder / name).read_bytes() for name in NAMES if (paths.folder / name).exists()}

    before, versions = content(), list[tuple[str, dict[str, bytes], dict[str, bytes]]]()
    history.begin(author="user", reason="")
    for change, author in walk:
        if author == "outside":
            for name, data in change.items():
                (paths.folder / name).unlink(missing_ok=True)
                if data is not None:
                    write_atomic(paths.folder / name, data)
            entry = history.notice_outside()
        else:
            entry = history.apply({paths.folder / name: data for name, data in change.items()}, Draft(author, ""))
        after = {name: data for name, data in {**before, **change}.items() if data is not None}
        assert content() == after
        assert (entry is None) == (before == after)
        if entry:
            versions.append((entry, before, after))
        before = after
        if author.endswith("small"):
            history.maintain(force=True)
    reader = History(paths, HandClock())
    assert [entry.id for entry in reader.entries()][:-1] == [entry for entry, _, _ in reversed(versions)]
    for entry, was, then in versions:
        assert {name: reader.at(entry, Path(name)) for name in NAMES} == {name: then.get(name) for name in NAMES}
        told = {diff.path: (diff.before, diff.after) for diff in reader.diff(entry)}
        assert told == {n: (was.get(n), then.get(n)) for n in NAMES if was.get(n) != then.get(n)}
    for entry, was, then in reversed(versions):
        history.undo(entry, author="user")
        assert content() == was
        history.redo(entry, author="user")
        assert content() == then
        history.undo(entry, author="user")
    assert [entry.id for entry in history.entries(99) if entry.kind == "change" and not entry.undone_by] == []
    assert check_history(paths.history).is_sound


def test_nothing_changed_is_no_entry_and_the_beginning_cannot_be_undone(history: History, paths: PersonaPaths) -> None:
    assert history.record(author="user", reason="", files=[paths.core_memory]) is None
    assert history.apply({paths.core_memory: "はじめ\n".encode()}, Draft("user", "")) is None
    (beginning,) = history.entries()
    with pytest.raises(NotUndoableError):
        history.undo(beginning.id, author="user")
    assert paths.core_memory.exists()


def test_a_diff_shows_before_and_after(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.core_memory, "はじめ\nつぎ")
    (diff,) = history.diff(entry)
    assert (diff.before, diff.after) == ("はじめ\n".encode(), "はじめ\nつぎ".encode())
    assert diff.unified.splitlines()[2:] == ["@@ -1 +1,2 @@", " はじめ", "+つぎ", "\\ No newline at end of file"]
    assert unified("a\x0cb\u2028c\n", "a\x0cb\u2028d\n", "x").count("\n") == 5  # lines end at line feeds only
    assert unified("a\nb\nc\n", "a\nB\nc", "x") == (
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n"
    )
    assert (unified("", "a\n", "x"), unified("a\n", "a\n", "x")) == ("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "")


def test_entries_are_paged_filtered_named_by_a_prefix(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    made = []
    for number in range(12):
        clock.move(hours=1)
        made.append(write(history, paths.notepad if number % 3 else paths.goals, str(number)))
    made.reverse()
    page = history.entries(5)
    assert [entry.id for entry in page] == made[:5]
    assert [entry.id for entry in history.entries(5, before=page[-1].id)] == made[5:10]
    assert [entry.id for entry in history.entries(path=paths.goals)] == made[2::3]
    assert [entry.id for entry in history.entries(path=Path("goals.json"), before=made[2])] == made[5::3]
    assert history.entries(0) == []
    assert history.diff(made[0][:10])[0].after == b"11"
    for unknown in ("ffffffff", "", "../../x", made[0][:3], "core_memory.txt"):
        with pytest.raises(EntryNotFoundError):
            history.diff(unknown)


def test_it_is_kept_small_and_nobody_sees_a_difference(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    reader = History(paths, clock)
    written = 0
    for number in range(24):
        write(history, paths.main_memory, "\n".join(digest(f"{line}") for line in range(99 + 9 * number)))
        written += paths.main_memory.stat().st_size
        reader.diff(reader.entries(1)[0].id)  # it has open what is put together
        history.maintain(force=True)
    told = [(entry, history.diff(entry.id)) for entry in history.entries(100)]
    assert history.maintain(force=True) == 0
    for seen in (reader, History(paths, clock)):
        assert [(entry, seen.diff(entry.id)) for entry in seen.entries(100)] == told
    assert sum(path.stat().st_size for path in paths.history.rglob("*") if path.is_file()) < written / 4


def test_others_read_and_write_while_it_is_kept_small(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(30):
        write(history, paths.notepad, str(number))
    stop = threading.Event()

    def elsewhere() -> None:
        other = History(paths, clock)
        for number in range(sys.maxsize):
            write(other, paths.core_memory, str(number))
            for entry in other.entries(40):
                other.diff(entry.id)
            if stop.is_set():
                return

    with ThreadPoolExecutor() as pool:
        meanwhile = pool.submit(elsewhere)
        try:
            for number in range(5):
                history.maintain(force=True)
                write(history, paths.notepad, f"again {number}")
        finally:
            stop.set()
    meanwhile.result()
    assert check_history(paths.history).is_sound
    told = [entry.files for entry in history.entries(sys.maxsize)]
    assert told.count(("notepad.txt",)) == 35


def test_what_is_erased_is_in_no_version_the_rest_is(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(6):
        write(history, paths.notepad, f"a secret {number}", reason="secret" if number % 2 else "")
        write(history, paths.core_memory, f"kept {number}")
        if number % 2:
            history.maintain(force=True)
    before = history.entries(99)
    (kept,) = [history.diff(entry.id) for entry in before if entry.id == before[4].id]
    assert history.erase(
        lambda _, content: content.replace(b"secret", b"......") if content else content,
        lambda entry: replace(entry, reason=entry.reason.replace("secret", "......")),
    )
    for reader in (history, History(paths, clock)):
        after = reader.entries(99)
        told = [reader.diff(entry.id) for entry in after]
        assert [entry.files for entry in after] == [entry.files for entry in before]
        assert told[4] == kept
        assert "secret" not in repr((after, told))
    assert check_history(paths.history).is_sound
    with pytest.raises(EntryNotFoundError):
        history.diff(before[1].id)


@pytest.fixture
def versions(history: History, paths: PersonaPaths) -> dict[str, bytes]:
    """What each entry left in the notepad; the older half of them was packed."""
    made = {}
    for number in range(6):
        text = f"版{number}" * 30
        made[write(history, paths.notepad, text)] = text.encode()
        if number == 2:
            history.maintain(force=True)
    history.close()
    return made


def check_that_life_goes_on(paths: PersonaPaths, clock: HandClock) -> None:
    history = History(paths, clock)
    first, second = (write(history, paths.notepad, text) for text in ("新しい", "もっと"))
    assert history.at(second, paths.notepad) == "もっと".encode()
    history.undo(second, author="user")
    assert paths.notepad.read_bytes() == history.at(first, paths.notepad) == "新しい".encode()
    history.close()


@pytest.mark.parametrize("harm", ["cut", "empty", "gone", "other"])
def test_whatever_is_damaged_is_found_and_named_and_nothing_else_is_lost(
    paths: PersonaPaths, clock: HandClock, tmp_path: Path, versions: dict[str, bytes], harm: str
) -> None:
    assert check_history(paths.history).is_sound
    files = sorted(path.relative_to(paths.folder) for path in paths.history.rglob("*") if path.is_file())
    lost_some = []
    for number, file in enumerate(files):
        there = PersonaPaths(Path(shutil.copytree(paths.folder, tmp_path / str(number) / "ねむ")))
        path = there.folder / file
        whole = path.read_bytes()
        path.chmod(0o600)
        match harm:
            case "cut":
                path.write_bytes(whole[: len(whole) // 2])
            case "empty":
                path.write_bytes(b"")
            case "gone":
                path.unlink()
            case _:
                path.write_bytes(bytes(byte ^ 0x55 for byte in whole))
        is_sound = check_history(there.history).is_sound
        assert not (is_sound and file.name == "main"), "nothing leads to the newest entry"
        fresh = History(there, clock)
        told, is_named = dict[str, bytes | None](), False
        for entry in fresh.entries():
            try:
                told[entry.id] = fresh.at(entry.id, there.notepad)
            except HistoryDamagedError:
                is_named = True
        known = {entry: content for entry, content in told.items() if entry in versions}
        assert known.items() <= versions.items(), file
        if known != versions:
            lost_some.append(file)
            assert not is_sound or fresh.notices, file
            assert is_named or fresh.notices, file
        fresh.close()
        check_that_life_goes_on(there, clock)
    assert len(lost_some) > 6


def test_a_missing_history_begins_anew(paths: PersonaPaths, clock: HandClock, versions: dict[str, bytes]) -> None:
    shutil.rmtree(paths.history)
    assert check_history(paths.history).is_sound
    fresh = History(paths, clock)
    assert (fresh.entries(), fresh.notices) == ([], [])
    fresh.undo(write(fresh, paths.notepad, "新しい"), author="user")
    assert paths.notepad.read_bytes() == [*versions.values()][-1]
    shutil.rmtree(paths.history)  # and also below the feet of one that is open
    assert fresh.entries() == []
    assert fresh.record(author="user", reason="", files=[paths.notepad]) is None
    assert [entry.kind for entry in fresh.entries()] == ["beginning"]


def test_what_somebody_else_put_there_leads_nowhere(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    """A persona's folder may come from somebody else, whose program put another commit on top of the newest one."""
    target = paths.folder.parent / "elsewhere.txt"
    target.write_text("precious", "utf-8")
    write(history, paths.notepad, "x")
    with Repo(str(paths.history)) as repo:
        commit = repo[repo.head()].copy()
        assert isinstance(commit, Commit)
        commit.parents = [repo.head()]
        commit.message = commit.message.replace(b'"notepad.txt"', b'"../elsewhere.txt"')
        repo.object_store.add_object(commit)
        repo.refs[Ref(b"refs/heads/main")] = commit.id
    with pytest.raises(HistoryDamagedError):
        History(paths, clock).undo(commit.id.decode(), author="user")
    assert target.read_text("utf-8") == "precious"
