"""Long answers, which are found piece by piece, put together again.

Nothing is stored twice for that: an answer is cut into the passages that are searched, whose unit in the index is the
message. So a piece's `qa_id` is the id of its message, and its `chunk_index` its place among the message's passages.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from managers.memory.log.reader import LogReader
from managers.recall.hits import LOG_TYPES, Hit, Piece
from managers.recall.index.chunking import split
from managers.storage.settings import RecallSettings

SHORTEST_ANSWER: Final = 50
"""An answer of fewer characters says too little to be half of a question and its answer."""


def with_pieces(hits: Iterable[Hit], log: LogReader, settings: RecallSettings, *, whole: bool) -> list[Hit]:
    """Return hits, those of answers with which piece of which answer they are.

    Args:
        hits: what was found.
        log: the conversation, for the answers as they read now.
        settings: how messages are cut.
        whole: the text of each is the whole answer, as it was said.
    """
    size = settings.chunk_size
    return [_with_piece(hit, log, size, min(settings.chunk_overlap, size // 2), whole=whole) for hit in hits]


def _with_piece(hit: Hit, log: LogReader, size: int, overlap: int, *, whole: bool) -> Hit:
    message = log.get(hit.message_ids[0]) if hit.type in LOG_TYPES and len(hit.message_ids) == 1 else None
    if message is None or message.role != "persona" or len(message.text.strip()) < SHORTEST_ANSWER:
        return hit
    pieces = split(message.text, size, overlap)
    if hit.text not in pieces:
        return hit  # it was reworded since it was indexed
    piece = Piece(message.id, pieces.index(hit.text), len(pieces))
    return replace(hit, piece=piece, text=message.text.strip() if whole else hit.text)
