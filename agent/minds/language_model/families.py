"""What is known about families of models, from `assets/models.toml`."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from managers.storage.paths import CHECKOUT

_FILE = CHECKOUT / "assets" / "models.toml"


@dataclass(frozen=True, slots=True)
class Family:
    """What a model's name tells: 0 or None where it tells nothing."""

    context_tokens: int = 0
    can_see: bool | None = None
    thinks: bool = False
    """It can be asked for summaries of its thoughts."""


def family_of(model: str) -> Family:
    """Return what the table knows about a model."""
    for entry in table()["family"]:
        if re.search(entry["pattern"], model, re.IGNORECASE):
            thinks = entry.get("thinks")
            return Family(
                entry.get("context", 0),
                entry.get("sees"),
                bool(thinks and re.search(thinks, model, re.IGNORECASE)),
            )
    return Family()


def default_context(*, loopback: bool) -> int:
    """Return what to assume of a server that does not say how much its model reads."""
    return int(table()["defaults"]["loopback" if loopback else "cloud"])


@functools.cache
def table() -> dict[str, Any]:
    """Return the whole table of models."""
    return tomllib.loads(_FILE.read_text("utf-8"))
