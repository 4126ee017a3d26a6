"""What is exported of a persona, in each form: all of it noted, masked where asked, and nothing that is to stay here."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from agent.brief import make_brief
from agent.exporting import FORMS, ExportWishes, export, file_name, kept_messages
from agent.memories import Memories
from managers.exchange.cards.card_bytes import card_in_png
from managers.exchange.encryption import open_encrypted
from managers.memory.errors import AudienceUnknownError
from managers.memory.messages import Message
from managers.storage import audit
from managers.storage.errors import ExportExistsError
from tests.small_life import NAME, open_life
from tests.speeds import one_quick
from ui.components.markdown import render_markdown

WORDS, MAIL = "a passphrase", "emma@example.jp"


@pytest.fixture
def memories(life: Path, tmp_path: Path) -> Iterator[Memories]:
    with closing(open_life(Path(shutil.copytree(life, tmp_path / "life")))) as found:
        found.log.append_many([Message("mail", datetime(2026, 11, 21, 20), "user", "Emma", f"Write to {MAIL}")])
        yield found


@pytest.mark.parametrize("form", one_quick(sorted(FORMS, reverse=True)))
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


def test_a_card_is_one_that_others_read(memories: Memories, tmp_path: Path) -> None:
    export(memories, tmp_path / "nemu.png", ExportWishes("card"), render_markdown)
    assert card_in_png((tmp_path / "nemu.png").read_bytes()).card.data.name == NAME


@pytest.mark.parametrize("is_masked", [True, False])
def test_a_talk_is_masked_as_exports_are_file_names_too(memories: Memories, tmp_path: Path, *, is_masked: bool) -> None:
    picture = memories.paths.attachments / "letter.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n a photographed letter")
    files = (("attachments/letter.png", ""), ("attachments/a.txt", f"{MAIL}.txt"), (f"attachments/to {MAIL}.txt", ""))
    for number, (path, name) in enumerate(files):
        time, names = datetime(2026, 11, 21, 20, number), (name,) if name else ()
        sent = Message(f"p{number}", time, "user", "Emma", "Look", attachments=(path,), attachment_names=names)
        memories.log.append_many([sent])
    for form in ("markdown", "jsonl", "html"):
        made = export(memories, tmp_path / form, ExportWishes(form, is_masked=is_masked), render_markdown)
        assert made.count == 124
        text = (tmp_path / form).read_text("utf-8")
        assert ((MAIL in text), "REDACTED" in text) == (not is_masked, is_masked), form
    assert text.count("REDACTED") == (3 if is_masked else 0)
    assert (base64.b64encode(picture.read_bytes()).decode() in text) != is_masked
    assert "letter.png" in text
    assert ("left out" in text) == is_masked


def test_a_brief_says_who_and_what_and_asks_for_the_talk_back(memories: Memories) -> None:
    memories.entities.note("Emma", "Emma sails on Sundays", author="dream", mind="m", evidence=["m1"])
    memories.notes.append("core_memory", "The boat is called Marlin.", author="user", reason="edited")
    brief = make_brief(memories, None, 2000)
    for words in ("You are Nemu.", "Marlin", "A day at the harbour.", "Zebulon: sails", "write it all out"):
        assert words in brief, words
    assert "お出かけ" not in brief
    assert "のところへ持ち帰ります" in make_brief(memories, "ja", 2000)


def test_what_is_for_this_computer_only_is_in_no_brief(memories: Memories) -> None:
    memories.entities.note("Zebulon", "has a secret cove", author="dream", mind="m", evidence=["mail"])
    assert "secret cove" in make_brief(memories, None, 2000)
    memories.audiences.mark("mail", "this-computer", ["mail"])
    assert "secret cove" not in make_brief(memories, None, 2000)
    day = memories.episodes.days()[0]
    memories.audiences.mark(f"ep_{day}", "this-computer", [], f"{day}")
    assert "A day at the harbour." not in make_brief(memories, None, 2000)


def test_what_is_for_this_computer_only_can_be_left_out_of_a_talk(memories: Memories, tmp_path: Path) -> None:
    assert kept_messages(memories) == ""
    memories.audiences.mark("mail", "this-computer", ["mail"])
    assert kept_messages(memories) == "1"
    for form in ("markdown", "jsonl", "html"):
        for without in (False, True):
            file = tmp_path / f"{form}{without}"
            made = export(memories, file, ExportWishes(form, without_kept=without), render_markdown)
            assert made.count == 121 - without
            assert (MAIL in file.read_text("utf-8")) is not without
    (memories.paths.memory / "audience.json").write_text("{broken", "utf-8")
    assert kept_messages(memories) == "?"
    with pytest.raises(AudienceUnknownError):
        export(memories, tmp_path / "none", ExportWishes("jsonl", without_kept=True), render_markdown)
    assert not (tmp_path / "none").exists()
