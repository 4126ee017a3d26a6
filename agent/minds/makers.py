"""Make minds from settings: the makers of models, whose key goes where, and a mind for each protocol.

No library is imported and nothing is sent until a mind is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from agent.minds.endpoint import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_MODEL,
    GEMINI_ADDRESS,
    GEMINI_MODEL,
    OPENAI_ADDRESS,
    OPENROUTER_ADDRESS,
    Endpoint,
    is_server,
    key_name,
)
from agent.minds.errors import MindError, NoKeyError, NoModelError, UnreachableError
from agent.minds.known_models import default_context, family_of
from agent.minds.language_model import LanguageModelMind, Patience
from agent.minds.language_model.provider import Provider
from agent.minds.server_discovery import answers, list_models
from agent.minds.tool_schemas import bounded
from managers.growth.base_model import context_of
from managers.storage.settings import GEMINI_VARIABLES, MindSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def patience_of(settings: MindSettings) -> Patience:
    """Return how long to wait and how often to try."""
    return Patience(seconds=settings.timeout_seconds, retries=settings.retries)


def openai_mind(endpoint: Endpoint, settings: MindSettings, patience: Patience | None = None) -> LanguageModelMind:
    """Return a mind behind the OpenAI protocol."""
    patience = patience or patience_of(settings)

    def build() -> BaseChatModel:
        _require(endpoint, needs_key=endpoint.address in {OPENAI_ADDRESS, OPENROUTER_ADDRESS})
        from agent.minds.language_model.openai_protocol import build_openai  # noqa: PLC0415  # takes seconds to load

        return build_openai(endpoint, temperature=settings.temperature, seconds=patience.seconds)

    return _mind(endpoint, openai_provider(endpoint, build), settings, patience)


def openai_provider(endpoint: Endpoint, build: Callable[[], BaseChatModel]) -> Provider:
    """Return the way to whatever speaks the OpenAI protocol."""
    return Provider(
        build,
        without={"temperature": {"temperature": None}, "usage": {"stream_usage": False}},
        structured=partial(_openai_form, is_bounded=not endpoint.leaves_machine),
        limited=lambda room: {"max_tokens": room},
        always_limited=not endpoint.leaves_machine,
        models=lambda: list_models(endpoint.address, endpoint.key),
    )


def gemini_mind(endpoint: Endpoint, settings: MindSettings, patience: Patience | None = None) -> LanguageModelMind:
    """Return a Gemini mind."""

    def build() -> BaseChatModel:
        _require(endpoint, needs_key=True)
        from agent.minds.language_model.gemini_protocol import build_gemini  # noqa: PLC0415  # takes a second to load

        thinks = family_of(endpoint.model).thinks
        return build_gemini(endpoint, temperature=settings.temperature, thoughts=thinks)

    provider = Provider(
        build,
        without={"temperature": {"temperature": None}, "thoughts": {"include_thoughts": None}},
        structured=lambda answer: {
            "response_mime_type": "application/json",
            "response_schema": answer.model_json_schema(),
        },
        limited=lambda room: {"max_output_tokens": room},
        usage_adds_up=True,
    )
    return _mind(endpoint, provider, settings, patience or patience_of(settings))


def claude_mind(endpoint: Endpoint, settings: MindSettings, patience: Patience | None = None) -> LanguageModelMind:
    """Return a mind behind Anthropic's protocol.

    No form is asked for beside the prompt: what is left of a schema in this protocol is not what these answers need.
    """
    patience = patience or patience_of(settings)
    address = endpoint.address.rstrip("/").removesuffix("/v1")  # the library adds it
    endpoint = replace(endpoint, address=address)

    def build() -> BaseChatModel:
        _require(endpoint, needs_key=True)
        from agent.minds.language_model.claude_protocol import build_claude  # noqa: PLC0415  # takes a second to load

        return build_claude(endpoint, seconds=patience.seconds, thoughts=family_of(endpoint.model).thinks)

    provider = Provider(
        build,
        without={"thoughts": {"thinking": None}, "answer_limit": {"max_tokens": 4096}},
        limited=lambda room: {"max_tokens": room},
        models=lambda: list_models(f"{address}/v1", endpoint.key, is_anthropic=True),
    )
    return _mind(endpoint, provider, settings, patience)


def local_mind(settings: MindSettings, adapters: object) -> LanguageModelMind:
    """Return a mind that speaks with the model in a folder of this computer, and with an adapter of a persona's."""
    folder = Path(settings.model).expanduser()
    endpoint = Endpoint("transformers", "http://localhost", folder.name)

    def build() -> BaseChatModel:
        if not settings.model:
            raise NoModelError(model="", service=endpoint.service, offered_ja="", offered_en="")
        # An extra that takes seconds to load.
        from agent.minds.language_model.transformers_protocol import LocalChat  # noqa: PLC0415

        return LocalChat(folder=folder, adapters=adapters, temperature=settings.temperature)

    provider = Provider(
        build,
        limited=lambda room: {"max_tokens": room},
        always_limited=True,
        lacks=frozenset({"tools", "images", "structured"}),
    )
    context = settings.context_tokens or context_of(folder)
    return _mind(endpoint, provider, settings.model_copy(update={"context_tokens": context}), patience_of(settings))


def unusable_mind(error: MindError, settings: MindSettings) -> LanguageModelMind:
    """Return a mind that can only say what is wrong with its settings."""

    def build() -> BaseChatModel:
        raise error

    endpoint = Endpoint(settings.base_url, settings.base_url, settings.model)
    return LanguageModelMind(endpoint, Provider(build), context_tokens=default_context(loopback=True))


def _openai_form(answer: type[BaseModel], *, is_bounded: bool) -> dict[str, Any]:
    """Ask for JSON of a form; in `extra_body`, because the library parses by rules of its own otherwise."""
    schema = answer.model_json_schema()
    form = {"name": answer.__name__, "schema": bounded(schema, getattr(answer, "labels", ())) if is_bounded else schema}
    return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": form}}}


def _mind(endpoint: Endpoint, provider: Provider, settings: MindSettings, patience: Patience) -> LanguageModelMind:
    family = family_of(endpoint.model)
    known = settings.context_tokens or (family.context_tokens if endpoint.leaves_machine else 0)
    context = known or default_context(loopback=not endpoint.leaves_machine)
    return LanguageModelMind(
        endpoint, provider, context_tokens=context, can_see=bool(family.can_see), patience=patience
    )


def _require(endpoint: Endpoint, *, needs_key: bool) -> None:
    if needs_key and not endpoint.key:
        raise NoKeyError(model=endpoint.model, service=endpoint.service)
    if not endpoint.model and not answers(endpoint.address):
        raise UnreachableError(model="", address=endpoint.shown_address)
    if not endpoint.model:
        raise NoModelError(model="", service=endpoint.service, offered_ja="", offered_en="")


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
