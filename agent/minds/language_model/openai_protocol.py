"""Models behind the OpenAI protocol: OpenAI itself, Ollama, LM Studio, llama.cpp, vLLM, OpenRouter.

Imported only when such a mind is used: `langchain_openai` takes seconds to load.
"""

import json
from functools import partial
from typing import Any

import openai
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langchain_openai._compat import httpx  # the one of httpx's two forks that the installed openai takes
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import SecretStr

from agent.minds.endpoint import OPENAI_ADDRESS, Endpoint, is_loopback, listener_at
from agent.minds.errors import OtherAccountError
from agent.minds.language_model import event_loop
from agent.minds.language_model.call_failures import AnswerFailedError
from managers.storage.peers import owner_of_listener
from managers.transport import NotAnAnswerError, client_options

OPENAI = OPENAI_ADDRESS

_REASONING_FIELDS = ("reasoning_content", "reasoning")
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"
"""Servers without keys ignore it; the library insists on one."""


class _Reasoning:
    """Adds what the base class drops or trips over: reasoning fields, tool calls without an index."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        choice = (chunk.get("choices") or [{}])[0]
        delta = choice.get("delta") or {}
        for position, call in enumerate(delta.get("tool_calls") or []):
            if call.get("index") is None:
                call["index"] = position
            if call.get("function") is None:
                call["function"] = {}
        generated: ChatGenerationChunk | None = super()._convert_chunk_to_generation_chunk(  # type: ignore[misc]  # a mixin
            chunk, default_chunk_class, base_generation_info
        )
        thought = next((delta[name] for name in _REASONING_FIELDS if isinstance(delta.get(name), str)), "")
        if generated is not None and thought:
            generated.message.additional_kwargs["reasoning_content"] = thought
        return generated


class _OpenAIChat(_Reasoning, ChatOpenAI):
    pass


class _CompatibleChat(_Reasoning, BaseChatOpenAI):
    """The plain protocol, without what only OpenAI's own servers know."""

    @property
    def _llm_type(self) -> str:
        return "openai-compatible"


def build_openai(endpoint: Endpoint, *, temperature: float, seconds: float) -> BaseChatOpenAI:
    """Return the chat model; nothing is sent yet."""
    kind = _OpenAIChat if endpoint.address == OPENAI else _CompatibleChat
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
        store=False if endpoint.address == OPENAI else None,  # a diary is kept nowhere else
        use_responses_api=None if endpoint.address == OPENAI else False,  # some of OpenAI's models know nothing else
        timeout=timeout,
        http_client=httpx.Client(**options(blocking=True), timeout=timeout),
        http_async_client=httpx.AsyncClient(**options(hooks=[event_loop.hold, _check_is_answer]), timeout=timeout),
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
    if response.status_code != 200:  # noqa: PLR2004  # HTTP's own name for success
        return
    kind = response.headers.get("content-type", "text/event-stream").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return
    body = (await response.aread())[:2000]
    try:
        told = json.loads(body).get("error")
    except (ValueError, AttributeError):
        told = None
    if told:
        raise openai.APIError(str(told), response.request, body=told)  # type: ignore[arg-type]  # httpx2, whose types are httpx's
    raise NotAnAnswerError(kind)
