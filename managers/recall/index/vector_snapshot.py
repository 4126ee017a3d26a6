"""The file in which vectors lie for a quick start, and the note beside it that says what they are."""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from managers.recall.index.scalar_quantization import Bytes
from managers.storage.errors import DiskFullError, UnwritableError
from managers.storage.files import open_binary, read_bytes, write_atomic, write_atomic_parts
from managers.storage.json_text import load_json
from managers.storage.opening import unlink

_logger = logging.getLogger(__name__)

_MEGABYTES: Final = 1 << 22
_HOLDS: Final = "lasting"
"""What is noted of a snapshot that leaves out what is written anew on many days; older versions left out nothing."""


class VectorSnapshot:
    """One index's snapshot. Who reads and writes it holds a lock."""

    def __init__(self, path: Path) -> None:
        """Remember where it lies, or will."""
        self.path = path
        self._note = path.with_suffix(".json")
        self._digest = ""
        """Of what was read or written last."""

    def exists(self) -> bool:
        return self.path.exists()

    def is_ours(self) -> bool:
        """Whether it is the one that was read or written last, or there is none; one without a note is nobody's."""
        noted = self._noted()
        return noted.get("sha256") == self._digest if noted else not self.exists()

    def seen(self, epoch: str) -> int:
        """Return up to which of SQLite's rows it holds an epoch's vectors."""
        facts = self._noted()
        seen = facts.get("seen") if facts.get("epoch") == epoch else 0
        return seen if isinstance(seen, int) and self.exists() else 0

    def facts(self, epoch: str, *, is_trusted: bool) -> dict[str, Any] | None:
        """Return what is noted of it, if it is whole and of this epoch; what was just written is trusted to be whole."""
        facts = self._noted()
        if facts.get("epoch") != epoch or facts.get("holds") != _HOLDS or not self.exists():
            return None
        if not is_trusted and facts.get("sha256") != self._digest_now():
            return None
        return facts

    def note_taken(self, facts: Mapping[str, Any]) -> None:
        """Remember which one is in memory now."""
        self._digest = str(facts["sha256"])

    def write(self, note: Mapping[str, object], parts: Iterable[bytes]) -> None:
        """Write first the vectors, then the note; what `note` holds when all parts are written."""
        hashed = hashlib.sha256()

        def passing() -> Iterator[bytes]:
            for part in parts:
                hashed.update(part)
                yield part

        write_atomic_parts(self.path, passing())
        self._digest = hashed.hexdigest()
        write_atomic(self._note, json.dumps({**note, "holds": _HOLDS, "sha256": self._digest}))

    def remove(self) -> None:
        unlink(self._note)
        unlink(self.path)

    def _noted(self) -> dict[str, Any]:
        """Return what the note says, nothing where there is none or it cannot be read."""
        try:
            held = load_json(read_bytes(self._note) or b"{}")
        except ValueError:
            return {}
        return held if isinstance(held, dict) else {}

    def _digest_now(self) -> str:
        """Return the SHA-256 of the file, which need not fit into memory."""
        hashed = hashlib.sha256()
        with open_binary(self.path) as file:
            while part := file.read(_MEGABYTES):
                hashed.update(part)
        return hashed.hexdigest()


def in_parts(data: Bytes) -> Iterator[bytes]:
    """Yield some megabytes at a time."""
    return (data[at : at + _MEGABYTES].tobytes() for at in range(0, len(data), _MEGABYTES))


@contextmanager
def spared() -> Iterator[None]:
    """Go on without a snapshot where none can be written: SQLite holds it all; the next start takes longer."""
    try:
        yield
    except (DiskFullError, UnwritableError) as error:
        _logger.info("no snapshot of the vectors was written: %s", error)
