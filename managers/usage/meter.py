"""The meter: every call of a model passes through it, is counted, and never passes a cap.

Before a call the worst case is reserved, under a lock that all processes of a home folder share; after
it what was really spent is noted, and the reservation goes. Two calls that want the last tokens cannot
both get them.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from managers.storage.audit import NOTHING, Given
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.settings import UsageSettings
from managers.usage.caps import Cap, Room, Span, Spent, Standing, Wish, caps_of, room_for, worst_case
from managers.usage.errors import cap_reached
from managers.usage.ledger import Call, Ledger, Outcome, Purpose, Renamed, read_entries
from managers.usage.prices import Model, Price, price_of
from managers.usage.reservations import Reservation, Reservations, expired, until

logger = logging.getLogger(__name__)

Limits = Callable[[str], UsageSettings]
"""Returns the settings that hold for a persona (an empty name: for nobody in particular)."""


class Tally:
    """What this month's calls add up to, read from the ledger as it grows: sums by day and persona, for one month at a time. Used under the meter's lock."""

    def __init__(self, ledger: Ledger, cost: Callable[[Call], int]) -> None:
        self._ledger = ledger
        self._cost = cost
        self._month = ""
        self._read = 0
        self._sums: dict[tuple[date, str], Spent] = {}

    def forget(self) -> None:
        """Count everything anew at the next look: a price has changed."""
        self._month = ""

    def catch_up(self, today: date) -> None:
        """Read what was added since the last look, by whichever process.

        Raises:
            UnreadableError
        """
        path = self._ledger.month_file(today)
        if path.stem != self._month:
            self._month, self._read, self._sums = path.stem, 0, defaultdict(Spent)
        entries, self._read = read_entries(path, self._read)
        for entry in entries:
            if isinstance(entry, Renamed):
                self._rename(entry)
            else:
                cost = self._cost(entry) if entry.cost is None else entry.cost
                self._sums[entry.time.date(), entry.persona] += Spent(entry.tokens, cost)

    def spent(self, today: date, span: Span, persona: str) -> Spent:
        """Return what was spent today, or this month, by one persona or (an empty name) by all."""
        return sum(
            (
                spent
                for (day, name), spent in self._sums.items()
                if (span == "month" or day == today) and persona in ("", name)
            ),
            Spent(),
        )

    def _rename(self, renamed: Renamed) -> None:
        for day, name in [key for key in self._sums if key[1] == renamed.old]:
            self._sums[day, renamed.new] += self._sums.pop((day, name))


class Meter:
    """Counts the calls of a home folder. Used from several threads, beside other processes."""

    def __init__(self, folder: Path, clock: Clock, limits: Limits, *, only_look: bool = False) -> None:
        """Remember where the ledger is; with `only_look` nothing is spent where a cap is set, for it could not be noted."""
        self._only_look = only_look
        self._alone = threading.Lock()
        self.ledger = Ledger(folder)
        self.limits = limits
        self.when_counted: Callable[[str], None] = lambda _: None
        """Called after each call with the name of the persona, with no lock held."""
        self.when_leaving: Callable[[Call, Given], None] = lambda *_: None
        """Called before each call that leaves this computer, with what of a persona's memories it carries."""
        self._clock = clock
        self._reservations = Reservations(folder / "under_way")
        self._tally = Tally(self.ledger, self._cost_now)
        self._prices: dict[str, tuple[float, float]] = {}
        self._unwritten: list[Call] = []
        self._waiting = threading.Lock()
        self._refused: dict[str, tuple[Wish, Model]] = {}

    def account(self, persona: str, purpose: Purpose) -> Account:
        """Return what a mind's calls are counted on."""
        return Account(self, persona, purpose)

    def open(self, account: Account, model: Model, wish: Wish, patience: float) -> OpenCall:
        """Let a call begin, if no cap can be passed by it.

        Args:
            account: for whom and what for.
            model: which model.
            wish: what the call would take.
            patience: seconds within which it gives a sign of life, or has ended.

        Raises:
            CapReachedError: it might pass a cap and must not be made.
            BusyError, DiskFullError, UnwritableError, UnreadableError: there is a cap, and it cannot be kept.
        """
        call = self._open(account, model, wish, patience)
        if not model.is_local:
            self.when_leaving(call.begun, account.given)
        return call

    def _open(self, account: Account, model: Model, wish: Wish, patience: float) -> OpenCall:
        now, limits = self._clock.now(), self.limits(account.persona)
        caps = caps_of(limits, account.persona)
        price = price_of(model, limits.prices, now.date())
        if not caps:
            return OpenCall(self, _begun(account, model, now), price)
        wish = wish.within(limits.answer_tokens)
        with self._holding(limits):
            self._look(now)
            room = room_for(wish, price, self._standings(caps, now.date()))
            if room.stopped_by is not None:
                if account.purpose == "talk":
                    self._refused[account.persona] = wish, model
                unpriced = model.name if price is None and room.stopped_by.unit == "money" else ""
                raise cap_reached(room.stopped_by, limits, unpriced=unpriced)
            if account.purpose == "talk":
                self._refused.pop(account.persona, None)
            return self._reserve(_begun(account, model, now), wish, room, price, patience)

    def today(self) -> date:
        """Return the day that calls count for now."""
        return self._clock.now().date()

    def standings(self, persona: str = "") -> list[Standing]:
        """Return where the caps stand that hold for a persona's calls; without a name, everybody's.

        Raises:
            BusyError, UnreadableError
        """
        limits = self.limits(persona)
        caps = caps_of(limits, persona)
        if not caps:
            return []
        with self._holding(limits):
            now = self._clock.now()
            self._look(now)
            return self._standings(caps, now.date())

    def stops(self, persona: str) -> bool:
        """Tell whether the reply that was refused last would be refused again, so that this persona's model is silent."""
        wish, model = self._refused.get(persona, (None, None))
        if wish is None or model is None:
            return False
        price = price_of(model, self.limits(persona).prices, self.today())
        return room_for(wish, price, self.standings(persona)).stopped_by is not None

    def price(self, model: Model, persona: str = "") -> Price | None:
        """Return what a model costs today; None where nobody knows."""
        return price_of(model, self.limits(persona).prices, self.today())

    def cost(self, call: Call) -> int | None:
        """Return what a call cost, in billionths of a dollar: as noted, else by what is known now."""
        if call.cost is not None:
            return call.cost
        price = price_of(_model_of(call), self.limits("").prices, call.time.date())
        return price.cost(call.input_tokens, call.output_tokens) if price else None

    def flush(self) -> None:
        """Write what could not be written before (a full disk, say); what still cannot is said in the program's log."""
        with self._waiting:
            waiting, self._unwritten = self._unwritten, []
        for call in waiting:
            self._note(call, None)

    # What an open call does

    def close(self, call: Call, reservation: Path | None) -> None:
        """Note a call in the ledger, and let its reservation go."""
        self.flush()
        self._note(call, reservation)
        self.when_counted(call.persona)

    def release(self, reservation: Path | None) -> None:
        """Let a reservation go: nothing was spent."""
        if reservation is not None:
            try:
                with self.ledger.lock():
                    self._reservations.remove(reservation)
            except UtataneError:
                logger.warning("a reservation could not be taken away; it expires", exc_info=True)

    def renew(self, held: Held) -> None:
        """Move the end of a reservation on, if that is due: the call is still under way."""
        now = self._clock.monotonic()
        if now - held.renewed <= held.patience / 3:
            return
        held.renewed = now
        held.reservation = replace(held.reservation, until=until(self._clock.utc(), held.patience))
        try:
            with self.ledger.lock():
                if held.path.exists():
                    self._reservations.write(held.path, held.reservation)
        except UtataneError:
            logger.warning("a reservation could not be moved on", exc_info=True)

    # What they share

    @contextmanager
    def _holding(self, limits: UsageSettings) -> Iterator[None]:
        with self._alone if self._only_look else self.ledger.lock():
            if limits.prices != self._prices:
                self._prices = dict(limits.prices)
                self._tally.forget()
            yield

    def _look(self, now: datetime) -> None:
        for path, lost in [] if self._only_look else expired(self._reservations.all().items(), self._clock.utc()):
            # Whoever asked was killed: that it was read is likely, what came of it nobody can tell any more.
            self.ledger.append(_lost(lost))
            self._reservations.remove(path)
        self._tally.catch_up(now.date())

    def _standings(self, caps: list[Cap], today: date) -> list[Standing]:
        under_way = self._reservations.all().values()

        def reserved(span: Span, persona: str) -> Spent:
            begins = f"{today:%Y-%m-%d}" if span == "day" else f"{today:%Y-%m}"
            ours = (one for one in under_way if one.time.startswith(begins) and persona in ("", one.persona))
            return sum((one.most for one in ours), Spent())

        return [
            Standing(
                cap,
                self._tally.spent(today, cap.span, cap.persona).of(cap.unit),
                reserved(cap.span, cap.persona).of(cap.unit),
            )
            for cap in caps
        ]

    def _reserve(self, begun: Call, wish: Wish, room: Room, price: Price | None, patience: float) -> OpenCall:
        most = worst_case(wish, room, price)
        reservation = Reservation(
            time=begun.time.isoformat(timespec="seconds"),
            until=until(self._clock.utc(), patience),
            persona=begun.persona,
            purpose=begun.purpose,
            service=begun.service,
            model=begun.model,
            is_local=begun.is_local,
            input_tokens=wish.input_tokens,
            input_cost=price.cost(wish.input_tokens, 0) if price else None,
            tokens=most.tokens,
            money=most.money,
        )
        held = Held(self._reservations.add(reservation), reservation, patience, self._clock.monotonic())
        return OpenCall(self, begun, price, room.output_tokens, held)

    def _note(self, call: Call, reservation: Path | None) -> None:
        try:
            with self.ledger.lock():
                self.ledger.append(call)
                if reservation is not None:
                    self._reservations.remove(reservation)
        except UtataneError:
            # The answer is there and must reach the person; the line is kept and written with the next one.
            logger.warning("a call of %s could not be noted yet", call.model, exc_info=True)
            with self._waiting:
                self._unwritten.append(call)

    def _cost_now(self, call: Call) -> int:
        price = price_of(_model_of(call), self._prices, call.time.date())
        return price.cost(call.input_tokens, call.output_tokens) if price else 0


@dataclass(slots=True)
class Held:
    """What is set aside for a call; it expires when the call gives no sign of life for `patience` seconds."""

    path: Path
    reservation: Reservation
    patience: float
    renewed: float


@dataclass
class OpenCall:
    """A call under way. `settle` or `release` it; the first of them counts.

    Attributes:
        output_tokens: how long the answer may be; None: there is no cap.
    """

    meter: Meter
    begun: Call
    price: Price | None
    output_tokens: int | None = None
    held: Held | None = None
    _is_over: bool = False

    def live(self) -> None:
        """Give a sign of life: a piece has come."""
        if self.held is not None:
            self.meter.renew(self.held)

    def settle(self, read: int, written: int, *, is_estimated: bool = False, outcome: Outcome = "done") -> None:
        if self._is_over:
            return
        self._is_over = True
        call = replace(
            self.begun,
            input_tokens=read,
            output_tokens=written,
            is_estimated=is_estimated,
            cost=self.price.cost(read, written) if self.price else None,
            outcome=outcome,
        )
        self.meter.close(call, self.held.path if self.held else None)

    def release(self) -> None:
        """Nothing was spent: the server refused, or was never reached."""
        if not self._is_over:
            self._is_over = True
            self.meter.release(self.held.path if self.held else None)


@dataclass(frozen=True, slots=True)
class Account:
    """For whom, and what for, calls are counted; and what of the persona's memories goes with them, for its audit."""

    meter: Meter
    persona: str
    purpose: Purpose
    given: Given = NOTHING

    def open(self, model: Model, wish: Wish, patience: float) -> OpenCall:
        """Let a call begin; see `Meter.open`."""
        return self.meter.open(self, model, wish, patience)


def _model_of(call: Call) -> Model:
    return Model(call.model, call.service, call.host, call.is_local)


def _begun(account: Account, model: Model, now: datetime) -> Call:
    return Call(
        now,
        account.persona,
        account.purpose,
        model.service,
        model.name,
        input_tokens=0,
        output_tokens=0,
        is_local=model.is_local,
        host=model.host,
    )


def _lost(one: Reservation) -> Call:
    return Call(
        time=one.began,
        persona=one.persona,
        purpose=one.purpose,
        service=one.service,
        model=one.model,
        input_tokens=one.input_tokens,
        output_tokens=0,
        is_estimated=True,
        is_local=one.is_local,
        cost=one.input_cost,
        outcome="lost",
    )
