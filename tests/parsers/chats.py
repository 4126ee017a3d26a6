"""Conversations of other programs."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from managers.exchange.import_source import ImportSource
from managers.exchange.items import LINES, Kind, ReadingWishes, UnusableSourceError
from managers.exchange.readers import readers
from managers.exchange.readers.json_stream import MAX_DEPTH, BrokenJsonError, elements
from managers.exchange.readers.moments import read_moment
from tests.parsers.parser import Parser, keys, spaced, text_of


@dataclass
class _Held(ImportSource):
    """One file that is in memory."""

    data: bytes = b""

    def open(self, path: str) -> IO[bytes]:
        return io.BytesIO(self.data)


def _reader(kind: Kind, module: str) -> Callable[[bytes], object]:
    reader = next(one for found, one in readers(kind) if getattr(one, "__name__", "").endswith(module))

    def read(data: bytes) -> None:
        source = _Held("chat", "file", {"chat": len(data)}, data=data)
        assert 0 <= reader.recognises(source) <= 1
        try:
            for item in reader.read(source, ReadingWishes()):
                LINES.dump_json(item)
        except UnusableSourceError:
            pass

    return read


def _depth(data: bytes) -> None:
    """What is read of JSON is what `json` reads, as far as both do."""
    try:
        found = list(elements(io.BytesIO(data), "item"))
    except BrokenJsonError:
        return
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return
    assert len(found) == (len(told) if isinstance(told, list) else 0)
    assert data.count(b"[" * (MAX_DEPTH + 1)) == 0 or b'"' in data


def _moment(data: bytes) -> None:
    text = text_of(data)
    for moment in (read_moment(text), read_moment(text, "dmy")):
        assert moment is None or 1990 <= moment.year < 2200


_NODE = {"id": "u", "message": {"id": "u", "author": {"role": "user"}, "create_time": 1741089600.5, "content": {}}}
_TREE = [{"title": "t", "create_time": 1741089600, "mapping": {"u": {**_NODE, "parent": None}}, "current_node": "u"}]
_CHATGPT = json.dumps(_TREE).replace('"content": {}', '"content": {"content_type": "text", "parts": ["Hi"]}').encode()
_CLAUDE = (
    b'[{"name": "n", "created_at": "2025-05-06T07:00:00Z", "chat_messages": [{"uuid": "1", "sender": "human",'
    b' "text": "Hi", "content": [{"type": "text", "text": "Hi"}], "created_at": "2025-05-06T07:00:00Z"}]}]'
)
_TAVERN = (
    b'{"user_name": "A", "character_name": "B", "chat_metadata": {}}\n'
    b'{"name": "B", "is_user": false, "send_date": "January 5, 2024 9:33pm", "mes": "Hi", "swipes": ["Hi", "Ho"],'
    b' "swipe_id": 0}\n'
)
_LOOSE = b'{"messages": [{"sender": "user", "text": "Hi", "timestamp": 1735689600}, {"sender": "ai", "text": "Ho"}]}'
_TALK = "[LINE] ルナとのトーク履歴\n2024/01/05(金)\n21:33\tアキ\tただいま\n21:34\tルナ\tおかえり\n"
_MARKDOWN = (
    "# Conversation with Mei\n\n## Sunday <!-- utatane day -->\n\n"
    '### Ann · 21:33 <!-- utatane {"id": "1", "time": "2024-01-05T21:33:00", "role": "user", "speaker": "Ann"} -->\n\n'
    "ただいま\n\\### Ann · 21:33 <!-- utatane day -->\n"
)
_JSON_TOKENS = spaced('[ ] { } : , null true 1e5 \\" \\u0000 \\ud83d {} [] ""')
_WORDS = (
    "mapping parent message author role content parts current_node chat_messages sender text name mes swipes swipe_id "
    "send_date is_user messages candidates raw_content timestamp conversations"
)
_KEYS = keys(_WORDS)
_TIMES = spaced("2024 01/05 / : 21:33 PM 午後 Jan Fri T Z +09:00 GMT 年 月 日", ", ")
_LINES = spaced("[ ] ： Aki ルナ 21:33 2024/01/05 (金) ** >", ": ¦ — ¦ - ¦[LINE] ¦<attached: ")

PARSERS = (
    Parser("chat-json-pieces", _depth, [b'[{"a": ["b\\"", 1.5, null]}, 2]'], _JSON_TOKENS),
    Parser("chat-moments", _moment, [b"January 5, 2024 9:33pm", "2024年1月5日 午後9:33".encode()], _TIMES, 200),
    Parser("chatgpt", _reader("chatgpt", "chatgpt"), [_CHATGPT], _JSON_TOKENS + _KEYS),
    Parser("claude", _reader("claude", "claude"), [_CLAUDE], _JSON_TOKENS + _KEYS),
    Parser("sillytavern", _reader("sillytavern", "sillytavern"), [_TAVERN], _JSON_TOKENS + _KEYS),
    Parser("chat-json", _reader("text", "chat_json"), [_LOOSE, _CHATGPT], _JSON_TOKENS + _KEYS),
    Parser("chat-text", _reader("text", "plain_text"), [_TALK.encode(), b"A: Hi\nB: Ho\nA: He\nB: Hu\n"], _LINES),
    Parser("chat-markdown", _reader("text", "markdown_chat"), [_MARKDOWN.encode(),
        _MARKDOWN.replace("\n", "\r\n").encode()], spaced(", \\# -->",
        '### A <!-- utatane {¦{"id": "1"¦"time": "2024-01-05"¦"role": "user"¦} -->\n¦ <!-- utatane day -->\n¦## ')),
)  # fmt: skip
