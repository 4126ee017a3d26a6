"""A persona's folder holds links and special files: nothing is read or written elsewhere, and nothing waits."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage import files, opening
from managers.storage.aside import keep_aside, put_aside
from managers.storage.errors import NotPlainFileError, UnreadableError, UnwritableError
from managers.storage.paths import PersonaPaths

NOW = datetime(2026, 1, 2, 22, 0)
SECRET = b"what stands elsewhere"
posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices in folders are POSIX")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    (folder / "sub").mkdir(parents=True)
    (folder / "secret.txt").write_bytes(SECRET)
    (folder / "sub" / "secret.txt").write_bytes(SECRET)
    return folder


def link(path: Path, target: Path) -> Path:
    """Make a link; on Windows, where links want rights, a junction to a folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        if not target.is_dir():
            pytest.skip("links to files want rights on Windows")
        subprocess.run(["cmd", "/c", "mklink", "/J", str(path), str(target)], check=True, capture_output=True)
    return path


def a_step_back(folder: Path, elsewhere: Path) -> Path:
    (folder / "memory").mkdir()
    return folder / "memory" / ".." / ".." / elsewhere.name / "secret.txt"


def a_pipe(folder: Path, _: Path) -> Path:
    os.mkfifo(folder / "notepad.txt")
    return folder / "notepad.txt"


def a_device(folder: Path, _: Path) -> Path:
    try:
        os.mknod(folder / "notepad.txt", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero: it never ends
    except PermissionError:
        pytest.skip("only the administrator makes devices")
    return folder / "notepad.txt"


def a_folder(folder: Path, _: Path) -> Path:
    (folder / "notepad.txt").mkdir()
    return folder / "notepad.txt"


Trap = Callable[[Path, Path], Path]
LINKS: dict[str, Trap] = {
    "to a file": lambda folder, elsewhere: link(folder / "notepad.txt", elsewhere / "secret.txt"),
    "to nothing": lambda folder, elsewhere: link(folder / "notepad.txt", elsewhere / "new.txt"),
    "to a folder": lambda folder, elsewhere: link(folder / "notepad.txt", elsewhere / "sub"),
    "to itself": lambda folder, _: link(folder / "notepad.txt", folder / "notepad.txt"),
    "in a parent": lambda folder, elsewhere: link(folder / "memory", elsewhere) / "secret.txt",
    "in a parent's parent": lambda folder, elsewhere: link(folder / "memory", elsewhere) / "sub" / "secret.txt",
    "a step back": a_step_back,
}
SPECIAL = [pytest.param(one, marks=posix) for one in (a_pipe, a_device, a_folder)]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("trap", [*(pytest.param(trap, id=name) for name, trap in LINKS.items()), *SPECIAL])
@pytest.mark.parametrize("follows_no_links_itself", [True, False])
def test_nothing_elsewhere_is_read_or_written(
    paths: PersonaPaths, elsewhere: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch, *, follows_no_links_itself: bool
) -> None:
    """Also where the system cannot be told to follow no links, and it has to be looked first, as on Windows."""
    path = trap(paths.folder, elsewhere)
    before = contents(elsewhere)
    if not follows_no_links_itself:
        monkeypatch.setattr(opening, "_NO_FOLLOW", 0)
        monkeypatch.setattr(opening, "_HOW", 0)
    for read in (files.read_bytes, files.open_binary):
        with pytest.raises(NotPlainFileError) as refused:
            read(path)
        assert isinstance(refused.value, UnreadableError)
    for write in (files.write_atomic, files.append_durably):
        with pytest.raises(NotPlainFileError) as refused:
            write(path, b"ours")
        assert isinstance(refused.value, UnwritableError)
    assert contents(elsewhere) == before


@pytest.mark.parametrize("name", ["to a file", "in a parent", "in a parent's parent", "a step back"])
def test_nothing_elsewhere_is_made_moved_or_swept_away(paths: PersonaPaths, elsewhere: Path, name: str) -> None:
    path = LINKS[name](paths.folder, elsewhere)
    litter = elsewhere / ".log.txt.1-1.utatane-tmp"
    litter.write_bytes(b"")
    os.utime(litter, (0, 0))
    before = contents(elsewhere)
    with pytest.raises(NotPlainFileError):
        files.set_aside(path, NOW)
    for put in (put_aside, keep_aside):
        with pytest.raises(NotPlainFileError):
            put(paths.folder, path, NOW)
    if name != "to a file":
        with pytest.raises(OSError, match="link"):
            files.make_folder(path.with_name("new"))
    files.sweep(paths.folder)
    assert contents(elsewhere) == before
    assert not (elsewhere / "new").exists()


def test_a_listing_has_files_and_folders_and_nothing_else(paths: PersonaPaths, elsewhere: Path) -> None:
    link(paths.memory / "other", elsewhere / "sub")
    (paths.memory / "real").mkdir()
    (paths.memory / "a.txt").touch()
    (paths.memory / ".hidden.txt").touch()
    if sys.platform != "win32":
        a_pipe(paths.memory, elsewhere)
    assert sorted(entry.name for entry in files.entries(paths.memory)) == [".hidden.txt", "a.txt", "real"]
    assert files.files(paths.memory, "*.txt") == [paths.memory / "a.txt"]
    assert files.files(paths.memory, ".*") == [paths.memory / ".hidden.txt"]
    assert files.entries(paths.knowledge) == []
    link(paths.knowledge, elsewhere)
    for listed in (files.entries, files.files):
        with pytest.raises(NotPlainFileError):
            listed(paths.knowledge)
    assert (paths.knowledge, "link") in [*opening.walk(paths.folder)]
    assert not [path for path, _ in opening.walk(paths.folder) if path.parent == paths.knowledge]


def test_a_persona_may_be_no_link_but_what_is_above_may(paths: PersonaPaths, tmp_path: Path, elsewhere: Path) -> None:
    """The home folder on another disk, a file that is given on the command line."""
    other = PersonaPaths(link(paths.folder.with_name("Mallory"), elsewhere))
    with pytest.raises(NotPlainFileError):
        files.read_bytes(other.folder / "secret.txt")
    with pytest.raises(NotPlainFileError):
        files.entries(other.folder)
    there = PersonaPaths(link(tmp_path / "characters", elsewhere) / "Nemu")
    files.write_atomic(there.core_memory, b"mine")
    assert files.read_bytes(there.core_memory) == b"mine"
    if sys.platform != "win32":
        assert files.read_bytes(link(tmp_path / "given.txt", elsewhere / "secret.txt")) == SECRET


def test_a_name_that_stands_in_a_file_leads_into_the_folder_or_nowhere(paths: PersonaPaths) -> None:
    for name in ("../secret.txt", "/etc/passwd", "memory/../../x", "", "a\0b", "."):
        with pytest.raises(opening.NotPlainError):
            opening.inside(paths.folder, name)
    assert opening.inside(paths.folder, "memory/a.txt") == paths.memory / "a.txt"


@posix
def test_what_is_made_is_its_owners_alone(paths: PersonaPaths) -> None:
    usual = os.umask(0o022)
    try:
        files.write_atomic(paths.insights, b"[]")
        files.append_durably(paths.log, b"x")
        paths.core_memory.write_bytes(b"from a friend")
        paths.core_memory.chmod(0o664)
        files.write_atomic(paths.core_memory, b"mine")
    finally:
        os.umask(usual)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths.folder.rglob("*")}
    assert modes == {"memory": 0o700, "insights.json": 0o600, "log.txt": 0o600, "core_memory.txt": 0o600}
