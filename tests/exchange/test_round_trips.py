"""A conversation in each of its forms comes in as it was said, once however often, and goes out the same; what is in a page."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from managers.exchange import import_engine
from managers.exchange.exports.chat import Chat, ChatDays, as_transcript, said_in
from managers.exchange.exports.chat_page import ChatPage
from managers.exchange.exports.markdown import as_markdown
from managers.exchange.items import Kind, ReadingWishes
from managers.memory.log import ConversationLog
from managers.memory.messages import Message, Role
from managers.storage.paths import Home, PersonaPaths
from tests.exchange.importing import HereReading, lines_of, take_over
from tests.exchange.readers.reading import folder_of
from tests.fakes import HandClock
from ui.components.markdown import render_markdown

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
    for parent, one in zip(["root", *(before.id for before in said)], said, strict=False):
        author = {"role": "user" if one.role == "user" else "assistant"}
        message = {"id": one.id, "author": author, "create_time": one.time.timestamp(), "recipient": "all"}
        message["content"] = {"content_type": "text", "parts": [one.text]}
        mapping[one.id] = {"id": one.id, "message": message, "parent": parent}
    talk = {"title": "t", "create_time": _FIRST.timestamp(), "mapping": mapping, "current_node": said[-1].id}
    return {"conversations.json": [talk]}


def _claude(said: Said) -> dict[str, object]:
    told = _jsons(
        said, uuid=lambda one: one.id, sender=lambda one: "human" if one.role == "user" else "assistant",
        text=lambda one: one.text, content=lambda one: [{"type": "text", "text": one.text}],
        created_at=lambda one: one.time.astimezone().isoformat()
    )  # fmt: skip
    return {"conversations.json": [{"uuid": "c", "name": "t", "chat_messages": told}]}


def _sillytavern(said: Said) -> dict[str, object]:
    head = {"user_name": "Aki", "character_name": "Luna", "create_date": "2024-06-01 @08h 00m 00s 0ms"}
    told = _jsons(
        said, name=lambda one: one.speaker, is_user=lambda one: one.role == "user",
        send_date=lambda one: f"{one.time:%B} {one.time.day}, {one.time:%Y} {one.time:%I}:{one.time:%M}{one.time:%p}",
        mes=lambda one: one.text
    )  # fmt: skip
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
    ["うん", "ただいま", "海は青い。", "hm", "It's “déjà vu”", "https://example.org/a?b=1#c", "👩‍👩‍👧 ミケ", "100%", "- a", "\\x", "§"]
)  # fmt: skip
_HOSTILE: Final = st.sampled_from(
    ["## USER:x", "2026-01-02 (Fri) 22:00:00 | a | b", "### Aki · 12:00 <!-- utatane {} -->", "\\### a", "```", "{{user}}",
     "[x](javascript:a)", "[x]\\(data:a)", "\\<vbscript:a>"]
)  # fmt: skip
_TEXT: Final = st.lists(_WORD, min_size=1, max_size=4).map(" ".join)


@st.composite
def _talks(draw: st.DrawFn, *, is_hostile: bool, least: int) -> list[Message]:
    """Return a talk of whole minutes; where the least pause is 0, some have several messages, and those the same words."""
    line = st.one_of(_TEXT, _HOSTILE) if is_hostile else _TEXT
    text = st.lists(line, min_size=1, max_size=3).map("\n".join)
    roles: st.SearchStrategy[Role] = st.sampled_from(["user", "persona"])
    spoken = st.tuples(roles, text, st.sampled_from([least, 1, 1, 7, 1000]))
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
def test_talks_go_as_they_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: st.DataObject) -> None:
    monkeypatch.setattr(import_engine, "ImportReading", HereReading)
    kind, written = FORMATS[name]
    is_room = name == "room"  # which takes the same words of the same second for a copy
    said = data.draw(
        _talks(is_hostile=kind not in {"text", "nexus-ark"} or name in {"loose", "markdown"}, least=int(is_room))
    )
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


def test_as_markdown_no_link_leads_to_a_program_and_its_words_stay() -> None:
    reader = MarkdownIt()
    vars(reader)["validateLink"] = lambda _: True
    evil = "](javascript:a)|](\n<java\tscript:a>)|](&#106;avascript:a)|](javascript\\:a)|]:data:a\n\n[x]|](vbscript:a)"
    for text in ("<javascript:a>", *(f"{mark}[x{one}" for one in evil.split("|") for mark in ("", "!", "> "))):
        shown = reader.render("".join(as_markdown(Chat("Luna", "en", iter([said(1, text)])))))
        assert not {"<a", "<img"} & {*re.findall(r"<\w+", shown)}, text
        assert "script" in shown or "data:a" in shown
    fine = "[x](https://a.b/c?d:e) [x](c.md) <mailto:a@b.c> [注]: 青い"
    assert fine in "".join(as_markdown(Chat("Luna", "en", iter([said(1, fine)]))))


NOW = datetime(2026, 11, 21, 21)
PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">"><svg onload=alert(3)> [x](javascript:alert(4))'


def said(number: int, text: str, role: str = "user") -> Message:
    time = NOW - timedelta(days=3) + timedelta(hours=9 * number)
    return Message(f"m{number}", time, role, "Emma" if role == "user" else "Nemu", text)  # type: ignore[arg-type]


def page_of(paths: PersonaPaths, *messages: Message, **also: object) -> str:
    chat = replace(Chat("Nemu", "en", iter(messages)), **also)  # type: ignore[arg-type]
    return "".join(ChatPage(paths.folder, render_markdown, NOW.date()).pieces(chat))


def test_some_days_and_nothing_that_was_deleted_or_noted_by_the_program(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    log.append_many([said(number, f"number {number}") for number in range(8)])
    log.append_many([Message("s1", NOW, "system", "tool", "looked something up")])
    log.supersede("m3", None)
    log.supersede("m4", "said otherwise")
    found = [one.text for one in said_in(log, ChatDays(date(2026, 11, 19), date(2026, 11, 20)))]
    assert found == ["number 1", "number 2", "said otherwise", "number 5"]
    hidden = list(said_in(log, ChatDays(), lambda text: text.replace("number", "•")))
    assert hidden[0].text == "• 0"
    assert len(hidden) == 7


class Parsed(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_nothing_in_the_page_runs_or_fetches_and_every_word_is_there(paths: PersonaPaths) -> None:
    messages = [
        replace(said(0, EVIL), speaker=EVIL),
        said(1, EVIL, "persona"),
        replace(said(2, "x"), attachment_names=(EVIL,), attachments=("attachments/gone.png",)),
    ]
    parsed = Parsed(page_of(paths, *messages, persona=EVIL))
    assert not {"script", "svg", "iframe", "object", "link", "form"} & set(parsed.tags)
    assert "img" not in parsed.tags
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert not [value for name, value in parsed.attributes if name == "href" and value.startswith("javascript")]
    assert parsed.words.count("<script>alert(1)</script>") == 6
    policy = next(value for name, value in parsed.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy
    assert not re.search(r"https?://", page_of(paths, said(0, "plain")))


def test_pictures_are_in_the_page_within_a_bound_and_nothing_is_read_from_elsewhere(paths: PersonaPaths) -> None:
    paths.attachments.mkdir()
    files = {"a.png": PNG, "big.png": PNG + bytes(2_000_001), "not.png": b"<svg onload=alert(1)>", "t.txt": b"words"}
    for name, data in files.items():
        (paths.attachments / name).write_bytes(data)
    (paths.home.folder / "secret.png").write_bytes(PNG + b"secret")
    (paths.attachments / "link.png").symlink_to(paths.home.folder / "secret.png")
    names = [*files, "link.png", "../../../secret.png"]
    message = replace(said(0, "look"), attachments=tuple(f"attachments/{name}" for name in names))
    page = page_of(paths, message, avatar=PNG)
    sources = [value for name, value in Parsed(page).attributes if name == "src"]
    assert sources == ["data:image/png;base64,iVBORw0KGgpwaWN0dXJl"] * 2
    assert "Attached: big.png" in page
