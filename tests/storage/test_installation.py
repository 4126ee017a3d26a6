"""The seal of an installation: what it made itself holds, what comes from elsewhere does not."""

import shutil
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from managers.storage import installation
from managers.storage.installation import Installation
from managers.storage.paths import Home


@pytest.fixture
def here(own_home: Home) -> Installation:
    return Installation(own_home)


def test_what_was_sealed_here_holds_in_another_process_and_not_for_another_purpose(own_home: Home) -> None:
    seal = Installation(own_home).seal("journal", b"words")
    later = Installation(own_home)
    assert later.is_sealed("journal", b"words", seal)
    assert not later.is_sealed("journal", b"other words", seal)
    assert not later.is_sealed("guest", b"words", seal)
    assert not later.is_sealed("journal", b"words", "")
    assert not later.is_sealed("journal", b"words", "封")


def test_a_home_without_a_key_has_sealed_nothing_and_asking_makes_none(here: Installation, own_home: Home) -> None:
    assert here.id is None
    assert not here.is_sealed("journal", b"words", "0" * 64)
    assert not own_home.installation_key.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits are POSIX")
def test_the_key_is_its_owners_alone(here: Installation, own_home: Home) -> None:
    here.seal("journal", b"")
    assert stat.S_IMODE(own_home.installation_key.stat().st_mode) == 0o600


def test_a_home_that_was_carried_to_another_computer_is_another_installation(
    here: Installation, own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal, name = here.seal("guest", b"Mallory"), here.id
    shutil.copytree(own_home.folder, tmp_path / "elsewhere")
    monkeypatch.setattr(installation, "_computer", lambda: b"another computer")
    there = Installation(Home(tmp_path / "elsewhere"))
    assert not there.is_sealed("guest", b"Mallory", seal)
    assert there.id != name


def test_a_key_that_cannot_be_understood_seals_nothing_and_is_made_anew(here: Installation, own_home: Home) -> None:
    seal = here.seal("guest", b"")
    own_home.installation_key.write_bytes(b"\xff\x00 no key")
    assert not here.is_sealed("guest", b"", seal)
    assert here.is_sealed("guest", b"", here.seal("guest", b""))


def test_who_come_first_together_agree_on_one_key(own_home: Home) -> None:
    with ThreadPoolExecutor(8) as pool:
        seals = list(pool.map(lambda _: Installation(own_home).seal("guest", b""), range(8)))
    assert len(set(seals)) == 1
