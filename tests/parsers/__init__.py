"""Everything of ours that takes foreign text apart, each as a function of bytes that must return, whatever they are."""

from tests.parsers import archives, cards, chats, documents, memories, records, rooms, words
from tests.parsers.parser import Parser

PARSERS: dict[str, Parser] = {
    parser.name: parser
    for parser in (
        *memories.PARSERS,
        *records.PARSERS,
        *documents.PARSERS,
        *words.PARSERS,
        *cards.PARSERS,
        *chats.PARSERS,
        *rooms.PARSERS,
        *archives.PARSERS,
    )
}
"""By name; `tests/corpus/<name>/` holds what one of them once stumbled over."""

__all__ = ["PARSERS", "Parser"]
