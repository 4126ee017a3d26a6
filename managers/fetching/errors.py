"""Why a model could not be fetched."""

from managers.storage.errors import UtataneError


class FetchError(UtataneError):
    """A model could not be fetched. Facts: `title`, and what each names."""


class FetchUnreachableError(FetchError):
    """Nobody answers. Facts: `host`."""


class FetchCutError(FetchError):
    """It broke off on the way. Facts: `percent`."""


class FetchCrowdedError(FetchError):
    """The registry is asked too much. Facts: `host`."""


class FetchNoRoomError(FetchError):
    """There is too little room on the disk. Facts: `needs`, `free` (gigabytes)."""


class FetchGoneError(FetchError):
    """The registry has no such file. Facts: `host`."""


class FetchRefusedError(FetchError):
    """The registry answers with something else. Facts: `host`, `status`."""


class FetchUnknownError(FetchError):
    """What the registry says of size, hash or place cannot be right. Facts: `host`."""


class FetchWrongError(FetchError):
    """What came is not what the registry describes, and was thrown away. Facts: `name`."""
