"""A file that somebody else holds for a moment (a virus scanner, a sync service, a backup) is tried again.

Windows then says "access denied", as it does where nobody may open a file at all; network and cloud drives do the same
elsewhere. So whatever is denied is tried for half a second. What is still denied after that is not waited for again
for a minute, and no more than a few files are: a folder full of files that may not be read costs two seconds, once.
"""

import os
import time
from collections.abc import Callable
from typing import Final, TypeVar

PAUSES: Final = (0.02, 0.05, 0.1, 0.15, 0.18)
"""Seconds; half a second in all."""
_FORGOTTEN_AFTER: Final = 60.0
_MOST: Final = 4
"""So many files are waited for in vain within that time."""

_in_vain: dict[str, float] = {}
"""Until when a file, or a folder in which none can be made, is not waited for: a moment of `time.monotonic`."""

Result = TypeVar("Result")


def retried(name: str, work: Callable[[], Result]) -> Result:
    """Do something with a file, again and again for a moment while it is denied.

    Raises:
        OSError: as `work` raised it last.
    """
    for pause in PAUSES:
        try:
            return work()
        except PermissionError:
            if not _is_worth_waiting(_denied(name)):
                raise
            time.sleep(pause)
    try:
        return work()
    except PermissionError:
        _in_vain[_denied(name)] = time.monotonic() + _FORGOTTEN_AFTER
        raise


def _denied(name: str) -> str:
    """Return what it is that denies: the file, or the folder in which it is to be made; those have ever new names."""
    return name if os.path.lexists(name) else os.path.dirname(name)  # noqa: PTH120  # names are text here


def _is_worth_waiting(name: str) -> bool:
    now = time.monotonic()
    for known, until in list(_in_vain.items()):
        if until < now:
            _in_vain.pop(known, None)
    return name not in _in_vain and len(_in_vain) < _MOST
