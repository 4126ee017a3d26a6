"""What calls under way may still spend: a small file each, which a killed process leaves to expire."""

import itertools
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from managers.storage.files import explained, files, read_bytes, write_unsynced
from managers.storage.json_text import load_json
from managers.usage.caps import Spent

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Reservation:
    """A call under way.

    Attributes:
        time: when it began, in local time, ISO 8601.
        until: when nobody can be waiting for it any more, in UTC, ISO 8601; moved on while pieces come.
        persona, purpose, service, model, is_local: as the ledger has them.
        input_tokens: what it reads, by estimate.
        input_cost: what reading costs, where the price is known.
        tokens, money: what it takes at most.
    """

    time: str
    until: str
    persona: str
    purpose: str
    service: str
    model: str
    is_local: bool
    input_tokens: int
    input_cost: int | None
    tokens: int
    money: int

    @property
    def most(self) -> Spent:
        return Spent(self.tokens, self.money)

    @property
    def began(self) -> datetime:
        return datetime.fromisoformat(self.time)


class Reservations:
    """The files of a folder. Whoever changes them holds the meter's lock.

    They are not synced: a power cut ends the calls too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> dict[Path, Reservation]:
        """Return what is under way; what a crash left half written is removed."""
        found = {}
        for path in files(self._folder, "*.json"):
            try:
                found[path] = Reservation(**load_json(read_bytes(path) or b""))
            except (ValueError, TypeError):
                with suppress(OSError):
                    path.unlink()
        return found

    def add(self, reservation: Reservation) -> Path:
        """Put one down.

        Raises:
            DiskFullError, UnwritableError: nothing may be asked then.
        """
        path = self._folder / f"{os.getpid()}-{next(_numbers)}-{os.urandom(4).hex()}.json"
        self.write(path, reservation)
        return path

    def write(self, path: Path, reservation: Reservation) -> None:
        try:
            write_unsynced(path, json.dumps(asdict(reservation), ensure_ascii=False).encode())
        except OSError as error:
            raise explained(error, path) from error

    def remove(self, path: Path) -> bool:
        """Take one away; return whether it was still there."""
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise explained(error, path) from error
        return True


def expired(found: Iterable[tuple[Path, Reservation]], now: datetime) -> list[tuple[Path, Reservation]]:
    """Return those whose time is up: the process that asked was killed, or the computer slept meanwhile."""
    late = now + timedelta(days=1)  # no call is waited for that long: it was begun by a clock that was ahead
    return [(path, one) for path, one in found if not now < datetime.fromisoformat(one.until) <= late]


def until(now: datetime, seconds: float) -> str:
    """Return the time up to which a call is believed to be under way."""
    return (now + timedelta(seconds=seconds)).isoformat()
