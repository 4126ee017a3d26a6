"""What was measured of models on this computer, from one start to the next: how much each reads at once, and how it counts.

Numbers alone, by where a model answers and what it is called. Whoever has no file starts anew.
"""

import json
import logging
import threading
from pathlib import Path
from typing import Any, Final

from agent.minds.endpoint import Endpoint
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes, write_atomic

logger = logging.getLogger(__name__)

_FILE: Final = "measured.json"
"""In the folder of models, which no backup holds: another computer has others."""
_KEPT: Final = 64
_LEAST_CONTEXT, _MOST_CONTEXT = 512, 10**9


class Measures:
    """The measures of all models. May be used from several threads; of two processes, the one that measures last is believed."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = folder / _FILE if folder else None
        self._lock = threading.Lock()

    def of(self, endpoint: Endpoint) -> dict[str, Any]:
        """Return what is known of a model: `context` (0 where that is not known), `calibration`, if there is one."""
        found = self._read().get(_name(endpoint))
        found = found if isinstance(found, dict) else {}
        context = found.get("context")
        is_sound = isinstance(context, int) and _LEAST_CONTEXT <= context <= _MOST_CONTEXT
        return found | {"context": context if is_sound else 0}

    def keep(self, endpoint: Endpoint, **measured: object) -> None:
        """Write down what was measured; where that cannot be, it is measured anew some day."""
        if self._file is None or self.of(endpoint).items() >= measured.items():
            return
        with self._lock:
            ours, known = self.of(endpoint) | measured, self._read()
            known.pop(_name(endpoint), None)
            known[_name(endpoint)] = ours
            try:
                write_atomic(self._file, json.dumps(dict(list(known.items())[-_KEPT:]), ensure_ascii=False).encode())
            except UtataneError as error:
                logger.warning("%s", error)

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads((read_bytes(self._file) if self._file else None) or b"{}")
        except (UtataneError, ValueError, RecursionError):
            return {}
        return known if isinstance(known, dict) else {}


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.shown_address} {endpoint.model}"
