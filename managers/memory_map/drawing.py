"""What the map and the network have in common: drawn from the search index, kept in a file of its own, off the user's path.

What is kept is derived data: a file that is damaged is thrown away and made anew.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from managers.memory_map.sheet import SheetFile
from managers.recall.engine import Recall
from managers.storage import idle
from managers.storage.derived import derived
from managers.storage.errors import DerivedDamagedError
from managers.storage.paths import PersonaPaths
from managers.storage.texts import Texts

_say = Texts("notices/memory_map")

DRAWN_ANEW = _say.notice("map-mended", "info")

_logger = logging.getLogger(__name__)
Drawn = TypeVar("Drawn", bound="Drawing")
Result = TypeVar("Result")
Params = ParamSpec("Params")


class Stopped(BaseException):
    """Somebody asked for the end in the middle of the work; nothing of it was kept. No error, and no damage to mend."""


class Drawing:
    """Something that is drawn, with a thread that is started when there is much to draw: one piece of work at a time."""

    def __init__(self, paths: PersonaPaths, recall: Recall, file: SheetFile) -> None:
        """Remember where it is kept and what it is drawn from; nothing is opened, no thread is started yet."""
        self.file = file
        self._paths = paths
        self._recall = recall
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._begun = 0
        self._used = 0.0
        self._seen: Any = None
        idle.watch(self)

    @property
    def is_drawing(self) -> bool:
        """Whether more is being drawn off the user's path."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def making(self) -> str:
        """A token that differs whenever drawing begins or ends."""
        return f"{self._begun}{self.is_drawing}"

    def wait(self, seconds: float = 60) -> None:
        """Wait until nothing is being drawn."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        self._stopping.set()
        self.wait(10)
        self.file.close()

    def close_idle(self, before: float) -> None:
        """Let go of what was drawn last; whoever looks again has it read again."""
        if self._used < before:
            self._seen = None

    def _start(self, work: Callable[[], object]) -> None:
        """Begin the work, unless something is under way or the end has come."""
        if not self.is_drawing and not self._stopping.is_set():
            name = f"{type(self).__name__} of {self._paths.name}"
            self._thread = threading.Thread(target=_run, args=(work, name), name=name, daemon=True)
            self._begun += 1
            self._thread.start()


def _run(work: Callable[[], object], name: str) -> None:
    try:
        work()
    except Stopped:
        _logger.info("%s was not finished: the program ends", name)
    except Exception:  # the edge of a thread
        _logger.exception("%s failed; it is tried again when somebody looks", name)


def mended(method: Callable[Concatenate[Drawn, Params], Result]) -> Callable[Concatenate[Drawn, Params], Result]:
    """Do something with a drawing; if its file is damaged, throw it away and do it once more.

    Of two such methods none calls the other: what is damaged is made anew once. If what is damaged is the search index,
    its next round makes that anew.

    Raises:
        DiskFullError, UnwritableError, BusyError: the disk refuses.
        DerivedDamagedError: the search index is damaged.
    """

    @wraps(method)
    def mending(self: Drawn, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        self._used = time.monotonic()
        try:
            with derived(self.file.path):
                return method(self, *args, **kwargs)
        except DerivedDamagedError:
            _logger.warning("%s is damaged and is made anew", self.file.path, exc_info=True)
        try:
            with derived(self.file.path):
                self.file.remove()
                done = method(self, *args, **kwargs)
        except DerivedDamagedError:
            self._recall.suspect()
            raise
        self._recall.tell(DRAWN_ANEW)
        return done

    return mending
