"""What a window of the page's own keeps on the disk, as a browser would: words that were not sent yet are among it.

While a window is open its engine holds these files, and may write to them until its process ends. What is to be cleared
then is noted there: it goes when the window closes, and once more with the next start.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from managers.storage.errors import BusyError, UtataneError
from managers.storage.files import make_folder, remove_tree, write_atomic
from managers.storage.locks import holding
from managers.storage.opening import is_file, is_folder
from managers.storage.paths import Home

_TO_CLEAR: Final = "to-clear"


@contextmanager
def kept_by_window(home: Home) -> Iterator[Path]:
    """Return the folder for a window, and keep everybody else from it until the window is closed.

    Raises:
        BusyError: another window is open.
        UnwritableError, DiskFullError
    """
    with _holding(home):
        if _is_noted(home):
            remove_tree(home.window)
        make_folder(home.window)
        try:
            yield home.window
        finally:
            if _is_noted(home):
                with suppress(OSError):
                    remove_tree(home.window)
                write_atomic(home.window / _TO_CLEAR, b"")


def is_window_open(home: Home) -> bool:
    """Tell whether a window is open whose storage cannot be cleared now; nothing is made where there never was one."""
    if not is_folder(home.window):
        return False
    try:
        with _holding(home):
            return False
    except BusyError:
        return True
    except UtataneError:
        return False  # nothing can be written there: no window keeps anything


def clear_window(home: Home) -> None:
    """Remove what windows have kept: now, or when the one that is open closes.

    Raises:
        UnwritableError, DiskFullError, OSError
    """
    if not is_folder(home.window):
        return
    try:
        with _holding(home):
            remove_tree(home.window)
    except BusyError:
        write_atomic(home.window / _TO_CLEAR, b"")


def finish_clearing(home: Home) -> None:
    """Clear what could not be cleared while a window was open; costs one look at the disk where there is nothing.

    Raises:
        OSError
    """
    if _is_noted(home):
        clear_window(home)


def _is_noted(home: Home) -> bool:
    return is_file(home.window / _TO_CLEAR)


@contextmanager
def _holding(home: Home) -> Iterator[None]:
    with holding(home.window.with_name(".window.lock"), home.window.name, wait=0, is_reentrant=False):
        yield
