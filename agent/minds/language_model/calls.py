"""Put tool calls together from the pieces in which they come.

LangChain reads all that has come anew with each piece, which takes minutes where a model writes a page
into a tool; and it takes for one call what servers send under one number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from managers.storage.json_text import mended

if TYPE_CHECKING:
    from langchain_core.messages import ToolCallChunk


@dataclass
class Call:
    """A call as far as it has come."""

    index: int | str | None
    id: str = ""
    name: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> dict[str, Any] | None:
        """Its arguments, read strictly (mending a half one would change what was meant); None if they are broken."""
        text = "".join(self.written)
        if not text.strip():
            return {}
        try:
            arguments = mended(json.loads(text, strict=False))
        except (ValueError, RecursionError):
            return None
        return arguments if isinstance(arguments, dict) else None


class Calls:
    """The tool calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def take(self, pieces: Sequence[ToolCallChunk]) -> None:
        """Add what a chunk brings."""
        for piece in pieces:
            call = self._begun(piece)
            call.id = call.id or piece["id"] or ""
            call.name += piece["name"] or ""
            call.written.append(piece["args"] or "")

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls)

    def _begun(self, piece: ToolCallChunk) -> Call:
        """Return the call that a piece goes on with, a new one where it begins one."""
        index = piece["index"]
        known = next((c for c in reversed(self._calls) if c.index == index and index is not None), None)
        if known is None or _begins_another(piece, known):
            known = Call(index)
            self._calls.append(known)
        return known


def _begins_another(piece: ToolCallChunk, known: Call) -> bool:
    """Tell whether a piece begins a call of its own, though it has the number of another: some servers do not count."""
    if piece["id"] and known.id:
        return piece["id"] != known.id
    return bool(piece["name"]) and any(known.written)
