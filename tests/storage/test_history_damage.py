"""A history that is broken, missing, or made by somebody else: it is said, nothing untrue is told, and life goes on."""

import shutil
from pathlib import Path

import pytest
from dulwich.objects import Commit
from dulwich.refs import Ref
from dulwich.repo import Repo

from managers.storage.errors import HistoryDamagedError
from managers.storage.history import History
from managers.storage.history.checking import check_history
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
