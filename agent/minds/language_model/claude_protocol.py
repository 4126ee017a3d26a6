"""Anthropic's Claude, through `langchain_anthropic`. Imported only when used: the library takes a second to load."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import cached_property
from typing import Any

import anthropic
import httpx2
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import SecretStr

from agent.minds.endpoint import Endpoint, is_loopback
from agent.minds.language_model import event_loop
from agent.minds.language_model.provider import SIGNATURES
from managers.transport import NotAnAnswerError, client_options

_CONNECT_SECONDS = 10.0
_MOST_TOKENS = 32_000
"""The protocol wants a number. Every model that still answers writes as much; thoughts count."""
_THOUGHTS = {"type": "adaptive", "display": "summarized"}


class _Claude(ChatAnthropic):
    """A client of our own making, and thoughts that stay with the tool calls that they led to.

    While a model thinks, it refuses the result of a tool where its thoughts before the call do not come back word for word.
    """

    @cached_property
    def _async_client(self) -> anthropic.AsyncClient:
        address, seconds = self.anthropic_api_url or "", self.default_request_timeout or 0
        timeout = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        options = client_options(httpx2, address, local=is_loopback(address), hooks=[event_loop.hold, _check_is_answer])
        return anthropic.AsyncClient(
            api_key=self.anthropic_api_key.get_secret_value(),
            base_url=address,
            max_retries=0,  # our own retries know when the user has stopped waiting
            timeout=timeout,
            http_client=httpx2.AsyncClient(**options, timeout=timeout),
            open_telemetry={"traces": False, "propagation": False},
        )

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:  # noqa: ANN401  # handed on
        thoughts: list[Mapping[str, Any]] = []
        async for generated in super()._astream(*args, **kwargs):
            message: Any = generated.message
            if isinstance(message.content, list):
                thoughts += [block for block in message.content if "thinking" in block["type"]]
            call = next((one["id"] for one in message.tool_call_chunks if one["id"]), "")
            if call and thoughts:
                message.additional_kwargs[SIGNATURES] = {call: json.dumps(_joined(thoughts))}
                thoughts = []
            yield generated

    def _get_request_payload(self, input_: Any, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401  # handed on
        messages = self._convert_input(input_).to_messages()
        return super()._get_request_payload([_with_thoughts(message) for message in messages], **kwargs)


def build_claude(endpoint: Endpoint, *, seconds: float, thoughts: bool) -> ChatAnthropic:
    """Return the chat model; nothing is sent yet.

    It is given no temperature, which its current models refuse.
    """
    model = _Claude(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.address,
        max_tokens=_MOST_TOKENS,
        timeout=seconds,
        thinking=_THOUGHTS if thoughts else None,
    )
    _ = model._async_client  # noqa: SLF001  # certificates take time to load, which no stream should wait for
    return model


def _joined(pieces: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return whole blocks of thought from the pieces in which they came."""
    blocks: dict[int, dict[str, list[str]]] = {}
    kinds: dict[int, str] = {}
    for piece in pieces:
        block = blocks.setdefault(piece["index"], {})
        kinds[piece["index"]] = piece["type"]
        for key in ("thinking", "signature", "data"):
            if isinstance(piece.get(key), str):
                block.setdefault(key, []).append(piece[key])
    return [
        {"type": kinds[at], **{key: "".join(parts) for key, parts in block.items()}} for at, block in blocks.items()
    ]


def _with_thoughts(message: BaseMessage) -> BaseMessage:
    """Return a message with the thoughts before its tool calls, where those are kept."""
    kept: Mapping[str, str] = message.additional_kwargs.get(SIGNATURES) or {}
    if not kept or not isinstance(message, AIMessage):
        return message
    thoughts = [block for blocks in kept.values() for block in json.loads(blocks)]
    said = [{"type": "text", "text": message.content}] if message.content else []
    return message.model_copy(update={"content": [*thoughts, *said]})


async def _check_is_answer(response: httpx2.Response) -> None:
    """Refuse what is no stream of events, which the library would take for an empty answer."""
    kind = response.headers.get("content-type", "text/event-stream").partition(";")[0].strip().lower()
    if response.status_code == 200 and kind != "text/event-stream":  # noqa: PLR2004  # HTTP's own name for success
        raise NotAnAnswerError(kind)
