"""The ways in which a mind, or the fetching of a model, fails. None carries a key: what a server says is stripped of secrets first."""

from managers.storage.errors import UtataneError


class MindError(UtataneError):
    """The mind could not answer. Facts, in all subclasses: `model`."""


class NoKeyError(MindError):
    """A provider that wants an API key, and none is stored. Facts: `service`."""


class WrongKeyError(MindError):
    """The server refuses the key (401, 403). Facts: `service`."""


class OddKeyError(WrongKeyError):
    """The key has a character that no request can carry; it was sent to nobody. Facts: none."""


class NoModelError(MindError):
    """No model was chosen, or the server has none to offer. Facts: `service`, `offered_ja`, `offered_en`."""


class UnknownModelError(MindError):
    """The server does not know the model (404). Facts: `service`; `offered_ja`, `offered_en`: what it has."""


class WrongAddressError(MindError):
    """The address in the settings is none. Facts: `address`."""


class UnreachableError(MindError):
    """No connection: no network, a wrong address, or a server that is not running. Facts: `address`."""


class OtherAccountError(UnreachableError):
    """Another account than the one that was said yes to runs what listens there. Facts: `address`."""


class MindTimeoutError(MindError):
    """Nothing came for too long. Facts: `seconds`."""


class QuotaError(MindError):
    """Too many calls, or the quota is used up (429), also after waiting and trying again."""


class ServerFailedError(MindError):
    """The server failed (5xx), also after trying again. Facts: `status`."""


class StillLoadingError(ServerFailedError):
    """The server has not loaded the model within the time that a call may take. Facts: `seconds`."""


class ContextTooLongError(MindError):
    """The message does not fit into what the model can read. Facts: `tokens`, the model's limit."""


class SafetyBlockError(MindError):
    """The provider's safety filter held the answer back."""


class EmptyAnswerError(MindError):
    """The model answered with nothing at all."""


class OtherLanguageError(MindError):
    """The model answered in another language than the talk's, twice."""


class EndlessAnswerError(MindError):
    """The answer, its thoughts or a tool call did not come to an end; what came before is kept."""


class GarbledAnswerError(MindError):
    """What came is not in the protocol at all. Facts: `address`."""


class StreamBrokenError(MindError):
    """The answer broke off half-way; what came before is kept."""


class RefusedRequestError(MindError):
    """The server refuses the request for a reason of its own (400). Facts: `detail`."""


class UnusableToolCallError(MindError):
    """The model wanted to use a tool, in a way that cannot be read. Facts: `tool`."""


class InvalidAnswerError(MindError):
    """A structured answer was wrong twice. Facts: `task_ja`, `task_en` (what it was for), `reason`."""


class LocalModelError(MindError):
    """The model in a folder cannot speak. Facts: `cause_ja`, `cause_en` (sentences)."""


class PullError(UtataneError):
    """A model could not be fetched; each subclass says why. Facts, in all of them: `model`."""


class PullRefusedError(PullError):
    """Ollama says why it does not fetch the model. Facts: `detail`, in its own words."""


class PullBrokenError(PullError):
    """Ollama cannot be reached, or broke off half-way."""


class PullStalledError(PullError):
    """Nothing has come for a long time. Facts: `minutes`."""


class PullUnusableError(PullError):
    """What answers at Ollama's address does not do what Ollama does."""


class StillPullingError(PullError):
    """Another model is being fetched."""


class ModelFileError(UtataneError):
    """A model's file cannot be used. Facts: `name`."""


class NoModelFileError(ModelFileError):
    """It is no model."""


class NoTalkingModelError(ModelFileError):
    """It is a part of a model, or one that does something else than talk."""


class ModelFileCutError(ModelFileError):
    """It ends too soon, or is not what was fetched any more."""


NOTHING_SPENT = (
    ContextTooLongError,
    GarbledAnswerError,
    NoKeyError,
    NoModelError,
    QuotaError,
    RefusedRequestError,
    ServerFailedError,
    UnknownModelError,
    UnreachableError,
    WrongAddressError,
    WrongKeyError,
)
"""Failures for which no provider asks money, as long as no piece of an answer has come."""
AWAY = (
    UnreachableError, MindTimeoutError, ServerFailedError, NoKeyError, WrongKeyError, NoModelError, UnknownModelError,
    WrongAddressError, QuotaError,
)  # fmt: skip
"""What keeps a model from answering anything, until a call succeeds again."""
