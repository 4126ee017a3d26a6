"""What can be wrong with a database file of conversations of several."""

from managers.storage.errors import BusyError, UnreadableError, UtataneError


class DatabaseHeldError(BusyError):
    """Another program has the file open. Facts: `path`, `cause` (which program, as the system tells it)."""


class DatabaseDamagedError(UnreadableError):
    """The file is damaged, and could not be set aside or is damaged again. Facts: `path`."""


class DatabaseTooNewError(UnreadableError):
    """A later version of the program wrote the file; it is left as it is. Facts: `path`."""


class DatabaseRefusedError(UtataneError):
    """The file cannot be used, and nobody foresaw why. Facts: `path`, `cause`."""
