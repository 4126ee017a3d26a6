"""What cannot be done with memories."""

from managers.storage.errors import UnreadableError, UtataneError


class NoSuchFileError(UnreadableError):
    """A file that somebody named is not there. Facts: `path`."""


class EditTargetError(UtataneError):
    """The text that an edit should replace is not there, or is there several times."""


class MessageNotFoundError(UtataneError):
    """No message of that id in the log, or it was deleted."""


class BranchNotFoundError(UtataneError):
    """There is no branch of that id to go back to."""


class AlternativeNotFoundError(UtataneError):
    """There are not so many answers in that place. Facts: `count`."""


class MessageIdTakenError(UtataneError):
    """A message of that id is in the log already, and says something else."""


class UnclearWhatToForgetError(UtataneError):
    """Nothing in the present topic is surely what is meant; nothing was forgotten."""


class NoSuchFactError(UtataneError):
    """No fact of an entity has these words, or a person wrote it; nothing was changed."""


class TooManyHeldError(UtataneError):
    """More wishes wait for an answer than anybody reads. For the mind."""


class HeldTooLargeError(UtataneError):
    """A wish is longer than anybody reads before saying yes. Facts: `most` (characters). For the mind."""


class NotHeldError(UtataneError):
    """Nothing of that id waits: it was decided, it expired after `days`, or the message that it was made for is gone."""


class HeldChangedError(UtataneError):
    """What would be written to is not what it was when the wish was shown; nothing was written. Facts: `path`."""


class AudienceUnknownError(UtataneError):
    """Nobody can tell which memories are for this computer only. Facts: `path`."""


class KeptHereError(UtataneError):
    """What is to be answered is for this computer only, and the mind is elsewhere."""


class NoSuchMemoryError(UtataneError):
    """No message and no memory has that id. Facts: `id`."""


class LoreEntryGoneError(UtataneError):
    """An entry of the lorebook is not there any more."""
