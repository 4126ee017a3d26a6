"""Why a model cannot run in the engine on this computer. Facts, in all of them: `model`."""

from agent.minds.errors import ServerFailedError


class EngineError(ServerFailedError):
    """The engine cannot be used; nothing was answered."""


class NoEngineError(EngineError):
    """There is none for this kind of computer, or it was not fetched."""


class OldProcessorError(EngineError):
    """The processor lacks instructions that it is made of."""


class EngineMemoryError(EngineError):
    """There is too little memory. Facts: `needed`, `free` (gigabytes)."""


class EngineKilledError(EngineError):
    """The system ended it, mostly for want of memory."""


class EngineCrashedError(EngineError):
    """It crashed, again after it was started once more."""


class EngineSlowError(EngineError):
    """The model was not loaded in time. Facts: `seconds`."""


class UnloadableError(EngineError):
    """The engine refuses the file. Facts: `detail`, in its own words."""


class NoTemplateError(EngineError):
    """The file does not say how a talk is written down for the model. Facts: `name`."""


class NotFetchedError(EngineError):
    """The file is not there."""
