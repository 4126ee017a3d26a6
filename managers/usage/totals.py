"""What the calls of a time add up to: by day, persona, purpose, model. Pure functions over the ledger's calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from managers.storage.settings import UsageSettings
from managers.usage.ledger import Call
from managers.usage.prices import NANO

Costing = Callable[[Call], int | None]
Key = TypeVar("Key")

_SMALL = 0.1
"""Amounts below this are shown to more places: a night's dream may cost a tenth of a cent."""


@dataclass(frozen=True, slots=True)
class Sum:
    """What some calls add up to.

    Attributes:
        input_tokens, output_tokens: read and written.
        cost: in billionths of a dollar, of those whose price is known.
        unpriced: how many have a price that nobody knows.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int = 0
    unpriced: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def with_call(self, call: Call, cost: int | None) -> Sum:
        """Return the sum with one call more."""
        return Sum(
            self.calls + 1,
            self.input_tokens + call.input_tokens,
            self.output_tokens + call.output_tokens,
            self.cost + (cost or 0),
            self.unpriced + (cost is None),
            self.estimated + call.is_estimated,
        )


def total(calls: Iterable[Call], cost: Costing) -> Sum:
    """Return what calls add up to."""
    return grouped(calls, cost, lambda _: None).get(None, Sum())


def grouped(calls: Iterable[Call], cost: Costing, key: Callable[[Call], Key]) -> dict[Key, Sum]:
    """Return the sums by a key, the one with the most tokens first."""
    sums: dict[Key, Sum] = {}
    for call in calls:
        name = key(call)
        sums[name] = sums.get(name, Sum()).with_call(call, cost(call))
    return dict(sorted(sums.items(), key=lambda item: -item[1].tokens))


def by_day(calls: Iterable[Call], cost: Costing, since: date, until: date) -> dict[date, Sum]:
    """Return the sums of every day from `since` to `until`, both with them, those without calls too."""
    found = grouped(calls, cost, lambda call: call.time.date())
    days = (since + timedelta(days=n) for n in range((until - since).days + 1))
    return {day: found.get(day, Sum()) for day in days}


def amount(cost: int, limits: UsageSettings) -> str:
    """Return billionths of a dollar in the person's currency, as people write it: an estimate."""
    value = cost / NANO * limits.per_dollar
    digits = 4 if 0 < value < _SMALL else 2
    return f"{value:,.{digits}f} {limits.currency}"
