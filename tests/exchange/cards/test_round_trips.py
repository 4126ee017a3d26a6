"""Card → persona → card is equal but for dates."""

import base64
import itertools
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from managers.exchange.cards.card_bytes import card_in_json, card_in_png
from managers.exchange.cards.png_chunks import text_chunks
from managers.exchange.cards.writing import write_card
from managers.personas import Persona
from managers.storage.json_text import load_json
from tests.exchange.cards.made import Document, items, png, store, taken_in, v2, v3
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
        "keys": st.lists(_text, max_size=2),
        "content": _text,
        "extensions": _unknown,
        "enabled": st.booleans(),
        "insertion_order": st.integers(0, 99),
        "use_regex": st.booleans(),
    },
    optional={
        "id": st.integers(0, 9) | _text,
        "secondary_keys": st.lists(_text, max_size=2),
        "selective": st.booleans(),
    },
)
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
        "tags": st.lists(_text, max_size=2),
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
    document = v3(
        personality="calm", scenario="a tower", creator_notes="secret", alternate_greetings=["a"], nickname="Ari"
    )
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
    old = {
        "name": "Aria",
        "description": "d",
        "personality": "p",
        "scenario": "",
        "first_mes": "f",
        "mes_example": "",
        "avatar": "none",
    }
    card = card_in_json(json.dumps(old))
    assert (card.data.description, card.document["avatar"]) == ("d", "none")
    older = {"char_name": "Aria", "char_persona": "d", "char_greeting": "f", "world_scenario": "s"}
    (tmp_path / "card.json").write_text(json.dumps(older))
    cards = written(taken_in(store(tmp_path / "home"), items(tmp_path / "card.json")))
    assert {one["data"]["scenario"] for one in cards.values()} == {"s"}
