"""What the server and its pages cannot do."""

from managers.storage.errors import UtataneError


class UploadTooLargeError(UtataneError):
    """A form is larger than any that is read. Facts: `megabytes`."""


class TooManyUploadsError(UtataneError):
    """A form brings more files than any that is read. Facts: `count`."""


class PasswordNeededError(UtataneError):
    """The page would be reachable from other machines without a password. Facts: `host`."""


class PortInUseError(UtataneError):
    """The page cannot listen at its address. Facts: `host`, `port`, `cause`."""


class WrongArgumentsError(UtataneError):
    """Another program passed what a function cannot take. Facts: `name`, `problems`."""


class WrongArgumentNamesError(UtataneError):
    """Another program named arguments that a tool has not, or not those that it needs. Facts: `name`, `known`, `given`."""


class NoSuchEndpointError(UtataneError):
    """Another program called what there is not."""


class NoMcpPackageError(UtataneError):
    """MCP is switched on, and its extra is not installed."""


class NoWindowPackageError(UtataneError):
    """The window was asked for, and its extra is not installed."""


class NoScreenError(UtataneError):
    """The window was asked for where there is no screen."""


class WindowFailedError(UtataneError):
    """The system's browser engine could not open a window. Facts: `cause`."""


class MemoryGoneError(UtataneError):
    """A memory that the page shows is not there any more. Facts: `name`."""


class NothingChosenError(UtataneError):
    """A form for an import came without a file and without a place."""


class NotFromHereError(UtataneError):
    """Another computer's browser named a place on this one."""
