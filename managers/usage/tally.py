"""What this month's calls add up to, read from the ledger as it grows."""

from collections import defaultdict
from collections.abc import Callable
from datetime import date

from managers.usage.caps import Span, Spent
from managers.usage.ledger import Call, Ledger, Renamed, read_entries

Costing = Callable[[Call], int]


class Tally:
    """Sums by day and persona, for one month at a time. Used under the meter's lock."""

    def __init__(self, ledger: Ledger, cost: Costing) -> None:
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
