"""What stands beside the memories: history, names of files, settings, records of this computer."""

import json
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path

from dulwich.objects import Commit, ObjectID, ShaFile

from agent.minds.errors import ModelFileError
from agent.minds.gguf import read as read_head
from managers.personas.admissions import Admissions, _admission
from managers.personas.errors import BrokenPersonaFileError
from managers.personas.persona_file import colour, migrated, newer_format, parse, settings_of, text
from managers.recall.embedders.tensors import UnreadableTensorsError, described
from managers.recall.recall_log import RecallLog
from managers.storage.access import _parsed as access_record
from managers.storage.comments import commented
from managers.storage.encodings import decode_foreign, text_of
from managers.storage.files import write_unsynced
from managers.storage.history.entries import parse as entry_of
from managers.storage.history.merge import heading_of, merge_file, only_record
from managers.storage.history.objects import BROKEN
from managers.storage.history.unpacking import unpacked_loose
from managers.storage.installation import Installation
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import Settings, merged
from managers.storage.spelling import decode, spelling_of
from managers.usage.ledger import _entries
from tests.fakes import HandClock
from tests.gguf_files import gguf
from tests.gguf_files import text as gguf_text
from tests.parsers.parser import Parser, keys, spaced
from ui.components.readable import readable_lines, record_in, records_in

_ID = ObjectID(b"ab" * 20)


@cache
def _home() -> Home:
    home = Home(Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)))
    Installation(home).seal("a key is made", b"")
    return home


@cache
def _persona() -> PersonaPaths:
    return _home().persona("Momo")


def _admissions(data: bytes) -> None:
    with suppress(ValueError, TypeError, RecursionError):
        value = json.loads(data)
        if isinstance(value, dict) and isinstance(value.get("personas"), dict):  # sealed, so that it is read further
            plain = json.dumps(value["personas"], sort_keys=True).encode()
            value["seal"] = Installation(_home()).seal("admissions", plain)
            data = json.dumps(value).encode()
    entries = Admissions(_home(), HandClock())._record._parsed(data)
    for mark in entries:
        _admission(mark, entries)


def _recalled(data: bytes) -> None:
    log = RecallLog(_persona())
    write_unsynced(log.path, data)
    log.find("m1")
    log.counts(50)


def _commit(data: bytes) -> None:
    try:
        commit = ShaFile.from_raw_string(Commit.type_num, data, sha=_ID)
        assert isinstance(commit, Commit)
        entry = entry_of(commit)
    except BROKEN:
        return
    told = (entry.author, entry.reason, entry.mind, entry.kind, entry.target, entry.part)
    assert all(isinstance(one, str) for one in (*told, *entry.files, *entry.records, *entry.evidence))


def _object(data: bytes) -> None:
    with suppress(*BROKEN):
        unpacked_loose(zlib.compress(data, 1), _ID)
    with suppress(*BROKEN):
        unpacked_loose(data, _ID)


def _merged(name: str, data: bytes) -> None:
    sides = [side or None for side in data.split(b"\0\0")[:3]]
    if len(sides) == 1:  # one text, changed here and there on both sides
        sides += [_changed(data, 2), _changed(data, 3)]
    base, ours, theirs = [*sides, None][:3]
    merged_file = merge_file(name, base, ours, theirs)
    assert ours is not None or merged_file.content is None or ours == base
    only_record(base, theirs, "sh_1")


def _changed(data: bytes, every: int) -> bytes:
    """Return a text in which every so many lines are others."""
    lines = data.split(b"\n")
    return b"\n".join(b"%d" % at if at % every == 0 else line for at, line in enumerate(lines))


def _comments(data: bytes) -> None:
    for line in data.decode("utf-8", "replace").split("\n"):
        noted = commented(line)
        if noted is not None:
            assert f"{noted.words}{noted.space}<!-- {noted.kind} {noted.about} -->{noted.end}" == line
    readable_lines(data)
    record_in(data)
    records_in(data)
    heading_of(data.decode("utf-8", "replace"))


def _sheet(data: bytes) -> None:
    try:
        document = migrated(parse("Momo", data), HandClock().now())
    except BrokenPersonaFileError:
        return
    for key in ("greeting", "language"):
        text(document, key)
    text(document, "user", "name")
    colour(document, "accent", "#000000")
    newer_format("Momo", document)
    merged(Settings(), settings_of(document))


def _settings(data: bytes) -> None:
    try:
        value = load_json(data)
    except NotJsonError:
        return
    if isinstance(value, dict):
        merged(Settings(), value)


def _encodings(data: bytes) -> None:
    text_of(data)
    decode_foreign(data)
    spelling_of(data)
    with suppress(UnicodeDecodeError):
        written, spelling = decode(data)
        assert spelling.encode(written) == data


def _model_head(data: bytes) -> None:
    with suppress(ModelFileError):
        assert read_head(BytesIO(data), "x.gguf", len(data)).needs_bytes(8192) >= len(data)


def _tensors(data: bytes) -> None:
    with suppress(UnreadableTensorsError):
        described(data, 1 << 20)


_TABLE = spaced('{ } [ ] , : null true false 1e999 -1 [[[[[[[[ {"a":{"a": \x00')
_COMMIT = (
    b"tree " + _ID + b"\nparent " + _ID + b"\nauthor Nemu <utatane@localhost> 1767391200 +0900\n"
    b"committer Nemu <utatane@localhost> 1767391200 +0900\nencoding UTF-8\n\nWhy\n\n"
    b'Utatane-Entry: 1\nBy: "dream"\nKind: "change"\nFile: "goals.json"\nRecord: "sh_1"\nEvidence: "m1"\n'
)
_TRAILERS = spaced(
    '99999999999999999999 +9999 "x" {} [1] null [[[[[[[[ \x00',
    "tree ¦parent ¦author ¦committer ¦ <¦> ¦Utatane-Entry: 1¦By: ¦Kind: ¦File: ¦Record: ¦"
    "Evidence: ¦Mind: ¦Target: ¦Part: ¦\n\n",
)
_LINES = b"a\nb\nc\n\0\0a\nmine\nc\n\0\0a\nb\n"
_FACTS = b'- x <!-- fact {"id": "f_1", "evidence": ["m1"]} -->\n'
_GOALS = (
    b'{"short_term": [{"id": "sh_1", "goal": "x", "status": "active"}], "meta": {"last_level1_date": "2026-01-02"}}'
)

PARSERS = (
    Parser("tensors", _tensors,
        (b'{"embeddings": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}, "__metadata__": {}}',), (*_TABLE,
        b"99999999999999999999", *keys("dtype F32 BF16 shape data_offsets")), most=1 << 20),
    Parser("history-entry", _commit, (_COMMIT,), _TRAILERS),
    Parser("history-object", _object, (zlib.compress(b"blob 3\0abc"), b"tree 0\0"), spaced("\x00 3 -1",
        "blob ¦tree ¦commit ¦tag ")),
    Parser("merge-lines", lambda data: _merged("core_memory.txt", data), (_LINES,), spaced("\x00\x00 \x00",
        "a\n¦b\n¦c\n¦\n")),
    Parser("merge-facts", lambda data: _merged("entity_memory/x.md", data),
        (_FACTS + b"\0\0" + _FACTS * 2 + b"\0\0" + b"- y\n",), (*spaced("\x00\x00",
        '- ¦<!-- fact {¦"id": "f_1"¦"id": "f_2"¦} -->¦# ¦Created: ¦<!-- entity {} -->'), _FACTS)),
    Parser("merge-json", lambda data: _merged("goals.json", data),
        (_GOALS + b"\0\0" + _GOALS + b"\0\0" + _GOALS.replace(b"active", b"done"), b"[1, 2]\0\0[2, 3]\0\0[1]"),
        (*_TABLE, b'{"id": "sh_1"}', b"\0\0", *keys("id sh_1 goal status"))),
    Parser("comments", _comments, (_FACTS, _GOALS), spaced("{} { } -->", "- ¦<!-- ¦fact ¦ -->¦<!-- x {} -->")),
    Parser("persona-sheet", _sheet,
        (b'{"format": 0, "user_name": "Aoi", "migrations": [], "colours": {"accent": "#6d63ab"}, "settings": {"recall": {"threshold": 0.7}}}',),
        (*_TABLE, *keys("format migrations user user_name settings colours recall mind accent"))),
    Parser("settings", _settings,
        (b'{"mind": {"provider": "auto", "base_url": ""}, "recall": {"threshold": 0.7, "per_index": 3}}',), (*_TABLE,
        *(f'"{name}"'.encode() for name in Settings.model_fields), *keys("provider base_url threshold"))),
    Parser("encodings", _encodings, ("日本語の文章。\n".encode("cp932"), "日本語".encode("euc_jp"), "é“x”".encode("cp1252"),
        "あ".encode("utf-16")), (*spaced("あ é"), b"\x82\xa0", b"\xa4\xa2", b"\xff\xfe", b"\0", b"\xe9", b"\x80",
        b"\xef\xbb\xbf")),
    Parser("admissions", _admissions,
        (b'{"personas": {"ab": {"names": ["x"], "agreed": {}, "refused": ""}}, "seal": "0"}',),
        (*_TABLE, *keys("personas seal names agreed refused"))),
    Parser("access", access_record,
        (b'{"id": "ab", "token": "0123456789012345678901234567890123456789", "password": "", "migrations": []}',),
        (*_TABLE, *keys("id token password migrations"))),
    Parser("recall-log", _recalled,
        (b'{"time": "2026-01-02T22:00:00", "message_id": "m1", "query": "x", "recalled": [{"type": "diary", "_source": "semantic", "path": "a", "message_ids": ["m"], "score": 0.1, "why": {"a": 1}}]}\n',),
        (*_TABLE, b'"message_id": "m1"', *keys("recalled query why"))),
    Parser("model-head", _model_head,
        (gguf({"general.architecture": gguf_text("llama"), "llama.context_length": (4, 9)}),), (b"GGUF\3\0\0\0", bytes(8),
        *(bytes([one, *bytes(size - 1)]) for one in (1, 4, 8, 9, 10) for size in (4, 8)), b"\xff" * 8, gguf_text("llama")[1],
        gguf_text("general.architecture")[1], gguf_text("llama.block_count")[1])),
    Parser("ledger", lambda data: list(_entries(data)),
        (b'{"time": "2026-01-02T22:00:00", "input": 1, "output": 2, "cost": 0.1}\n{"time": "2026-01-02T22:00:00", "renamed": "a", "to": "b"}\n',),
        (*_TABLE, *keys("time input output cost renamed to"))),
)  # fmt: skip
