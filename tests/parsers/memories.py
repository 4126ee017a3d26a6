"""The files of a persona that say what it was told, and what it makes of that."""

import io
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from managers.exchange.readers.transcript import UnusableLineError, message_of
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.file_validation import flaws
from managers.memory.log.contents import FileIndex
from managers.memory.log.file_pieces import read_backward
from managers.memory.log.format import Record, escape, format_record, restore
from managers.memory.log.parsing import parse
from managers.memory.messages import Message
from managers.memory.notes import divide
from managers.recall.index.chunking import split
from managers.recall.index.sources import READERS
from managers.recall.past_conversations import _blocks
from managers.storage.json_text import NotJsonError, load_json
from tests.parsers.parser import Parser, keys, spaced, text_of

_NOW = datetime(2026, 1, 2, 22)
_SIZE, _OVERLAP = 300, 50


def _log(data: bytes) -> None:
    index = FileIndex()
    file = io.BytesIO(data)
    index.grow(file, len(data))
    assert len(index.ids.split(b"\n")) == len(index) + 2  # numbers of messages are numbers of lines
    list(read_backward(file, len(data)))


def _escaping(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    assert restore(escape(text)) == text
    written = format_record(Record(Message("m1", _NOW, "user", "Emma", text)))
    (record,) = parse(written).records
    assert record.message.text == text


def _transcript(data: bytes) -> None:
    for raw in data.split(b"\n"):
        with suppress(UnusableLineError):
            message_of(raw)


def _entity(data: bytes) -> None:
    entity = parse_entity("Momo", data.decode("utf-8", "replace"))
    again = parse_entity("Momo", format_entity(entity))
    assert [fact.text for fact in again.facts] == [fact.text for fact in entity.facts]
    READERS["entity_memory"]("Momo", data.decode("utf-8", "replace"), _SIZE, _OVERLAP)


def _json(data: bytes) -> None:
    try:
        value = load_json(data)
    except NotJsonError:
        return
    json.dumps(value, ensure_ascii=False).encode()  # no half of a character is left in it


def _chunks(kind: str) -> Callable[[bytes], object]:
    reader = READERS[kind]  # type: ignore[index]  # one of the kinds
    return lambda data: reader("2026-01-02", data.decode("utf-8", "replace"), _SIZE, _OVERLAP)


def _flaws(data: bytes) -> None:
    for name in ("goals.json", "memory/insights.json", "memory/open_questions.json", "episodic_memory/2026-01-02.json"):
        flaws(name, data)


def _pieces(data: bytes) -> None:
    text = text_of(data)
    assert all(len(piece) <= _SIZE for piece in split(text, _SIZE, _OVERLAP))
    assert "".join(divide(text, 300, 100)) == text


_LOG = (
    b"## USER:Sara\nI saw a kingfisher.\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n\n"
    b"## AGENT:Nemu\n\\## USER:x\n\n2026-01-02 (Fri) 22:00:05 | gemini | 20260102T220005-d6e7f8g9 | broken-off\n\n"
    b'## SYSTEM:new_topic\n\n\n2026-01-02 (Fri) 22:30:00 |  | z1 | attachments=["attachments/a.png"]\n\n'
    b"## USER:Sara\nAnother.\n\n2026-01-02 (Fri) 22:02:00 |  | b2 | supersedes=z1\n\n"
)
_MARKS = spaced(
    '| broken-off attachments=[ "a"] supersedes=m1 deletes=m1 %0a',
    "## USER:¦## AGENT:x¦## SYSTEM:forget¦2026-01-02 (Fri) 22:00:00 |  | m1¦2026-01-02 (¦"
    ") 22:00:00 ¦ | ¦\\## USER:¦\x85",
)
_CARD = (
    '# Entity Memory: 田中さん\nCreated: 2026-01-01 12:00:00\n<!-- entity {"kind": "person", "aliases": ["田中"]} -->\n\n'
    '- 京都に住んでいる <!-- fact {"id": "f_1", "evidence": ["m1"], "since": "2025-12-31", "sum": "ae"} -->\nわたしのメモ\n'
).encode()
_RECORDS = spaced(
    '{ } [ ] , : null true 1e999 -0 \\ud83d \\u0000 "id" "evidence" "m1" "summary" "key_events" '
    '"key_event_evidence" "date" "insight" "created_at" "2026-01-02" "trigger_topic" '
    '"short_term" "goal" [[[[[[[[ {"a":{"a":'
)
_EPISODE = json.dumps(
    {"date": "2026-01-02", "summary": "A day.", "key_events": ["x"], "key_event_evidence": [["m1"]], "evidence": ["m1"]}
).encode()
_INSIGHTS = json.dumps(
    [{"id": "in_1", "insight": "x", "created_at": "2026-01-02 03:00:00", "evidence": ["m1"]}]
).encode()
_GOALS = json.dumps({"short_term": [{"id": "sh_1", "goal": "x", "priority": 3}], "long_term": [], "meta": {}}).encode()
_TRANSCRIPT = b'{"id": "m1", "time": "2026-01-02T22:00:00+09:00", "role": "user", "speaker": "Emma", "text": "Hi"}\n'

PARSERS = (
    Parser("log", _log, (_LOG,), _MARKS),
    Parser("log-text", _escaping, (_LOG, b"\\\\## USER:x\n"), _MARKS),
    Parser("past-conversations", lambda data: list(_blocks("old.txt", data.decode("utf-8", "replace"))), (_LOG,),
        _MARKS),
    Parser("transcript", _transcript, (_TRANSCRIPT,), (*_RECORDS, b"+09:00", *keys("time role user text"))),
    Parser("entity", _entity, (_CARD,), spaced("-->",
        "# Entity Memory: ¦Created: ¦- ¦<!-- fact {¦<!-- entity {¦<!-- fact {} -->¦} -->¦<!-- ")),
    Parser("json", _json, (_GOALS, _EPISODE), _RECORDS),
    Parser("episode", _chunks("episodic_memory"), (_EPISODE,), _RECORDS),
    Parser("insights", _chunks("dream_insight"), (_INSIGHTS,), _RECORDS),
    Parser("models", _flaws, (_GOALS, _INSIGHTS, _EPISODE), _RECORDS),
    Parser("diary", _chunks("diary"), ("# 2026-01-02\n静かな一日。\n\n2026年1月3日(土)\n\nNext.\n\n## A ##\nx\n".encode(),),
        spaced("2026-01-02 2026年1月3日 # 。", "# ¦## a ##¦\n\n¦\x0b¦\x1c")),
    Parser("pieces", _pieces, ("A sentence. そして、次の文。\n\nx".encode(),), spaced("。 、 」 ) …", ". ¦! ¦\n\n")),
)  # fmt: skip
