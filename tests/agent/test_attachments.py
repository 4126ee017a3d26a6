"""Files that are sent: refused when they are chosen, kept under their own names, read for the answer, held apart."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from agent import errors
from agent.attachments import ACCEPTED, MAX_BYTES, Upload, check, sent_with
from managers.memory.log import ConversationLog
from managers.mind import ToolCall
from managers.recall.documents.document_loader import DOCUMENTS
from managers.recall.errors import DocumentEmptyError, DocumentEncryptedError
from managers.storage.errors import UtataneError
from tests.agent.conftest import Scene
from tests.recall.test_documents import docx, pdf
from tests.speeds import one_quick

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
FACT = "The kingfisher nests under the old bridge."
KINDS: dict[str, Callable[[], bytes]] = {
    "notes.txt": FACT.encode,
    "notes.md": f"# Birds\n\n{FACT}\n".encode,
    "notes.markdown": f"# Birds\n\n{FACT}\n".encode,
    "notes.log": FACT.encode,
    "notes.pdf": lambda: pdf("Page one.", FACT),
    "notes.docx": lambda: docx(("Title", "Birds"), ("Normal", FACT)),
    "notes.html": f"<h1>Birds</h1><p>{FACT}</p><script>alert(1)</script>".encode,
    "notes.csv": f'bird,where\nkingfisher,"{FACT}"\n'.encode,
    "notes.tsv": f"bird\twhere\nkingfisher\t{FACT}\n".encode,
}


def file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", one_quick(KINDS))
def test_every_kind_of_document_is_read_for_the_answer_and_quoted(scene: Scene, tmp_path: Path, name: str) -> None:
    scene.mind.enqueue("Under the bridge.", "…")
    scene.live(scene.companion.say("Where does it nest?", attachments=[file(tmp_path, name, KINDS[name]())]))
    read = scene.asked.turns[-1]
    assert read.text == "Where does it nest?"
    line = next(line for line in read.quoted.splitlines() if FACT in line)
    assert line.startswith("> ")
    assert f"“{name}”" in read.quoted
    assert "alert" not in read.quoted
    message, reply = scene.memories.log.tail(2)
    assert reply.origins == message.attachments
    windows = "カワセミは古い橋の下に巣を作る。\n毎年四月に戻ってくる。\n".encode("cp932")
    scene.live(scene.companion.say("読んで", attachments=[file(tmp_path, "メモ.txt", windows)]))
    assert "> カワセミは古い橋の下に巣を作る。" in scene.asked.turns[-1].quoted


def test_a_file_keeps_its_own_name_beside_the_safe_one(scene: Scene, tmp_path: Path) -> None:
    scene.mind.enqueue("Read.", "Read.")
    uploads = [
        Upload(file(tmp_path, "8f3a", KINDS["notes.pdf"]()), "請求書 (最終版) 2026年|11月.pdf"),
        Upload(file(tmp_path, "b2", PNG), "C:\\fakepath\\Oma & Opa.png"),
    ]
    scene.live(scene.companion.say("Look", attachments=uploads))
    scene.live(scene.companion.say("And this", attachments=[file(tmp_path, "plain.txt", b"words")]))
    fresh = ConversationLog(scene.memories.paths, scene.clock, Random(1))  # as the file on the disk has it
    first, second = [message for message in fresh.tail(9) if message.role == "user"]
    shown = sent_with(first)
    assert [one.name for one in shown] == ["請求書 (最終版) 2026年|11月.pdf", "Oma & Opa.png"]
    assert [one.is_picture for one in shown] == [False, True]
    assert all((scene.memories.paths.folder / one.path).is_file() for one in shown)
    assert "“請求書 (最終版) 2026年 11月.pdf”" in scene.mind.requests[0].turns[-1].quoted
    assert second.attachment_names == ()  # what it is kept as tells the name
    assert [one.name for one in sent_with(second)] == ["plain.txt"]
    long = Upload(tmp_path / "x", f"{'long ' * 90}.pdf").own_name
    assert (long.endswith(".pdf"), len(long) <= 200) == (True, True)
    assert Upload(tmp_path / "x", "../../etc/pass\u202ewd\n.txt").own_name == "pass wd .txt"


def test_what_no_message_takes_is_refused_when_it_is_chosen_and_the_rest_passes_in_capitals_too() -> None:
    for name, size, error in (
        ("music.mp3", 9, errors.AttachmentTypeError),
        ("archive.tar.gz", 9, errors.AttachmentTypeError),
        ("README", 9, errors.AttachmentTypeError),
        ("book.pdf", MAX_BYTES + 1, errors.AttachmentForKnowledgeError),
        ("book.pdf", 60_000_000, errors.AttachmentTooLargeError),
        ("photo.png", MAX_BYTES + 1, errors.AttachmentTooLargeError),
        ("server.log", MAX_BYTES + 1, errors.AttachmentTooLargeError),
        ("empty.txt", 0, errors.AttachmentUnreadableError),
    ):
        with pytest.raises(error) as refused:
            check(name, size)
        ja, en = refused.value.sentence("ja"), refused.value.sentence("en")
        assert name in ja
        assert name in en
        leads_there = error in {errors.AttachmentForKnowledgeError, errors.AttachmentTypeError}
        assert ("「資料」" in ja) == ("room Knowledge" in en) == leads_there
    for ending in ACCEPTED:
        check(f"a b{ending.upper()}", 1)
    assert set(DOCUMENTS) < set(ACCEPTED)


def test_what_cannot_be_read_is_not_sent_and_nothing_is_written(scene: Scene, tmp_path: Path) -> None:
    good = file(tmp_path, "good.txt", b"good")
    refused: list[tuple[str, bytes, type[UtataneError]]] = [
        ("locked.pdf", pdf("Secret.", password="x"), DocumentEncryptedError),
        ("scan.pdf", pdf(""), DocumentEmptyError),
        ("photo.png", b"no picture at all", errors.AttachmentUnreadableError),
        ("song.mp3", b"ID3", errors.AttachmentTypeError),
    ]
    for name, data, error in refused:
        with pytest.raises(error):
            scene.companion.say("Look", attachments=[good, file(tmp_path, name, data)])
    assert scene.memories.log.tail(1) == []
    assert not list(scene.memories.paths.attachments.glob("*"))


def test_what_would_be_noted_of_a_document_that_was_sent_waits_for_a_yes(scene: Scene, tmp_path: Path) -> None:
    notes = [{"operation": "append", "text": f"The kingfisher has {n} eggs."} for n in (3, 4)]
    calls = [[ToolCall("c", "edit_notepad", note)] for note in notes]
    scene.mind.enqueue(calls[0], "Shall I?", "…", calls[1], "Shall I?")
    sent = file(tmp_path, "notes.docx", KINDS["notes.docx"]())
    for text, files in (("Look", [sent]), ("Hm.", []), ("And now?", [])):
        scene.live(scene.companion.say(text, attachments=files))
    assert [one.documents for one in scene.companion.waiting()] == [["notes.docx"]] * 2
    assert scene.memories.notes.read("notepad").text == ""
