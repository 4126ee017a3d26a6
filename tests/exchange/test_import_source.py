"""What is imported is seen through one door: files, folders and ZIP files look alike, traps are refused; encrypted files."""

import io
import os
import random
import stat
import zipfile
from pathlib import Path

import pyrage
import pytest

from managers.exchange import errors
from managers.exchange.encryption import encrypting, is_encrypted, open_encrypted
from managers.exchange.import_source import open_source
from managers.exchange.zip_files import UnsafeZipError


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


def test_links_in_a_folder_are_no_files_and_one_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "Room"
    folder.mkdir()
    (folder / "log.txt").write_text("said")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "elsewhere").symlink_to(tmp_path)
    assert seen(folder)[1] == {"log.txt": "said"}
    with open_source(folder) as source:
        with pytest.raises(KeyError):
            source.open("link.txt")
        (folder / "log.txt").unlink()
        (folder / "log.txt").symlink_to(tmp_path / "secret.txt")
        with pytest.raises(OSError, match="link"):
            source.read("log.txt")


def renamed(path: Path, name: bytes, **more: str) -> Path:
    """Write a ZIP file whose first entry has these bytes for a name."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for one, words in {"n" * len(name): "ok", **more}.items():
            archive.writestr(one, words)
    path.write_bytes(target.getvalue().replace(b"n" * len(name), name))
    return path


def refused(path: Path) -> str:
    with pytest.raises(UnsafeZipError) as caught, open_source(path) as source:
        source.read("a.txt")
    return caught.value.trouble


def test_names_of_japanese_windows_are_read_and_names_that_lead_elsewhere_refused(tmp_path: Path) -> None:
    assert seen(renamed(tmp_path / "old.zip", "表ソ.txt".encode("cp932")))[1] == {"表ソ.txt": "ok"}
    for name in ("../out.txt", "/etc/passwd", "a/../../b", "C:/x.txt", "..\\x.txt", "a\\..\\x", "c:x", "nul\0l"):
        assert (name, refused(renamed(tmp_path / "bad.zip", name.encode()))) == (name, "unsafe-name")
    assert refused(renamed(tmp_path / "twice.zip", b"one", one="b")) == "twice"


def test_links_devices_and_encrypted_entries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    for kind, trouble in ((stat.S_IFLNK, "link"), (stat.S_IFIFO, "link"), (0, "encrypted")):
        info = zipfile.ZipInfo("entry")
        info.create_system = 3
        info.external_attr = (kind | 0o644) << 16
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(info, "/etc/passwd")
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\x01\x02") + 8] |= trouble == "encrypted"
        path.write_bytes(data)
        assert refused(path) == trouble


def test_bombs_and_what_is_damaged_are_refused(tmp_path: Path) -> None:
    assert refused(packed(tmp_path / "bomb.zip", **{"zeros.json": b"0" * 30_000_000})) == "bomb"
    path = packed(tmp_path / "a.zip", **{"a.txt": os.urandom(50_000)})
    data = path.read_bytes()
    path.write_bytes(data.replace((50_000).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    assert refused(path)  # more than it says
    for cut in (10, 100, 3000):
        path.write_bytes(data[:-cut])
        assert refused(path) == "no-zip"
    path.write_bytes(data[:20_000] + bytes([data[20_000] ^ 0xFF]) + data[20_001:])
    assert refused(path) == "broken"


WORDS, PATH = "うたた寝 do not tell", Path("out.age")
LITTLE_WORK = 4
PIECE = 64 * 1024


def encrypted(data: bytes, words: str = WORDS) -> bytes:
    target = io.BytesIO()
    with encrypting(target, words, PATH, LITTLE_WORK) as file:
        for begin in range(0, len(data), 50_000):
            file.write(data[begin : begin + 50_000])
    return target.getvalue()


def opened(data: bytes, words: str = WORDS) -> io.BufferedReader:
    return open_encrypted(io.BytesIO(data), words, PATH)


def test_what_is_written_here_ages_own_library_opens_and_so_do_we() -> None:
    for size in (0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 17):
        data = random.Random(size).randbytes(size)
        made = encrypted(data)
        assert is_encrypted(io.BytesIO(made))
        assert pyrage.passphrase.decrypt(made, WORDS) == data
        assert opened(made).read() == data


def test_a_wrong_passphrase_is_said_and_an_empty_one_is_asked_for() -> None:
    made = encrypted(b"secret")
    with pytest.raises(errors.WrongPassphraseError, match="does not open"):
        opened(made, "wrong")
    for empty in (lambda: opened(made, ""), lambda: encrypted(b"", "")):
        with pytest.raises(errors.PassphraseNeededError):
            empty()
    assert opened(encrypted(b"x", "\u304b\u3099"), "\u304c").read() == b"x", "one letter, as a Mac writes it"


def test_no_bit_can_be_turned_and_no_end_be_cut_off() -> None:
    made = encrypted(random.Random(5).randbytes(PIECE + 100))
    places = [*range(200), PIECE // 2, PIECE + 250, len(made) - 1]
    for place in places:
        turned = bytearray(made)
        turned[place] ^= 1
        with pytest.raises((errors.DamagedEncryptionError, errors.WrongPassphraseError, errors.NotForPassphraseError)):
            opened(bytes(turned)).read()
    for length in (0, 30, 150, 190, 260, PIECE, PIECE + 16 + 184, len(made) - 1):
        with pytest.raises((errors.DamagedEncryptionError, errors.NotForPassphraseError)):
            opened(made[:length]).read()


def test_an_export_that_failed_cannot_be_taken_for_a_whole_one() -> None:
    target = io.BytesIO()

    def write() -> None:
        with encrypting(target, WORDS, PATH, LITTLE_WORK) as file:
            file.write(b"x" * 3 * PIECE)
            raise BlockingIOError

    with pytest.raises(BlockingIOError):
        write()
    with pytest.raises(errors.DamagedEncryptionError):
        opened(target.getvalue())


def test_what_is_for_a_key_or_asks_for_an_hours_work_is_refused() -> None:
    other = pyrage.encrypt(b"x", [pyrage.x25519.Identity.generate().to_public()])
    for data in (other, encrypted(b"x").replace(b" 4\n", b" 30\n", 1), b"PK\x03\x04"):
        with pytest.raises(errors.NotForPassphraseError):
            opened(data)


def test_a_zip_file_of_many_small_entries_is_held_to_its_size_as_a_whole(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.zip", **{f"{number}.txt": b"\0" * 900_000 for number in range(120)})
    with pytest.raises(UnsafeZipError) as raised, open_source(bomb):
        pass
    assert (raised.value.trouble, raised.value.name) == ("bomb", "0.txt")
    chats = packed(tmp_path / "chats.zip", **{f"{number}.txt": b"\0" * 900_000 for number in range(20)})
    assert len(seen(chats)[1]) == 20
