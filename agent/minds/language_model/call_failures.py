"""Tell from what a library raised which of the named failures it was, and what is done about it.

The libraries wrap each other's exceptions, and servers of the same protocol say the same thing in
different words; so the whole chain of causes is read: class names, status code and text. What the server
said also tells which feature it refused, so that the mind can do without it, and when to ask again.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from agent.minds.calibration import Sent
from agent.minds.endpoint import Endpoint
from agent.minds.errors import (
    ContextTooLongError,
    EmptyAnswerError,
    EndlessAnswerError,
    GarbledAnswerError,
    LocalModelError,
    MindError,
    MindTimeoutError,
    NoKeyError,
    OtherLanguageError,
    QuotaError,
    RefusedRequestError,
    SafetyBlockError,
    ServerFailedError,
    StillLoadingError,
    StreamBrokenError,
    UnknownModelError,
    UnreachableError,
    WrongKeyError,
)
from agent.minds.language_model.provider import Feature


class AnswerFailedError(Exception):
    """Raised by ourselves where what came is no whole answer, or nobody may be asked; `kind` is how a person is told."""

    def __init__(self, kind: type[MindError]) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Situation:
    """What was going on when it failed."""

    endpoint: Endpoint
    context_tokens: int
    seconds: float
    spoke: bool
    """Pieces had come before."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure, named, and what decides about trying again."""

    error: MindError
    passing: bool = False
    """It may go away by itself."""
    retry_after: float | None = None
    """Seconds that the server asked to wait."""
    limit: int = 0
    """How much the server says that the model reads, where that is why it failed."""
    counted: int = 0
    """How many tokens it says that it was sent."""
    loads: bool = False
    """It has not loaded the model yet."""
    sent: Sent | None = None
    """What that was."""
    refusal: str = ""
    """What the server said, if it may have refused some feature of the request."""


_HUNG_UP = frozenset({
    "RemoteProtocolError", "ReadError", "WriteError", "ConnectionResetError", "BrokenPipeError", "APIConnectionError",
})  # fmt: skip
_TIMEOUTS = frozenset({
    "APITimeoutError", "ReadTimeout", "WriteTimeout", "PoolTimeout", "StalledError", "TimeoutError",
})  # fmt: skip
_BY_CLASS: tuple[tuple[frozenset[str], type[MindError]], ...] = (
    (frozenset({"TooMuchError"}), EndlessAnswerError),
    (frozenset({
        "JSONDecodeError", "UnicodeDecodeError", "ValidationError", "APIResponseValidationError", "NotAnAnswerError",
        "UnknownApiResponseError", "DecodingError", "LocalProtocolError",
    }), GarbledAnswerError),
    (frozenset({
        "ConnectError", "ConnectTimeout", "gaierror", "ConnectionRefusedError", "UnsupportedProtocol", "ProxyError",
    }), UnreachableError),
    (_TIMEOUTS, MindTimeoutError),
)  # fmt: skip
"""What the classes in a chain of causes tell, the surest first."""
_SAID_AS_IT_IS = (SafetyBlockError, MindTimeoutError, EmptyAnswerError, EndlessAnswerError, OtherLanguageError)
"""Failures that are called by their name also when something was said before."""


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_CONTEXT = _any_of(
    r"context[ _-]?(length|size|window)", "exceed_context", "maximum context", "too many tokens", "n_ctx",
    "prompt is too long", "token limit", "maximum number of tokens", "input is too long", "reduce the length",
    "request too large",
)  # fmt: skip
_LIMIT = _any_of(
    r"maximum context length (is|of)\s*\(?(?P<maximum>\d{3,8})\b",
    r"context (size|length|window)( of| is|:)?\s*\(?(?P<context>\d{3,8})\b",
    r"(n_ctx['\"]?:|tokens allowed|\d tokens >)\s*\(?(?P<tokens>\d{3,8})\b",
)
_COUNTED = _any_of(
    r"n_prompt_tokens['\"]?:\s*(?P<sent>\d{3,8})",
    r"(?P<messages>\d{3,8})( tokens)? (in the messages|in your prompt|from the input messages)",
    r"(request \(|resulted in |contains (at least )?|too long: )(?P<tokens>\d{3,8})( input)? tokens",
)
_SAFETY = _any_of(r"content[_ ](filter|policy|management)", "safety", "moderation", "prohibited", "blocked")
_KEY = _any_of(r"api[_ ]?key", "unauthenticated", "credential", "unauthori[sz]ed", "authentication")
_MODEL = _any_of(
    r"model.{0,80}(not found|not exist|does not exist|unknown|invalid)",
    r"model.{0,80}(not supported for generate|not loaded|no such)",
    r"(unknown|invalid|no such|not a valid) model",
)
_LOADS = _any_of(
    r"loading (the )?model", r"model.{0,80} (is|are) (still |being |currently )*load(ing|ed)\b", r"(still|currently|is) loading",
    "model.{0,80} not (yet )?ready", "warming up",
)  # fmt: skip
"""How llama.cpp, LM Studio, Ollama, TGI and proxies before them say that a model is on its way."""
_PAID_OUT = _any_of("insufficient_quota", "billing", "credit")
_CREDIT = _any_of("credit balance")
_RETRY_DELAY = _any_of(r"retry[_ ]?delay['\"]?:\s*['\"](\d+(?:\.\d+)?)s")
_UNSUPPORTED = _any_of("not support", "unsupported", "not enabled", "--jinja", "mmproj")
_THIS_PICTURE = _any_of(
    "exceed", r"too (large|big|small)", r"\b(maximum|minimum)\b", r"at most [1-9]", "dimensions", "corrupt", "truncated",
    r"(unable|not|n't|failed|error)( to)?( be)? (process|decod|read|open|load|pars|identif)",
    r"image[_ ](parse[_ ]error|data|format|type|url)", r"(not a?|in)[ _]?valid[_ ](\w+[_ ])?image", "unsupported image",
)  # fmt: skip
"""How servers say that something is wrong with a picture, and not that the model sees none."""
_DETAIL_CHARACTERS = 200
LONGEST_PAUSE = 60.0
"""A server that asks for more than this is told to the person instead of being waited for."""

_GROWTH = 2.0
_JITTER = 0.25

REFUSALS: dict[Feature, re.Pattern[str]] = {
    "images": _any_of("image", "vision", "multi-?modal", "mmproj"),
    "thoughts": _any_of("thinking", "include_?thoughts"),
    "usage": _any_of("stream_options", "include_usage"),
    "structured": _any_of(
        r"response[ _]?(format|mime_?type|schema|json_?schema)",
        "json[ _]schema",
        "json mode",
        "grammar",
        "structured output",
        "guided",
        "json_object",
    ),
    "answer_limit": _any_of(r"max_(completion_)?tokens"),
    "temperature": _any_of("temperature"),
    "system_role": _any_of(
        r"system (role|message|prompt|instruction)s?\b.{0,40}(not supported|unsupported|not enabled)",
        "developer instruction is not enabled",
        "system role",
    ),
    "tools": _any_of(r"\btools?\b", r"tool[_ -](choice|call|use)", r"function[_ -]?call", "--jinja"),
}
"""In this order: a message about the schema of an answer may mention tools in passing."""


def explain(raised: BaseException, situation: Situation) -> Failure:
    """Name the failure behind an exception."""
    chain = list(_chain(raised))
    names = {name for error in chain for name in _class_names(error)}
    status = next((code for error in chain if (code := _status(error))), 0)
    said = [_said(error) for error in chain if _status(error)] or [str(error) for error in chain]
    text = situation.endpoint.without_secrets("\n".join(dict.fromkeys(said)))
    facts: dict[str, Any] = {"model": situation.endpoint.model, **_facts(situation)}
    named = next((error for error in chain if isinstance(error, LocalModelError)), None)
    if named is not None:
        return Failure(named)
    judged = next((error.kind for error in chain if isinstance(error, AnswerFailedError)), None)
    if judged is not None:
        failure = Failure(judged(**facts))
    elif status >= 400 or (status == 0 and "APIError" in names and not names & (_HUNG_UP | _TIMEOUTS)):  # noqa: PLR2004
        failure = _by_status(status, text, situation, facts)
    else:
        failure = _by_class(names, facts)
    if situation.spoke and not isinstance(failure.error, _SAID_AS_IT_IS):
        return Failure(StreamBrokenError(**facts))
    return replace(failure, retry_after=_retry_after(chain, text), refusal=_refusal(failure.error, status, text))


def _facts(situation: Situation) -> dict[str, Any]:
    endpoint = situation.endpoint
    seconds = int(situation.seconds) if situation.seconds >= 1 else round(situation.seconds, 1)
    return {
        "offered_ja": "",  # filled in by whoever can ask the server
        "offered_en": "",
        "service": endpoint.service,
        "address": endpoint.shown_address,
        "tokens": situation.context_tokens,
        "seconds": seconds,
    }


def _by_status(status: int, text: str, situation: Situation, facts: dict[str, Any]) -> Failure:  # noqa: PLR0911  # one return per answer reads best
    if status == 413 or _CONTEXT.search(text):  # noqa: PLR2004  # HTTP status codes are their own names
        return Failure(ContextTooLongError(**facts), limit=_number(_LIMIT, text), counted=_number(_COUNTED, text))
    if status in {401, 403} or (status == 400 and _KEY.search(text)):  # noqa: PLR2004
        return Failure(WrongKeyError(**facts) if situation.endpoint.key else NoKeyError(**facts))
    if status in {425, 429, 500, 502, 503} and _LOADS.search(text):
        return Failure(StillLoadingError(**facts), passing=True, loads=True)
    if status == 404 or (status in {400, 422} and _MODEL.search(text)):  # noqa: PLR2004
        return Failure(UnknownModelError(**facts))
    if status in {402, 429} or (status == 400 and _CREDIT.search(text)):  # noqa: PLR2004
        return Failure(QuotaError(**facts), passing=status == 429 and not _PAID_OUT.search(text))  # noqa: PLR2004
    if status in {400, 422} and _SAFETY.search(text):
        return Failure(SafetyBlockError(**facts))
    if status == 0 or status >= 500 or status == 408:  # noqa: PLR2004
        return Failure(ServerFailedError(**facts, status=status or "stream"), passing=True)
    detail = " ".join(text.partition("\n")[0].split())[:_DETAIL_CHARACTERS]
    return Failure(RefusedRequestError(**facts, detail=f"({status}) {detail}"))


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found[str(found.lastgroup)]) if found else 0


def _by_class(names: set[str], facts: dict[str, Any]) -> Failure:
    kind = next((kind for classes, kind in _BY_CLASS if names & classes), None)
    if kind is None and names & _HUNG_UP:
        return Failure(ServerFailedError(**facts, status="connection closed"), passing=True)
    return Failure((kind or GarbledAnswerError)(**facts))


def _refusal(error: MindError, status: int, text: str) -> str:
    if isinstance(error, RefusedRequestError | UnknownModelError):
        return text
    if isinstance(error, ServerFailedError) and status in {500, 501} and _UNSUPPORTED.search(text):
        return text  # llama.cpp says so
    return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _class_names(error: BaseException) -> Iterator[str]:
    return (kind.__name__ for kind in type(error).__mro__ if kind not in {Exception, BaseException, object, OSError})


def _status(error: BaseException) -> int:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:  # noqa: PLR2004  # HTTP errors
            return value
    return 0


def _said(error: BaseException) -> str:
    """Return what the server itself said, without the words that the libraries add."""
    message = getattr(error, "message", None)
    details = getattr(error, "body", None) or getattr(error, "details", None) or ""
    inner = details.get("message") if isinstance(details, dict) else None
    if isinstance(details, dict) and isinstance(told := details.get("error"), dict):  # as Anthropic's are nested
        inner = inner or told.get("message")
    return f"{inner or message or error}\n{details}"


def _retry_after(chain: list[BaseException], text: str) -> float | None:
    for error in chain:
        headers = getattr(getattr(error, "response", None), "headers", None)
        value = headers.get("retry-after") if headers is not None else None
        try:
            return max(0.0, float(value)) if value is not None else _delay_in(text)
        except ValueError:  # a date instead of seconds: our own pauses will do
            return None
    return _delay_in(text)


def _delay_in(text: str) -> float | None:
    match = _RETRY_DELAY.search(text)
    return float(match[1]) if match else None


def refused_feature(said: str, wanted: AbstractSet[Feature]) -> Feature | None:
    """Return the feature that the server's words refuse, if it was asked for at all."""
    if not said:
        return None
    return next((feature for feature, pattern in REFUSALS.items() if feature in wanted and pattern.search(said)), None)


def refuses_picture(failure: Failure) -> bool:
    """Tell whether a server that was sent a picture refuses this one; another it may take."""
    return isinstance(failure.error, RefusedRequestError) and _THIS_PICTURE.search(failure.refusal) is not None


def pause_before(attempt: int, *, first: float, asked: float | None, rng: Random) -> float | None:
    """Return the seconds to wait before try number `attempt` (1 is the second), None to give up.

    Doubling with jitter, so that several windows do not come back in step; never shorter than what
    the server asked for.
    """
    if asked is not None and asked > LONGEST_PAUSE:
        return None
    grown = first * _GROWTH ** (attempt - 1)
    return min(LONGEST_PAUSE, max(grown * (1 + _JITTER * rng.random()), asked or 0.0))
