"""What the agent cannot do, each with its sentence in both languages (see `managers.storage.errors`)."""

from managers.storage.errors import UtataneError


class EmptyMessageError(UtataneError):
    """There is nothing to send."""


class MessageTooLongError(UtataneError):
    """A message beyond what the log takes. Facts: `limit` (characters)."""


class StillAnsweringError(UtataneError):
    """A turn of this persona is under way. Facts: `name`."""


class NothingToAnswerError(UtataneError):
    """There is no message of the user's in this topic to answer, edit or take back."""


class AttachmentError(UtataneError):
    """A file cannot be sent as it is; each subclass says why. Facts, in all of them: `name`."""


class AttachmentTypeError(AttachmentError):
    """A file is of a kind that no message takes, and no mind reads."""


class AttachmentForKnowledgeError(AttachmentError):
    """A document is too large for a message, and the room Knowledge takes it. Facts: `megabytes`."""


class AttachmentTooLargeError(AttachmentError):
    """An attached file is too large. Facts: `megabytes`."""


class AttachmentUnreadableError(AttachmentError):
    """An attached file is empty, gone, or not what its name says."""


class UnknownTypeError(UtataneError):
    """No type of memory has that name. Facts: `name`, `known`."""


class UnknownLevelError(UtataneError):
    """No level of reflection has that name. Facts: `name`."""


class UnknownTaskError(UtataneError):
    """No task of a dream has that name. Facts: `name`, `known`."""


class SpokeForOthersError(UtataneError):
    """In a conversation of several, a model said nothing but somebody else's lines. Facts: `name`."""


class GroupSizeError(UtataneError):
    """A conversation of several takes two to five personas, each once. Facts: `least`, `most`."""


class GroupNotFoundError(UtataneError):
    """No conversation of several has that id."""


class TwiceInGroupError(UtataneError):
    """A persona was named twice for one conversation. Facts: `name`."""


class NotInGroupError(UtataneError):
    """A persona is not in the conversation. Facts: `name`."""


class NobodyLeftError(UtataneError):
    """None of a conversation's personas can be opened any more."""
