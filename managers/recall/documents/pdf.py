"""PDF documents, by page."""

import io
from collections.abc import Iterator

from managers.recall.documents.parts import EncryptedError, Part


def read_pdf(data: bytes) -> Iterator[Part]:
    """Yield a document by its pages."""
    import pypdf  # noqa: PLC0415  # a third of a second, only for those who have such a file

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise EncryptedError
    for number, page in enumerate(reader.pages, 1):
        yield Part(f"p. {number}", page.extract_text())
