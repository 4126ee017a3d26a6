"""Gemini, through `langchain_google_genai`. Imported only when used: the library takes a second to load."""

from typing import Any

import httpx
from google.genai.types import AutomaticFunctionCallingConfig, GenerateContentConfig
from langchain_google_genai import ChatGoogleGenerativeAI
from pydantic import SecretStr

from agent.minds.endpoint import Endpoint, is_loopback
from agent.minds.language_model import event_loop
from managers.transport import client_options


class _Gemini(ChatGoogleGenerativeAI):
    """One request for each call: Google's client would go on by itself as long as a server tells it to."""

    def _build_request_config(self, *args: Any, **kwargs: Any) -> GenerateContentConfig:  # noqa: ANN401  # handed on
        config: GenerateContentConfig = super()._build_request_config(*args, **kwargs)
        by_itself = AutomaticFunctionCallingConfig(disable=True)  # it would keep every piece of an answer, too
        return config.model_copy(update={"automatic_continuation": False, "automatic_function_calling": by_itself})


def build_gemini(endpoint: Endpoint, *, temperature: float, thoughts: bool) -> ChatGoogleGenerativeAI:
    """Return the chat model; nothing is sent yet.

    It gets no time limit of its own, which would be one for the whole answer: the mind watches the
    time to each next piece.
    """
    local = is_loopback(endpoint.address)
    return _Gemini(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.address,
        vertexai=False,
        temperature=temperature,
        max_retries=1,  # one try: our own retries know when the user has stopped waiting
        include_thoughts=thoughts or None,
        client_args=client_options(httpx, endpoint.address, local=local, hooks=[event_loop.hold]),
    )
