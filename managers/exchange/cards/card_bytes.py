"""A card out of the bytes of a PNG or JSON file, or out of a CHARX file that is open."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from managers.exchange.cards.card import Card, CardUnreadableError, parse_card
from managers.exchange.cards.png_chunks import (
    MAX_TEXT_BYTES,
    SIGNATURE,
    BrokenPngError,
    ChunkTrouble,
    TextChunk,
    text_chunks,
)
from managers.storage.json_text import NotJsonError, load_json

KEYWORDS: Final = ("ccv3", "chara")
"""Under which keywords of a PNG file a card stands, the newer version first."""
IN_CHARX: Final = "card.json"


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card, and how many other texts of the file that should hold one are passed over: broken ones, other ones."""

    card: Card
    broken: int = 0
    others: int = 0


def card_in_png(png: bytes) -> FoundCard:
    """Return the card in a PNG file: of version 3 if there is one, the first of several.

    Raises:
        CardUnreadableError
    """
    try:
        chunks = text_chunks(png, KEYWORDS)
    except BrokenPngError as error:
        raise CardUnreadableError(_code(error.trouble)) from error
    return _best([chunk for keyword in KEYWORDS for chunk in chunks if chunk.keyword == keyword])


def card_in_json(data: bytes | str) -> Card:
    """Return the card that a JSON file is.

    Raises:
        CardUnreadableError
    """
    if len(data) > MAX_TEXT_BYTES:
        raise CardUnreadableError("too-large")
    try:
        return parse_card(load_json(data))
    except NotJsonError as error:
        raise CardUnreadableError("no-json") from error


def is_png(data: bytes) -> bool:
    """Tell whether a file is a PNG file, by how it begins."""
    return data.startswith(SIGNATURE)


def _best(chunks: Sequence[TextChunk]) -> FoundCard:
    failed: list[CardUnreadableError] = []
    for place, chunk in enumerate(chunks):
        try:
            card = _in_chunk(chunk)
        except CardUnreadableError as error:
            failed.append(error)
            continue
        same = [other for other in chunks[place + 1 :] if other.keyword == chunk.keyword and other != chunk]
        return FoundCard(card, len(failed), len(same))
    raise failed[0] if failed else CardUnreadableError("no-card-in-png")


def _in_chunk(chunk: TextChunk) -> Card:
    if chunk.trouble is not None:
        raise CardUnreadableError(_code(chunk.trouble))
    data = chunk.data.strip()
    if data[:1] == b"{":  # some programs leave out the base64
        return card_in_json(data)
    try:
        return card_in_json(base64.b64decode(data))
    except (binascii.Error, ValueError) as error:
        raise CardUnreadableError("damaged") from error


def _code(trouble: ChunkTrouble) -> str:
    return {"no-png": "no-png", "too-large": "too-large", "too-many": "damaged"}.get(trouble, "damaged")
