"""What is exported of a persona, in each form: all of it noted, masked where asked, and nothing that is to stay here."""

import base64
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal

import pytest

from agent.brief import FEWEST_TOKENS, make_brief
from agent.exporting import FORMS, ExportWishes, export, file_name, kept_messages
from agent.memories import Memories
from agent.minds.tokens import count_tokens
from managers.exchange.cards.card_bytes import card_in_png
from managers.exchange.encryption import open_encrypted
from managers.memory.errors import AudienceUnknownError
from managers.memory.messages import Message
from managers.storage import audit
from managers.storage.errors import ExportExistsError
from tests.small_life import NAME, make_life, open_life
from ui.components.markdown import render_markdown

WORDS = "a passphrase"


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    make_life(tmp_path / "life")
    with closing(open_life(tmp_path / "life")) as found:
        found.log.append_many([Message("mail", datetime(2026, 11, 21, 20), "user", "Emma", "Write to emma@example.jp")])
        yield found


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_made_once_and_noted_and_encrypted_if_asked(memories: Memories, tmp_path: Path, form: str) -> None:
    wishes = ExportWishes(form, passphrase=WORDS)  # type: ignore[arg-type]
    file = tmp_path / file_name(memories, wishes)
    assert file.name.endswith(".age")
    seen: list[float] = []
    made = export(memories, file, wishes, render_markdown, seen.append)
    assert made.count >= 1
    assert seen[-1] == 1.0
    with file.open("rb") as source, open_encrypted(source, WORDS, file) as plain:
        assert plain.read(8)
    assert next(audit.events(memories.paths)).kind == "export"
    with pytest.raises(ExportExistsError):
        export(memories, file, wishes, render_markdown)


@pytest.mark.parametrize("form", ["markdown", "jsonl", "html"])
def test_a_conversation_is_masked_where_exports_are(memories: Memories, tmp_path: Path, form: str) -> None:
    made = export(memories, tmp_path / "out", ExportWishes(form, is_masked=True), render_markdown)  # type: ignore[arg-type]
    assert made.count == 121
    text = (tmp_path / "out").read_text("utf-8")
    assert "emma@example.jp" not in text
    assert "REDACTED" in text


def test_a_masked_page_has_no_name_of_a_file_as_it_is(memories: Memories, tmp_path: Path) -> None:
    time, mail = datetime(2026, 11, 21, 20, 1), "emma@example.jp"
    sent = [
        Message(
            "f1", time, "user", "Emma", "This", attachments=("attachments/a.txt",), attachment_names=(f"{mail}.txt",)
        ),
        Message("f2", time, "user", "Emma", "This", attachments=(f"attachments/to {mail}.txt",)),
    ]
    memories.log.append_many(sent)
    export(memories, tmp_path / "out.html", ExportWishes("html", is_masked=True), render_markdown)
    text = (tmp_path / "out.html").read_text("utf-8")
    assert mail not in text
    assert text.count("REDACTED") == 3


@pytest.mark.parametrize("is_masked", [True, False])
def test_a_masked_page_shows_no_picture_that_was_sent_along(
    memories: Memories, tmp_path: Path, *, is_masked: bool
) -> None:
    picture = memories.paths.attachments / "letter.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n a photographed letter")
    sent = Message("p1", datetime(2026, 11, 21, 20), "user", "Emma", "Look", attachments=("attachments/letter.png",))
    memories.log.append_many([sent])
    export(memories, tmp_path / "out.html", ExportWishes("html", is_masked=is_masked), render_markdown)
    text = (tmp_path / "out.html").read_text("utf-8")
    assert (base64.b64encode(picture.read_bytes()).decode() in text) != is_masked
    assert "letter.png" in text
    assert ("left out" in text) == is_masked


def test_a_brief_says_who_and_what_and_asks_for_the_talk_back(memories: Memories) -> None:
    memories.entities.note("Emma", "Emma sails on Sundays", author="dream", mind="m", evidence=["m1"])
    memories.notes.write(
        "core_memory",
        "The boat is called Marlin.",
        based_on=memories.notes.read("core_memory").digest,
        author="user",
        reason="edited",
    )
    brief = make_brief(memories, None, 2000)
    for words in ("You are Nemu.", "Marlin", "A day at the harbour.", "Zebulon: sails", "write it all out"):
        assert words in brief, words
    assert "お出かけ" not in brief
    assert "のところへ持ち帰ります" in make_brief(memories, "ja", 2000)


@pytest.mark.parametrize("tokens", [FEWEST_TOKENS, 700, 2000])
def test_a_brief_is_never_longer_than_was_asked(memories: Memories, tokens: int) -> None:
    long = "She remembers every harbour that she has ever seen. " * 400
    memories.notes.write(
        "core_memory", long, based_on=memories.notes.read("core_memory").digest, author="user", reason="edited"
    )
    for number in range(80):
        memories.entities.note(
            "Zebulon", f"keeps the letter number {number}", author="dream", mind="m", evidence=["m1"]
        )
    brief = make_brief(memories, None, tokens)
    assert tokens * 0.6 < count_tokens(brief) <= tokens
    assert "You are Nemu." in brief
    assert "write it all out" in brief


def test_what_is_for_this_computer_only_is_in_no_brief(memories: Memories) -> None:
    memories.entities.note("Zebulon", "has a secret cove", author="dream", mind="m", evidence=["mail"])
    assert "secret cove" in make_brief(memories, None, 2000)
    memories.audiences.mark("mail", "this-computer", ["mail"])
    assert "secret cove" not in make_brief(memories, None, 2000)
    day = memories.episodes.days()[0]
    memories.audiences.mark(f"ep_{day}", "this-computer", [], f"{day}")
    assert "A day at the harbour." not in make_brief(memories, None, 2000)


@pytest.mark.parametrize("form", ["markdown", "jsonl", "html"])
def test_what_is_for_this_computer_only_can_be_left_out_of_a_talk(
    memories: Memories, tmp_path: Path, form: Literal["markdown", "jsonl", "html"]
) -> None:
    assert kept_messages(memories) == ""
    memories.audiences.mark("mail", "this-computer", ["mail"])
    assert kept_messages(memories) == "1"
    for name, without in (("all", False), ("some", True)):
        made = export(memories, tmp_path / name, ExportWishes(form, without_kept=without), render_markdown)
        assert made.count == 121 - without
        assert ("emma@example.jp" in (tmp_path / name).read_text("utf-8")) is not without
    (memories.paths.memory / "audience.json").write_text("{broken", "utf-8")
    assert kept_messages(memories) == "?"
    with pytest.raises(AudienceUnknownError):
        export(memories, tmp_path / "none", ExportWishes(form, without_kept=True), render_markdown)
    assert not (tmp_path / "none").exists()


def test_a_card_is_one_that_others_read(memories: Memories, tmp_path: Path) -> None:
    export(memories, tmp_path / "nemu.png", ExportWishes("card"), render_markdown)
    assert card_in_png((tmp_path / "nemu.png").read_bytes()).card.data.name == NAME
