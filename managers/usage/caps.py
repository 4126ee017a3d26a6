"""The arithmetic of caps: how much a call may still read and write. Pure functions over plain numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from managers.storage.settings import UsageSettings
from managers.usage.prices import NANO, Price

Span = Literal["day", "month"]
Unit = Literal["tokens", "money"]

NEAR = 0.8
"""From this share of a cap on one is told."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens, and money in billionths of a dollar."""

    tokens: int = 0
    money: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.money + other.money)

    def of(self, unit: Unit) -> int:
        return self.tokens if unit == "tokens" else self.money


@dataclass(frozen=True, slots=True)
class Cap:
    """A limit that is never passed.

    Attributes:
        span: for a calendar day or month, in local time.
        unit: what is counted.
        limit: tokens, or billionths of a dollar.
        persona: for one persona; empty: for everybody together.
    """

    span: Span
    unit: Unit
    limit: int
    persona: str = ""

    @property
    def key(self) -> str:
        """Return the name of the setting that it comes from."""
        return f"{'persona_' if self.persona else ''}{self.span}_{self.unit}"


@dataclass(frozen=True, slots=True)
class Standing:
    """A cap, what of it is spent, and what calls under way may still spend."""

    cap: Cap
    spent: int
    reserved: int = 0

    @property
    def left(self) -> int:
        return self.cap.limit - self.spent - self.reserved

    @property
    def share(self) -> float:
        return self.spent / self.cap.limit

    @property
    def is_near(self) -> bool:
        return self.share >= NEAR


@dataclass(frozen=True, slots=True)
class Wish:
    """What a call would take.

    Attributes:
        input_tokens: it reads so much.
        most_output: it could write so much.
        least_output: with less than this it makes no sense.
        can_limit: it can be told how much it may write.
    """

    input_tokens: int
    most_output: int
    least_output: int
    can_limit: bool = True

    def within(self, answer_tokens: int) -> Wish:
        """Return the wish with no longer an answer than this, where the model can be told."""
        return replace(self, most_output=min(self.most_output, answer_tokens)) if self.can_limit else self


@dataclass(frozen=True, slots=True)
class Room:
    """What the caps leave for a call: so many tokens of answer; or the cap that stops it."""

    output_tokens: int = 0
    stopped_by: Cap | None = None


def caps_of(settings: UsageSettings, persona: str) -> list[Cap]:
    """Return the caps that hold for a persona's calls: everybody's, and its own."""
    found = []
    for owner, prefix in (("", ""), (persona, "persona_")):
        if prefix and not persona:
            continue
        for span in ("day", "month"):
            if tokens := getattr(settings, f"{prefix}{span}_tokens"):
                found.append(Cap(span, "tokens", tokens, owner))
            if money := getattr(settings, f"{prefix}{span}_money"):
                found.append(Cap(span, "money", int(money / settings.per_dollar * NANO), owner))
    return found


def room_for(wish: Wish, price: Price | None, standings: Iterable[Standing]) -> Room:
    """Return how long the answer may be so that no cap can be passed, or which cap stops the call.

    Args:
        wish: what the call would take.
        price: of its model; None: unknown, and then no cap in money can hold.
        standings: the caps, with what calls under way have reserved.
    """
    granted = wish.most_output
    for standing in standings:
        most = _most_output(wish, price, standing)
        if most is not None and most < min(wish.least_output, wish.most_output):
            return Room(stopped_by=standing.cap)
        granted = granted if most is None else min(granted, most)
    return Room(granted)


def _most_output(wish: Wish, price: Price | None, standing: Standing) -> int | None:
    if standing.cap.unit == "tokens":
        return standing.left - wish.input_tokens
    if price is None:
        return -1
    return price.most_output(wish.input_tokens, standing.left)


def worst_case(wish: Wish, room: Room, price: Price | None) -> Spent:
    """Return what is to be reserved for a call."""
    tokens = wish.input_tokens + room.output_tokens
    return Spent(tokens, price.cost(wish.input_tokens, room.output_tokens) if price else 0)
