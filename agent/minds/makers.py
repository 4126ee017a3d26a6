"""The makers of models whose servers need nothing but a key: their names, and whose key goes where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.minds.endpoint import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_MODEL,
    GEMINI_ADDRESS,
    GEMINI_MODEL,
    Endpoint,
    is_server,
    key_name,
)
from agent.minds.language_model import LanguageModelMind
from agent.minds.language_model.making import claude_mind, gemini_mind
from managers.storage.settings import GEMINI_VARIABLES, MindSettings

OPENAI_KEYS = ("OPENAI_API_KEY",)


@dataclass(frozen=True, slots=True)
class Maker:
    """A maker with a protocol of its own.

    Attributes:
        service: what people call its models' service.
        company: to whom goes what is said.
        address: its own server.
        model: the one that speaks where none is named.
        keys: the environment's variables in which its key may stand.
        make: makes a mind that speaks its protocol.
    """

    service: str
    company: str
    address: str
    model: str
    keys: tuple[str, ...]
    make: Callable[[Endpoint, MindSettings], LanguageModelMind]


MAKERS = {
    "gemini": Maker("Gemini", "Google", GEMINI_ADDRESS, GEMINI_MODEL, GEMINI_VARIABLES, gemini_mind),
    "anthropic": Maker(
        "Anthropic", "Anthropic", ANTHROPIC_ADDRESS, ANTHROPIC_MODEL, ("ANTHROPIC_API_KEY",), claude_mind
    ),
}
"""By the provider in the settings; `openai` is a protocol of many servers, of which one is OpenAI's."""


def own_maker(settings: MindSettings) -> Maker | None:
    """Return the maker to whose own server these settings lead; None where they lead to another one."""
    maker = MAKERS.get(settings.provider)
    if maker is None or not is_server(settings.base_url or maker.address, maker.address):
        return None
    return maker


def secret_name(settings: MindSettings) -> str:
    """Return the name under which the key of the configured server is stored.

    A provider's name stands for the provider's own server alone; whatever else the settings lead to has a key of its
    own, or none.
    """
    if own_maker(settings) is not None:
        return settings.provider
    if settings.base_url:
        return key_name(settings.base_url)
    return "openai"
