"""What is imported is seen through one door: a file, a folder and a ZIP file look alike, and traps are refused."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from managers.exchange.import_source import SourceTooLargeError, open_source
from managers.exchange.zip_files import UnsafeZipError, open_zip


def packed(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def seen(path: Path) -> tuple[str, dict[str, str]]:
    with open_source(path) as source:
        return source.shape, {name: source.text(name) for name in source.files}


def test_file_folder_and_zip_show_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "Room"
    (folder / "logs").mkdir(parents=True)
    (folder / "logs" / "2026-01.txt").write_text("こんにちは", "utf-8")
    (folder / "log.txt").write_bytes("おはよう、今日はいい天気ですね。".encode("cp932"))
    (folder / ".DS_Store").write_bytes(b"litter")
    expected = {"log.txt": "おはよう、今日はいい天気ですね。", "logs/2026-01.txt": "こんにちは"}
    assert seen(folder) == ("folder", expected)
    with zipfile.ZipFile(tmp_path / "room.zip", "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(tmp_path))
    assert seen(tmp_path / "room.zip") == ("zip", expected)
    assert seen(folder / "log.txt") == ("file", {"log.txt": expected["log.txt"]})


def test_links_in_a_folder_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "Room"
    folder.mkdir()
    (folder / "log.txt").write_text("said")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "elsewhere").symlink_to(tmp_path)
    assert seen(folder)[1] == {"log.txt": "said"}
    with open_source(folder) as source, pytest.raises(KeyError):
        source.open("link.txt")


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "Room"
    folder.mkdir()
    (folder / "log.txt").write_text("said")
    with open_source(folder) as source:
        (folder / "log.txt").unlink()
        (folder / "log.txt").symlink_to(tmp_path / "secret.txt")
        with pytest.raises(OSError, match="link"):
            source.read("log.txt")


def test_names_of_japanese_windows_are_read(tmp_path: Path) -> None:
    (tmp_path / "old.zip").write_bytes(as_windows_writes("表ソ.txt"))
    assert seen(tmp_path / "old.zip")[1] == {"表ソ.txt": "ok"}


def as_windows_writes(name: str) -> bytes:
    raw = name.encode("cp932")
    placeholder = "n" * len(raw)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(placeholder, "ok")
    return target.getvalue().replace(placeholder.encode(), raw)


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/passwd", "a/../../b", "C:/x.txt", "..\\x.txt", "a\\..\\x", "c:x", "nul\0l"]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    target = io.BytesIO()
    placeholder = "n" * len(name.encode())
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(placeholder, "x")
    (tmp_path / "bad.zip").write_bytes(target.getvalue().replace(placeholder.encode(), name.encode()))
    with pytest.raises(UnsafeZipError) as caught, open_source(tmp_path / "bad.zip"):
        pass
    assert caught.value.trouble == "unsafe-name"


def test_links_devices_and_encrypted_entries_are_refused(tmp_path: Path) -> None:
    for kind, trouble in ((stat.S_IFLNK, "link"), (stat.S_IFIFO, "link"), (0, "encrypted")):
        info = zipfile.ZipInfo("entry")
        info.create_system = 3
        info.external_attr = (kind | 0o644) << 16
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(info, "/etc/passwd")
        data = bytearray(target.getvalue())
        if trouble == "encrypted":
            data[data.index(b"PK\x01\x02") + 8] |= 1
        with pytest.raises(UnsafeZipError) as caught, open_zip(io.BytesIO(bytes(data))):
            pass
        assert caught.value.trouble == trouble


def test_a_bomb_is_refused_before_it_unfolds(tmp_path: Path) -> None:
    packed(tmp_path / "bomb.zip", **{"zeros.json": b"0" * 30_000_000})
    with pytest.raises(UnsafeZipError) as caught, open_source(tmp_path / "bomb.zip"):
        pass
    assert caught.value.trouble == "bomb"


def test_an_entry_that_gives_more_than_it_says_ends_in_an_error(tmp_path: Path) -> None:
    path = packed(tmp_path / "liar.zip", **{"a.txt": os.urandom(50_000)})
    data = path.read_bytes()
    true_size = (50_000).to_bytes(4, "little")
    path.write_bytes(data.replace(true_size, (100).to_bytes(4, "little")))
    with open_source(path) as source, pytest.raises(UnsafeZipError):
        source.read("a.txt")


def test_two_entries_of_one_name_are_refused(tmp_path: Path) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("one.txt", "a")
        archive.writestr("two.txt", "b")
    data = target.getvalue().replace(b"two.txt", b"one.txt")
    with pytest.raises(UnsafeZipError) as caught, open_zip(io.BytesIO(data)):
        pass
    assert caught.value.trouble == "twice"


@pytest.mark.parametrize("cut", [10, 100, 3000])
def test_half_a_zip_is_broken(tmp_path: Path, cut: int) -> None:
    path = packed(tmp_path / "half.zip", **{"a.txt": os.urandom(5_000)})
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(UnsafeZipError) as caught, open_source(path):
        pass
    assert caught.value.trouble == "no-zip"


def test_a_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = packed(tmp_path / "flipped.zip", **{"a.txt": os.urandom(50_000)})
    data = bytearray(path.read_bytes())
    data[20_000] ^= 0xFF
    path.write_bytes(data)
    with open_source(path) as source, pytest.raises(UnsafeZipError) as caught:
        source.read("a.txt")
    assert caught.value.trouble == "broken"


def test_what_is_too_large_to_be_read_at_once_can_be_streamed(tmp_path: Path) -> None:
    path = packed(tmp_path / "large.zip", **{"a.txt": os.urandom(50_000)})
    with open_source(path) as source:
        with pytest.raises(SourceTooLargeError):
            source.read("a.txt", limit=49_999)
        with source.open("a.txt") as file:
            assert sum(len(piece) for piece in iter(lambda: file.read(1000), b"")) == 50_000
        assert source.bytes_read == 50_000
        assert list(source.opened) == ["a.txt"]
