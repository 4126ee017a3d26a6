"""What a `LanguageModelMind` must know about the library behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from agent.minds.errors import MindError, NoModelError, UnknownModelError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

SIGNATURES = "__gemini_function_call_thought_signatures__"
"""Where a message carries what its model wants back with its tool calls, by their ids. The name is that of Gemini's
library, which looks there; Claude's thoughts before a call stand there as JSON."""

Feature = Literal["tools", "images", "system_role", "temperature", "thoughts", "usage", "structured", "answer_limit"]
"""What some models or servers refuse; the mind then does without, and remembers."""
_MODELS_TOLD = 8


@dataclass(frozen=True, slots=True)
class Provider:
    """A way to a LangChain chat model.

    Attributes:
        build: makes the model; imports the library, so it is called at the first use only.
        without: which fields of the model to change to do without a feature.
        structured: the arguments of a call that ask for JSON of a form.
        limited: the arguments of a call that limit the answer to so many tokens.
        placed: what a call's body says besides, by what it is for and whether it asks for an answer in a form.
        always_limited: answers are limited to what the model can hold, also where no cap asks for it.
        lacks: what no model behind it can do, as is known from the start.
        usage_adds_up: each piece reports its own tokens, instead of all so far.
        models: asks the server which models it has; empty where that cannot be asked.
    """

    build: Callable[[], BaseChatModel]
    without: Mapping[Feature, Mapping[str, Any]] = field(default_factory=dict)
    structured: Callable[[type[BaseModel]], dict[str, Any]] = lambda _: {}
    limited: Callable[[int], dict[str, Any]] = lambda _: {}
    placed: Callable[..., dict[str, Any]] = lambda _, **__: {}
    always_limited: bool = False
    usage_adds_up: bool = False
    lacks: frozenset[Feature] = frozenset()
    models: Callable[[], Sequence[str]] = tuple

    def with_models(self, error: MindError) -> MindError:
        """Add to an error about the model's name which ones there are."""
        names = list(self.models())[:_MODELS_TOLD] if isinstance(error, UnknownModelError | NoModelError) else []
        if not names:
            return error
        told = {
            "offered_ja": f"使えるのは {'、'.join(names)} などです。",
            "offered_en": f" It has: {', '.join(names)}.",
        }
        return type(error)(**error.facts | told)
