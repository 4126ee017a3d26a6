"""Documents of every kind are read by heading and page, refused with a sentence, listed, put away and brought back."""

import contextlib
import io
import sys
import zipfile
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from managers.recall import errors
from managers.recall.documents.child import READERS
from managers.recall.documents.document_loader import DOCUMENTS, MAX_BYTES, read_document
from managers.recall.engine import Recall
from managers.recall.knowledge import KnowledgeBase
from managers.storage.errors import UtataneError
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.looking import found
from tests.speeds import one_quick

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
COMPATIBLE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
PLENTY = 120
"""Seconds for what takes none, should the machine be busy."""


def pdf(*pages: str, password: str = "") -> bytes:
    writer = pypdf.PdfWriter()
    kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(value) for key, value in kind.items()})
    fonts = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
    for text in pages:
        page = writer.add_blank_page(300, 300)
        page[NameObject("/Resources")] = fonts
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password)
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def word(body: str = "", *, whole: bytes = b"", space: str = WORD) -> bytes:
    """Return a Word document around some XML, or all of it."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        text = f'<w:document xmlns:w="{space}" xmlns:mc="{COMPATIBLE}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", whole or text)
    return output.getvalue()


def docx(*paragraphs: tuple[str, str], space: str = WORD) -> bytes:
    """Return a Word document of (style, text)."""
    paragraph = '<w:p><w:pPr><w:pStyle w:val="{}"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    return word("".join(paragraph.format(*one) for one in paragraphs), space=space)


def packed_as(method: int) -> bytes:
    """Return a packed file that says that it is packed so."""
    data = bytearray(word("<w:p/>"))
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.index(mark) + place
        data[at : at + 2] = method.to_bytes(2, "little")
    return bytes(data)


def said(name: str, data: bytes | str) -> list[tuple[str, str]]:
    parts = read_document(name, data.encode() if isinstance(data, str) else data, PLENTY)
    return [(part.heading, part.text) for part in parts]


MANUAL = "# 取扱説明書\nはじめに。\n\n## 掃除\n月に一度、フィルターを水で洗います。\n\n## 保証\n保証は二年間です。\n"
PAGE = "<html><head><title>x</title><script>alert(1)</script></head><body><h1>Opening hours</h1><p>Open until nine.</p></body></html>"
READ: dict[str, tuple[bytes, str, str]] = {
    "manual.md": (MANUAL.encode(), "取扱説明書 > 掃除", "フィルター"),
    "plain.txt": ("保証は二年間です。".encode("cp932"), "", "二年間"),
    "old.txt": ("保証は二年間です。".encode("euc_jp"), "", "二年間"),
    "utf16.txt": ("Wide letters.".encode("utf-16"), "", "Wide letters."),
    "page.html": (PAGE.encode(), "Opening hours", "Open until nine."),
    "list.csv": (b"name,phone\nAiko,0123\nKen,0456\n", "row 2", "phone: 0456"),
    "endless_cell.csv": (b"a,b\n1,%s\n" % (b"z" * 300_000), "row 1", "z" * 300_000),
    "report.pdf": (pdf("First page.", "The boiler is blue."), "p. 2", "The boiler is blue."),
    "letter.docx": (docx(("Heading1", "Garden"), ("Normal", "Roses need sun.")), "Garden", "Roses need sun."),
    "strict.docx": (docx(("Heading1", "Roof"), ("Normal", "Slate"), space=STRICT), "Roof", "Slate"),
}


def test_each_kind_keeps_its_heading_or_page() -> None:
    for name, (data, heading, text) in READ.items():
        parts = said(name, data)
        assert [one for one, told in parts if text in told] == [heading], name
        assert not any("alert" in told for _, told in parts)
    assert set(READERS) == set(DOCUMENTS)


REFUSED: dict[str, tuple[bytes, type[UtataneError]]] = {
    "tool.exe": (b"MZ", errors.DocumentTypeError),
    "scan.pdf": (pdf(""), errors.DocumentEmptyError),
    "locked.pdf": (pdf("Secret.", password="x"), errors.DocumentEncryptedError),
    "broken.pdf": (pdf("Half a file.")[:200], errors.DocumentBrokenError),
    "no.pdf": (b"this is no pdf", errors.DocumentBrokenError),
    "round.pdf": (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]>>endobj\n",
        errors.DocumentBrokenError,
    ),
    "empty.txt": (b"", errors.DocumentEmptyError),
    "binary.txt": (bytes(range(256)) * 20, errors.DocumentBrokenError),
    "broken.docx": (b"PK\x03\x04nothing", errors.DocumentBrokenError),
    "torn.docx": (word("<w:p><w:r><w:t>x</w:t></w:r></w:p>")[:-30], errors.DocumentBrokenError),
}


def test_what_cannot_be_read_is_refused_with_a_sentence(tmp_path: Path, paths: PersonaPaths) -> None:
    knowledge = KnowledgeBase(paths, RecallSettings(document_seconds=PLENTY))
    for name, (data, error) in REFUSED.items():
        file = tmp_path / name
        file.write_bytes(data)
        with pytest.raises(error) as caught:
            knowledge.add(file)
        assert all(name in sentence for sentence in caught.value.sentences.values()), name
    with (tmp_path / "huge.txt").open("wb") as handle:
        handle.truncate(2 * MAX_BYTES)  # a hole: takes no room
    with pytest.raises(errors.DocumentTooLargeError):
        knowledge.add(tmp_path / "huge.txt")
    assert knowledge.list() == []


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa">]><w:document xmlns:w="{}"><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:document>'


def test_a_document_type_is_refused_in_every_encoding() -> None:
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii"):
        declared = f'<?xml version="1.0" encoding="{encoding[:6]}"?>' + BOMB.format(WORD)
        with pytest.raises(errors.DocumentBrokenError):
            said("a.docx", word(whole=declared.encode(encoding)))
        plain = declared.replace('<!DOCTYPE x [<!ENTITY a "aaaa">]>', "").replace("&a;", "fine")
        if encoding in ("utf-8", "utf-16"):
            assert said("a.docx", word(whole=plain.encode(encoding))) == [("", "fine")]


PUMPED: dict[str, bytes | str] = {
    "tags.html": "<a " * 100_000,
    "spaces.md": "# x" + " " * 50_000 + "x\n",
    "marks.md": "#" * 100_000 + "\n" + "# #" * 50_000,
    "comments.html": "<!--" * 100_000,
    "declarations.html": "<!x" * 100_000,
    "quotes.html": "<a x=\"<a x='" * 50_000,
    "scripts.html": "<script>" * 50_000,
    "number.html": "&#" + "9" * 100_000 + ";",
    "table.csv": '"a","b"\n' + "," * 2000 + '"x' * 900,
    "nested.docx": word("<w:p>" * 50_000 + "<w:r><w:t>x</w:t></w:r>" + "</w:p>" * 50_000),
}


@pytest.mark.parametrize("name", one_quick(PUMPED, quick=3))
def test_no_small_file_takes_long(name: str) -> None:
    """Each of these took from many seconds to minutes, some of them without letting the interpreter go."""
    with contextlib.suppress(errors.DocumentEmptyError):
        said(name, PUMPED[name])


def test_what_looks_like_markup_and_is_none_stays() -> None:
    page = "<head><title>No</title><meta x=1><h2 class='a>b'>1 &lt; 2</h2><p>if a < b<br/>and <b>c</b> > d<svg/>!<p>x <y and z"
    assert said("a.html", page) == [("1 < 2", "if a < b\nand c > d!\nx <y and z")]
    assert said("a.html", "<style>p > a {}</style><p>a<!-- b > c -->d<script>e</SCRIPT >f") == [("", "adf")]


def test_text_in_a_frame_is_read_once_and_by_itself() -> None:
    before, inside, after = (f"<w:r><w:t>{text}</w:t></w:r>" for text in ("before", "inside", "after"))
    both = "".join(f"<mc:{one}><w:p>{inside}</w:p></mc:{one}>" for one in ("Choice", "Fallback"))
    body = f"<w:p>{before}<mc:AlternateContent>{both}</mc:AlternateContent>{after}</w:p>"
    assert said("a.docx", word(body)) == [("", "inside\nbeforeafter")]


def test_added_found_previewed_removed(recall: Recall, tmp_path: Path, paths: PersonaPaths) -> None:
    knowledge = KnowledgeBase(paths, RecallSettings())
    file = tmp_path / "manual.md"
    file.write_text(MANUAL, "utf-8")
    assert [knowledge.add(file).name for _ in range(2)] == ["manual.md"] * 2
    file.write_text(MANUAL + "\n## 色\n赤と青。\n", "utf-8")
    assert knowledge.add(file).name == "manual (2).md"
    assert [document.name for document in knowledge.list()] == ["manual (2).md", "manual.md"]
    assert "フィルター" in knowledge.preview("manual.md")
    recall.catch_up()
    hit = recall.search("フィルターの掃除", 1)[0]
    assert (hit.type, hit.heading) == ("knowledge", "取扱説明書 > 掃除")
    knowledge.remove("manual.md")
    knowledge.remove("manual (2).md")
    assert found(recall, "フィルターの掃除") == []
    with pytest.raises(errors.DocumentNotFoundError):
        knowledge.remove("manual.md")


def test_names_cannot_lead_out_of_the_folder(paths: PersonaPaths) -> None:
    paths.core_memory.write_text("mine", "utf-8")
    knowledge = KnowledgeBase(paths, RecallSettings())
    for name in ("../core_memory.txt", "/etc/passwd", "..", ".hidden", "a/b.txt"):
        for way in (knowledge.remove, knowledge.restore, knowledge.preview):
            with pytest.raises(errors.DocumentNotFoundError):
                way(name)
    assert paths.core_memory.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_what_is_shown_can_be_looked_into_put_away_and_brought_back(paths: PersonaPaths) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / "\udc83.md").write_text(MANUAL, "utf-8")  # a name that is no text breaks no list
    knowledge = KnowledgeBase(paths, RecallSettings())
    for name in ("e<x>.md", "con.md", "b:c.md", "-z.md", "tab\tx.md", " lead.md", "dot..md", "か\u3099.md"):
        (paths.knowledge / name).write_text(MANUAL, "utf-8")
        (shown,) = knowledge.list()
        assert "フィルター" in knowledge.preview(shown.name)
        knowledge.remove(shown.name)
        assert knowledge.list() == []
        (gone,) = knowledge.removed()
        assert knowledge.restore(gone.name).name == name
        (paths.knowledge / name).unlink()
