"""A persona's adapters: one file a version, with a card in its head; which of them is in use; and the way back.

A file in the safetensors format (https://huggingface.co/docs/safetensors): eight bytes with the length of a JSON object,
the object, which tells where each tensor lies, and the tensors. `__metadata__` in it holds the card.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.growth.errors import AdapterNotFoundError, AdapterUnfitError
from managers.memory.json_documents import JsonFile, encode
from managers.storage.clock import Clock
from managers.storage.files import files, open_binary, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.opening import is_file
from managers.storage.paths import PersonaPaths

CARD: Final = "utatane"
"""The key in the file's metadata."""
_MOST_HEAD: Final = 16 << 20
"""Bytes; a longer head is no adapter's."""


class Card(BaseModel):
    """What an adapter is.

    Attributes:
        version: counts from 1.
        parent: the version that it goes on from; 0: the base model alone.
        made: when, local time.
        base: the base model's folder, as it was named.
        base_digest: what tells that model from another.
        rank: of the matrices (Hu et al., LoRA, 2021).
        learned: how many examples it has learned from.
        held_out: how many it was measured on.
        loss_before: mean negative log-likelihood of a token of the held-out answers, in nats, by the base model alone.
        loss: the same by the adapter.
        style: what its answers look like, beside the persona's own and the base model's.
        messages: whose words it has learned, by their ids: an erasure asks for them.
        kpi: what the persona's talks had come to.
    """

    model_config = ConfigDict(extra="allow")

    version: int = Field(ge=1)
    parent: int = 0
    made: str = ""
    base: str = ""
    base_digest: str = ""
    rank: int = 8
    learned: int = 0
    held_out: int = 0
    loss_before: float = 0.0
    loss: float = 0.0
    style: dict[str, dict[str, float]] = Field(default_factory=dict)
    messages: list[str] = Field(default_factory=list)
    kpi: float = 0.0


class _Used(BaseModel):
    model_config = ConfigDict(extra="allow")

    version: int = 0
    before: list[int] = Field(default_factory=list)


class Adapters:
    """The adapters of one persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self._paths = paths
        self._used = JsonFile(paths, paths.growth / "active.json", clock, dict)

    def path(self, version: int) -> Path:
        return self._paths.growth / f"{version}.safetensors"

    def all(self) -> list[Card]:
        """Return the cards of all that can be read, oldest first."""
        cards = (card_of(path) for path in files(self._paths.growth, "*.safetensors"))
        return sorted((card for card in cards if card is not None), key=lambda card: card.version)

    def get(self, version: int) -> Card:
        """Return the card of a version.

        Raises:
            AdapterNotFoundError
        """
        card = card_of(self.path(version)) if is_file(self.path(version)) else None
        if card is None:
            raise AdapterNotFoundError(version=version)
        return card

    @property
    def next_version(self) -> int:
        """The number of the next one; that of one that spoke and is gone stays its own: another would speak unasked."""
        held = self._held()
        return max([0, held.version, *held.before, *(card.version for card in self.all())]) + 1

    @property
    def in_use(self) -> int:
        """The version that speaks; 0: the base model alone. One that is gone speaks no more."""
        used = self._held().version
        return used if used and is_file(self.path(used)) else 0

    def file_in_use(self, base_digest: str) -> Path | None:
        """Return the file of the version that speaks.

        Raises:
            AdapterUnfitError: it was made for another base model, or is damaged.
        """
        if not (used := self.in_use):
            return None
        card = card_of(self.path(used))
        if card is None or card.base_digest != base_digest:
            raise AdapterUnfitError(path=self.path(used).name)
        return self.path(used)

    def use(self, version: int) -> None:
        """Let a version speak from now on; 0: the base model alone.

        Raises:
            AdapterNotFoundError
        """
        if version:
            self.get(version)
        held = self._held()
        if version != held.version:
            self._write(_Used(version=version, before=[*held.before, held.version]))

    def roll_back(self) -> int:
        """Let speak what spoke before; return its version, 0 for the base model alone."""
        held = self._held()
        there = [one for one in held.before if one == 0 or is_file(self.path(one))]
        found = there.pop() if there else 0
        self._write(_Used(version=found, before=there))
        return found

    def _held(self) -> _Used:
        return self._used.read_as(_Used) or _Used()

    def _write(self, used: _Used) -> None:
        write_atomic(self._used.path, encode(used.model_dump(mode="json")))


def card_of(path: Path) -> Card | None:
    """Return the card in the head of an adapter's file; None where there is none that can be read."""
    with open_binary(path) as file:
        length = int.from_bytes(file.read(8), "little")
        return card_in(file.read(length)) if length <= _MOST_HEAD else None


def card_in(head: bytes) -> Card | None:
    """Return the card that a head holds."""
    try:
        told: Mapping[str, Any] = load_json(head)["__metadata__"]
        return Card.model_validate_json(told[CARD])
    except (NotJsonError, KeyError, TypeError, ValidationError, ValueError):
        return None


def metadata_of(card: Card) -> dict[str, str]:
    """Return what an adapter's file says of itself."""
    return {"format": "pt", CARD: json.dumps(card.model_dump(mode="json"), ensure_ascii=False)}
