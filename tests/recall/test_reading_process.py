"""The process that reads documents: what limits it, and that it is there when it is needed and gone when it is not."""

import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from managers.recall.documents import process as reading
from managers.recall.documents.document_loader import read_document
from managers.recall.documents.process import DocumentReader, UnreadError
from managers.recall.errors import DocumentSlowError
from managers.storage import limited_process
from tests.recall.test_documents import PLENTY, word
from tests.speeds import one_quick

ROOT = Path(__file__).resolve().parents[2]


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


def child_of(reader: DocumentReader) -> psutil.Process:
    assert reader._process is not None
    return psutil.Process(reader._process.pid)


def until_it_reads(reader: DocumentReader) -> None:
    """Wait until a thread has its turn, and its process is there."""
    while not (reader._turn.locked() and reader._process):
        time.sleep(0.01)


def is_gone(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def test_it_is_started_once_and_let_go_when_it_idles(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(number: int) -> str:
        return reader.read(".txt", f"text {number} ".encode() * 1000, PLENTY)[0].text

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(read, range(8))) == [f"text {number} " * 1000 for number in range(8)]
    first = child_of(reader)
    assert reader.read(".md", b"# two", PLENTY)[0].heading == "two"
    with pytest.raises(UnreadError):
        reader.read(".pdf", b"no PDF", PLENTY)
    monkeypatch.setattr(reading, "_IDLE_SECONDS", 0.2)
    assert reader.read(".txt", b"three", PLENTY)[0].text == "three"
    assert child_of(reader).pid == first.pid
    first.wait()
    assert reader.read(".txt", b"four", PLENTY)[0].text == "four"


def test_what_takes_too_long_is_ended_and_the_next_is_read(reader: DocumentReader) -> None:
    reader.read(".txt", b"started", PLENTY)
    first = child_of(reader)
    with pytest.raises(UnreadError) as caught:
        reader.read(".pdf", pdf_bomb(), 1)
    assert caught.value.why == "slow"
    assert not first.is_running()
    assert reader.read(".txt", b"after", PLENTY)[0].text == "after"
    with pytest.raises(DocumentSlowError) as slow:
        read_document("a.pdf", pdf_bomb(), 1)
    assert "document_seconds" in slow.value.sentence("en")
    assert "a.pdf" in slow.value.sentence("ja")


@pytest.mark.parametrize("by", one_quick(["watch", "system"]))
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
        reader.read(".docx", word("<w:p/>" * 3_000_000), PLENTY)  # 20 KB that want hundreds of megabytes
    assert caught.value.why == "unfolds"
    with pytest.raises(UnreadError) as caught:
        reader.read(".csv", b"n" * 50_000 + b"\n" + b"x\n" * 50_000, PLENTY)  # too much text
    assert caught.value.why == "unfolds"
    assert reader.read(".txt", b"x" * 20_000_000, PLENTY)[0].text == "x" * 20_000_000  # a long text is no bomb


def test_killed_from_outside_it_reads_all_the_same(reader: DocumentReader) -> None:
    reader.read(".txt", b"started", PLENTY)
    child_of(reader).kill()
    assert reader.read(".txt", b"after", PLENTY)[0].text == "after"


def test_who_cannot_wait_does_not_and_what_is_closed_in_the_middle_is_gone(reader: DocumentReader) -> None:
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(reader.read, ".pdf", pdf_bomb(), PLENTY)
        until_it_reads(reader)
        with pytest.raises(UnreadError):
            reader.read(".txt", b"short", PLENTY, wait=0.1)
        assert not slow.done()
        child = child_of(reader)
        reader.close()
        with pytest.raises(OSError, match="the program ends"):  # nothing is held against the document
            slow.result()
    assert not child.is_running()
    assert reader.read(".txt", b"again", PLENTY)[0].text == "again"


PARENT = """
import sys, threading
from managers.recall.documents.process import READER
READER.read(".txt", b"started", 120)
print(READER._process.pid, flush=True)
if sys.argv[1] == "busy":
    threading.Thread(target=READER.read, args=(".pdf", open(sys.argv[2], "rb").read(), 2), daemon=True).start()
if sys.argv[1] != "end":
    threading.Event().wait()
"""


@pytest.mark.parametrize("way", one_quick(["busy", "killed", "end"]))
def test_it_does_not_outlive_the_program(tmp_path: Path, way: str) -> None:
    file = tmp_path / "bomb.pdf"
    file.write_bytes(pdf_bomb())
    command = [sys.executable, "-c", PARENT, way, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        before = sum(child.cpu_times()[:2])
        if way == "end":
            parent.wait()
        while way == "busy" and not is_gone(child) and sum(child.cpu_times()[:2]) < before + 0.1:
            time.sleep(0.01)
        parent.kill()
    while not is_gone(child):  # it ends by itself, at the latest when the time of what it reads is up
        time.sleep(0.02)


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


DEEDS = """
import socket; socket.create_connection(('127.0.0.1', 9))
import subprocess; subprocess.run(['true'])
open('written', 'w')
import os; os.open('written', os.O_WRONLY | os.O_CREAT)
""".strip()


def test_it_reaches_neither_the_network_nor_the_disk(tmp_path: Path) -> None:
    code = f"""
import sys
from managers.storage.limited_child import _refuse_the_world
sys.addaudithook(_refuse_the_world)
for deed in {DEEDS.splitlines()!r}:
    try:
        exec(deed)
    except PermissionError:
        continue
    print(deed)
"""
    env = {"PYTHONPATH": str(ROOT)} | {key: value for key, value in os.environ.items() if key == "SYSTEMROOT"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=env, check=True
    )
    assert done.stdout == "", "what could be done"
    assert not (tmp_path / "written").exists()
