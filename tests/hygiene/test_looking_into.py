"""Looking for what is to be erased in documents and archives: found where it is laid out or packed, never without an end."""

import io
import zipfile

import pypdf
import pytest

from managers.hygiene import traces as module
from managers.hygiene.documents import is_in_document
from managers.hygiene.traces import Traces
from tests.recall.test_documents import docx, pdf

HER = Traces(names=("Momochi",))


def packed_pdf(text: str, password: str = "") -> bytes:
    """Return a PDF whose words do not stand in its bytes."""
    writer = pypdf.PdfWriter(io.BytesIO(pdf(text)))
    for page in writer.pages:
        page.compress_content_streams()
    if password:
        writer.encrypt(password)
    output = io.BytesIO()
    writer.write(output)
    assert text.encode() not in output.getvalue()
    return output.getvalue()


def zipped(**files: bytes) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return output.getvalue()


def test_it_is_found_or_nobody_can_tell() -> None:
    rows = (
        ("her.pdf", packed_pdf("Momochi is a cat"), True),
        ("other.pdf", packed_pdf("Nobody is a cat"), False),
        ("locked.pdf", packed_pdf("Momochi is a cat", "secret"), None),
        ("broken.pdf", b"%PDF-1.7 nothing", None),
        ("empty.pdf", pdf(""), False),
        ("her.docx", docx(("Heading1", "Momochi"), ("", "A cat.")), True),
        ("other.docx", docx(("", "A cat.")), False),
        ("her.zip", zipped(one=b"-" * 5000, two=b"Momochi"), True),
        ("named.zip", zipped(Momochi=b"-"), True),
        ("other.zip", zipped(one=b"a cat"), False),
        ("nested.zip", zipped(one=zipped(two=b"Momochi" * 100)), None),
        ("cut.zip", zipped(one=b"a cat" * 1000)[:-30], None),
    )
    found = [(name, is_in_document(HER, name, data)) for name, data, _ in rows]
    assert found == [(name, is_in) for name, _, is_in in rows]


def test_what_unfolds_to_too_much_is_not_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_UNPACKED_BYTES", 10_000)
    assert HER.is_in(zipped(a=b"0" * 6000, b=b"0" * 6000, c=b"Momochi")) is None
    assert HER.is_in(zipped(a=b"0" * 1_000_000)) is None
    assert HER.is_in(zipped(a=b"0" * 3000, b=b"0" * 3000, c=b"Momochi")) is True
