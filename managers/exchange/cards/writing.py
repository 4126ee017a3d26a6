"""A persona as a character card: a PNG file with its picture that holds the card in versions 2 and 3."""

import base64
import copy
import io
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from PIL import Image, ImageDraw

from managers.exchange.cards.card import V2, V3, CardData, parse_card
from managers.exchange.cards.conversion import even, fields_of, is_prompt_of
from managers.exchange.cards.kept_card import KeptCard, read_card
from managers.exchange.cards.png_chunks import BrokenPngError, with_texts
from managers.memory.json_documents import JsonFile
from managers.memory.lorebook import marked
from managers.personas.avatars import SIDE
from managers.personas.persona import Persona
from managers.storage.clock import Clock
from managers.storage.files import read_bytes

_TEXTS: Final = (
    "name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt",
    "post_history_instructions", "creator", "character_version",
)  # fmt: skip
_V3_ONLY: Final = frozenset(
    {
        "nickname", "creator_notes_multilingual", "source", "group_only_greetings", "creation_date",
        "modification_date", "assets",
    }
)  # fmt: skip
_EMBEDDED: Final = ("embeded://", "embedded://", "__asset:")


def write_card(persona: Persona, clock: Clock, hide: Callable[[dict[str, Any]], dict[str, Any]] = dict) -> bytes:
    """Return a persona as a character card: a PNG file that other programs take in.

    What the persona's own card said and nobody has changed since is written as it came, whatever it is.
    """
    document = hide(document_of(persona, clock))
    texts = {"chara": _as_v2(document), "ccv3": _as_v3(document)}
    encoded = {keyword: base64.b64encode(_json(value)) for keyword, value in texts.items()}
    return with_texts(_picture(persona), encoded)


def document_of(persona: Persona, clock: Clock) -> dict[str, Any]:
    """Return a persona as the document of a card, of the version that its own card had, otherwise of version 3."""
    kept = read_card(persona.paths, clock)
    empty: dict[str, Any] = {"spec": V3, "spec_version": "3.0", "data": {"name": persona.name}}
    document: dict[str, Any] = copy.deepcopy(dict(kept.card.document)) if kept else empty
    was = kept.card.data if kept else parse_card(empty).data
    data = document["data"]
    _fill_names(data, persona, kept)
    _fill_words(data, persona, was)
    book = JsonFile(persona.paths, persona.paths.lorebook, clock, dict).read()
    if book:
        data["character_book"] = marked(book, ())
    _fill_rest(data, persona, clock.now())
    _say_again(document, kept.card.document["data"] if kept else {})
    return document


def _fill_names(data: dict[str, Any], persona: Persona, kept: KeptCard | None) -> None:
    if kept is not None and kept.taken_as != persona.name:
        data["name"] = persona.name
    if persona.nickname != (kept.card.data.nickname if kept else ""):
        data["nickname"] = persona.nickname


def _fill_words(data: dict[str, Any], persona: Persona, was: CardData) -> None:
    """Write what of the persona's words is not as the card had it."""
    if not is_prompt_of(persona.system_prompt, was):
        fields = fields_of(persona.system_prompt, persona.language)
        data.update({name: text for name, text in fields.items() if even(text) != even(getattr(was, name))})
    if even(persona.greeting) != even(was.first_mes):
        data["first_mes"] = persona.greeting
    if [*persona.alternate_greetings] != [one for one in was.alternate_greetings if one.strip()]:
        data["alternate_greetings"] = [*persona.alternate_greetings]


def _fill_rest(data: dict[str, Any], persona: Persona, now: datetime) -> None:
    """Write what the format demands and nobody has said, and when the card was made."""
    for name in _TEXTS:
        if data.get(name) is None:
            data[name] = ""
    for name, empty in (("tags", []), ("alternate_greetings", []), ("extensions", {})):
        if data.get(name) is None:
            data[name] = copy.copy(empty)
    made = _seconds(persona.created_at)
    if made is not None:
        data.setdefault("creation_date", made)
    data["modification_date"] = int(now.timestamp())
    if isinstance(data.get("assets"), list):
        data["assets"] = [kept for one in data["assets"] if (kept := _asset(one)) is not None]


def _asset(asset: Any) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    """Return an asset as a PNG file can name it: its picture is the file itself, and nothing lies beside it."""
    uri = asset.get("uri") if isinstance(asset, dict) else None
    if not isinstance(uri, str) or not uri.startswith(_EMBEDDED):
        return asset
    is_face = asset.get("type") == "icon" and asset.get("name") in {"main", ""}
    return {**asset, "uri": "ccdefault:", "ext": "png"} if is_face else None


def _as_v3(document: Mapping[str, Any]) -> dict[str, Any]:
    data = dict(document["data"])
    data.setdefault("group_only_greetings", [])
    version = document.get("spec_version") if document.get("spec") == V3 else "3.0"
    return {**document, "spec": V3, "spec_version": version or "3.0", "data": data}


def _as_v2(document: Mapping[str, Any]) -> dict[str, Any]:
    leaves_out = _V3_ONLY if document.get("spec") == V3 else {"creation_date", "modification_date"}
    data = {key: value for key, value in document["data"].items() if key not in leaves_out}
    version = document.get("spec_version") if document.get("spec") == V2 else "2.0"
    return {**document, "spec": V2, "spec_version": version or "2.0", "data": data}


def _say_again(document: dict[str, Any], was: Mapping[str, Any]) -> None:
    """Let a card say at its top what it said there before, as cards do for programs that read nothing else."""
    for name in _TEXTS:
        if name in document and document[name] == was.get(name):
            document[name] = document["data"][name]


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _seconds(moment: str) -> int | None:
    try:
        return int(datetime.fromisoformat(moment).timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _picture(persona: Persona) -> bytes:
    """Return the persona's picture as a PNG file; where there is none, or none that can be read, a plain one."""
    data = read_bytes(persona.avatar) if persona.avatar else None
    if data is None:
        return _plain_picture(persona)
    try:
        with_texts(data, {})
    except BrokenPngError:
        return _as_png(data) or _plain_picture(persona)
    return data


def _as_png(data: bytes) -> bytes | None:
    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "WEBP")) as picture:
            picture.convert("RGBA").save(out, "PNG")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    return out.getvalue()


def _plain_picture(persona: Persona) -> bytes:
    """Return a disc in the persona's own colours."""
    picture = Image.new("RGB", (SIDE, SIDE), persona.colours.background)
    edge = SIDE // 6
    ImageDraw.Draw(picture).ellipse((edge, edge, SIDE - edge, SIDE - edge), fill=persona.colours.accent)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
