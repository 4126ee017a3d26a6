"""An import as a terminal has it: a question, how far it is, and Ctrl-C, which stops it where it can go on the next time."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING

from commands.errors import CommandError
from commands.language import terminal_language
from commands.terminal import agrees, may_ask, show_passing, write_line
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from managers.exchange.import_engine import Stage

_say = Texts("notices/imports")


@dataclass(frozen=True, slots=True)
class Manner:
    """How an import was asked for."""

    dry_run: bool = False
    yes: bool = False
    as_json: bool = False

    @property
    def asks(self) -> bool:
        """Whether somebody who sits at a terminal is to say yes; a script has said it by its command."""
        return not (self.dry_run or self.yes) and may_ask(as_json=self.as_json)

    def goes_on(self, persona: str) -> bool:
        """Return whether what was looked at is to be taken over; of a dry run say that nothing was.

        Raises:
            CommandError: somebody was asked, and said no.
        """
        lang = terminal_language()
        if self.dry_run and not self.as_json:
            write_line(_say("nothing-changed", lang, persona=persona))
        if self.asks and not agrees(_say("ask", lang, persona=persona)):
            raise CommandError("import-not-confirmed")
        return not self.dry_run


@dataclass
class ImportProgress:
    """How far an import of the command line is, and whether somebody has stopped it."""

    _cancel: threading.Event = field(default_factory=threading.Event)
    _shown: tuple[Stage, int] | None = None

    def is_cancelled(self) -> bool:
        return self._cancel.is_set()

    def note(self, stage: Stage, done: int, whole: int) -> None:
        """Say how far a stage is; a whole of 0 is not known yet."""
        now = (stage, min(100, 100 * done // whole) if whole else 0)
        if now != self._shown:
            self._shown = now
            show_passing(_say(stage, terminal_language(), share=now[1]))

    def note_share(self, stage: Stage, done: float) -> None:
        """Say how far an archive is.

        Raises:
            ImportCancelledError: somebody has stopped it.
        """
        from managers.exchange.errors import ImportCancelledError

        if self._cancel.is_set():
            raise ImportCancelledError
        self.note(stage, round(100 * done), 100)

    @contextmanager
    def under_way(self, interrupt: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Let Ctrl-C stop what goes on inside, where it next asks whether it is to go on; a second one stops it at once."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self._cancel.is_set():
                signal.default_int_handler(number, frame)
            self._cancel.set()
            interrupt()

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            show_passing()
