"""What comes with character cards: PNG files and their texts, JSON, lorebooks and their keys."""

import json
from contextlib import suppress
from dataclasses import asdict

from managers.exchange.cards.card import CardUnreadableError, parse_card
from managers.exchange.cards.card_bytes import card_in_json, card_in_png
from managers.exchange.cards.conversion import fields_of, prompt_of
from managers.exchange.cards.png_chunks import BrokenPngError, text_chunks, with_texts
from managers.exchange.cards.world_info import book_of
from managers.memory.lore_keys import Bounds, Scanned, key_of
from managers.memory.lore_scanning import LoreScanner, Said
from managers.memory.lorebook import Lorebook
from managers.personas.macros import fill_names
from managers.storage.json_text import NotJsonError, load_json
from tests.exchange.cards.made import png, v2, v3
from tests.parsers.parser import Parser, spaced, text_of


def _png(data: bytes) -> None:
    with suppress(CardUnreadableError):
        card_in_png(data)
    with suppress(BrokenPngError):
        rewritten = with_texts(data, {"chara": b"x"})
        assert text_chunks(rewritten, ["chara"])[-1].data == b"x"


def _card(data: bytes) -> None:
    with suppress(CardUnreadableError):
        card = card_in_json(data)
        for lang in ("ja", "en"):
            fields_of(prompt_of(card.data, lang), lang)
        assert asdict(parse_card(card.document)) == asdict(card)


def _book(data: bytes) -> None:
    try:
        value = load_json(data)
    except NotJsonError:
        return
    with suppress(CardUnreadableError):
        parse_card(value)
    book = book_of(value)
    made = Lorebook(book if book is not None else value if isinstance(value, dict) else {"entries": value})
    LoreScanner(made).called_up([Said("the old tower 灯台", is_users=True)] * 3)
    made.joined(made.value)
    json.dumps(made.value)


def _key(data: bytes) -> None:
    text, _, words = text_of(data).partition("\n")
    scanned = Scanned.of(words)
    for is_pattern in (True, False):
        key = key_of(text, is_pattern=is_pattern, is_cased=False)
        if key is not None:
            key.is_in(scanned, Bounds())


def _macros(data: bytes) -> None:
    fill_names(text_of(data), "Aria", "Aoi")


_ENTRY = b'{"keys": ["tower"], "content": "@@depth 4\\nOld.", "enabled": true, "extensions": {"sticky": 2}}'

PARSERS = (
    Parser("card-png", _png, (png(chara=v2(), ccv3=v3()), png(chara=v2())), (b"\x89PNG\r\n\x1a\n", b"tEXt", b"zTXt",
        b"iTXt", b"IEND", b"chara\0", b"ccv3\0", b"\0\0\0\x05", b"\xff\xff\xff\xff", b"e30=")),
    Parser("card-json", _card, (json.dumps(v3(nickname="A")).encode(), b'{"name": "A", "description": "d"}'),
        spaced('"spec":"chara_card_v2" "spec":"chara_card_v3" "data": { } [ ] "name": "assets": '
        '"character_book": null NaN ,', "# Personality")),
    Parser("lorebook", _book, (b'{"entries": [' + _ENTRY + b"]}",
        b'{"entries": {"0": {"key": ["a"], "content": "b"}}}', b'{"spec": "lorebook_v3", "data": {"entries": []}}'),
        spaced('"entries": "key": "keys": "content": "extensions": "sticky": "scan_depth": { } [ ] , '
        '1e999 null true "/(a+)+$/"'), 4096),
    Parser("lore-key", _key, (b"/(a|b)+/i\naaaa", "灯台\n灯台守".encode()), spaced("( ) + * {9} | [ ] ^ $ (?R) /i ?"), 200),
    Parser("macros", _macros, (b"{{user}} and {{char}}, <USER>, {{random:a,b}} {{roll:d6}} {{// x}}",),
        spaced("{{ }} user random: roll:1d , <BOT> <START>")),
)  # fmt: skip
