"""Passages: what is indexed and found, cut along messages, paragraphs and sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from managers.memory.confidence import Fading
from managers.memory.messages import Message, Role
from managers.recall.hits import MemoryType

_STRENGTH = (r"\n\s*\n", r"\n", r"(?<=[。．！？!?…])[」』）)]*|(?<=[.!?…])\s+", r"(?<=、)|(?<=,)\s+", r"\s+")
_CUTS = tuple(re.compile(pattern) for pattern in _STRENGTH)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage.

    Attributes:
        text: as it stands in its file.
        type: the kind of memory.
        unit: what it belongs to within its file (a message's id, an entry's id, a section), so that
            a change replaces just that.
        message_ids: the messages that it holds or rests on.
        time: when it was said or made.
        role, speaker: who said it; empty for everything but logs.
        heading: heading or page in a document.
        fading: the C-value of what a dream made; None for everything else.
    """

    text: str
    type: MemoryType
    unit: str
    message_ids: tuple[str, ...] = ()
    time: datetime | None = None
    role: Role | None = None
    speaker: str = ""
    heading: str = ""
    fading: Fading | None = None
    digest: bytes = b""
    """Of the whole unit: changes when anything about it does."""


def chunks_of_message(message: Message, kind: MemoryType, size: int, overlap: int) -> list[Chunk]:
    """Return the passages of one message: one, unless it is long."""
    return [
        Chunk(
            text=piece,
            type=kind,
            unit=message.id,
            message_ids=(message.id,),
            time=message.time,
            role=message.role,
            speaker=message.speaker,
        )
        for piece in split(message.text, size, overlap)
    ]


def split(text: str, size: int, overlap: int) -> list[str]:
    """Cut a text into pieces of at most `size` characters that share about `overlap` with the next.

    Cuts fall on the strongest break in the last half of a piece: paragraph, line, sentence, clause,
    word; in the middle of a word only where there is no break at all.
    """
    stripped = text.strip()
    if len(stripped) <= size:
        return [stripped] if stripped else []
    return [stripped[start:end].strip() for start, end in spans(stripped, size, overlap)]


def spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield where each piece of a text begins and ends that has no white space around it; see `split`."""
    start = 0
    while True:
        if len(text) - start <= size:
            yield start, len(text)
            return
        end = _best_cut(text, start + size // 2, start + size)
        yield start, end
        start = max(start + 1, _best_start(text, max(start + 1, end - overlap), end))


def _best_cut(text: str, low: int, high: int) -> int:
    for cut in _CUTS:
        ends = [low + match.end() for match in cut.finditer(text[low:high]) if match.end() > 0]
        if ends:
            return ends[-1]
    return high


def _best_start(text: str, low: int, high: int) -> int:
    for cut in _CUTS[2:]:
        match = next((m for m in cut.finditer(text[low:high]) if m.end() > 0), None)
        if match is not None and low + match.end() < high:
            return low + match.end()
    return low
