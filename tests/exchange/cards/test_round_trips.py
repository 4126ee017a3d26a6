"""Card → persona → card is equal but for dates; cards that nobody would make by accident are refused, or read without harm."""

import base64
import itertools
import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.exchange.cards.card import CardUnreadableError
from managers.exchange.cards.card_bytes import card_in_json, card_in_png
from managers.exchange.cards.png_chunks import MAX_TEXT_BYTES, text_chunks
from managers.exchange.cards.writing import write_card
from managers.exchange.items import FoundMemory, FoundPersona, Item, NotTaken, inline_bytes
from managers.hygiene.scrubbing import Scrubber
from managers.hygiene.traces import Traces
from managers.memory.json_documents import encode
from managers.personas import Persona
from managers.storage.json_text import load_json
from managers.storage.texts import Texts
from tests.exchange.cards.made import Document, in_chunk, items, picture, png, store, taken_in, v2, v3
from tests.exchange.readers.reading import zip_of
from tests.fakes import HandClock

_DATES = ("creation_date", "modification_date")
_numbers = itertools.count()


def written(persona: Persona) -> dict[str, Document]:
    """Return the cards of both versions in the picture that a persona is written as."""
    made = write_card(persona, HandClock())
    return {one.keyword: load_json(base64.b64decode(one.data)) for one in text_chunks(made, ("chara", "ccv3"))}


def undated(document: Document) -> Document:
    return {**document, "data": {key: one for key, one in document["data"].items() if key not in _DATES}}


_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20) | st.sampled_from(
    ["# Personality", "{{user}}さん", "<script>alert(1)</script>", " spaced \n", "a\r\nb", "# About {{char}}\n猫"]
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _text | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_text, inner, max_size=2),
    max_leaves=4,
)
_unknown = st.dictionaries(_text.filter(lambda key: key not in v3()["data"]), _json, max_size=2)
_entry = st.fixed_dictionaries(
    {
        "keys": st.lists(_text, max_size=2), "content": _text, "extensions": _unknown, "enabled": st.booleans(),
        "insertion_order": st.integers(0, 99)
    },
    optional={
        "id": st.integers(0, 9) | _text,
        "secondary_keys": st.lists(_text, max_size=2),
        "selective": st.booleans(),
    },
)  # fmt: skip
_book = st.fixed_dictionaries(
    {"extensions": _unknown, "entries": st.lists(_entry, max_size=2)},
    optional={"name": _text, "scan_depth": st.integers(0, 9), "recursive_scanning": st.booleans()},
)
_texts = ("description", "personality", "scenario", "first_mes", "mes_example", "system_prompt", "creator_notes",
          "post_history_instructions")  # fmt: skip
_data = st.fixed_dictionaries(
    dict.fromkeys(_texts, _text),
    optional={
        "alternate_greetings": st.lists(_text, max_size=2),
        "extensions": _unknown,
        "character_book": _book | st.none(),
    },
)


@given(data=_data, unknown=_unknown, top=_unknown, is_v3=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_card_comes_back_as_it_was(
    tmp_path: Path, data: dict[str, Any], unknown: dict[str, Any], top: dict[str, Any], *, is_v3: bool
) -> None:
    fields = {**unknown, **data, **({"nickname": "Ari"} if is_v3 else {})}
    document = {**top, **(v3(**fields) if is_v3 else v2(**fields))}
    place = tmp_path / str(next(_numbers))
    place.mkdir()
    file = place / "card.png"
    file.write_bytes(png(**{"ccv3" if is_v3 else "chara": document}))
    persona = taken_in(store(place / "home"), items(file))
    cards = written(persona)
    assert undated(cards["ccv3" if is_v3 else "chara"]) == document
    other = undated(cards["chara" if is_v3 else "ccv3"])
    assert other["spec"] == ("chara_card_v2" if is_v3 else "chara_card_v3")
    assert other["data"].items() >= {key: one for key, one in document["data"].items() if key in _texts}.items()


def test_what_was_changed_here_leaves_changed_and_nothing_else_does(tmp_path: Path) -> None:
    document = v3(personality="calm", scenario="tower", creator_notes="secret", alternate_greetings=["a"], nickname="A")
    (tmp_path / "card.json").write_text(json.dumps(document))
    personas = store(tmp_path / "home")
    persona = taken_in(personas, items(tmp_path / "card.json"))
    assert "secret" not in persona.system_prompt
    personas.write_system_prompt(
        "Aria", persona.system_prompt.replace("calm", "stormy"), based_on=persona.system_prompt_digest
    )
    personas.set_greeting("Aria", "Ahoy")
    persona = personas.set_alternate_greetings("Aria", ["a", "b"])
    changes = {"personality": "stormy", "first_mes": "Ahoy", "alternate_greetings": ["a", "b"]}
    assert undated(written(persona)["ccv3"]) == {**document, "data": {**document["data"], **changes}}
    renamed = personas.rename("Aria", "Bea")
    assert written(renamed)["ccv3"]["data"]["name"] == "Bea"


def test_a_persona_that_came_from_no_card_becomes_one(tmp_path: Path) -> None:
    personas = store(tmp_path / "home")
    persona = personas.create("ねむ", language="ja", system_prompt="# 性格ではない\n眠い。", greeting="おはよう")
    cards = written(persona)
    assert (card := card_in_png(write_card(persona, HandClock())).card).document["spec"] == "chara_card_v3"
    assert (card.data.name, card.data.first_mes) == ("ねむ", "おはよう")
    assert card.data.description == "# 性格ではない\n眠い。"
    assert set(cards) == {"chara", "ccv3"}
    assert "character_book" not in cards["chara"]["data"]


def test_an_avatar_is_the_picture_and_keeps_no_older_card(tmp_path: Path) -> None:
    personas = store(tmp_path / "home")
    personas.create("a", language="en")
    (personas.get("a").paths.folder / "avatar.png").write_bytes(png(chara=v2(name="somebody else")))
    made = write_card(personas.get("a"), HandClock())
    assert [one.keyword for one in text_chunks(made, ("chara", "ccv3"))] == ["chara", "ccv3"]
    assert card_in_png(made).card.data.name == "a"


def test_cards_of_the_first_version_become_both(tmp_path: Path) -> None:
    old = dict.fromkeys(("personality", "scenario", "first_mes", "mes_example"), "")
    card = card_in_json(json.dumps({"name": "Aria", "description": "d", "avatar": "none", **old}))
    assert (card.data.description, card.document["avatar"]) == ("d", "none")
    older = {"char_name": "Aria", "char_persona": "d", "char_greeting": "f", "world_scenario": "s"}
    (tmp_path / "card.json").write_text(json.dumps(older))
    cards = written(taken_in(store(tmp_path / "home"), items(tmp_path / "card.json")))
    assert {one["data"]["scenario"] for one in cards.values()} == {"s"}


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
    ('{"name": "just a name"}', "no-card"),
    ('{"spec": "chara_card_v4", "data": {"name": "a"}}', "newer"),
    ('{"spec": "chara_card_v2", "data": {"name": {"a": 1}}}', "invalid"),
]


def test_json_that_is_no_card_is_refused_with_a_sentence() -> None:
    for text, code in _NO_CARDS:
        with pytest.raises(CardUnreadableError) as refused:
            card_in_json(text)
        assert refused.value.code == code
        said = Texts("notices/import_card")
        assert "{" not in "".join(said(code, lang, count=1, **refused.value.facts) for lang in ("ja", "en"))


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
    card = {"taken_as": "Aria", "card": v3(description="Calm. She knows Tanaka. Sings.", tags=["Tanaka", "sea"])}
    left = load_json(scrubber.scrub("card.json", encode(card)) or b"")
    assert left["card"]["data"]["description"].split() == ["Calm.", "Sings."]
    assert left["card"]["data"]["tags"] == ["sea"]
    assert left["card"]["spec"] == "chara_card_v3"
    odd_ids = [{"id": one, "keys": ["a"], "content": "kept", "kind": [1]} for one in (7, None, ["m2"], {"a": 1})]
    book = {"entries": [*odd_ids, {"keys": ["Tanaka"], "content": "x"}, {"keys": ["b"], "content": "Tanaka's house"}]}
    assert load_json(scrubber.scrub("lorebook.json", encode(book)) or b"") == {
        "entries": [*odd_ids, {"keys": [], "content": "x"}]
    }
