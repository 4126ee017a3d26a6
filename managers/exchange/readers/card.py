"""Character cards (PNG, JSON, CHARX) and lorebooks on their own, as persona, card, lorebook and picture."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from managers.exchange.cards.card import Card, CardUnreadableError, parse_card
from managers.exchange.cards.card_bytes import IN_CHARX, card_in_json, card_in_png, is_png
from managers.exchange.cards.conversion import language_of, prompt_of
from managers.exchange.cards.kept_card import fields_of_card
from managers.exchange.cards.png_chunks import MAX_TEXT_BYTES
from managers.exchange.cards.world_info import book_of
from managers.exchange.import_source import ImportSource
from managers.exchange.items import (
    FoundFile,
    FoundMemory,
    FoundPersona,
    Item,
    NotTaken,
    ReadingWishes,
    UnusableSourceError,
    inline_bytes,
)
from managers.storage.json_text import NotJsonError, load_json

_SURE: Final = re.compile(rb'"spec"\s*:\s*"(chara_card_v\d|lorebook_v3)')
_LIKE_CARD: Final = (b'"first_mes"', b'"char_persona"', b'"char_greeting"')
_LIKE_BOOK: Final = (b'"keysecondary"', b'"secondary_keys"')
_JSON: Final = b"{"
_PLACED: Final = frozenset({2, 3, 4, 5, 6})
"""By SillyTavern's numbers: around the author's note, at a depth of the talk, around the example messages."""
_EMBEDDED: Final = re.compile(r"embedd?ed://(.+)|__asset:(.+)")
_LARGEST_INLINE: Final = 10_000_000
"""Characters of a picture that stands in the card itself; a line from the reading process has a limit."""
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".webp")


def recognises(source: ImportSource) -> float:
    """Tell how surely a source is a card or a lorebook: by its first bytes, or by the file that a CHARX file is about."""
    if source.shape == "zip":
        return 0.97 if IN_CHARX in source.files else 0
    if source.shape == "folder":
        return 0
    beginning = source.beginning(next(iter(source.files)))
    if is_png(beginning):
        return 0.92
    if not beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_JSON):
        return 0
    if _SURE.search(beginning):
        return 0.98
    return 0.8 if any(mark in beginning for mark in (*_LIKE_CARD, *_LIKE_BOOK)) else 0


def read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    """Yield what a card says.

    Raises:
        UnusableSourceError: it holds no card and no lorebook that can be read.
    """
    try:
        yield from _read(source, wishes)
    except CardUnreadableError as error:
        raise UnusableSourceError(f"card.{error.code}", **error.facts) from error


def _read(source: ImportSource, wishes: ReadingWishes) -> Iterator[Item]:
    if source.shape == "zip":
        card = card_in_json(source.text(IN_CHARX, MAX_TEXT_BYTES)) if IN_CHARX in source.files else None
        if card is None:
            raise CardUnreadableError("no-card")
        yield from _items(card, wishes, IN_CHARX)
        yield from _assets(card, source)
        return
    path = next(iter(source.files))
    if is_png(source.beginning(path)):
        found = card_in_png(source.read(path))
        yield from _items(found.card, wishes, path)
        yield FoundMemory("avatar", file=FoundFile(path), place=path)
        yield from _counted("card.broken", found.broken, path)
        yield from _counted("card.others", found.others, path)
        yield from _counted("card.assets", _unread_assets(found.card), path)
        return
    yield from _in_json(source, wishes, path)


def _in_json(source: ImportSource, wishes: ReadingWishes, path: str) -> Iterator[Item]:
    try:
        value = load_json(source.text(path, MAX_TEXT_BYTES))
    except NotJsonError as error:
        raise CardUnreadableError("no-json") from error
    book = book_of(value)
    if book is not None:
        yield from _book(book, path)
        return
    card = parse_card(value)
    yield from _items(card, wishes, path)
    yield from _assets(card, source)


def _items(card: Card, wishes: ReadingWishes, place: str) -> Iterator[Item]:
    data, lang = card.data, language_of(card.data)
    yield FoundPersona(
        name=" ".join(data.name.split()),
        language=lang,
        system_prompt=prompt_of(data, lang),
        greeting=data.first_mes,
        nickname=data.nickname,
        greetings=tuple(one for one in data.alternate_greetings if one.strip()),
    )
    yield FoundMemory("card", name=data.name, fields=fields_of_card(card, wishes.persona or data.name), place=place)
    if data.character_book is not None:
        yield from _book(data.character_book, place)


def _book(book: Mapping[str, Any], place: str) -> Iterator[Item]:
    """Yield a lorebook, and what of it is kept and not followed: entries that want to stand at a place in the talk."""
    yield FoundMemory("lorebook", name=str(book.get("name") or ""), fields=book, place=place)
    entries = book.get("entries")
    placed = sum(
        isinstance(one, dict)
        and isinstance(one.get("extensions"), dict)
        and one["extensions"].get("position") in _PLACED
        for one in (entries if isinstance(entries, list) else ())
    )
    if placed:
        yield NotTaken("card.positions", place, placed, is_changed=True)


def _assets(card: Card, source: ImportSource) -> Iterator[Item]:
    """Yield the picture among the files of a CHARX file, or within the card; the others are counted."""
    face = next((path for path in _faces(card) if path in source.files or inline_bytes(path)), None)
    if face is not None:
        yield FoundMemory("avatar", file=FoundFile(face), place=source.name)
    others = len(source.files) - 1 if source.shape == "zip" else _unread_assets(card)
    yield from _counted("card.assets", others - (face is not None), source.name)


def _faces(card: Card) -> Iterator[str]:
    """Yield where the card says that its picture lies, the main one first."""
    for asset in sorted(card.data.assets, key=lambda one: one.name != "main"):
        found = _EMBEDDED.fullmatch(asset.uri)
        path = (found[1] or found[2]) if found else ""
        if asset.type == "icon" and path.lower().endswith(_PICTURES):
            yield path
        elif asset.type == "icon" and asset.uri.startswith("data:image/") and len(asset.uri) <= _LARGEST_INLINE:
            yield asset.uri


def _unread_assets(card: Card) -> int:
    return sum(asset.uri != "ccdefault:" for asset in card.data.assets)


def _counted(code: str, count: int, place: str) -> Iterator[Item]:
    if count:
        yield NotTaken(code, place, count)
