"""A command that is asked to stop ends as it does with Ctrl-C: what is under way is finished or kept as broken off."""

import ctypes
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_CLOSING_EVENTS = (2, 5, 6)
"""Windows: the console is closed, the person logs off, the computer shuts down."""
_CLOSING_SECONDS = 4.5
"""Windows ends the process after 5, or as soon as its handler returns."""
_ended = threading.Event()
_asked: list[int] = []
"""The signals by which somebody has asked."""


def end_when_asked_to_stop() -> None:
    """From now on leave through every `finally` when somebody asks; the exit status is 128 and the signal's number."""
    for one in _requests():
        if signal.getsignal(one) is not signal.SIG_IGN:  # nohup
            signal.signal(one, _leave)
    if sys.platform == "win32":
        ctypes.windll.kernel32.SetConsoleCtrlHandler(_console_closes, 1)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no further request interrupt what is being closed; Ctrl-C still does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, signal.SIG_IGN) for one in _requests()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def leave_as_asked() -> None:
    """Leave as whoever is asked to stop, if somebody has asked: libraries make other errors of it while they are imported.

    Raises:
        SystemExit: somebody has asked.
    """
    if _asked:
        sys.exit(128 + _asked[0])


def say_ended() -> None:
    """Tell a console that is being closed that it need wait no longer."""
    _ended.set()


def _requests() -> tuple[signal.Signals, ...]:
    if sys.platform == "win32":
        return signal.SIGTERM, signal.SIGBREAK
    return signal.SIGTERM, signal.SIGHUP


def _leave(number: int, _frame: FrameType | None) -> None:
    _asked.append(number)
    sys.exit(128 + number)


if sys.platform == "win32":

    @ctypes.WINFUNCTYPE(ctypes.c_int, ctypes.c_uint)
    def _console_closes(event: int) -> int:
        """Be called in a thread of its own; Python itself would take the event for Ctrl-Break and return too soon."""
        if event not in _CLOSING_EVENTS:
            return 0
        signal.raise_signal(signal.SIGBREAK)
        _ended.wait(_CLOSING_SECONDS)
        return 1
