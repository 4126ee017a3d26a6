"""Cards that nobody would make by accident: refused with a sentence, or read without harm."""

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from managers.exchange.cards.card import CardUnreadableError
from managers.exchange.cards.card_bytes import card_in_json, card_in_png
from managers.exchange.cards.png_chunks import MAX_TEXT_BYTES, SIGNATURE
from managers.exchange.items import FoundMemory, FoundPersona, NotTaken, UnusableSourceError, inline_bytes
from managers.storage.texts import Texts, table
from tests.exchange.cards.made import in_chunk, items, picture, png, store, taken_in, v2, v3


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


def test_a_broken_chunk_gives_way_to_one_that_can_be_read(tmp_path: Path) -> None:
    broken = chunk(b"tEXt", b"ccv3\0" + in_chunk(v3(name="broken")), crc=7)
    (tmp_path / "a.png").write_bytes(with_chunks(broken, text(v2(name="whole"))))
    found = items(tmp_path / "a.png")
    assert [one.name for one in found if isinstance(one, FoundPersona)] == ["whole"]
    assert [(one.code, one.count) for one in found if isinstance(one, NotTaken)] == [("card.broken", 1)]


def test_of_several_cards_the_first_is_taken_and_the_others_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(with_chunks(text(v2()), text(v2()), text(v2(name="B"))))
    found = items(tmp_path / "a.png")
    assert [one.name for one in found if isinstance(one, FoundPersona)] == ["Aria"]
    assert [(one.code, one.count) for one in found if isinstance(one, NotTaken)] == [("card.others", 1)]


def test_packed_texts_are_read_and_bombs_are_not() -> None:
    packed = zlib.compress(in_chunk(v2()))
    assert card_in_png(with_chunks(chunk(b"zTXt", b"chara\0\0" + packed))).card.data.name == "Aria"
    assert card_in_png(with_chunks(chunk(b"iTXt", b"chara\0\1\0en\0x\0" + packed))).card.data.name == "Aria"
    assert card_in_png(with_chunks(chunk(b"iTXt", b"chara\0\0\0\0\0" + in_chunk(v2())))).card.data.name == "Aria"
    bomb = zlib.compress(b"A" * (MAX_TEXT_BYTES + 1))
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + bomb))) == "too-large"
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + packed[:-9]))) == "damaged"
    assert refusal(with_chunks(chunk(b"zTXt", b"chara\0\0" + b"no zlib"))) == "damaged"


def test_lengths_that_lie_and_files_that_end_early_are_no_card() -> None:
    lying = picture()[:-12] + struct.pack(">I", 2**31 - 1) + b"tEXtchara\0" + in_chunk(v2())
    assert refusal(lying) == "no-card-in-png"
    whole = png(chara=v2())
    assert {refusal(whole[:cut]) for cut in range(len(SIGNATURE), len(whole) - 13, 7)} == {"no-card-in-png"}
    assert refusal(b"GIF89a") == "no-png"


def test_a_million_chunks_are_not_walked_through() -> None:
    assert refusal(SIGNATURE + chunk(b"tEXt", b"a\0b") * 1_000_000) == "damaged"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 1_000_000, "no-json"),
        ('{"spec":"chara_card_v3","data":' + '{"a":' * 300 + "1" + "}" * 301, "no-json"),
        ("9" * 10_000, "no-json"),
        ("[]", "no-card"),
        ('{"name": "just a name"}', "no-card"),
        ('{"spec": "chara_card_v4", "data": {"name": "a"}}', "newer"),
        ('{"spec": "chara_card_v2", "data": {"name": {"a": 1}}}', "invalid"),
        ('{"spec": "chara_card_v2", "data": {}}', "invalid"),
        ('{"spec": "chara_card_v2", "data": {"name": "a", "alternate_greetings": [[]]}}', "invalid"),
    ],
)
def test_json_that_is_no_card_is_refused_with_a_sentence(text: str, code: str) -> None:
    with pytest.raises(CardUnreadableError) as refused:
        card_in_json(text)
    assert refused.value.code == code
    assert code in table("notices/import_card")
    for lang in ("ja", "en"):
        assert "{" not in Texts("notices/import_card")(code, lang, count=1, **refused.value.facts)


def test_what_programs_write_in_the_place_of_text_is_read_as_text() -> None:
    card = card_in_json(
        '{"spec":"chara_card_v2","data":{"name":12,"personality":null,"alternate_greetings":null,"x":NaN}}'
    )
    assert (card.data.name, card.data.personality, card.data.alternate_greetings) == ("12", "", [])
    assert card.document["data"]["x"] is None


def test_scripts_in_names_are_text(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    (tmp_path / "a.json").write_text(json.dumps(v3(name=name)))
    assert [one.name for one in items(tmp_path / "a.json") if isinstance(one, FoundPersona)] == [name]


def test_a_charx_file_has_its_picture_and_nothing_of_it_is_unpacked(tmp_path: Path) -> None:
    icon = {"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main", "ext": "png"}
    with zipfile.ZipFile(tmp_path / "a.charx", "w") as file:
        file.writestr("card.json", json.dumps(v3(assets=[icon])))
        file.writestr("assets/icon/main.png", picture())
        file.writestr("assets/other/song.mp3", b"la")
    found = items(tmp_path / "a.charx")
    faces = [one.file.path for one in found if isinstance(one, FoundMemory) and one.kind == "avatar" and one.file]
    assert faces == ["assets/icon/main.png"]
    assert [(one.code, one.count) for one in found if isinstance(one, NotTaken)] == [("card.assets", 1)]
    taken_in(store(tmp_path / "home"), found)


def test_a_picture_within_the_card_is_taken_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    whole = f"data:image/png;base64,{base64.b64encode(picture()).decode()}"
    for uri, taken in ((whole, True), ("data:image/png;base64,%%%", False), ("https://example.com/a.png", False)):
        (tmp_path / "a.json").write_text(json.dumps(v3(assets=[{"type": "icon", "uri": uri, "name": "main"}])))
        found = items(tmp_path / "a.json")
        faces = [one.file.path for one in found if isinstance(one, FoundMemory) and one.kind == "avatar" and one.file]
        assert [inline_bytes(face) for face in faces] == ([picture()] if taken else [])
        assert [one.code for one in found if isinstance(one, NotTaken)] == ([] if taken else ["card.assets"])


def test_entries_that_want_a_place_in_the_talk_are_named(tmp_path: Path) -> None:
    entries = [{"keys": ["a"], "content": "b", "extensions": {"position": place, "depth": 4}} for place in (0, 1, 4)]
    (tmp_path / "a.json").write_text(json.dumps(v3(character_book={"entries": entries, "extensions": {}})))
    left = [one for one in items(tmp_path / "a.json") if isinstance(one, NotTaken)]
    assert [(one.code, one.count, one.is_changed) for one in left] == [("card.positions", 1, True)]


def test_a_picture_without_a_card_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(picture())
    with pytest.raises(UnusableSourceError) as refused:
        items(tmp_path / "a.png")
    assert refused.value.code == "card.no-card-in-png"


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


def test_an_empty_or_odd_zip_is_no_card(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("card.json", "[]")
        file.writestr("b.txt", "")
    (tmp_path / "a.charx").write_bytes(out.getvalue())
    with pytest.raises(UnusableSourceError, match=r"card\.no-card"):
        items(tmp_path / "a.charx")
