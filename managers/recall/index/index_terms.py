"""Under what a passage is listed, and what is embedded of it."""

from collections.abc import Sequence
from hashlib import blake2b

from managers.recall.index.chunking import Chunk
from managers.recall.index.related_words import FIELD, KIND, marks_told
from managers.recall.index.terms import GROUP, PAIR, is_japanese, meanings, pairs
from managers.recall.index.word_vectors import PLACE, WordVectors

MARKS = PAIR + PLACE + GROUP + KIND + FIELD
"""What entries of the posting lists that are no words begin with."""


def index_terms(chunk: Chunk, words: WordVectors | None = None) -> list[str]:
    """Return the words under which a passage is listed, its heading's too, with their kinds and fields.

    Of Japanese also synonyms, pairs and places.
    """
    text = vector_text(chunk.text, chunk.heading)
    found, meant = meanings(text)
    related = marks_told(found)
    if not is_japanese(text):
        return found + related
    groups = [group for meaning in meant for group in meaning.groups]
    return found + related + groups + pairs(text) + (words.terms(found) if words else [])


def vector_text(text: str, heading: str) -> str:
    """Return what is embedded of a passage."""
    return f"{heading}\n{text}" if heading and heading not in text else text


def unit_digest(chunks: Sequence[Chunk]) -> bytes:
    """Return eight bytes that change when anything about a unit's passages does."""
    hashed = blake2b(digest_size=8)
    for chunk in chunks:
        told = (chunk.text, chunk.type, chunk.time, chunk.role, chunk.speaker, chunk.heading, chunk.message_ids)
        facts = (*told, chunk.fading)
        hashed.update(repr(facts).encode("utf-8", "surrogatepass"))
    return hashed.digest()
