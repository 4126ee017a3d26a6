"""One file that cannot be read costs itself and nothing else: what is said afterwards is found."""

import os
import sys
from pathlib import Path

import pytest

from managers.recall.documents import process as reading
from managers.recall.documents.parts import Part
from managers.recall.engine import Recall
from managers.recall.index import indexing
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import FakeEmbedder, Talk, assert_sound, codes, found
from tests.recall.test_documents import packed_as
from tests.recall.test_reading_process import pdf_bomb

DOOR = "The lighthouse has a red door."


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


BROKEN: dict[str, bytes] = {
    "knowledge/wide.csv": b'a,b\n"' + b"x" * 200_000 + b"\0",
    "knowledge/packed.docx": packed_as(99),
    "knowledge/declared.html": b"<![a\x00",
    "knowledge/torn.pdf": b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    "knowledge/not.md": b"\0\1\2",
    "episodic_memory/2026-01-01.json": b"[" * 100_000,
    "episodic_memory/2026-01-02.json": b'{"date": "2026-01-02", "summary": "9", "evidence": ["\\ud800"], "key_events": 7}',
    "memory/insights.json": b'[{"id": "\\udc00", "insight": "half \\ud83d"}, ' + b"9" * 5000 + b"]",
    "memory/insights_archived_1.json": b'[{"insight": ["x"], "created_at": {"a": 1}}, 1, null]',
    "memory/memory_main.txt": b"# " + b" " * 50_000 + b"x\n\xff\xfe\0\0\xd8\n9999-99-99\n",
    "entity_memory/Odd.md": b'# Entity Memory: Odd\nCreated: 9\n<!-- entity {"aliases": ["\\ud800"]} -->\n\nwords\n',
    "entity_memory/Deep.md": b"# Entity Memory: Deep\n<!-- entity {" + b'"a":{' * 5000 + b"} -->\nwords\n",
    "core_memory.txt": b"\xed\xa0\x80\xff",
    "log_archives/2026-01.txt": b"## USER:x\n\n9999-99-99 (x) 99:99:99 |a|%ED%A0%80|attachments="
    + b"[" * 100_000
    + b"\n",
}


def test_what_follows_a_broken_file_is_found(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    for name, data in BROKEN.items():
        write(paths.folder / name, data)
    recall.catch_up()
    talk.user(DOOR)
    recall.catch_up()
    assert DOOR in found(recall, "red door of the lighthouse")
    recall.rebuild()
    assert DOOR in found(recall, "red door of the lighthouse")
    assert_sound(recall)


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are no text are possible there alone")
def test_a_name_that_is_no_text_and_a_round_link_stop_nothing(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / "ring.txt").symlink_to("ring.txt")
    talk.user(DOOR)
    recall.catch_up()
    assert found(recall, "lighthouse") == [DOOR]
    with open(os.fsencode(paths.knowledge) + b"/caf\xe9.txt", "wb") as file:  # noqa: PTH123  # no Path holds such a name
        file.write(b"words")
    recall.catch_up()
    assert found(recall, "lighthouse") == [DOOR]
    assert "recall-unreadable" in codes(recall)
    assert any("caf?.txt" in notice.sentence("en") for notice in recall.status().notices)


def test_a_file_that_can_be_read_and_not_indexed_costs_no_other(open_recall: Open, paths: PersonaPaths) -> None:
    for name in ("a", "b", "c"):
        write(paths.knowledge / f"{name}.txt", b"The barn is " + (b"poison" if name == "b" else name.encode()))
    recall = open_recall(embedder=FakeEmbedder(is_slow=False))
    recall.catch_up()
    assert set(found(recall, "barn")) == {"The barn is a", "The barn is c"}
    assert "knowledge/b.txt" in next(iter(recall.status().notices)).sentence("ja")
    write(paths.knowledge / "b.txt", b"The barn is mended")
    recall.catch_up()
    assert len(found(recall, "barn")) == 3
    assert recall.status().notices == ()
    assert_sound(recall)


def test_a_document_that_failed_is_tried_again_only_when_it_has_changed(
    open_recall: Open, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    real = reading.DocumentReader.read

    def read(self: reading.DocumentReader, kind: str, data: bytes, seconds: float, wait: float = -1) -> list[Part]:
        reads.append(data[:8].decode("latin-1"))
        return real(self, kind, data, seconds, wait)

    monkeypatch.setattr(reading.DocumentReader, "read", read)
    settings = RecallSettings(document_seconds=1)
    write(paths.knowledge / "a.pdf", pdf_bomb())
    recall = open_recall(settings)
    for _ in range(3):
        talk.user("Something new.")
        recall.catch_up()
    recall.rebuild()
    again = open_recall(settings)  # as after a restart
    os.utime(paths.knowledge / "a.pdf")  # touched, and the same
    again.catch_up()
    assert reads == ["%PDF-1.4"]
    assert codes(again) == ["recall-document"]
    assert "1 seconds" in again.unread_documents()["a.pdf"].sentence("en")
    assert "1 秒" in again.unread_documents()["a.pdf"].sentence("ja")
    write(paths.knowledge / "a.pdf", pdf_bomb() + b"%")
    again.catch_up()
    assert len(reads) == 2
    settings.document_seconds = 2  # as the sentence says
    again.catch_up()
    assert len(reads) == 3


def test_a_short_document_is_found_in_the_turn_after_it_was_put_there_and_nobody_waits_for_a_slow_one(
    open_recall: Open, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall = open_recall(RecallSettings(document_seconds=60))
    write(paths.knowledge / "warm.txt", b"The process has been started.")
    recall.catch_up()
    write(paths.knowledge / "slow.pdf", pdf_bomb())
    recall.for_turn("What is in the manual?", window=[])
    assert recall.unread_documents() == {}  # it is given its whole time after the answer
    (paths.knowledge / "slow.pdf").unlink()
    monkeypatch.setattr(indexing, "_TURN_SECONDS", 60)
    write(paths.knowledge / "a.md", b"# Filter\nRinse the filter of the heron fountain monthly.")
    assert "heron fountain" in recall.search_knowledge_base("filter of the heron fountain")[0].text
