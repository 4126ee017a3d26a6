"""A character card: the document as it came, and what this program reads in it.

The document is kept as it is: what nobody here understands leaves as it came. Versions: 1 (fields at the top), 2
(`chara_card_v2`) and 3 (`chara_card_v3`), as their specifications have them, and the older form with `char_name`.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

V2: Final = "chara_card_v2"
V3: Final = "chara_card_v3"
_NEWEST: Final = 3
_V1_FIELDS: Final = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_OLDEST: Final = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
}
_SPEC = re.compile(r"chara_card_v(\d{1,3})")


class CardUnreadableError(Exception):
    """What should be a card is none; `code` is the key of a sentence in `assets/notices/import_card.toml`."""

    def __init__(self, code: str, **facts: str) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


def _as_text(value: object) -> object:
    """Return text for what some programs write in its place; a number is meant as its digits."""
    if value is None:
        return ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _as_list(value: object) -> object:
    if value is None or value == "":
        return []
    return [value] if isinstance(value, str) else value


def _as_object(value: object) -> object:
    return {} if value is None or value == [] else value


Text = Annotated[str, BeforeValidator(_as_text)]
TextList = Annotated[list[Text], BeforeValidator(_as_list)]
Object = Annotated[dict[str, Any], BeforeValidator(_as_object)]


class Asset(BaseModel):
    """A file of a card, such as its picture: `type`, `uri` (`ccdefault:`, `embeded://…`, an address), `name`, `ext`."""

    model_config = ConfigDict(extra="allow")

    type: Text = ""
    uri: Text = ""
    name: Text = ""
    ext: Text = ""


class CardData(BaseModel):
    """What a card says, as far as it is used here; all else is in `Card.document`."""

    model_config = ConfigDict(extra="ignore")

    name: Text
    description: Text = ""
    personality: Text = ""
    scenario: Text = ""
    first_mes: Text = ""
    mes_example: Text = ""
    system_prompt: Text = ""
    post_history_instructions: Text = ""
    alternate_greetings: TextList = []
    nickname: Text = ""
    extensions: Object = {}
    assets: Annotated[list[Asset], BeforeValidator(_as_list)] = []
    character_book: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A card.

    Attributes:
        document: as it came, with `spec`, `spec_version` and `data`; one of version 1 in the form of version 2.
        data: what it says.
    """

    document: Mapping[str, Any]
    data: CardData


def parse_card(value: object) -> Card:
    """Return a JSON value as a card.

    Raises:
        CardUnreadableError: it is none, one of a version to come, or a field holds what it cannot.
    """
    document = _document(value)
    try:
        return Card(document, CardData.model_validate(document["data"]))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise CardUnreadableError("invalid", field=where[:80]) from error


def _document(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CardUnreadableError("no-card")
    finite: dict[str, Any] = _finite(value)
    spec, data = finite.get("spec"), finite.get("data")
    found = _SPEC.fullmatch(spec) if isinstance(spec, str) else None
    if found and int(found[1]) > _NEWEST:
        raise CardUnreadableError("newer", spec=str(spec)[:40])
    if found and isinstance(data, dict):
        return finite
    fields = {_OLDEST.get(key, key): one for key, one in finite.items() if key in _OLDEST or key in _V1_FIELDS}
    if "name" not in fields or len(fields) < 2:  # a name alone is in any JSON  # noqa: PLR2004  # and says no more
        raise CardUnreadableError("no-card")
    rest = {key: one for key, one in finite.items() if key not in _OLDEST and key not in _V1_FIELDS}
    return {**rest, "spec": V2, "spec_version": "2.0", "data": fields}


def _finite(value: Any) -> Any:  # noqa: ANN401  # JSON is whatever is in the file
    """Return a JSON value without numbers that no JSON may hold, though Python reads them."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return _without_odd_numbers(value)
    return value


def _without_odd_numbers(value: Any) -> Any:  # noqa: ANN401  # as above
    if isinstance(value, dict):
        return {key: _without_odd_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_odd_numbers(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
