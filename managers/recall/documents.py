"""The user's documents as text: what each kind of file holds, by heading or page."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

from managers.recall.chunking import Section
from managers.storage.errors import (
    DocumentBrokenError,
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    DocumentTypeError,
)
from managers.storage.files import read_bytes

MAX_BYTES = 50_000_000
MAX_UNPACKED_BYTES = 200_000_000
"""A packed document that unfolds to more than this is a trap or a mistake."""

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read_document(path: Path) -> list[Section]:
    """Return a document's sections.

    Raises:
        DocumentTypeError, DocumentTooLargeError, DocumentBrokenError, DocumentEncryptedError,
        DocumentEmptyError: with the sentence to show.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DocumentTypeError(name=path.name)
    if path.exists() and path.stat().st_size > MAX_BYTES:
        raise DocumentTooLargeError(name=path.name, megabytes=MAX_BYTES // 1_000_000)
    data = read_bytes(path)
    if data is None:
        raise DocumentBrokenError(name=path.name)
    sections = [section for section in reader(path, data) if section.text.strip()]
    if not sections:
        raise DocumentEmptyError(name=path.name)
    return sections


def decode(data: bytes) -> str:
    """Return text from bytes of the encodings that people's files are in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp932", "euc_jp"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _text(path: Path, data: bytes) -> list[Section]:
    text = decode(data)
    if "\0" in text:
        raise DocumentBrokenError(name=path.name)
    return _by_heading(text.replace("\r\n", "\n")) if path.suffix.lower() == ".md" else [Section("", text)]


def _by_heading(text: str) -> list[Section]:
    """Cut Markdown at its headings; a section is named by the headings that it stands under."""
    found: list[Section] = []
    trail: list[tuple[int, str]] = []
    start, name = 0, ""
    for match in _HEADING.finditer(text):
        found.append(Section(name, text[start : match.start()]))
        level = len(match.group(1))
        trail = [*((depth, title) for depth, title in trail if depth < level), (level, match.group(2))]
        name, start = " > ".join(title for _, title in trail), match.end()
    found.append(Section(name, text[start:]))
    return [section if section.text.strip() else Section(section.heading, section.heading) for section in found]


def _pdf(path: Path, data: bytes) -> list[Section]:
    import pypdf  # noqa: PLC0415  # only for those who have such a file
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentEncryptedError(name=path.name)
        return [Section(f"p. {number}", page.extract_text()) for number, page in enumerate(reader.pages, 1)]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # What pypdf raises for a broken file is not one family.
        raise DocumentBrokenError(name=path.name) from error


class _Html(HTMLParser):
    """Collects what is read on a page, by heading."""

    _SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
    _BLOCKS = frozenset({"p", "div", "li", "tr", "br", "section", "article", "table", "ul", "ol", "blockquote", "pre"})

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._heading = ""
        self._text: list[str] = []
        self._silent = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag in self._SILENT:
            self._silent += 1
        elif re.fullmatch(r"h[1-6]", tag):
            self.finish()
            self._in_heading = True
        elif tag in self._BLOCKS:
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent = max(0, self._silent - 1)
        elif re.fullmatch(r"h[1-6]", tag) and self._in_heading:
            self._heading = " ".join("".join(self._text).split())
            self._text, self._in_heading = [], False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(re.sub(r"\s+", " ", data))

    def finish(self) -> None:
        """Close the section under way."""
        text = re.sub(r" *\n[ \n]*", "\n", "".join(self._text)).strip()
        if text:
            self.sections.append(Section(self._heading, text))
        self._text = []


def _html(_: Path, data: bytes) -> list[Section]:
    parser = _Html()
    parser.feed(decode(data))
    parser.close()
    parser.finish()
    return parser.sections


def _csv(_: Path, data: bytes) -> list[Section]:
    """Return one section a row, each value with the name of its column."""
    text = decode(data)
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:4096], ",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = [row for row in csv.reader(io.StringIO(text), dialect) if any(cell.strip() for cell in row)]
    if not rows:
        return []
    names, body = rows[0], rows[1:] or rows
    return [
        Section(
            f"row {number}",
            "\n".join(
                f"{name.strip()}: {cell.strip()}" for name, cell in zip(names, row, strict=False) if cell.strip()
            ),
        )
        for number, row in enumerate(body, 1)
    ]


def _docx(path: Path, data: bytes) -> list[Section]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.getinfo("word/document.xml").file_size > MAX_UNPACKED_BYTES:
                raise DocumentTooLargeError(name=path.name, megabytes=MAX_UNPACKED_BYTES // 1_000_000)
            content = archive.read("word/document.xml")
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise DocumentBrokenError(name=path.name)  # no word processor writes one; entity bombs need one
        root = ET.fromstring(content)  # noqa: S314  # has no document type, see above
    except (zipfile.BadZipFile, KeyError, ET.ParseError, RuntimeError) as error:
        raise DocumentBrokenError(name=path.name) from error
    found: list[Section] = []
    heading, lines = "", list[str]()
    for paragraph in root.iter(f"{_W}p"):
        text = "".join(_docx_text(node) for node in paragraph.iter())
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        name = style.get(f"{_W}val", "") if style is not None else ""
        if re.match(r"(?i)heading|title|見出し|[1-9]$", name) and text.strip():
            found.append(Section(heading, "\n".join(lines)))
            heading, lines = text.strip(), []
        else:
            lines.append(text)
    found.append(Section(heading, "\n".join(lines)))
    return found


def _docx_text(node: ET.Element) -> str:
    if node.tag == f"{_W}t":
        return node.text or ""
    return {f"{_W}tab": "\t", f"{_W}br": "\n"}.get(node.tag, "")


_READERS: dict[str, Callable[[Path, bytes], list[Section]]] = {
    ".txt": _text,
    ".md": _text,
    ".pdf": _pdf,
    ".html": _html,
    ".htm": _html,
    ".csv": _csv,
    ".docx": _docx,
}
