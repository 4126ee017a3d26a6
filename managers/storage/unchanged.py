"""What was made of files, kept for as long as these are the same."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from managers.storage.opening import look

Made = TypeVar("Made")

_SETTLED_AFTER_NS: Final = 50_000_000
"""File systems count in steps of some milliseconds: a file younger than that may change without its time changing."""
_AHEAD_NS: Final = 3_600_000_000_000
"""One further ahead was written by a clock that was set back since: the next change gives it another time."""
_MOST: Final = 5_000
"""What was made of more files than this is forgotten, and made again when it is asked for."""


class Unchanged(Generic[Made]):
    """What was made of files, by file. Safe to use from several threads; what is returned is nobody's to change."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: dict[tuple[Path, ...], tuple[object, Made]] = {}

    def get(self, make: Callable[[], Made], *paths: Path, of: object = None) -> Made:
        """Return what `make` returns, and what it returned the last time where nothing has changed.

        Args:
            make: makes it of the files; what it raises is raised here.
            paths: the files, which may be missing.
            of: what it is made of beside them.
        """
        try:
            stamps = [_stamp(path) for path in paths]
        except OSError:  # `make` says what stands in the way
            return make()
        kept = self._kept.get(paths)
        if kept is not None and kept[0] == (of, stamps):
            return kept[1]
        made = make()
        age = time.time_ns() - max((max(stamp[:2]) for stamp in stamps), default=0)
        if not -_AHEAD_NS < age <= _SETTLED_AFTER_NS:
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[paths] = (of, stamps), made
        return made


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes when a file does: when it was written and when moved (nanoseconds), its size, its number."""
    found = look(path)
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino) if found else (0,)
