"""`card.json`: the card that a persona came from, beside what became of it, so that nothing of it is lost.

It holds the card's document but for its lorebook, which is `lorebook.json`, and the name under which it was taken in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from managers.exchange.cards.card import Card, CardUnreadableError, parse_card
from managers.memory.json_documents import JsonFile
from managers.storage.clock import Clock
from managers.storage.paths import PersonaPaths


@dataclass(frozen=True, slots=True)
class KeptCard:
    """The card that a persona came from; `taken_as` is the name that the persona had then."""

    card: Card
    taken_as: str


def read_card(paths: PersonaPaths, clock: Clock) -> KeptCard | None:
    """Return the card that a persona came from; None where it came from none, or the file holds none any more."""
    value = JsonFile(paths, paths.card, clock, dict).read()
    try:
        card = parse_card(value.get("card"))
    except CardUnreadableError:
        return None
    name = value.get("taken_as")
    return KeptCard(card, name if isinstance(name, str) else card.data.name)


def fields_of_card(card: Card, taken_as: str) -> Mapping[str, Any]:
    """Return what `card.json` holds: what a reader hands on as a memory of the kind `card`."""
    data = {key: value for key, value in card.document["data"].items() if key != "character_book" or value is None}
    return {"taken_as": taken_as, "card": {**card.document, "data": data}}
