"""The process that reads documents: a request comes in, the parts of one document go out, and so on until there is no more.

Request: a line of JSON (`kind`: the file's ending, `bytes`: how many follow, `seconds`: how long it may take) and the
file itself. Answer: a line of JSON for each part, `[heading, text]`, and one for how it ended, `{"end": ...}`.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, Any, Literal

from managers.recall.documents.html import read_html
from managers.recall.documents.parts import EncryptedError, Part, Reader, UnfoldsError
from managers.recall.documents.pdf import read_pdf
from managers.recall.documents.text import read_markdown, read_table, read_text
from managers.recall.documents.word import read_word
from managers.storage.limited_child import answer_requests

End = Literal["read", "encrypted", "unfolds", "broken"]

READERS: dict[str, Reader] = {
    ".txt": read_text,
    ".md": read_markdown,
    ".pdf": read_pdf,
    ".html": read_html,
    ".htm": read_html,
    ".csv": read_table,
    ".docx": read_word,
}


def main() -> None:
    """Answer requests until the other side is gone."""
    answer_with(READERS)


def answer_with(readers: Mapping[str, Reader]) -> None:
    """Answer requests with some readers, by kind, until the other side is gone."""
    answer_requests(partial(_answer, readers))


def _answer(readers: Mapping[str, Reader], request: dict[str, Any], following: IO[bytes]) -> Iterator[bytes]:
    return _answers(readers[request["kind"]], following.read(request["bytes"]))


def _answers(reader: Reader, data: bytes) -> Iterator[bytes]:
    end: End = "read"
    try:
        yield from map(_line, reader(data))
    except EncryptedError:
        end = "encrypted"
    except (UnfoldsError, MemoryError):
        end = "unfolds"
    except Exception:  # noqa: BLE001  # the edge: whatever a reader raises, the file is broken, and nothing else is
        end = "broken"
    yield _line({"end": end})


def _line(answer: Part | dict[str, End]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"  # halves of characters are none
