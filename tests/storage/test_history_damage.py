"""A history that is broken, missing, or made by another program."""

import shutil

import pytest
from dulwich.object_format import SHA1
from dulwich.object_store import tree_lookup_path
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.pack import Pack
from dulwich.refs import Ref
from dulwich.repo import Repo

from managers.storage.errors import (
    HistoryDamagedError,
)
from managers.storage.history import History, pack
from managers.storage.history.checking import check_history, noted_damage
from managers.storage.history.objects import ObjectDatabase
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write


@pytest.mark.parametrize("damage", ["head", "head-commit", "HEAD", "empty"])
def test_a_broken_history_is_kept_aside_and_a_new_one_begins(
    history: History, paths: PersonaPaths, clock: HandClock, damage: str
) -> None:
    write(history, paths.notepad, "一")
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
    entry = write(fresh, paths.notepad, "二")
    assert [e.kind for e in fresh.entries()] == ["change", "beginning"]
    fresh.undo(entry, author="user")
    assert paths.notepad.read_text("utf-8") == "一"


def test_a_missing_history_begins_anew_with_what_is_there(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    write(history, paths.notepad, "一")
    history.close()
    shutil.rmtree(paths.history)
    fresh = History(paths, clock)
    assert fresh.entries() == []
    entry = write(fresh, paths.notepad, "二")
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
    first = write(history, paths.notepad, "一" * 30)
    second = write(history, paths.notepad, "二")
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
    third = write(fresh, paths.notepad, "三")
    assert len(fresh.entries()) == 4
    fresh.undo(third, author="user")


def test_a_damaged_commit_ends_the_walk_with_a_notice(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    first = write(history, paths.notepad, "一")
    second = write(history, paths.notepad, "二")
    (paths.history / "objects" / first[:2] / first[2:]).write_bytes(b"rubbish")
    fresh = History(paths, clock)
    assert [entry.id for entry in fresh.entries()] == [second]
    assert [notice.code for notice in fresh.notices] == ["history-damaged"]
    third = write(fresh, paths.notepad, "三")
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
    write(history, paths.notepad, "x")
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


@pytest.mark.parametrize("damage", ["a commit is gone", "a version is damaged"])
def test_damage_of_long_ago_does_not_stop_packing(history: History, paths: PersonaPaths, damage: str) -> None:
    entries = [write(history, paths.notepad, f"{number}" * 99) for number in range(9)]
    history.close()
    objects = paths.history / "objects"
    lost = entries[3] if damage == "a commit is gone" else Blob.from_string(b"3" * 99).id.decode()
    path = objects / lost[:2] / lost[2:]
    path.chmod(0o644)
    path.write_bytes(b"x") if damage == "a version is damaged" else path.unlink()
    for number in range(3):
        write(history, paths.core_memory, f"{number}" * 99)
        history.maintain(force=True)
    assert set(objects.glob("[0-9a-f][0-9a-f]/*")) == {path} & {path if path.exists() else None}
    assert bool(noted_damage(paths.history)) is path.exists()  # what is gone is found where somebody looks
    assert not check_history(paths.history).is_sound
    assert len(history.entries()) > 3  # those that are newer are there


def test_a_damaged_pack_is_told_of_and_keeps_no_others_from_being_joined(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MANY_PACKS", 3)
    monkeypatch.setattr(pack, "_SMALL", 40)
    commits = [write(history, paths.notepad, f"{number}" * 99) for number in range(20)]
    history.maintain(force=True)
    history.close()
    packs = paths.history / "objects" / "pack"
    large = max(packs.glob("*.pack"), key=lambda path: path.stat().st_size)
    with Pack(str(large.with_suffix("")), object_format=SHA1) as packed:
        offset = packed.index.object_offset(ObjectID(commits[9].encode()))
    large.chmod(0o644)
    content = bytearray(large.read_bytes())
    content[offset + 20] ^= 0xFF  # within what is compressed: a commit's own head is far shorter
    large.write_bytes(content)
    for number in range(5):
        write(history, paths.core_memory, f"{number}" * 99)
        history.maintain(force=True)
    assert len(list(packs.glob("*.pack"))) <= 3
    assert noted_damage(paths.history) is not None


def test_a_pack_that_somebodys_own_git_named_outlives_an_erasure(
    history: History, paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MANY_PACKS", 2)
    for number in range(5):
        write(history, paths.notepad, f"{number}")
    history.maintain(force=True)
    history.close()
    packs = paths.history / "objects" / "pack"
    for file in list(packs.iterdir()):
        file.rename(file.with_stem(f"pack-{'0' * 40}"))
    (packs / f"pack-{'1' * 40}.bitmap").write_bytes(b"of a pack that is gone")
    database = ObjectDatabase(paths.history)
    database.add([Blob.from_string(b"what a killed writer left")])
    database.close()
    before = history.entries()
    history.erase(lambda _, content: content, lambda entry: entry)
    history.close()
    assert History(paths, clock).entries() == before
    assert check_history(paths.history).is_sound
    assert {file.stem for file in packs.iterdir()} == {f"pack-{'0' * 40}"}


def test_every_part_is_looked_at_and_none_is_changed(history: History, paths: PersonaPaths) -> None:
    entries = [write(history, paths.notepad, f"版{number}" * 20) for number in range(6)]
    history.maintain(force=True)
    entries += [write(history, paths.core_memory, f"版{number}" * 20) for number in range(3)]
    history.close()
    before = {path: path.read_bytes() for path in paths.history.rglob("*") if path.is_file()}
    check = check_history(paths.history)
    assert check.is_sound
    assert len(check.there) > 20
    assert {path: path.read_bytes() for path in paths.history.rglob("*") if path.is_file()} == before
    for path, content in before.items():
        if "objects" not in path.parts or path.suffix == ".idx":
            continue
        path.chmod(0o644)
        for damaged in (
            content[: len(content) // 2],
            content[:-30] + bytes(byte ^ 0x55 for byte in content[-30:]),
            b"",
        ):
            path.write_bytes(damaged)
            assert not check_history(paths.history).is_sound, path
        path.unlink()
        assert not check_history(paths.history).is_sound, path
        path.write_bytes(content)
    assert check_history(paths.history).is_sound
    blob = next(path for path in before if len(path.name) == 38)
    blob.unlink()
    assert set(check_history(paths.history).entries) <= set(entries)


def test_no_history_at_all_is_sound(paths: PersonaPaths) -> None:
    assert check_history(paths.history).is_sound
