import io
import sys
import zipfile
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from managers.recall.documents.child import READERS
from managers.recall.documents.document_loader import DOCUMENTS, MAX_BYTES, read_document
from managers.recall.engine import Recall
from managers.recall.errors import (
    DocumentBrokenError,
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentNotFoundError,
    DocumentTooLargeError,
    DocumentTypeError,
)
from managers.recall.knowledge import KnowledgeBase
from managers.storage.errors import UtataneError
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings


def pdf(*pages: str, password: str = "") -> bytes:
    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password)
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def docx(*paragraphs: tuple[str, str]) -> bytes:
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return output.getvalue()


MANUAL = "# 取扱説明書\nはじめに。\n\n## 掃除\n月に一度、フィルターを水で洗います。\n\n## 保証\n保証は二年間です。\n"
PAGE = "<html><head><title>x</title><script>alert(1)</script></head><body><h1>Opening hours</h1><p>Open until nine.</p></body></html>"


@pytest.mark.parametrize(
    ("name", "data", "heading", "text"),
    [
        ("manual.md", MANUAL.encode(), "取扱説明書 > 掃除", "フィルター"),
        ("plain.txt", "保証は二年間です。".encode("cp932"), "", "二年間"),
        ("old.txt", "保証は二年間です。".encode("euc_jp"), "", "二年間"),
        ("utf16.txt", "Wide letters.".encode("utf-16"), "", "Wide letters."),
        ("page.html", PAGE.encode(), "Opening hours", "Open until nine."),
        ("list.csv", b"name,phone\nAiko,0123\nKen,0456\n", "row 2", "phone: 0456"),
        ("report.pdf", pdf("First page.", "The boiler is blue."), "p. 2", "The boiler is blue."),
        ("letter.docx", docx(("Heading1", "Garden"), ("Normal", "Roses need sun.")), "Garden", "Roses need sun."),
    ],
)
def test_each_kind_keeps_its_heading_or_page(name: str, data: bytes, heading: str, text: str) -> None:
    part = next(part for part in read_document(name, data, 10) if text in part.text)
    assert part.heading == heading
    assert "alert" not in part.text


def test_every_kind_that_is_taken_has_a_reader() -> None:
    assert set(READERS) == set(DOCUMENTS)


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("tool.exe", b"MZ", DocumentTypeError),
        ("scan.pdf", pdf(""), DocumentEmptyError),
        ("locked.pdf", pdf("Secret.", password="x"), DocumentEncryptedError),
        ("broken.pdf", pdf("Half a file.")[:200], DocumentBrokenError),
        ("no.pdf", b"this is no pdf", DocumentBrokenError),
        ("empty.txt", b"", DocumentEmptyError),
        ("blank.md", b"\n  \n", DocumentEmptyError),
        ("binary.txt", bytes(range(256)) * 20, DocumentBrokenError),
        ("broken.docx", b"PK\x03\x04nothing", DocumentBrokenError),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(
    tmp_path: Path, paths: PersonaPaths, name: str, data: bytes, error: type[UtataneError]
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(error) as caught:
        KnowledgeBase(paths, RecallSettings()).add(file)
    assert name in caught.value.sentence("ja")
    assert name in caught.value.sentence("en")
    assert KnowledgeBase(paths, RecallSettings()).list() == []


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path, paths: PersonaPaths) -> None:
    file = tmp_path / "huge.txt"
    with file.open("wb") as handle:
        handle.truncate(2 * MAX_BYTES)  # a hole: takes no room
    with pytest.raises(DocumentTooLargeError):
        KnowledgeBase(paths, RecallSettings()).add(file)


def test_added_found_previewed_removed(recall: Recall, tmp_path: Path, paths: PersonaPaths) -> None:
    knowledge = KnowledgeBase(paths, RecallSettings())
    file = tmp_path / "manual.md"
    file.write_text(MANUAL, "utf-8")
    assert knowledge.add(file).name == "manual.md"
    assert knowledge.add(file).name == "manual.md"
    file.write_text(MANUAL + "\n## 色\n赤と青。\n", "utf-8")
    assert knowledge.add(file).name == "manual (2).md"
    assert [document.name for document in knowledge.list()] == ["manual (2).md", "manual.md"]
    assert "フィルター" in knowledge.preview("manual.md")
    recall.catch_up()
    hit = recall.search("フィルターの掃除", 1)[0]
    assert (hit.type, hit.heading) == ("knowledge", "取扱説明書 > 掃除")
    knowledge.remove("manual.md")
    knowledge.remove("manual (2).md")
    assert recall.search("フィルターの掃除") == []
    with pytest.raises(DocumentNotFoundError):
        knowledge.remove("manual.md")


@pytest.mark.parametrize("name", ["../core_memory.txt", "/etc/passwd", "..", ".hidden", "a/b.txt"])
def test_names_cannot_lead_out_of_the_folder(paths: PersonaPaths, name: str) -> None:
    paths.core_memory.write_text("mine", "utf-8")
    knowledge = KnowledgeBase(paths, RecallSettings())
    for way in (knowledge.remove, knowledge.restore, knowledge.preview):
        with pytest.raises(DocumentNotFoundError):
            way(name)
    assert paths.core_memory.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no file can have such a name there")
@pytest.mark.parametrize(
    "name", ["e<x>.md", "con.md", "b:c.md", "-z.md", "tab\tx.md", " lead.md", "dot..md", "か\u3099.md"]
)
def test_what_is_shown_can_be_looked_into_put_away_and_brought_back(paths: PersonaPaths, name: str) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / name).write_text(MANUAL, "utf-8")
    knowledge = KnowledgeBase(paths, RecallSettings())
    (shown,) = knowledge.list()
    assert "フィルター" in knowledge.preview(shown.name)
    knowledge.remove(shown.name)
    assert knowledge.list() == []
    (gone,) = knowledge.removed()
    assert knowledge.restore(gone.name).name == name


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_text_breaks_no_list(paths: PersonaPaths) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / "\udc83.md").write_text(MANUAL, "utf-8")
    assert KnowledgeBase(paths, RecallSettings()).list() == []
