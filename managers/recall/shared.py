"""Documents that a persona shares with others: what recall needs of them, whoever keeps them."""

from typing import Protocol

from managers.recall.hits import Hit


class SharedDocuments(Protocol):
    """Documents beside a persona's own, searched in the same way."""

    def has_any(self) -> bool:
        """Tell whether there are any."""

    def near(self, query: str, count: int, limit: float) -> list[Hit]:
        """Return the nearest passages within a distance, best first, each with where it is from and its date."""


class NothingShared:
    """What a persona without a domain shares."""

    def has_any(self) -> bool:
        """Tell that there is nothing."""
        return False

    def near(self, query: str, count: int, limit: float) -> list[Hit]:  # noqa: ARG002  # the protocol's
        """Return nothing."""
        return []


def nearest(own: list[Hit], others: list[Hit], count: int) -> list[Hit]:
    """Return the nearest of both, each text once; among equals one's own."""
    found: dict[str, Hit] = {}
    for hit in sorted([*own, *others], key=lambda one: one.score):
        found.setdefault(hit.text, hit)
    return list(found.values())[:count]
