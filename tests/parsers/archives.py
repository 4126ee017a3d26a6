"""What a file from elsewhere is wrapped in: the age format, ZIP files and the names in them, an archive's manifest."""

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from managers.exchange import encryption
from managers.exchange.archives import reading
from managers.exchange.archives.manifest import MANIFEST, UnwrittenNameError, entry_name, path_of
from managers.exchange.zip_files import UnsafeZipError, open_zip
from managers.storage.errors import UtataneError
from tests.parsers.parser import Parser, spaced, text_of

_WORDS = "a passphrase"
_FILE = Path("x.age")
_WORK = 1
"""So little that an input costs nothing; what a file asks for beyond `_MOST_TRIED` is refused or paid for, not parsed."""
_MOST_TRIED = 6
_LARGEST = 1_000_000


def _encrypted(plain: bytes) -> bytes:
    target = io.BytesIO()
    with encryption.encrypting(target, _WORDS, _FILE, _WORK) as file:
        file.write(plain)
    return target.getvalue()


def _age(data: bytes) -> None:
    """Read bytes as a file that somebody encrypted."""
    found = encryption._HEADER.match(data)
    if found is not None and int(found["work"]) > _MOST_TRIED:
        return
    with suppress(UtataneError), encryption.open_encrypted(io.BytesIO(data), _WORDS, _FILE) as file:
        file.read()


def _zipped(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return target.getvalue()


def _zip(data: bytes) -> None:
    """Read bytes as a ZIP file; whatever it lists lies within the folder that it seems to be."""
    with suppress(UnsafeZipError), open_zip(io.BytesIO(data)) as entries:
        for name, size in entries.sizes.items():
            path = PurePosixPath(name)
            assert not path.is_absolute()
            assert ".." not in path.parts
            if size <= _LARGEST:
                with suppress(UnsafeZipError), entries.open(name) as file:
                    assert len(file.read()) <= size


def _zip_name(data: bytes) -> None:
    """Read a ZIP file whose entry has these bytes for a name, said to be UTF-8 or to be in nobody knows what."""
    plain = "x" * len(data)
    for flag in (0, 0x08):  # the second byte of the flags: UTF-8
        sealed = bytearray(_zipped(**{plain: b"words"}).replace(plain.encode(), data) if data else _zipped(x=b"words"))
        sealed[7] |= flag
        sealed[sealed.index(b"PK\x01\x02") + 9] |= flag
        _zip(bytes(sealed))


def _manifest(data: bytes) -> None:
    """Read a manifest beside the files that a true one lists; wherever it leads lies within the folder."""
    path = Path("x.zip")
    sealed = _zipped(**{MANIFEST: data, "Mei/log.txt": b"words", "Mei/a%3Ab": b""})
    with suppress(UtataneError), open_zip(io.BytesIO(sealed), reading._ANY_RATIO) as entries:
        manifest = reading._manifest_of(path, entries)
        files, _ = reading._listed(path, manifest, entries)
        for place in (*files, *map(path_of, manifest.folders)):
            assert not {"", ".", ".."} & set(place.split("/"))


def _archive_name(data: bytes) -> None:
    name = text_of(data)
    with suppress(UnwrittenNameError):
        assert entry_name(path_of(name)) == name
    if "\0" not in name and not {"", ".", ".."} & set(name.split("/")):
        assert path_of(entry_name(name)) == name


_SUM = "c06b0cfe0cd5e900aa5f4b5c2b4ae0e1ce3bd6d2ea8cf4e2a1f29a0ee1bc2e2a"
_MANIFEST = json.dumps(
    {
        "format": 1,
        "persona": "Mei",
        "files": {"log.txt": {"size": 5, "sha256": _SUM}, "a%3Ab": {"size": 0, "sha256": _SUM, "modified": 1}},
        "folders": ["knowledge"],
    }
).encode()
_HEADERS = (
    *spaced("", "age-encryption.org/v1\n¦-> scrypt ¦ 1\n¦ 2\n¦\n---¦--- ¦-> X25519 "), b"A" * 22, b"A" * 43
)  # fmt: skip
_ENTRIES = (
    b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"\x01\x00\x10\x00", b"\xff\xff\xff\xff",
    b"\x00\x08", b"../", b"\0",
)  # fmt: skip
_NAMES = (*spaced("../ / a/ .. . C: \\ あ 表"), "表ソ".encode("cp932"), b"\xff", b"\0", b"\x81")

PARSERS = (
    Parser("age", _age, (_encrypted(b"words"), _encrypted(b"")), _HEADERS),
    Parser("zip", _zip, (_zipped(**{"a.txt": b"words" * 50, "f/あ.md": b""}), _zipped()), _ENTRIES),
    Parser("zip-name", _zip_name, ("ルナ/会話.txt".encode("cp932"), "ルナ/会話.txt".encode()), _NAMES, 300),
    Parser("archive-manifest", _manifest, (_MANIFEST,),
        (*spaced('"format": "persona": "files": "folders": "size": "sha256": "../x" "%2E%2E/x" { } [ ] : , '
        "1e999 -1 null true"), f'"{_SUM}"'.encode())),
    Parser("archive-name", _archive_name, (b"notes/a%3Ab.md", "メモ.md".encode()),
        spaced("% %2E %2F %25 %00 %C3 .. : \\ \x7f"), 300),
)  # fmt: skip
