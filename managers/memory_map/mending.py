"""A map or a network that is damaged is thrown away and made anew: it is derived data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from managers.memory_map.sheet import SheetFile
from managers.recall.engine import Recall
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError, Notice

DRAWN_ANEW = Notice(
    "map-mended",
    ja="記憶の地図が壊れていたので、描き直しました。記憶のファイルは無事です。",
    en="The map of memory was damaged and has been drawn anew. The memories themselves are intact.",
    level="info",
)

_logger = logging.getLogger(__name__)
Result = TypeVar("Result")


def mended(file: SheetFile, recall: Recall, work: Callable[[], Result]) -> Result:
    """Do something with a map; if it is damaged, throw it away and do it once more.

    Args:
        file: where the map is kept.
        recall: what it is drawn from; if that is what is damaged, its next round makes it anew.
        work: what is done; it may be done twice.

    Raises:
        DiskFullError, UnwritableError, BusyError: the disk refuses.
        DerivedDamagedError: the search index is damaged.
    """
    try:
        with derived(file.path):
            return work()
    except DerivedDamagedError:
        _logger.warning("%s is damaged and is made anew", file.path, exc_info=True)
    try:
        with derived(file.path):
            file.remove()
            done = work()
    except DerivedDamagedError:
        recall.suspect()
        raise
    recall.tell(DRAWN_ANEW)
    return done
