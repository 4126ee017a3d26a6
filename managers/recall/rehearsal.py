"""The first search of a process, made before anybody asks: it compiles rules, cuts lists of words and loads libraries."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from managers.memory.log.reader import LogReader
from managers.recall.embedders.kept_here import staying

_READ = 300


@dataclass
class Rehearsal:
    """Looks once for what was said last, at no embedder elsewhere; whoever comes meanwhile waits for it."""

    log: LogReader
    look: Callable[[str], object]
    careful: Callable[[], AbstractContextManager[None]]
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _is_over: bool = False

    def __call__(self) -> None:
        with self._guard, self.careful(), staying():
            for message in () if self._is_over else self.log.thread(1):
                self._is_over = True
                self.look(message.text[:_READ])
