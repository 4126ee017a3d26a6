"""Cards that tests make."""

import base64
import io
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image

from managers.exchange.cards.png_chunks import with_texts
from managers.exchange.import_source import open_source
from managers.exchange.items import FoundMemory, FoundPersona, Item, ReadingWishes
from managers.exchange.readers import card as reader
from managers.memory.json_documents import encode
from managers.personas import Persona, PersonaStore
from managers.storage.files import write_atomic
from managers.storage.paths import Home
from tests.fakes import HandClock

Document = dict[str, Any]


def picture(size: int = 8) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (size, size), "#336699").save(out, "PNG")
    return out.getvalue()


def in_chunk(document: object) -> bytes:
    return base64.b64encode(json.dumps(document, ensure_ascii=False).encode())


def png(**chunks: object) -> bytes:
    """Return a picture with a document under each keyword."""
    return with_texts(picture(), {keyword: in_chunk(one) for keyword, one in chunks.items()})


def v2(**data: Any) -> Document:  # JSON is whatever is in the file
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**_DATA, **data}}


def v3(**data: Any) -> Document:
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**_DATA, "group_only_greetings": [], **data}}


_DATA: Mapping[str, Any] = {
    "name": "Aria", "description": "{{char}} tends the lighthouse and knows {{user}} well.",
    "first_mes": "You came, {{user}}.",
    **dict.fromkeys(("personality", "scenario", "mes_example", "creator_notes", "system_prompt"), ""),
    **dict.fromkeys(("post_history_instructions", "creator", "character_version"), ""), "alternate_greetings": [],
    "tags": [], "extensions": {}
}  # fmt: skip


def items(path: Path, persona: str = "") -> list[Item]:
    """Return what the reader finds in a file."""
    with open_source(path) as source:
        assert reader.recognises(source) > 0
        return list(reader.read(source, ReadingWishes(persona=persona)))


def store(home: Path) -> PersonaStore:
    return PersonaStore(Home(home), HandClock(), Random(1))


def taken_in(personas: PersonaStore, found: list[Item], name: str = "Aria") -> Persona:
    """Make a persona of what the reader found."""
    told = next(one for one in found if isinstance(one, FoundPersona))
    persona = personas.create(
        name, language=told.language or "en", system_prompt=told.system_prompt, greeting=told.greeting
    )
    personas.set_alternate_greetings(name, told.greetings)
    personas.set_nickname(name, told.nickname)
    places = {"card": persona.paths.card, "lorebook": persona.paths.lorebook}
    for one in found:
        if isinstance(one, FoundMemory) and one.kind in places:
            write_atomic(places[one.kind], encode(dict(one.fields)))
    return personas.get(name)
