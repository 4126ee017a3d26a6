"""A conversation in each of its forms: what is in it, what is not, and that it comes back as it was."""

import json
import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from html.parser import HTMLParser
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from managers.exchange.exports.chat import Chat, ChatDays, as_transcript, said_in
from managers.exchange.exports.chat_page import ChatPage
from managers.exchange.exports.markdown import as_markdown, messages_in
from managers.memory.log import ConversationLog
from managers.memory.log.format import normalised
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from ui.components.markdown import render_markdown

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


LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=20),
        st.sampled_from(
            ["", "# title", "## day <!-- utatane day -->", "\\\\## day <!-- utatane day -->", "-->", "```"]
        ),
        st.sampled_from([f'{begun}### Emma · 12:00 <!-- utatane {{"id": "x"}} -->' for begun in ("", "\\")]),
    ),
    max_size=6,
).map("\n".join)


@given(st.lists(st.tuples(LINES, LINES), max_size=5))
def test_markdown_comes_back_as_it_was_whatever_was_said(texts: list[tuple[str, str]]) -> None:
    messages = [
        normalised(Message(f"id {number}-->", NOW + timedelta(hours=number * 13), "user", name or "x", text))
        for number, (name, text) in enumerate(texts)
    ]
    whole = "".join(as_markdown(Chat("Nemu", "ja", iter(messages))))
    found = list(messages_in(iter(whole.removesuffix("\n").split("\n"))))
    assert found == [json.loads(line) for line in as_transcript(messages)]


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
