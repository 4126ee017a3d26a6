"""Files on their way from a form: for one's own account alone, gone afterwards, and a full disk is a sentence."""

import io
import stat
import sys
from pathlib import Path

import pytest
from fastapi import UploadFile

from managers.storage.errors import DiskFullError
from managers.storage.paths import Home
from tests.disks import small_disk
from ui.server.uploads import sent_files


def upload(data: bytes) -> UploadFile:
    return UploadFile(io.BytesIO(data), filename="memo.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such modes")
def test_they_are_for_ones_own_account_alone_and_gone_afterwards(own_home: Home) -> None:
    own_home.folder.mkdir(parents=True, exist_ok=True)
    with sent_files(own_home, [upload(b"mine")]) as [sent]:
        assert sent.file.read_bytes() == b"mine"
        assert stat.S_IMODE(sent.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(sent.file.parent.stat().st_mode) == 0o700
    assert not sent.file.exists()


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as folder:
        home = Home(folder)
        with pytest.raises(DiskFullError), sent_files(home, [upload(b"x" * 3_000_000)]):
            pass
        assert list((folder / ".uploads").iterdir()) == []
