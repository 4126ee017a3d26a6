"""Cards that nobody would make by accident: refused with a sentence, or read without harm."""

import base64
import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from managers.exchange.cards.card import CardUnreadableError
from managers.exchange.cards.card_bytes import card_in_json, card_in_png
from managers.exchange.cards.png_chunks import MAX_TEXT_BYTES
from managers.exchange.items import FoundMemory, FoundPersona, Item, NotTaken, inline_bytes
from managers.hygiene.scrubbing import Scrubber
from managers.hygiene.traces import Traces
from managers.memory.json_documents import encode
from managers.storage.json_text import load_json
from managers.storage.texts import Texts
from tests.exchange.cards.made import in_chunk, items, picture, png, v2, v3
from tests.exchange.readers.reading import zip_of


def chunk(kind: bytes, data: bytes, crc: int | None = None) -> bytes:
    checked = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checked)


def with_chunks(*chunks: bytes) -> bytes:
    whole = picture()
    return whole[:-12] + b"".join(chunks) + whole[-12:]


def text(document: object, keyword: bytes = b"chara") -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + in_chunk(document))


def refusal(data: bytes) -> str:
    with pytest.raises(CardUnreadableError) as refused:
        card_in_png(data)
    return refused.value.code


def test_version_three_stands_before_version_two_wherever_it_stands() -> None:
    found = card_in_png(png(chara=v2(name="two"), ccv3=v3(name="three")))
    assert (found.card.data.name, found.broken, found.others) == ("three", 0, 0)


def test_a_broken_chunk_gives_way_and_of_several_cards_the_first_is_taken(tmp_path: Path) -> None:
    broken = chunk(b"tEXt", b"ccv3\0" + in_chunk(v3(name="broken")), crc=7)
    for code, chunks in (("broken", (broken, text(v2()))), ("others", (text(v2()), text(v2()), text(v2(name="B"))))):
        (tmp_path / "a.png").write_bytes(with_chunks(*chunks))
        found = items(tmp_path / "a.png")
        assert [one.name for one in found if isinstance(one, FoundPersona)] == ["Aria"]
        assert [(one.code, one.count) for one in found if isinstance(one, NotTaken)] == [(f"card.{code}", 1)]


def test_packed_texts_are_read_and_bombs_are_not() -> None:
    packed = zlib.compress(in_chunk(v2()))
    assert card_in_png(with_chunks(chunk(b"zTXt", b"chara\0\0" + packed))).card.data.name == "Aria"
    assert card_in_png(with_chunks(chunk(b"iTXt", b"chara\0\1\0en\0x\0" + packed))).card.data.name == "Aria"
    assert card_in_png(with_chunks(chunk(b"iTXt", b"chara\0\0\0\0\0" + in_chunk(v2())))).card.data.name == "Aria"
    bomb = zlib.compress(b"A" * (MAX_TEXT_BYTES + 1))
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + bomb))) == "too-large"
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + packed[:-9]))) == "damaged"
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + b"no zlib"))) == "damaged"


_NO_CARDS = [
    ("[" * 1_000_000, "no-json"),
    ('{"spec":"chara_card_v3","data":' + '{"a":' * 300 + "1" + "}" * 301, "no-json"),
    ("9" * 10_000, "no-json"),
    ("[]", "no-card"),
    ('{"name": "just a name"}', "no-card"),
    ('{"spec": "chara_card_v4", "data": {"name": "a"}}', "newer"),
    ('{"spec": "chara_card_v2", "data": {"name": {"a": 1}}}', "invalid"),
    ('{"spec": "chara_card_v2", "data": {}}', "invalid"),
    ('{"spec": "chara_card_v2", "data": {"name": "a", "alternate_greetings": [[]]}}', "invalid"),
]


def test_json_that_is_no_card_is_refused_with_a_sentence() -> None:
    for text, code in _NO_CARDS:
        with pytest.raises(CardUnreadableError) as refused:
            card_in_json(text)
        assert refused.value.code == code
        said = Texts("notices/import_card")
        assert "{" not in "".join(said(code, lang, count=1, **refused.value.facts) for lang in ("ja", "en"))


def test_what_programs_write_in_the_place_of_text_is_read_as_text() -> None:
    card = card_in_json(
        '{"spec":"chara_card_v2","data":{"name":12,"personality":null,"alternate_greetings":null,"x":NaN}}'
    )
    assert (card.data.name, card.data.personality, card.data.alternate_greetings) == ("12", "", [])
    assert card.document["data"]["x"] is None


def faces(found: Sequence[Item]) -> list[str]:
    return [one.file.path for one in found if isinstance(one, FoundMemory) and one.kind == "avatar" and one.file]


def test_a_picture_beside_or_within_the_card_is_taken_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    icon = {"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main", "ext": "png"}
    files = {"card.json": json.dumps(v3(assets=[icon])), "assets/icon/main.png": picture(), "assets/song.mp3": b"la"}
    found = items(zip_of(tmp_path / "a.charx", files))
    assert faces(found) == ["assets/icon/main.png"]
    assert [(one.code, one.count) for one in found if isinstance(one, NotTaken)] == [("card.assets", 1)]

    whole = f"data:image/png;base64,{base64.b64encode(picture()).decode()}"
    for uri, taken in ((whole, True), ("data:image/png;base64,%%%", False), ("https://example.com/a.png", False)):
        (tmp_path / "a.json").write_text(json.dumps(v3(assets=[{"type": "icon", "uri": uri, "name": "main"}])))
        found = items(tmp_path / "a.json")
        assert [inline_bytes(face) for face in faces(found)] == ([picture()] if taken else [])
        assert [one.code for one in found if isinstance(one, NotTaken)] == ([] if taken else ["card.assets"])


def test_lorebooks_on_their_own_become_a_book(tmp_path: Path) -> None:
    entry = {"uid": 3, "key": ["tower"], "keysecondary": ["night"], "content": "It is haunted.", "order": 5, "selective": True,
             "disable": True, "constant": False, "position": 0, "sticky": 2, "scanDepth": None}  # fmt: skip
    (tmp_path / "world.json").write_text(json.dumps({"entries": {"0": entry}, "name": "World"}))
    (book,) = items(tmp_path / "world.json")
    assert isinstance(book, FoundMemory)
    assert book.kind == "lorebook"
    (made,) = book.fields["entries"]
    assert made.items() >= {
        "keys": ["tower"], "secondary_keys": ["night"], "content": "It is haunted.", "insertion_order": 5, "id": 3,
        "enabled": False, "position": "before_char", "extensions": {"sticky": 2, "position": 0},
    }.items()  # fmt: skip
    (tmp_path / "v3.json").write_text(json.dumps({"spec": "lorebook_v3", "data": {"entries": [], "extensions": {}}}))
    assert isinstance(items(tmp_path / "v3.json")[0], FoundMemory)


def test_a_name_goes_from_the_card_and_its_entries_go_from_the_lorebook() -> None:
    scrubber = Scrubber(Traces(names=("Tanaka",), messages=frozenset({"m1"})))
    card = {
        "taken_as": "Aria",
        "card": v3(description="She is calm. She knows Tanaka. She sings.", tags=["Tanaka", "sea"]),
    }
    left = load_json(scrubber.scrub("card.json", encode(card)) or b"")
    assert left["card"]["data"]["description"].split() == ["She", "is", "calm.", "She", "sings."]
    assert left["card"]["data"]["tags"] == ["sea"]
    assert left["card"]["spec"] == "chara_card_v3"
    odd_ids = [{"id": one, "keys": ["a"], "content": "kept", "kind": [1]} for one in (7, None, ["m2"], {"a": 1})]
    book = {"entries": [*odd_ids, {"keys": ["Tanaka"], "content": "x"}, {"keys": ["b"], "content": "Tanaka's house"}]}
    assert load_json(scrubber.scrub("lorebook.json", encode(book)) or b"") == {
        "entries": [*odd_ids, {"keys": [], "content": "x"}]
    }
