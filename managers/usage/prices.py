"""What models cost: the person's own prices, else the dated list in `assets/models.toml`, else unknown."""

import functools
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Literal

from managers.storage.paths import CHECKOUT

_FILE = CHECKOUT / "assets" / "models.toml"

NANO = 1_000_000_000
"""Money is counted in whole billionths of a dollar, rounded up: sums are exact, and never too low."""
_PER_TOKEN = NANO // 1_000_000

Source = Literal["own", "local", "list"]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, and where that is known from.

    Attributes:
        input, output: what is read and what is written (thoughts count as written).
        source: `own`: the person's; `local`: this computer asks for nothing; `list`: the provider's, as of `as_of`.
        as_of: the day the list was read.
        above: prompts of more tokens than this cost the other two; 0: all cost the same.
        input_above, output_above: what those cost.
    """

    input: float
    output: float
    source: Source = "list"
    as_of: str = ""
    above: int = 0
    input_above: float = 0.0
    output_above: float = 0.0

    def cost(self, read: int, written: int) -> int:
        """Return what a call costs, in billionths of a dollar."""
        per_input, per_output = self._at(read)
        return math.ceil(read * per_input) + math.ceil(written * per_output)

    def most_output(self, read: int, money: int) -> int | None:
        """Return how much may be written after reading so much, if it may cost `money`; None: any amount."""
        left = money - self.cost(read, 0)
        if left < 0:
            return -1
        per_output = self._at(read)[1]
        return math.floor(left / per_output) if per_output else None

    def _at(self, read: int) -> tuple[Fraction, Fraction]:
        """Return what a token costs, exactly: 0.1 is a tenth here."""
        is_long = bool(self.above) and read > self.above
        per_million = (self.input_above, self.output_above) if is_long else (self.input, self.output)
        return Fraction(repr(per_million[0])) * _PER_TOKEN, Fraction(repr(per_million[1])) * _PER_TOKEN


FREE = Price(0.0, 0.0, "local")


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the ledger names it.

    Attributes:
        host: the server's host, which tells whose price list counts.
    """

    name: str
    service: str = ""
    host: str = ""
    is_local: bool = False


def price_of(model: Model, own: Mapping[str, tuple[float, float]], day: date) -> Price | None:
    """Return what a model costs on a day, None where nobody here knows.

    The person's own price counts most: a server on this computer may pass everything on to a dear one.
    """
    if model.name in own:
        read, written = own[model.name]
        return Price(read, written, "own")
    if model.is_local:
        return FREE
    return listed_price(model.name, model.host, day)


def listed_price(name: str, host: str, day: date) -> Price | None:
    """Return the price in the list that this server's models have on a day."""
    plain = name.rpartition("/")[2].partition(":")[0].lower()
    if host.endswith("openrouter.ai") and name.endswith(":free"):
        return Price(0.0, 0.0, "list", _list()["as_of"])
    for entry in _list().get("price", ()):
        if not any(host == known or host.endswith(f".{known}") for known in entry["at"]):
            continue
        if re.fullmatch(entry["pattern"], plain) and _counts(entry, day):
            return Price(
                entry["input"],
                entry["output"],
                "list",
                _list()["as_of"],
                entry.get("above", 0),
                entry.get("input_above", 0.0),
                entry.get("output_above", 0.0),
            )
    return None


def _counts(entry: Mapping[str, Any], day: date) -> bool:
    return bool(entry.get("since", date.min) <= day <= entry.get("until", date.max))


@functools.cache
def _list() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))["prices"]
    return table
