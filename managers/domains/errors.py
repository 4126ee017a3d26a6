"""What keeps a source from being fetched. Each sentence names the source (`name`) and says what to do."""

from managers.storage.errors import UtataneError


class DomainNotFoundError(UtataneError):
    """There is no such domain. Facts: `name`."""


class SourceNotFoundError(UtataneError):
    """A domain has no such source. Facts: `name`."""


class SourceError(UtataneError):
    """A source gave nothing this time; what came of it before stays. Facts: `name`."""


class SourceAddressError(SourceError):
    """It is neither an address of the web nor a file or folder that is there."""


class SourceInsideHomeError(SourceError):
    """It lies in the home folder: what personas remember is no shared knowledge."""


class SourceNotAgreedError(SourceError):
    """Nobody has said yes to asking its server."""


class HostUnknownError(SourceError):
    """Its host has no address: it is misspelled, or there is no network. Facts: `host`."""


class PrivateAddressError(SourceError):
    """Its host is in a private network, or on this computer, and was not allowed. Facts: `host`, `domain`."""


class UnreachableError(SourceError):
    """No connection to its host, or it broke off. Facts: `host`."""


class SourceSlowError(SourceError):
    """It did not come to an end in time. Facts: `seconds`."""


class SourceTooLargeError(SourceError):
    """It is larger, packed or unpacked, than a source may be. Facts: `megabytes`."""


class SourceAnswerError(SourceError):
    """The server answered with an error. Facts: `code`."""


class SourceMovedError(SourceError):
    """It leads on and on, from a protected connection to an open one, or to what is no address."""


class SourceTypeError(SourceError):
    """It is neither a feed nor a page, nor a text or a PDF. Facts: `type`."""


class SourceBrokenError(SourceError):
    """It is damaged, or not what it says."""


class SourceEmptyError(SourceError):
    """There is nothing to read in it."""


class SourceFullError(SourceError):
    """A domain takes no more. Facts: `most`."""


class FetchStoppedError(SourceError):
    """Somebody has stopped it."""
