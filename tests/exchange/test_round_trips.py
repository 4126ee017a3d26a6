"""A conversation, as each program writes it, comes in as it was said, once however often it comes, and goes out the same."""

import itertools
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.exchange import import_engine
from managers.exchange.exports.chat import Chat, ChatDays, as_transcript, said_in
from managers.exchange.exports.markdown import as_markdown
from managers.exchange.items import Kind, ReadingWishes
from managers.memory.log import ConversationLog
from managers.memory.messages import Message, Role
from managers.storage.paths import Home
from tests.exchange.importing import HereReading, lines_of, take_over
from tests.exchange.readers.reading import folder_of
from tests.fakes import HandClock

_NOW: Final = datetime(2026, 11, 21, 12)
_FIRST: Final = datetime(2024, 6, 1, 8)  # no clock is put forward or back in June
_NAMES: Final[dict[Role, str]] = {"user": "Aki", "persona": "Luna"}
_WISHES: Final = ReadingWishes(user="Aki", persona="Luna")
_NUMBERS: Final = itertools.count()

Said = Sequence[Message]


def _jsons(said: Said, **keys: Callable[[Message], object]) -> list[dict[str, Any]]:
    return [{key: told(one) for key, told in keys.items()} for one in said]


def _chatgpt(said: Said) -> dict[str, object]:
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
    for before, one in itertools.pairwise(["root", *said]):
        assert isinstance(one, Message)
        parent = before if isinstance(before, str) else before.id
        author = {"role": "user" if one.role == "user" else "assistant"}
        message = {"id": one.id, "author": author, "create_time": one.time.timestamp(), "recipient": "all"}
        message["content"] = {"content_type": "text", "parts": [one.text]}
        mapping[one.id] = {"id": one.id, "message": message, "parent": parent}
    talk = {"title": "t", "create_time": _FIRST.timestamp(), "mapping": mapping, "current_node": said[-1].id}
    return {"conversations.json": [talk]}


def _claude(said: Said) -> dict[str, object]:
    told = _jsons(
        said,
        uuid=lambda one: one.id,
        sender=lambda one: "human" if one.role == "user" else "assistant",
        text=lambda one: one.text,
        content=lambda one: [{"type": "text", "text": one.text}],
        created_at=lambda one: one.time.astimezone().isoformat(),
    )
    return {"conversations.json": [{"uuid": "c", "name": "t", "chat_messages": told}]}


def _sillytavern(said: Said) -> dict[str, object]:
    head = {"user_name": "Aki", "character_name": "Luna", "create_date": "2024-06-01 @08h 00m 00s 0ms"}
    told = _jsons(
        said,
        name=lambda one: one.speaker,
        is_user=lambda one: one.role == "user",
        send_date=lambda one: f"{one.time:%B} {one.time.day}, {one.time:%Y} {one.time:%I}:{one.time:%M}{one.time:%p}",
        mes=lambda one: one.text,
    )
    return {"Luna.jsonl": lines_of([{**head, "chat_metadata": {}}, *told])}


def _loose(said: Said) -> dict[str, object]:
    keys = {"from": lambda one: one.speaker, "date": lambda one: one.time.isoformat(), "text": lambda one: one.text}
    return {"result.json": {"messages": _jsons(said, **keys)}}


def _line(said: Said) -> dict[str, object]:
    lines = ["[LINE] Lunaとのトーク履歴", "保存日時:2024/07/07 10:00"]
    for day, ones in itertools.groupby(said, lambda one: one.time.date()):
        lines += ["", f"{day:%Y/%m/%d}(金)"]
        for one in ones:
            text = f'"{one.text}"' if "\n" in one.text else one.text
            lines.append(f"{one.time:%H:%M}\t{one.speaker}\t{text}")
    return {"talk.txt": "\r\n".join(lines).replace("\n", "\r\n").replace("\r\r", "\r")}


def _stamped(said: Said) -> dict[str, object]:
    return {"_chat.txt": "".join(f"[{one.time:%d/%m/%Y, %H:%M:%S}] {one.speaker}: {one.text}\n" for one in said)}


def _discord(said: Said) -> dict[str, object]:
    head = "Guild: Direct Messages\nChannel: Private / Luna\n\n"
    return {"d.txt": head + "".join(f"[{one.time:%m/%d/%Y %I:%M %p}] {one.speaker}\n{one.text}\n\n" for one in said)}


def _room(said: Said) -> dict[str, object]:
    tags = {"user": "USER:user", "persona": "AGENT:Luna"}
    told = (f"## {tags[one.role]}\n{one.text}\n\n{one.time:%Y-%m-%d (%a) %H:%M:%S}\n\n" for one in said)
    return {"room_config.json": {"room_name": "Luna", "user_display_name": "Aki"}, "log.txt": "".join(told)}


FORMATS: Final[dict[str, tuple[Kind, Callable[[Said], dict[str, object]]]]] = {
    "transcript": ("transcript", lambda said: {"talk.jsonl": "".join(as_transcript(said))}),
    "markdown": ("text", lambda said: {"talk.md": "".join(as_markdown(Chat("Luna", "ja", iter(said))))}),
    "chatgpt": ("chatgpt", _chatgpt),
    "claude": ("claude", _claude),
    "sillytavern": ("sillytavern", _sillytavern),
    "loose": ("text", _loose),
    "line": ("text", _line),
    "whatsapp": ("text", _stamped),
    "discord": ("text", _discord),
    "room": ("nexus-ark", _room),
}
_OURS: Final = ("transcript", "markdown")
_WORD: Final = st.sampled_from(
    [
        "うん",
        "ただいま",
        "海は青い。",
        "hm",
        "It's “déjà vu”",
        "https://example.org/a?b=1#c",
        "👩‍👩‍👧 ミケ",
        "100%",
        "- a",
        "\\x",
        "§",
    ]
)
_HOSTILE: Final = st.sampled_from(
    [
        "## USER:x",
        "2026-01-02 (Fri) 22:00:00 | a | b",
        "### Aki · 12:00 <!-- utatane {} -->",
        "\\### a",
        "```",
        "{{user}}",
    ]
)
_TEXT: Final = st.lists(_WORD, min_size=1, max_size=4).map(" ".join)


@st.composite
def _talks(draw: st.DrawFn, *, is_hostile: bool, least: int) -> list[Message]:
    """Return a talk of whole minutes; where the least pause is 0, some have several messages, and those the same words."""
    line = st.one_of(_TEXT, _HOSTILE) if is_hostile else _TEXT
    text = st.lists(line, min_size=1, max_size=3).map("\n".join)
    spoken = st.tuples(st.sampled_from(["user", "persona"]), text, st.sampled_from([least, 1, 1, 7, 1000]))
    told, time = [], _FIRST
    for number, (role, words, pause) in enumerate(draw(st.lists(spoken, min_size=4, max_size=9))):
        time += timedelta(minutes=pause)
        told.append(Message(f"m{number}", time, role, _NAMES[role], words))
    return told


def _source(folder: Path, files: dict[str, object]) -> Path:
    folder_of(folder, files)
    return folder / next(iter(files)) if len(files) == 1 else folder


def _log(home: Path) -> ConversationLog:
    return ConversationLog(Home(home).persona("Luna"), HandClock(_NOW), Random(1))


def _told(log: ConversationLog) -> list[tuple[str, datetime, str]]:
    return [(one.role, one.time, one.text) for one in log.messages()]


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_talk_comes_in_as_it_was_said_once_and_goes_out_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: st.DataObject
) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
    kind, written = FORMATS[name]
    is_room = name == "room"  # which takes the same words of the same second for a copy
    said = data.draw(_talks(is_hostile=kind not in {"text", "nexus-ark"} or name == "loose", least=int(is_room)))
    begun = data.draw(st.integers(3, len(said)))
    place = tmp_path / str(next(_NUMBERS))
    log = _log(place / "home")
    expected = [(one.role, one.time, one.text) for one in said]
    for number, (some, added) in enumerate(((said[:begun], begun), (said, len(said) - begun), (said, 0))):
        report = take_over(log, _source(place / f"{number}", written(some)), None, _WISHES)
        assert (report.kind, report.added, report.already_there) == (kind, added, len(some) - added)
        assert _told(log) == expected[: len(some)]
    for ours in _OURS:
        copied = _log(place / ours)
        take_over(copied, _source(place / f"as {ours}", FORMATS[ours][1]([*said_in(log, ChatDays())])))
        assert [*copied.messages()] == [*log.messages()]
