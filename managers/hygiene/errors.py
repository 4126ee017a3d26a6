"""What cannot be done with memories that are put away, or are to be erased."""

from managers.storage.errors import UtataneError


class NotInArchiveError(UtataneError):
    """The archive holds no such memory. Facts: `id`."""


class PlaceTakenError(UtataneError):
    """Something else stands where a memory was. Facts: `place`."""


class NothingToEraseError(UtataneError):
    """Nothing is called or named so. Facts: `what`."""


class NameTooShortError(UtataneError):
    """A name of one letter would be found everywhere. Facts: `name`."""


class SpeakersNameError(UtataneError):
    """It is what the persona or the person is called, whom all of the talk names. Facts: `name`."""


class PlanChangedError(UtataneError):
    """Something else would be erased now than what was shown."""
