"""Every change of a memory can be seen and explained, by us and by any git."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import datetime
from functools import partialmethod
from pathlib import Path

import pytest
from dulwich import pack as dulwich_pack
from dulwich.object_store import tree_lookup_path
from dulwich.porcelain import fsck
from dulwich.repo import Repo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.storage.errors import (
    EntryNotFoundError,
)
from managers.storage.files import digest, write_atomic
from managers.storage.history import Draft, History, pack, unified
from managers.storage.history.checking import check_history
from managers.storage.history.diff import FileDiff
from managers.storage.history.objects import DIVIDED_FROM, ObjectDatabase
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write


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
    entry = write(history, paths.core_memory, "はじめ\nつぎ")
    (diff,) = history.diff(entry)
    assert (diff.before, diff.after) == ("はじめ\n".encode(), "はじめ\nつぎ".encode())
    assert diff.unified.splitlines()[2:] == ["@@ -1 +1,2 @@", " はじめ", "+つぎ", "\\ No newline at end of file"]
    assert history.at(entry, paths.core_memory) == "はじめ\nつぎ".encode()
    assert history.at(entry, paths.goals) is None


def test_a_diff_splits_at_line_feeds_only() -> None:
    assert unified("a\x0cb\u2028c\n", "a\x0cb\u2028d\n", "x").count("\n") == 5


def test_entries_are_paged_and_filtered_by_file(history: History, paths: PersonaPaths, clock: HandClock) -> None:
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


def test_an_entry_may_be_named_by_the_beginning_of_its_id(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.notepad, "x")
    assert history.diff(entry[:10])[0].after == b"x"
    for unknown in ("ffffffff", "", "../../x", entry[:3], "core_memory.txt"):
        with pytest.raises(EntryNotFoundError):
            history.diff(unknown)
    blob = history.apply({paths.notepad: b"y"}, Draft("user", ""))
    assert blob is not None


def test_a_fresh_history_and_a_second_process_see_the_same(
    history: History, paths: PersonaPaths, clock: HandClock
) -> None:
    other = History(paths, clock)
    first = write(history, paths.notepad, "一")
    assert other.entries(1)[0].id == first
    second = write(other, paths.notepad, "二")
    assert [entry.id for entry in history.entries(2)] == [second, first]
    history.undo(second, author="user")
    assert other.entries(2)[1].undone_by


def test_any_git_can_read_it(history: History, paths: PersonaPaths) -> None:
    write(history, paths.entity_memory / "猫.md", "三毛", reason="話に出た")
    history.maintain(force=True)
    write(history, paths.entity_memory / "猫.md", "白")
    with Repo(str(paths.history)) as repo:
        assert list(fsck(repo)) == []
        assert repo.bare
        walked = [step.commit for step in repo.get_walker()]
        assert len(walked) == 3
        assert walked[1].message.decode().startswith("話に出た\n")
        assert tree_lookup_path(repo.__getitem__, walked[0].tree, b"core_memory.txt")


def test_packing_changes_nothing_that_can_be_seen(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(40):
        write(history, paths.entity_memory / f"{number % 7}.md", f"{number}\n" * 50)
        write(history, paths.main_memory, "\n".join(map(str, range(number))))
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


@pytest.mark.parametrize("is_killed", [False, True])
def test_many_packs_become_one(
    history: History, paths: PersonaPaths, clock: HandClock, monkeypatch: pytest.MonkeyPatch, *, is_killed: bool
) -> None:
    reader, packs = History(paths, clock), paths.history / "objects" / "pack"
    for number in range(pack.MANY_PACKS - 2):  # beside the one of its beginning
        write(history, paths.main_memory, "\n".join(digest(f"{line}") for line in range(99 + 9 * number)))
        history.maintain(force=True)
        reader.diff(reader.entries(1)[0].id)  # it has each pack open
    before = reader.entries(100)
    diffs = [reader.diff(entry.id) for entry in before]
    assert len(list(packs.glob("*.pack"))) == pack.MANY_PACKS - 1
    apart = _size(packs)
    write(history, paths.notepad, "one more")
    with monkeypatch.context() as patch:
        if is_killed:
            patch.setattr(pack, "_remove_packs", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt) if is_killed else nullcontext():
            history.maintain(force=True)
    write(history, paths.notepad, "and another")
    history.maintain(force=True)
    assert len(list(packs.glob("*.pack"))) == (1 if is_killed else 2)  # what was left over was joined once more
    assert _size(packs) < apart / 3  # of what stood whole in each, one is
    for seen in (history, reader, History(paths, clock)):
        assert seen.entries(100)[2:] == before
        assert [seen.diff(entry.id) for entry in before] == diffs
    with Repo(str(paths.history)) as repo:
        assert list(fsck(repo)) == []


@pytest.mark.parametrize("step", ["_plan", "_join"])
def test_who_writes_while_it_packs_makes_it_no_larger(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(pack, "MANY_PACKS", 2)
    for number in range(30):
        write(history, paths.main_memory, "\n".join(digest(f"{line}") for line in range(99 + 9 * number)))
    there: Callable[..., object] = getattr(pack, step)

    def meanwhile(*given: object, **options: object) -> object:
        monkeypatch.setattr(pack, step, there)
        write(history, paths.notepad, "now")
        return there(*given, **options)

    monkeypatch.setattr(pack, step, meanwhile)
    loose = _size(paths.history)
    history.maintain(force=True)
    assert _size(paths.history) < loose / 5


def test_between_long_texts_that_share_no_line_no_difference_is_looked_for(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    there = dulwich_pack.create_delta

    def seen(base: bytes, target: bytes) -> Iterator[bytes]:
        compared.append(len(target))
        return there(base, target)

    monkeypatch.setattr(dulwich_pack, "create_delta", seen)
    monkeypatch.setattr(pack, "_HAS_FAST_DELTAS", True)
    for number in range(3):
        write(history, paths.notepad, "\n".join(digest(f"{number} {line}") for line in range(200)))
    history.maintain(force=True)
    assert max(compared) < 4000
    write(history, paths.notepad, "one line more\n" + paths.notepad.read_text())
    write(history, paths.notepad, "and another\n" + paths.notepad.read_text())
    history.maintain(force=True)
    assert max(compared) > 4000


def test_packing_keeps_long_lists_small(history: History, paths: PersonaPaths) -> None:
    many = {paths.episodic_memory / f"{number:04d}.json": str(number).encode() for number in range(150)}
    for path, content in many.items():
        write_atomic(path, content)
    history.notice_outside()
    history.maintain(force=True)
    for number in range(30):
        write(history, paths.episodic_memory / f"{number:04d}.json", "x")
    loose = _size(paths.history)
    history.maintain(force=True)
    assert _size(paths.history) < loose / 3


def test_a_change_costs_little_beside_thousands_of_files(history: History, paths: PersonaPaths) -> None:
    for number in range(3000):
        path = paths.episodic_memory / f"{number:04d}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(number), "utf-8")
    history.notice_outside()
    before = _size(paths.history)
    write(history, paths.episodic_memory / "0007.json", "x")
    assert _size(paths.history) - before < 6000


def test_a_history_from_before_folders_were_divided_goes_on(
    history: History, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        undivided = partialmethod(ObjectDatabase.changed_tree, divide_from=sys.maxsize)
        patch.setattr(ObjectDatabase, "changed_tree", undivided)
        for number in range(2 * DIVIDED_FROM):
            write_atomic(paths.episodic_memory / f"{number:04d}.json", str(number))
        history.notice_outside()
        write(history, paths.episodic_memory / "0007.json", "seven")
    old = history.entries(1)[0]
    write(history, paths.episodic_memory / "0008.json", "eight")
    write(history, paths.episodic_memory / "new.json", "new")
    assert history.diff(old.id) == [FileDiff("episodic_memory/0007.json", b"7", b"seven")]
    assert [diff.path for diff in history.diff(history.entries(2)[1].id)] == ["episodic_memory/0008.json"]
    history.undo(old.id, author="user")
    assert (paths.episodic_memory / "0007.json").read_bytes() == b"7"
    assert history.maintain(force=True)
    assert history.at(old.id, paths.episodic_memory / "0007.json") == b"seven"
    assert check_history(paths.history).is_sound
    with Repo(str(paths.history)) as repo:
        assert list(fsck(repo)) == []
    assert not history.notice_outside()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_reading_goes_on_while_another_packs(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    for number in range(30):
        write(history, paths.notepad, str(number))
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
        write(history, paths.notepad, f"again {number}")
    stop.set()
    thread.join(30)
    assert failures == []
