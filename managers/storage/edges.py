"""The edges at which whatever was raised becomes one sentence: a turn, a command, a handler of the page, a thread."""

import logging
from pathlib import Path

from managers.storage.errors import DiskFullError, DiskTroubleError, UnexpectedError, UtataneError
from managers.storage.files import explained

_logger = logging.getLogger(__name__)
_NO_FILE = "Utatane"
"""What a sentence names where the system does not say which file it was."""


def said(error: Exception, doing: str) -> UtataneError:
    """Return what a person is told of a failure; what nobody foresaw goes into the program's log with its traceback."""
    if isinstance(error, UtataneError):
        return error
    _logger.error("%s failed", doing, exc_info=error)
    return told(error)


def told(error: Exception) -> UtataneError:
    """Return the same without a line in the log."""
    if isinstance(error, UtataneError):
        return error
    if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
        full = explained(error, Path(str(error.filename or _NO_FILE)))
        if isinstance(full, DiskFullError):
            return full
        return DiskTroubleError(path=error.filename or _NO_FILE, cause=error.strerror or error)
    return UnexpectedError(cause=f"{type(error).__name__}: {error}")
