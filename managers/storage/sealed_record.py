"""What this computer has noted for itself: a record in the home folder that holds here and nowhere else.

There is a file for each computer that uses a home folder, and a seal in it: one that came with a home folder from
elsewhere, or in which somebody has written, says nothing here. A copy lies beside it, for where it is broken.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from managers.storage.clock import Clock
from managers.storage.errors import UnreadableError, UnwritableError
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
        places = self._places()
        return self._known.get(lambda: next(filter(None, map(self._entries, places)), {}), *places) if places else {}

    def unsealed(self) -> Iterator[Mapping[str, Any]]:
        """Yield what any record here says, whoever wrote it: a hint for somebody who is asked, and nothing to go by."""
        for path in sorted(self._home.admitted.glob(f"*{self._ending}*")):
            with suppress(UnreadableError):
                yield self._parsed(read_bytes(path) or b"", is_any=True)

    def mend(self) -> bool:
        """Write the key and the record anew where they are not whole; return whether one was damaged (raises as `changing`)."""
        is_mended = self._installation.mend()
        with holding(self._home.folder / ".admitted.lock", self._home.folder.name):
            entries = self.read()
            return bool(entries and self._write(entries)) or is_mended

    def _entries(self, path: Path) -> Mapping[str, Any]:
        return self._parsed(read_bytes(path) or b"")

    def _parsed(self, data: bytes, *, is_any: bool = False) -> Mapping[str, Any]:
        try:
            record = json.loads(data)
            entries, seal = record[self._key], record["seal"]
            is_ours = is_any or self._installation.is_sealed(self._purpose, _sealed(entries), seal)
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
            yield entries
            self._write(entries)

    def _write(self, entries: Mapping[str, Any]) -> bool:
        """Write the record where it says something else; what nobody here wrote is kept for whoever wants to know."""
        seal = self._installation.seal(self._purpose, _sealed(entries))  # makes the key, if there is none
        data = json.dumps({self._key: entries, "seal": seal}, indent=1, sort_keys=True).encode()
        places, is_mended = self._places(), False
        if not places:
            raise UnwritableError(path=self._home.installation_key, cause="no key")
        for path in [one for one in places if read_bytes(one) != data]:
            if path.exists() and not self._entries(path):
                is_mended = bool(set_aside(path, self._clock.now()))
            write_atomic(path, data)
        return is_mended

    def _places(self) -> tuple[Path, ...]:
        """Return where this computer's record and its copy are; nothing before the installation has a key."""
        own = self._installation.id
        return tuple(self._home.admitted / f"{own}{self._ending}{copy}" for copy in ("", ".copy") if own)


def _sealed(entries: object) -> bytes:
    return json.dumps(entries, sort_keys=True).encode()
