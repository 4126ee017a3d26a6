"""The process that reads documents: what limits it, and that it is there when it is needed and gone when it is not."""

import io
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil
import pytest

from managers.recall.documents import process as reading
from managers.recall.documents.document_loader import read_document
from managers.recall.documents.process import DocumentReader, UnreadError
from managers.recall.errors import DocumentReaderError, DocumentSlowError
from managers.storage import limited_process

ROOT = Path(__file__).resolve().parents[2]
PLENTY = 120
"""Seconds for what takes none, should the machine be busy."""


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader()
    yield made
    made.close()


def pdf_bomb() -> bytes:
    """A PDF of 8 KB that takes a quarter of an hour: a thousand times the same page, which takes a second."""
    packed = zlib.compress(b"BT (a) Tj ET\n" * 20_000, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1000/Kids[%s]>>" % (b"3 0 R " * 1000),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )


@cache
def many_paragraphs() -> bytes:
    """A document of 20 KB that wants hundreds of megabytes."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}">{"<w:p/>" * 3_000_000}</w:document>')
    return output.getvalue()


def child_of(reader: DocumentReader) -> psutil.Process:
    assert reader._process is not None
    return psutil.Process(reader._process.pid)


def until_it_reads(reader: DocumentReader) -> None:
    """Wait until a thread has its turn, and its process is there."""
    until = time.monotonic() + 60
    while not (reader._turn.locked() and reader._process) and time.monotonic() < until:
        time.sleep(0.01)
    assert reader._turn.locked()


def test_it_is_started_once_and_used_again(reader: DocumentReader) -> None:
    assert reader.read(".txt", b"one", PLENTY)[0].text == "one"
    first = child_of(reader).pid
    assert reader.read(".md", b"# two", PLENTY)[0].heading == "two"
    with pytest.raises(UnreadError):
        reader.read(".pdf", b"no PDF", PLENTY)
    assert reader.read(".txt", b"three", PLENTY)[0].text == "three"
    assert child_of(reader).pid == first


def test_what_takes_too_long_is_ended_and_the_next_is_read(reader: DocumentReader) -> None:
    reader.read(".txt", b"started", PLENTY)
    first = child_of(reader)
    with pytest.raises(UnreadError) as caught:
        reader.read(".pdf", pdf_bomb(), 1)
    assert caught.value.why == "slow"
    assert not first.is_running()
    assert reader.read(".txt", b"after", PLENTY)[0].text == "after"


@pytest.mark.parametrize("by", ["watch", "system"])
def test_what_takes_too_much_memory_is_ended(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    """By the look at the process, which is all there is on Windows and macOS; and by the system, on Linux."""
    if by == "watch":
        monkeypatch.setattr(reading, "MEMORY_BYTES", 100 << 20)
        monkeypatch.setattr(limited_process, "_MAPPED_BYTES", 1 << 40)
    else:
        if sys.platform != "linux":
            pytest.skip("Linux alone keeps to such a limit")
        monkeypatch.setattr(limited_process, "_MAPPED_BYTES", (200 << 20) - reading.MEMORY_BYTES)
    with pytest.raises(UnreadError) as caught:
        reader.read(".docx", many_paragraphs(), PLENTY)
    assert caught.value.why == "unfolds"
    assert reader.read(".txt", b"after", PLENTY)[0].text == "after"


def test_what_gives_too_much_text_is_ended(reader: DocumentReader) -> None:
    table = b"n" * 50_000 + b"\n" + b"x\n" * 50_000
    with pytest.raises(UnreadError) as caught:
        reader.read(".csv", table, 30)
    assert caught.value.why == "unfolds"
    assert reader.read(".txt", b"x" * 20_000_000, 30)[0].text == "x" * 20_000_000  # a long text is no bomb


def test_killed_from_outside_it_reads_all_the_same(reader: DocumentReader) -> None:
    reader.read(".txt", b"started", PLENTY)
    child_of(reader).kill()
    assert reader.read(".txt", b"after", PLENTY)[0].text == "after"
    under_way = threading.Timer(0.5, lambda: child_of(reader).kill())
    under_way.start()
    with pytest.raises(UnreadError) as caught:
        reader.read(".pdf", pdf_bomb(), 3)
    assert caught.value.why == "slow"  # it was begun anew, and had its time


def test_several_threads_take_turns(reader: DocumentReader) -> None:
    found: dict[int, str] = {}

    def read(number: int) -> None:
        found[number] = reader.read(".txt", f"text {number} ".encode() * 1000, PLENTY)[0].text

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"text {number} " * 1000 for number in range(8)}


def test_who_cannot_wait_does_not(reader: DocumentReader) -> None:
    def read() -> None:
        with pytest.raises(OSError, match="the program ends"):
            reader.read(".pdf", pdf_bomb(), 60)

    slow = threading.Thread(target=read)
    slow.start()
    until_it_reads(reader)
    with pytest.raises(UnreadError):
        reader.read(".txt", b"short", 10, wait=0.2)
    assert slow.is_alive()
    reader.close()
    slow.join()


def test_it_is_gone_when_the_program_closes_it_also_in_the_middle(reader: DocumentReader) -> None:
    failed: list[BaseException] = []

    def read() -> None:
        try:
            reader.read(".pdf", pdf_bomb(), 30)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    until_it_reads(reader)
    child = child_of(reader)
    reader.close()
    thread.join(60)
    assert len(failed) == 1  # nothing is held against the document
    assert not child.is_running()
    assert reader.read(".txt", b"again", PLENTY)[0].text == "again"


def test_it_is_let_go_when_there_is_nothing_to_read(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.read(".txt", b"one", PLENTY)
    child = child_of(reader)
    monkeypatch.setattr(reading, "_IDLE_SECONDS", 0.2)
    reader.read(".txt", b"two", PLENTY)
    child.wait(PLENTY)
    assert reader.read(".txt", b"three", PLENTY)[0].text == "three"


PARENT = """
import sys, time, threading
from managers.recall.documents.process import READER
READER.read(".txt", b"started", 120)
print(READER._process.pid, flush=True)
if sys.argv[1] == "busy":
    threading.Thread(target=READER.read, args=(".pdf", open(sys.argv[2], "rb").read(), 2), daemon=True).start()
if sys.argv[1] != "end":
    time.sleep(60)
"""


@pytest.mark.parametrize("way", ["end", "killed", "busy"])
def test_it_does_not_outlive_the_program(tmp_path: Path, way: str) -> None:
    file = tmp_path / "bomb.pdf"
    file.write_bytes(pdf_bomb())
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, way, str(file)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        if way == "end":
            parent.wait(60)
        else:
            time.sleep(0.5)
            parent.kill()
    for _ in range(600):  # it ends by itself, at the latest when the time of what it reads is up
        if not psutil.pid_exists(child):
            return
        time.sleep(0.1)
    raise AssertionError


def test_it_inherits_no_secret_and_imports_no_page(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    reader.read(".txt", b"started", PLENTY)
    child = child_of(reader)
    assert "GEMINI_API_KEY" not in child.environ()
    assert set(child.environ()) <= {"SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE"}
    loaded = "import json, sys; import managers.recall.documents.child; print(json.dumps(sorted(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, cwd=ROOT, check=True)
    names = {name.partition(".")[0] for name in json.loads(told.stdout)}
    assert not names & {"gradio", "numpy", "pydantic", "langgraph", "httpx", "ssl", "pypdf", "psutil"}
    ours = {name for name in json.loads(told.stdout) if name.startswith("managers.")}
    plain = {"managers.recall", "managers.storage", "managers.storage.encodings", "managers.storage.limited_child"}
    assert ours <= plain | {name for name in ours if name.startswith("managers.recall.documents")}


@pytest.mark.parametrize(
    "deed",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import subprocess; subprocess.run(['true'])",
        "open('written', 'w')",
        "import os; os.open('written', os.O_WRONLY | os.O_CREAT)",
    ],
)
def test_it_reaches_neither_the_network_nor_the_disk(tmp_path: Path, deed: str) -> None:
    code = f"import sys; from managers.storage.limited_child import _refuse_the_world\nsys.addaudithook(_refuse_the_world)\n{deed}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), **({"SYSTEMROOT": os.environ["SYSTEMROOT"]} if sys.platform == "win32" else {})},
        check=False,
    )
    assert "PermissionError" in done.stderr
    assert not (tmp_path / "written").exists()


def test_a_process_that_cannot_be_started_is_not_the_documents_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    reading.READER.close()
    monkeypatch.setattr(sys, "executable", str(ROOT / "no-such-python"))
    with pytest.raises(DocumentReaderError) as caught:
        read_document("a.txt", b"words", PLENTY)
    assert "a.txt" in caught.value.sentence("ja")


def test_the_sentence_says_what_to_do() -> None:
    with pytest.raises(DocumentSlowError) as caught:
        read_document("a.pdf", pdf_bomb(), 1)
    assert "document_seconds" in caught.value.sentence("en")
    assert "a.pdf" in caught.value.sentence("ja")
