"""What documents hold, whatever they are made of: nothing is read twice, and no small file takes long."""

import contextlib
import io
import zipfile

import pytest

from managers.recall.documents.document_loader import read_document
from managers.recall.documents.text import heading_of
from managers.recall.errors import DocumentBrokenError, DocumentEmptyError
from managers.storage.errors import UtataneError

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
COMPATIBLE = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def word(body: str = "", *, whole: bytes = b"", space: str = WORD) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        text = f'<w:document xmlns:w="{space}" xmlns:mc="{COMPATIBLE}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", whole or text)
    return output.getvalue()


def said(name: str, data: bytes | str) -> list[tuple[str, str]]:
    return [tuple(part) for part in read_document(name, data.encode() if isinstance(data, str) else data, 10)]  # type: ignore[misc]  # heading, text


PUMPED: dict[str, bytes | str] = {
    "spaces.md": "# x" + " " * 50_000 + "x\n",
    "marks.md": "#" * 100_000 + "\n" + "# #" * 50_000,
    "tags.html": "<a " * 100_000,
    "ends.html": "</a " * 100_000,
    "comments.html": "<!--" * 100_000,
    "declarations.html": "<!x" * 100_000,
    "instructions.html": "<?" * 100_000,
    "quotes.html": "<a x=\"<a x='" * 50_000,
    "equals.html": "<a =" * 100_000,
    "scripts.html": "<script>" * 50_000,
    "blanks.html": "<b> </b>" * 60_000 + "x",
    "number.html": "&#" + "9" * 100_000 + ";",
    "table.csv": '"a","b"\n' + "," * 2000 + '"x' * 900,
    "nested.docx": word("<w:p>" * 50_000 + "<w:r><w:t>x</w:t></w:r>" + "</w:p>" * 50_000),
}


@pytest.mark.parametrize("name", PUMPED)
def test_no_small_file_takes_long(name: str) -> None:
    """Each of these took from many seconds to minutes, some of them without letting the interpreter go."""
    with contextlib.suppress(DocumentEmptyError):
        said(name, PUMPED[name])


def test_what_looks_like_markup_and_is_none_stays() -> None:
    page = "<head><title>No</title><meta x=1><h2 class='a>b'>1 &lt; 2</h2><p>if a < b<br/>and <b>c</b> > d<svg/>!<p>x <y and z"
    assert said("a.html", page) == [("1 < 2", "if a < b\nand c > d!\nx <y and z")]
    assert said("a.html", "<style>p > a {}</style><p>a<!-- b > c -->d<script>e</SCRIPT >f") == [("", "adf")]


def test_headings_of_markdown() -> None:
    lines = ["# One", "## Two ##", "# About C#", "#hash", "####### seven", "#", "# #", "  # set in", "#\ttab"]
    assert [heading_of(line) for line in lines] == [
        (1, "One"),
        (2, "Two"),
        (1, "About C#"),
        None,
        None,
        None,
        None,
        None,
        (1, "tab"),
    ]


@pytest.mark.parametrize(("mark", "row"), [(";", "1,5"), (",", "1.5"), ("\t", "1,5"), (",", '"one, two"')])
def test_columns_are_told_by_what_most_lines_have(mark: str, row: str) -> None:
    text = mark.join(["name", "value"]) + "\n" + "".join(f"n{n}{mark}{row}\n" for n in range(5))
    assert said("a.csv", text)[0] == ("row 1", f"name: n0\nvalue: {row.strip(chr(34))}")


def test_a_table_with_an_endless_cell_is_read() -> None:
    assert "z" * 300_000 in said("a.csv", f"a,b\n1,{'z' * 300_000}\n")[0][1]


def test_text_in_a_frame_is_read_once_and_by_itself() -> None:
    def t(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    frame = f"<w:p>{t('inside')}</w:p>"
    both = (
        f"<mc:AlternateContent><mc:Choice>{frame}</mc:Choice><mc:Fallback>{frame}</mc:Fallback></mc:AlternateContent>"
    )
    assert said("a.docx", word(f"<w:p>{t('before')}{both}{t('after')}</w:p>")) == [("", "inside\nbeforeafter")]


def test_a_document_in_the_strict_form_is_read() -> None:
    body = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Roof</w:t></w:r></w:p><w:p><w:r><w:t>Slate</w:t></w:r></w:p>'
    assert said("a.docx", word(body, space=STRICT)) == [("Roof", "Slate")]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa">]><w:document xmlns:w="{}"><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:document>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii"])
def test_a_document_type_is_refused_in_every_encoding(encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding[:6]}"?>' + BOMB.format(WORD)
    with pytest.raises(DocumentBrokenError):
        said("a.docx", word(whole=declared.encode(encoding)))
    plain = declared.replace('<!DOCTYPE x [<!ENTITY a "aaaa">]>', "").replace("&a;", "fine")
    if encoding in ("utf-8", "utf-16"):
        assert said("a.docx", word(whole=plain.encode(encoding))) == [("", "fine")]


def _packed(name: str, method: int) -> bytes:
    data = bytearray(word("<w:p/>"))
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.index(mark) + place
        data[at : at + 2] = method.to_bytes(2, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("nul.csv", b"a,b\n1,\0\n"),
        ("odd.docx", _packed("odd", 99)),
        ("torn.docx", word("<w:p><w:r><w:t>x</w:t></w:r></w:p>").replace(b"\x03\x04", b"\x03\x04", 1)[:-30]),
        ("bits.docx", bytes(byte ^ 0xFF if 60 < at < 90 else byte for at, byte in enumerate(word("<w:p/>" * 99)))),
        ("other.docx", b"PK\x05\x06" + bytes(18)),
        ("crypt.pdf", b"%PDF-1.4\ntrailer<</Root 1 0 R/Encrypt<</Filter/Nobody/V 9>>/ID[<00>]>>\nstartxref\n0\n%%EOF"),
        (
            "filter.pdf",
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]>>endobj\n",
        ),
    ],
)
def test_whatever_a_reader_raises_the_document_is_broken(name: str, data: bytes) -> None:
    with pytest.raises(UtataneError) as caught:
        read_document(name, data, 10)
    assert isinstance(caught.value, DocumentBrokenError)


def test_headings_are_no_longer_than_headings_are() -> None:
    text = "# " + "long " * 10_000 + "\nwords\n"
    assert len(said("a.md", text)[0][0]) <= 300
