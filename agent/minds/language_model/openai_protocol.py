"""Models behind the OpenAI protocol: OpenAI itself, Ollama, LM Studio, llama.cpp, vLLM, OpenRouter.

Imported only when such a mind is used: `langchain_openai` takes seconds to load.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langchain_openai._compat import httpx  # the one of httpx's two forks that the installed openai takes
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import SecretStr

from agent.minds.endpoint import OPENAI_ADDRESS, Endpoint, is_loopback, listener_at
from agent.minds.errors import OtherAccountError
from agent.minds.language_model import event_loop
from agent.minds.language_model.call_failures import AnswerFailedError
from agent.minds.language_model.openai_events import read_events
from managers.storage.peers import owner_of_listener
from managers.transport import NotAnAnswerError, client_options

OPENAI = OPENAI_ADDRESS

_KINDS = (
    "text/event-stream", "text/plain", "application/json", "application/x-ndjson", "application/jsonl",
    "application/stream+json", "application/octet-stream", "",
)  # fmt: skip
"""What servers call a stream of events, and what those send that ignore that one was asked for."""
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"
"""Servers without keys ignore it; the library insists on one."""


class _CompatibleChat(BaseChatOpenAI):
    """The plain protocol, without what only OpenAI's own servers know, and with what is thought, which the library drops."""

    @property
    def _llm_type(self) -> str:
        return "openai-compatible"

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        generated = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        for choice in chunk["choices"]:
            if generated is not None and (thought := choice["delta"].get("reasoning_content")):
                generated.message.additional_kwargs["reasoning_content"] = thought
        return generated


class _Events(httpx.AsyncByteStream):
    """A body whose events have the form of the protocol, whatever is sent."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401  # httpx's, which it does not name so
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for event in read_events(aiter(self._inner)):
            yield event

    async def aclose(self) -> None:
        await self._inner.aclose()


def build_openai(endpoint: Endpoint, *, temperature: float, seconds: float) -> BaseChatOpenAI:
    """Return the chat model; nothing is sent yet."""
    is_own = endpoint.address == OPENAI
    kind: type[BaseChatOpenAI] = ChatOpenAI if is_own else _CompatibleChat
    timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
    options = partial(
        client_options,
        httpx,
        endpoint.address,
        local=is_loopback(endpoint.address),
        when_connected=None if endpoint.account is None else partial(_check_account, endpoint),
    )
    return kind(
        model=endpoint.model,
        base_url=endpoint.address,
        api_key=SecretStr(endpoint.key or _NO_KEY),
        temperature=temperature,
        max_retries=0,  # our own retries know when the user has stopped waiting
        stream_usage=True,
        store=False if is_own else None,  # a diary is kept nowhere else
        use_responses_api=None if is_own else False,  # some of OpenAI's models know nothing else
        timeout=timeout,
        http_client=httpx.Client(**options(blocking=True), timeout=timeout),
        http_async_client=httpx.AsyncClient(
            **options(hooks=[event_loop.hold, _check_is_answer if is_own else _read_as_events]), timeout=timeout
        ),
        stream_chunk_timeout=None,
    )


def _check_account(endpoint: Endpoint) -> None:
    """Refuse a server that another account runs than the one that somebody said yes to.

    Raises:
        AnswerFailedError: nothing was sent.
    """
    if owner_of_listener(*listener_at(endpoint.address)) != endpoint.account:
        raise AnswerFailedError(OtherAccountError)


async def _check_is_answer(response: httpx.Response) -> None:
    """Refuse what is no stream of events, which the library would take for an empty answer."""
    if response.status_code == 200 and (kind := _kind(response)) != _KINDS[0]:  # noqa: PLR2004  # HTTP's own name for success
        raise NotAnAnswerError(kind)


async def _read_as_events(response: httpx.Response) -> None:
    """Read what may hold an answer as events, and refuse what cannot."""
    if response.status_code != 200:  # noqa: PLR2004  # HTTP's own name for success
        return
    if (kind := _kind(response)) not in _KINDS:
        raise NotAnAnswerError(kind)
    response.stream = _Events(response.stream)


def _kind(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", _KINDS[0])).partition(";")[0].strip().lower()
