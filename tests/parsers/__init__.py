"""Everything of ours that takes foreign text apart, each as a function of bytes that must return, whatever they are."""

from tests.parsers import archives, cards, chats, documents, memories, records, rooms, words
from tests.parsers.parser import Parser

_MODULES = (memories, records, documents, words, cards, chats, rooms, archives)
PARSERS: dict[str, Parser] = {parser.name: parser for module in _MODULES for parser in module.PARSERS}
"""By name; `tests/corpus/<name>/` holds what one of them once stumbled over."""

__all__ = ["PARSERS", "Parser"]
