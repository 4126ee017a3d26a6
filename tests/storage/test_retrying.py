"""A file that somebody holds for a moment is waited for; one that nobody may open costs one wait, and no more."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from managers.personas import trash
from managers.storage import retrying
from managers.storage.errors import UnreadableError, UnwritableError
from managers.storage.files import append_durably, read_bytes, remove, write_atomic
from managers.storage.opening import move
from managers.storage.paths import PersonaPaths


class Holder:
    """Somebody who holds files for so many calls of the system, and counts how long others wait."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.left = 0
        self.waited: list[float] = []
        self.now = 1000.0
        patch.setattr(retrying, "_in_vain", {})
        patch.setattr(retrying, "time", SimpleNamespace(sleep=self.waited.append, monotonic=lambda: self.now))

    def hold(self, call: str, name: str, times: int, code: int = errno.EACCES) -> None:
        """Deny a call about a file of this name so many times."""
        self.left, real = times, getattr(os, call)

        def denied(path: Any, *rest: Any, **named: Any) -> Any:
            is_it = name in {Path(one).name for one in (path, *rest[:1]) if isinstance(one, str | Path)}
            if is_it and self.left > 0:
                self.left -= 1
                raise OSError(code, os.strerror(code), str(path))
            return real(path, *rest, **named)

        self._patch.setattr(os, call, denied)


@pytest.fixture
def holder(monkeypatch: pytest.MonkeyPatch) -> Holder:
    return Holder(monkeypatch)


WAYS: dict[str, tuple[str, Callable[[PersonaPaths], object], Callable[[PersonaPaths], bool]]] = {
    "read": ("open", lambda paths: read_bytes(paths.goals), lambda paths: True),
    "replace": ("replace", lambda paths: write_atomic(paths.goals, b"[2]"), lambda p: p.goals.read_bytes() == b"[2]"),
    "append": ("open", lambda paths: append_durably(paths.goals, b"\n"), lambda p: p.goals.read_bytes() == b"[1]\n"),
    "remove": ("unlink", lambda paths: remove(paths.goals), lambda paths: not paths.goals.exists()),
    "move": ("replace", lambda paths: move(paths.goals, paths.notepad), lambda p: p.notepad.read_bytes() == b"[1]"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_held_for_a_moment_is_waited_for(paths: PersonaPaths, holder: Holder, way: str) -> None:
    call, do, is_done = WAYS[way]
    paths.goals.write_bytes(b"[1]")
    holder.hold(call, "goals.json", 2)
    do(paths)
    assert is_done(paths)
    assert holder.waited == list(retrying.PAUSES[:2])


def test_a_folder_that_is_held_for_a_moment_is_moved(paths: PersonaPaths, holder: Holder) -> None:
    holder.hold("rename", paths.name, 1)
    trash.move(paths.folder, paths.folder.with_name("moved"))
    assert paths.folder.with_name("moved").is_dir()


def test_what_stays_denied_is_said_after_half_a_second_and_at_once_for_a_minute(
    paths: PersonaPaths, holder: Holder
) -> None:
    paths.goals.write_bytes(b"[1]")
    holder.hold("open", "goals.json", 1_000)
    for _ in range(3):
        with pytest.raises(UnreadableError):
            read_bytes(paths.goals)
    assert holder.waited == list(retrying.PAUSES)
    assert sum(holder.waited) == pytest.approx(0.5)
    holder.now += 61
    holder.left = 1
    assert read_bytes(paths.goals) == b"[1]"


def test_a_folder_full_of_files_that_are_denied_is_not_waited_for_one_by_one(
    paths: PersonaPaths, holder: Holder
) -> None:
    names = [paths.folder / f"{number}.txt" for number in range(20)]
    for path in names[::2]:
        path.touch()
    real = os.open

    def denied(path: Any, *rest: Any, **named: Any) -> int:
        if Path(path).parent == paths.folder:
            raise PermissionError(errno.EACCES, "denied", str(path))
        return real(path, *rest, **named)

    holder._patch.setattr(os, "open", denied)
    for path in names:
        with pytest.raises(UnreadableError):
            read_bytes(path)
        with pytest.raises(UnwritableError):
            write_atomic(path, b"")
    assert sum(holder.waited) == pytest.approx(2)


def test_a_read_only_disk_and_a_missing_file_are_not_waited_for(paths: PersonaPaths, holder: Holder) -> None:
    assert read_bytes(paths.goals) is None
    paths.goals.write_bytes(b"[1]")
    holder.hold("replace", "goals.json", 1, errno.EROFS)
    with pytest.raises(UnwritableError):
        write_atomic(paths.goals, b"[2]")
    assert holder.waited == []
