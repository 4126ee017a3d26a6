"""A home folder is its owner's alone: what was left open to others is shut at the next start, and said once."""

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.services import open_services
from commands.doctor import examine
from commands.line import run
from managers.storage import privacy
from managers.storage.opening import FOR_OTHERS
from managers.storage.paths import Home
from tests.homes import LivedIn

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows gives what lies in a user's folder to that user alone")


@pytest.fixture
def home(lived_in: LivedIn) -> Home:
    """A home in which somebody has talked, as an earlier version left it under the usual umask."""
    home = lived_in("two_months_en")
    home.made_private.unlink(missing_ok=True)
    loosen(home.folder)
    return home


def loosen(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def loose(folder: Path) -> Iterator[Path]:
    paths = (path for path in [folder, *folder.rglob("*")] if not path.is_symlink())
    return (path for path in paths if path.lstat().st_mode & FOR_OTHERS)


def started(home: Home) -> list[str]:
    """Start and end; return the codes of what a person is told."""
    with closing(open_services(home)) as services:
        assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700  # at once, before anything is gone through
        return [notice.code for notice in services.notices.all]


def test_a_start_shuts_all_of_it_and_says_so_once(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(loose(home.folder))) > 30
    assert run(["chat", "Hazel", "-m", "Are you there?"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert str(home.folder) in line
    assert "yours alone" in line
    assert list(loose(home.folder)) == []
    assert started(home) == []
    loosen(home.folder)  # a backup is put back, with the marker
    assert started(home) == [privacy.MADE_PRIVATE]
    assert list(loose(home.folder)) == []


def test_the_doctor_names_what_others_can_read_and_leaves_it(home: Home) -> None:
    def told() -> list[str]:
        with closing(open_services(home, only_look=True)) as services:
            return [one.en for one in examine(services) if "Other accounts" in one.en]

    count = len(list(loose(home.folder)))
    (sentence,) = told()
    assert str(home.folder) in sentence
    assert f"and {count - 3:,} more" in sentence
    assert len(list(loose(home.folder))) == count
    home.folder.chmod(0o700)  # now nobody else comes in
    assert told() == []


def test_a_folder_that_was_made_for_the_first_start_is_shut_without_a_word(own_home: Home) -> None:
    own_home.folder.mkdir(mode=0o755)
    assert started(own_home) == []
    assert list(loose(own_home.folder)) == []


def test_what_died_in_the_middle_is_gone_through_at_the_next_start(home: Home) -> None:
    privacy.shut(home)  # and then the process is killed
    assert list(loose(home.folder)) != []
    started(home)
    assert list(loose(home.folder)) == []


def test_what_is_not_ours_is_left_alone_and_no_link_is_followed_but_the_characters(home: Home, tmp_path: Path) -> None:
    home.characters.rename(tmp_path / "disk")
    home.characters.symlink_to(tmp_path / "disk")
    elsewhere, other, folder = tmp_path / "elsewhere", home.folder / "public_html", home.persona("Hazel").folder
    for public in (elsewhere, other):
        public.mkdir(mode=0o755)
        (public / "page.html").touch(0o644)
    (folder / "page.html").symlink_to(elsewhere / "page.html")
    (folder / "knowledge").mkdir(exist_ok=True)
    (folder / "knowledge" / "site").symlink_to(elsewhere)
    os.mkfifo(folder / "pipe", 0o644)
    before = {path: path.lstat().st_mode for path in (elsewhere, elsewhere / "page.html", other, other / "page.html")}
    with closing(open_services(home)) as services:
        assert sorted(str(tmp_path / "disk") in notice.en for notice in services.notices.all) == [False, True]
    assert {path: path.lstat().st_mode for path in before} == before
    assert list(loose(tmp_path / "disk")) == [tmp_path / "disk" / "Hazel" / "pipe"]


def test_a_disk_that_knows_no_owners_is_told_and_not_gone_through(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "chmod", lambda _path, _mode: None)  # as FAT takes it
    with closing(open_services(home)) as services:
        assert [notice.code for notice in services.notices.all] == ["home-open"]
        assert services.going_through is None
