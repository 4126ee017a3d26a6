"""What cannot be read, embedded or searched."""

from managers.storage.errors import UtataneError


class MemoryBrokenError(UtataneError):
    """A file of memories is damaged in a way that nobody foresaw. Facts: `path`."""


class DocumentError(UtataneError):
    """A document cannot be read as it is; each subclass says why. Facts: `name`."""


class DocumentTypeError(DocumentError):
    """A document is of a kind that a knowledge base cannot read."""


class DocumentTooLargeError(DocumentError):
    """A document is larger than a knowledge base takes."""


class DocumentBrokenError(DocumentError):
    """A document cannot be opened: it is damaged, or not what its name says."""


class DocumentEncryptedError(DocumentError):
    """A document wants a password."""


class DocumentEmptyError(DocumentError):
    """A document holds no text: it is empty, or pictures of pages."""


class DocumentSlowError(DocumentError):
    """Reading a document took longer than it may. Facts: `name`, `seconds`."""


class DocumentUnfoldsError(DocumentError):
    """A document unfolds to more than its size lets expect. Facts: `name`."""


class DocumentReaderError(UtataneError):
    """The process that reads documents cannot be started. Facts: `name`, `cause`."""


class DocumentNotFoundError(UtataneError):
    """No document of that name is in the knowledge base, or at that place."""


class EmbeddingError(UtataneError):
    """A text could not be turned into a vector; it stays unprocessed and is tried again later.

    `again`: the same may go well a moment later. `stops`: nothing else would go well now.
    """


class EmbedderChangedError(EmbeddingError):
    """A server's vectors are not as long as they were. Facts: `model`, `was`, `now`."""


class EmbedderAccountError(EmbeddingError):
    """Another account than the one that somebody said yes to runs the server. Facts: `address`."""
