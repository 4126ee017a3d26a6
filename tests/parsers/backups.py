"""What lies in a place of backups: heads, lists of files, packs and their chunks."""

import gzip
import io
import json
import zlib
from contextlib import suppress
from pathlib import Path

from managers.exchange.backups.errors import BackupDamagedError
from managers.exchange.backups.listing import File, Head, dump_files, dump_head, parse_files, parse_head
from managers.exchange.backups.packs import index_of
from managers.exchange.backups.sealing import Plain
from managers.storage.opening import NotPlainError, inside
from tests.parsers.parser import Parser, spaced

_HEAD = Head("20260101-120000-abcd", "h", "/home", "2026-01-01T12:00:00", "2026-01-01T12:00:00+00:00", "daily", 1, 2, 3)
_FILE = File("characters/Mei/log.txt", 3, 1, 2, "ab" * 32, ("ab" * 32, "cd" * 32))


def _head(data: bytes) -> None:
    with suppress(BackupDamagedError):
        head = parse_head(_HEAD.id, data)
        assert parse_head(_HEAD.id, dump_head(head).encode()) == head


def _files(data: bytes) -> None:
    """The list is tried as what it unfolds to, or hardly anything would get past the compression."""
    for given in (data, gzip.compress(data, 0)):
        with suppress(BackupDamagedError):
            for file in parse_files("x", given):
                with suppress(NotPlainError):
                    assert ".." not in inside(Path("/restored"), file.path).parts


def _pack(data: bytes) -> None:
    index = zlib.compress(data, 0)
    for given in (data, b"utatane pack 1\n" + index + len(index).to_bytes(8, "big")):
        with suppress(BackupDamagedError):
            index_of(io.BytesIO(given), Path("x"))
    with suppress(BackupDamagedError):
        Plain().open(data, "x")


PARSERS = (
    Parser("backup-head", _head, (dump_head(_HEAD).encode(),),
        spaced('{ } [ ] : , "proof": "level": "failed" "made_utc": 1e999 null NaN')),
    Parser("backup-files", _files, (gzip.decompress(dump_files([_FILE])), dump_files([_FILE])),
        spaced('{"files": [ ] { } "path": "../" "chunks": "size": -1 , null', '{"bytes": "ff"}')),
    Parser("backup-pack", _pack, (json.dumps({"chunks": [["ab", 15, 0]], "encrypted": False}).encode(),
        Plain().close(b"x")), spaced('{"chunks": "encrypted": [ ] true 1e400 -1 , null 99999999999999999999')),
)  # fmt: skip
