"""What can stand in the way of an adapter."""

from managers.storage.errors import UtataneError


class GrowthExtraMissingError(UtataneError):
    """The extra `growth` is not installed."""


class BaseModelError(UtataneError):
    """What was named as the base model cannot be used. Facts: `path`, `cause_ja`, `cause_en`."""


class TooFewExamplesError(UtataneError):
    """There is not enough to learn from. Facts: `count`, `least`."""


class TrainingFailedError(UtataneError):
    """A training ended without an adapter. Facts: `cause_ja`, `cause_en`."""


class TrainingUnderWayError(UtataneError):
    """Another training of the same persona is under way. Facts: `persona`."""


class TrainingOvertakenError(UtataneError):
    """Something was erased while a training went on. Facts: `persona`."""


class AdapterNotFoundError(UtataneError):
    """There is no such version. Facts: `version`."""


class AdapterUnfitError(UtataneError):
    """An adapter was made for another base model, or is damaged. Facts: `path`."""
