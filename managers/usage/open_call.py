"""A call under way, from its reservation to its line in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from managers.storage.clock import Clock
from managers.usage.ledger import Call, Outcome
from managers.usage.prices import Price
from managers.usage.reservations import Reservation


class Books(Protocol):
    """Where calls are noted: the meter."""

    def close(self, call: Call, reservation: Path | None) -> None:
        """Note a call, and let its reservation go."""
        ...

    def release(self, reservation: Path | None) -> None:
        """Let a reservation go: nothing was spent."""
        ...

    def renew(self, reservation: Reservation, path: Path, patience: float) -> Reservation:
        """Move the end of a reservation on."""
        ...


@dataclass
class Held:
    """What is set aside for a call; it expires when the call gives no sign of life for `patience` seconds."""

    path: Path
    reservation: Reservation
    patience: float
    clock: Clock
    renewed: float = field(init=False)

    def __post_init__(self) -> None:
        self.renewed = self.clock.monotonic()

    def live(self, books: Books) -> None:
        """Move its end on, if that is due."""
        now = self.clock.monotonic()
        if now - self.renewed > self.patience / 3:
            self.renewed = now
            self.reservation = books.renew(self.reservation, self.path, self.patience)


class OpenCall:
    """A call under way. `settle` or `release` it; the first of them counts.

    Attributes:
        output_tokens: how long the answer may be; None: there is no cap.
    """

    def __init__(
        self, books: Books, begun: Call, price: Price | None, output_tokens: int | None = None, held: Held | None = None
    ) -> None:
        """Hold what is to be noted at the end.

        Args:
            books: where.
            begun: the call as it began, with no tokens yet.
            price: of its model, if it is known.
            output_tokens: how long the answer may be.
            held: what is set aside for it.
        """
        self.output_tokens = output_tokens
        self._books = books
        self._begun = begun
        self._price = price
        self._held = held
        self._is_over = False

    def live(self) -> None:
        """Give a sign of life: a piece has come."""
        if self._held is not None:
            self._held.live(self._books)

    def settle(self, read: int, written: int, *, is_estimated: bool = False, outcome: Outcome = "done") -> None:
        """Note what was spent."""
        if self._is_over:
            return
        self._is_over = True
        call = replace(
            self._begun,
            input_tokens=read,
            output_tokens=written,
            is_estimated=is_estimated,
            cost=self._price.cost(read, written) if self._price else None,
            outcome=outcome,
        )
        self._books.close(call, self._held.path if self._held else None)

    def release(self) -> None:
        """Nothing was spent: the server refused, or was never reached."""
        if not self._is_over:
            self._is_over = True
            self._books.release(self._held.path if self._held else None)
