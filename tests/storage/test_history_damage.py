"""A history that is broken, missing, or made by somebody else: it is said, nothing untrue is told, and life goes on."""

import shutil
import tracemalloc
import zlib
from pathlib import Path

import pytest
from dulwich.objects import Commit
from dulwich.refs import Ref
from dulwich.repo import Repo

from managers.storage.errors import HistoryDamagedError
from managers.storage.files import MAX_BYTES
from managers.storage.history import History
from managers.storage.history.checking import check_history, noted_damage
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write


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


def test_a_broken_history_is_kept_aside_and_a_new_one_begins(
    paths: PersonaPaths, clock: HandClock, versions: dict[str, bytes]
) -> None:
    branch = paths.history / "refs" / "heads" / "main"
    branch.write_bytes(b"\0" * 41)
    fresh = History(paths, clock)
    assert fresh.entries() == []
    (notice,) = fresh.notices
    (kept,) = paths.folder.glob(".history.broken-*")
    assert kept.name in notice.sentence("ja")
    (kept / "refs" / "heads" / "main").write_text(list(versions)[-1] + "\n")
    shutil.rmtree(paths.history, ignore_errors=True)
    kept.rename(paths.history)  # all of it is there
    assert [entry.id for entry in History(paths, clock).entries()][:-1] == [*versions][::-1]


def test_a_missing_history_begins_anew_with_what_is_there(
    paths: PersonaPaths, clock: HandClock, versions: dict[str, bytes]
) -> None:
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


def test_damage_of_long_ago_is_noted_at_night_and_mended_where_the_files_still_hold_it(
    history: History, paths: PersonaPaths
) -> None:
    entry = write(history, paths.notepad, "いま" * 99)
    (commit,) = (paths.history / "objects" / entry[:2]).glob(entry[2:])
    held = set((paths.history / "objects").rglob("*")) - {commit}
    history.maintain()
    assert noted_damage(paths.history) is None
    for path in held:
        if path.is_file() and path.parent.name != "pack":  # the versions and folders of that entry
            path.chmod(0o600)
            path.write_bytes(b"rubbish")
    history.maintain()
    assert noted_damage(paths.history) is not None
    assert history.heal() > 0
    assert noted_damage(paths.history) is None
    assert history.at(entry, paths.notepad) == paths.notepad.read_bytes()


def _forge(
    paths: PersonaPaths, message: bytes = b"", author: bytes = b"", leads: tuple[bytes, bytes] = (b"", b"")
) -> str:
    """Put a commit on top of the newest one, as another program could."""
    with Repo(str(paths.history)) as repo:
        commit = repo[repo.head()].copy()
        assert isinstance(commit, Commit)
        commit.parents = [repo.head()]
        commit.message = message or commit.message.replace(*leads)
        commit.author = author or commit.author
        repo.object_store.add_object(commit)
        repo.refs[Ref(b"refs/heads/main")] = commit.id
        return commit.id.decode()


def test_what_somebody_else_put_there_is_told_and_leads_nowhere_out_of_the_folder(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    """A persona's folder may come from somebody else."""
    target = paths.folder.parent / "elsewhere.txt"
    target.write_text("precious", "utf-8")
    write(history, paths.notepad, "x")
    forged = _forge(paths, leads=(b'"notepad.txt"', b'"../elsewhere.txt"'))
    with pytest.raises(HistoryDamagedError):
        History(paths, clock).undo(forged, author="user")
    assert target.read_text("utf-8") == "precious"
    _forge(paths, message=b"by hand\n", author=b"Aya <aya@example.org>")
    newest = History(paths, clock).entries(1)[0]
    assert (newest.author, newest.reason, newest.files) == ("Aya", "by hand", ())


def test_what_unfolds_without_end_is_refused_before_it_does(
    paths: PersonaPaths, clock: HandClock, versions: dict[str, bytes]
) -> None:
    entry = [*versions][-1]
    packing = zlib.compressobj(1)
    piece = bytes(1_000_000)
    bomb = [packing.compress(b"commit 10\0"), *(packing.compress(piece) for _ in range(4 * MAX_BYTES // len(piece)))]
    (paths.history / "objects" / entry[:2] / entry[2:]).chmod(0o600)
    (paths.history / "objects" / entry[:2] / entry[2:]).write_bytes(b"".join([*bomb, packing.flush()]))
    tracemalloc.start()
    assert not check_history(paths.history).is_sound
    fresh = History(paths, clock)
    assert fresh.entries() == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MAX_BYTES
    assert [notice.code for notice in fresh.notices] == ["history-broken"]
    check_that_life_goes_on(paths, clock)
