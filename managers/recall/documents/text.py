"""Plain text, Markdown and tables."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from managers.recall.documents.parts import Part, as_heading
from managers.storage.encodings import foreign_encoding

_DEEPEST = 6
"""Markdown knows headings of six levels."""
_LONGEST_FIELD = 2**31 - 1
"""As much as the `csv` module can be told on every system; a document ends before that."""
_LOOKED_AT = 4096
_TELLING = 256 * 1024
"""So many bytes tell the encoding of a document."""
_MARKS = ",;\t"


def decode(data: bytes) -> str:
    """Return text from bytes of the encodings that people's files are in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig")
    told = foreign_encoding(data[:_TELLING].rpartition(b"\n")[0] or data)
    for encoding in (*((told,) if told else ()), "cp932", "euc_jp"):  # what is too short to tell is mostly Windows'
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("utf-8", "replace")


def heading_of(line: str) -> tuple[int, str] | None:
    """Return the level and the title of a Markdown heading, None for any other line."""
    marked = line.lstrip("#")
    level = len(line) - len(marked)
    if not 1 <= level <= _DEEPEST or not marked[:1].isspace():
        return None
    title = marked.strip()
    bare = title.rstrip("#")
    if bare != title and (not bare or bare[-1].isspace()):  # "## Name ##", but not "# About C#"
        title = bare.rstrip()
    return (level, title) if title else None


def read_text(data: bytes) -> Iterator[Part]:
    """Yield a plain text as it is."""
    yield Part("", _text(data))


def read_markdown(data: bytes) -> Iterator[Part]:
    """Yield Markdown by its headings; a section is named by the headings that it stands under."""
    trail: list[tuple[int, str]] = []
    name, lines = "", list[str]()
    for line in _text(data).split("\n"):
        found = heading_of(line)
        if found is None:
            lines.append(line)
            continue
        yield from _section(name, lines)
        level, title = found
        trail = [*((depth, above) for depth, above in trail if depth < level), (level, as_heading(title))]
        name, lines = " > ".join(title for _, title in trail), []
    yield from _section(name, lines)


def read_table(data: bytes) -> Iterator[Part]:
    """Yield one part a row, each value with the name of its column."""
    text = _text(data)
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
    filled = (row for row in rows if any(cell.strip() for cell in row))
    names = next(filled, [])
    number = 0
    for number, row in enumerate(filled, 1):  # looked at below
        yield _row(number, names, row)
    if names and not number:
        yield _row(1, names, names)


def _row(number: int, names: list[str], row: list[str]) -> Part:
    cells = zip(names, row, strict=False)
    text = "\n".join(f"{name.strip()}: {cell.strip()}" for name, cell in cells if cell.strip())
    return Part(f"row {number}", text)


def _delimiter(text: str) -> str:
    """Return what stands between the cells: the mark that most lines have equally often.

    The `csv` module has a guesser too; its patterns take minutes for 4 KB of quotation marks.
    """
    lines = text[:_LOOKED_AT].split("\n")
    lines = lines[:-1] or lines  # the last one may be cut

    def steadiness(mark: str) -> tuple[int, int]:
        counts = Counter(count for line in lines if (count := line.count(mark)))
        return max(((lines_alike, count) for count, lines_alike in counts.items()), default=(0, 0))

    return max(_MARKS, key=steadiness)


def _section(name: str, lines: list[str]) -> Iterator[Part]:
    text = "\n".join(lines)
    if text.strip() or name:
        yield Part(name, text if text.strip() else name)


def _text(data: bytes) -> str:
    text = decode(data)
    if "\0" in text:
        raise ValueError("a text with NUL")
    return text.replace("\r\n", "\n").replace("\r", "\n")
