"""What cannot be done with memories that are put away."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class NotInArchiveError(UtataneError):
    """The archive holds no such memory. Facts: `id`."""


class PlaceTakenError(UtataneError):
    """Something else stands where a memory was. Facts: `place`."""
