"""The program's own log (`.logs/utatane.log` in the home folder): what failed and where, for whoever mends it.

It holds tracebacks and names of things, never what was said and never a key; and nothing that would be an order to the
terminal on which it is read: a name, or an error's own words, may be somebody else's.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from managers.storage.files import make_folder
from managers.storage.opening import open_descriptor
from managers.storage.paths import Home
from managers.storage.printable import printable

MAX_BYTES = 1_000_000
KEPT = 3

_logger = logging.getLogger(__name__)


class _Printable(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


class _PrivateFile(RotatingFileHandler):
    """A log that is its owner's alone: it names the personas."""

    def _open(self) -> TextIOWrapper:
        descriptor = open_descriptor(Path(self.baseFilename), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding)


def keep_off_the_terminal() -> None:
    """Let no line of the log reach the terminal, where a person reads what the program has to say.

    Without a handler Python writes warnings and tracebacks there; so it does with what no thread's edge has caught,
    and with what goes wrong in writing the log itself. Until `log_to_file` all of that is missed by nobody.
    """
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    logging.raiseExceptions = False
    threading.excepthook = _log_thread
    sys.unraisablehook = _log_unraisable


def log_to_file(home: Home) -> Path:
    """Send the program's log to its file; return the file. A home that cannot be written has none.

    What no thread's edge has caught goes there too.
    """
    keep_off_the_terminal()
    path = home.folder / ".logs" / "utatane.log"
    handler: logging.Handler
    try:
        make_folder(path.parent)
        handler = _PrivateFile(path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Printable("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    return path


def _log_thread(details: threading.ExceptHookArgs) -> None:
    if details.exc_type is not SystemExit:
        error = details.exc_value or details.exc_type()
        _logger.error("the thread %s failed", details.thread and details.thread.name, exc_info=error)


def _log_unraisable(details: sys.UnraisableHookArgs) -> None:
    _logger.error("%s", details.err_msg or "something failed while it was let go", exc_info=details.exc_value)
