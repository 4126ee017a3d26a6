"""Describe tools to a language model, as shortly as they can be understood, and as many as it can afford."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from agent.minds.language_model.tokens import MESSAGE_OVERHEAD
from managers.mind import ToolSpec

TOOLS_SHARE = 0.15
"""The most of a model's context that the descriptions of tools may take: the conversation matters more."""

Count = Callable[[str], int]

_NO_NEWS = {"title", "additionalProperties", "maxLength", "minLength"}
"""What pydantic writes that a model need not read: a call is checked anyway."""


@functools.cache
def as_function(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool in OpenAI's form, which LangChain translates for every provider."""
    schema = _slim(tool.arguments.model_json_schema())
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": schema},
    }


def tools_tokens(tools: Sequence[ToolSpec], count: Count) -> int:
    """Return an upper estimate of what the descriptions take."""
    return sum(count(json.dumps(as_function(tool), ensure_ascii=False)) + MESSAGE_OVERHEAD for tool in tools)


def affordable(tools: Sequence[ToolSpec], context_tokens: int, count: Count) -> tuple[ToolSpec, ...]:
    """Return the tools whose descriptions fit into their share, the first ones first."""
    room = int(context_tokens * TOOLS_SHARE)
    kept: list[ToolSpec] = []
    for tool in tools:
        size = tools_tokens([tool], count)
        if size <= room:
            kept.append(tool)
            room -= size
    return tuple(kept)


def _slim(schema: Any) -> Any:  # noqa: ANN401  # JSON
    if isinstance(schema, list):
        return [_slim(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    slim = {key: _slim(value) for key, value in schema.items() if key not in _NO_NEWS or key == "properties"}
    if isinstance(schema.get("properties"), dict):  # an argument may be called `title`
        slim["properties"] = {name: _slim(value) for name, value in schema["properties"].items()}
    return slim
