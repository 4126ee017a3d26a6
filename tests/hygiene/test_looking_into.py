"""Looking for what is to be erased, in texts, documents and archives: found wherever it stands, never without an end."""

import io
import zipfile

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene import traces as module
from managers.hygiene.erasure import is_in_document
from managers.hygiene.traces import TELLING, Quotations, Traces
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
        ("her.docx", docx(("Heading1", "Momochi"), ("", "A cat.")), True),
        ("her.zip", zipped(one=b"-" * 5000, two=b"Momochi"), True),
        ("named.zip", zipped(Momochi=b"-"), True),
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


_LETTERS = st.text("ab", min_size=TELLING, max_size=4 * TELLING)


@settings(max_examples=50)
@given(quotations=st.lists(_LETTERS, min_size=60, max_size=80), text=st.text("ab", max_size=90), at=st.integers(0, 59))
def test_finds_what_a_look_for_each_finds(quotations: list[str], text: str, at: int) -> None:
    text = text[:40] + quotations[at] + text[40:]
    wanted = {one for one in quotations if one in text}
    assert set(Quotations(quotations).in_text(text)) == wanted
    assert set(Quotations(one.encode() for one in quotations).in_text(text.encode())) == {
        one.encode() for one in wanted
    }
