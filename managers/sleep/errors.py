"""The ways in which sleep can fail, each with its sentence."""

from managers.storage.errors import UtataneError


class DraftRejectedError(UtataneError):
    """A mind's answer may not become memory: it rests on nothing, or is in the wrong language, or empty."""


class LeftOutError(UtataneError):
    """One item of an answer did not become memory; the others did. Facts: `item`, `why` (its name), `why_ja`, `why_en`."""


class DreamingAlreadyError(UtataneError):
    """Another dream of the same persona is under way, here or in another window."""


class NothingSaidError(UtataneError):
    """Nobody said anything on the day that was asked for."""
