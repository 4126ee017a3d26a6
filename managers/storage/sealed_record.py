"""What this computer has noted for itself: a record in the home folder that holds here and nowhere else.

There is a file for each computer that uses a home folder, and a seal in it: one that came with a home folder from
elsewhere, or in which somebody has written, says nothing here.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from managers.storage.clock import Clock
from managers.storage.errors import UnwritableError
from managers.storage.files import read_bytes, set_aside, write_atomic
from managers.storage.installation import Installation
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.unchanged import Unchanged


class SealedRecord:
    """Entries by name, as JSON has them. Safe to use from several threads and processes."""

    def __init__(self, home: Home, clock: Clock, purpose: str, *, key: str = "entries", ending: str = "") -> None:
        """Remember where it lies; nothing is read yet.

        Args:
            home: whose record it is.
            clock: the time.
            purpose: what is noted: what the seal is made over, and the ending of the file's name unless `ending` is given.
            key: what the entries stand under in the file.
            ending: of the file's name, behind what this computer is known by.
        """
        self._home = home
        self._clock = clock
        self._purpose = purpose
        self._key = key
        self._ending = ending or f".{purpose}.json"
        self._installation = Installation(home)
        self._known = Unchanged[Mapping[str, Any]]()

    def read(self) -> Mapping[str, Any]:
        """Return the entries, which nobody changes; none where nothing was noted here.

        Raises:
            UnreadableError: nobody can tell for the moment.
        """
        path = self._find()
        return {} if path is None else self._known.get(lambda: self._parsed(read_bytes(path) or b""), path)

    def _parsed(self, data: bytes) -> Mapping[str, Any]:
        try:
            record = json.loads(data)
            entries, seal = record[self._key], record["seal"]
            is_ours = self._installation.is_sealed(self._purpose, _sealed(entries), seal)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}
        return entries if is_ours and isinstance(entries, dict) else {}

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Give the entries to change, and write them then.

        Raises:
            DiskFullError, UnwritableError, UnreadableError, BusyError: they are as they were.
        """
        with holding(self._home.folder / ".admitted.lock", self._home.folder.name):
            entries = dict(self.read())
            was_empty = not entries
            yield entries
            seal = self._installation.seal(self._purpose, _sealed(entries))  # makes the key, if there is none
            path = self._find()
            if path is None:
                raise UnwritableError(path=self._home.installation_key, cause="no key")
            if was_empty and path.exists():  # what nobody here wrote is kept for whoever wants to know
                set_aside(path, self._clock.now())
            write_atomic(path, json.dumps({self._key: entries, "seal": seal}, indent=1, sort_keys=True))

    def _find(self) -> Path | None:
        """Return where this computer's record is; None before the installation has a key."""
        own = self._installation.id
        return None if own is None else self._home.admitted / f"{own}{self._ending}"


def _sealed(entries: object) -> bytes:
    return json.dumps(entries, sort_keys=True).encode()
