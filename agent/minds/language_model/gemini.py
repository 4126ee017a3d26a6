"""Gemini, through `langchain_google_genai`. Imported only when used: the library takes a second to load."""

from __future__ import annotations

from typing import Any

import httpx
from langchain_google_genai import ChatGoogleGenerativeAI
from pydantic import SecretStr

from agent.minds.language_model import background
from agent.minds.language_model.endpoint import Endpoint, is_loopback
from agent.minds.language_model.failures import NotAnAnswerError


def build_gemini(endpoint: Endpoint, *, temperature: float, thoughts: bool) -> ChatGoogleGenerativeAI:
    """Return the chat model; nothing is sent yet.

    It gets no time limit of its own, which would be one for the whole answer: the mind watches the
    time to each next piece.

    Args:
        endpoint: where, which model, and the key.
        temperature: how freely it speaks.
        thoughts: ask for thought summaries; older models refuse that.
    """
    client_args: dict[str, Any] = {
        "event_hooks": {"response": [background.hold, _check_stays]},
        "follow_redirects": False,  # the library would, and the key and what was said would go along
    }
    if is_loopback(endpoint.address):  # a new connection costs nothing there, and none is left behind
        client_args |= {"trust_env": False, "limits": httpx.Limits(max_keepalive_connections=0)}
    return ChatGoogleGenerativeAI(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.address,
        vertexai=False,
        temperature=temperature,
        max_retries=1,  # one try: our own retries know when the user has stopped waiting
        include_thoughts=thoughts or None,
        client_args=client_args,
    )


async def _check_stays(response: httpx.Response) -> None:
    """Refuse to be sent elsewhere."""
    if response.has_redirect_location:
        raise NotAnAnswerError("redirect")
