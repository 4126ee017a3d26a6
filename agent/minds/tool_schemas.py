"""Describe tools to a language model, as shortly as they can be understood, and as many as it can afford."""

import functools
import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, create_model

from agent.minds.tokens import MESSAGE_OVERHEAD, Count
from managers.mind import ToolCall, ToolSpec
from managers.storage.errors import Lang
from managers.storage.texts import table

TOOLS_SHARE = 0.23
"""The most of a model's context that the descriptions of tools may take: the conversation matters more."""

_GROUPS = {"Query": "search", "NoteEdit": "edit_note", "Instruction": "write_diary", "Nothing": "look_at"}
"""What a group is called, by the arguments that its tools share."""
_NO_NEWS = {"title", "additionalProperties", "maxLength", "minLength", "default"}
"""What pydantic writes that a model need not read: a call is checked anyway."""

_LONGEST, _LONGEST_IN_LIST = 600, 100
_BOUNDS: dict[str, dict[str, Any]] = {
    "string": {"maxLength": _LONGEST},
    "array": {"maxItems": 12},
    "object": {"additionalProperties": False},
}
"""Of a form that a server on this computer holds its model to, where the form says nothing of it."""


def in_words(name: str) -> dict[Lang, str]:
    """Return what a tool does, for people; of one that is not ours its name."""
    known = table("prompts/tools")["tool"].get(name)
    return known["short"] if known else {"ja": name, "en": name}


@functools.cache
def as_function(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool in OpenAI's form, which LangChain translates for every provider."""
    schema = slim(tool.arguments.model_json_schema(), _NO_NEWS)
    schema.pop("description", None)
    told = table("prompts/tools")["arguments"] if tool.language == "ja" else {}  # in English their models say it
    for name, argument in schema.setdefault("properties", {}).items():
        if name in told:
            argument["description"] = told[name]
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": schema},
    }


def tools_tokens(tools: Sequence[ToolSpec], count: Count) -> int:
    """Return an upper estimate of what the descriptions take."""
    return sum(count(json.dumps(as_function(tool), ensure_ascii=False)) + MESSAGE_OVERHEAD for tool in tools)


def affordable(tools: Sequence[ToolSpec], context_tokens: int, count: Count) -> tuple[ToolSpec, ...]:
    """Return the tools whose descriptions fit into their share, the first ones first.

    Where not all of them do, descriptions are one sentence, and tools with the same arguments are described as one, whose
    argument `what` says which is meant.
    """
    room = int(context_tokens * TOOLS_SHARE)
    if tools_tokens(tools, count) <= room:
        return tuple(tools)
    kept: list[ToolSpec] = []
    for alike in _alike(tools):
        sizes = (
            (group, tools_tokens([group], count)) for end in range(len(alike), 0, -1) for group in [_group(alike[:end])]
        )
        found = next(((group, size) for group, size in sizes if size <= room), None)
        if found is not None:
            kept.append(found[0])
            room -= found[1]
    return tuple(kept)


def names_of(tools: Sequence[ToolSpec]) -> set[str]:
    """Return the names of all tools that are offered, those in a group too."""
    return {name for tool in tools for name in (tool.members or (tool.name,))}


def ungrouped(call: ToolCall, tools: Sequence[ToolSpec]) -> ToolCall:
    """Return the call of the tool that is meant, where a group was called."""
    group = next((tool for tool in tools if tool.members and tool.name == call.name), None)
    if group is None:
        return call
    arguments = dict(call.arguments)
    return ToolCall(call.id, str(arguments.pop("what", group.members[0])), arguments)


def _alike(tools: Sequence[ToolSpec]) -> list[list[ToolSpec]]:
    found: dict[type[BaseModel], list[ToolSpec]] = {}
    for tool in tools:
        found.setdefault(tool.arguments, []).append(tool)
    return list(found.values())


def _group(tools: Sequence[ToolSpec]) -> ToolSpec:
    if len(tools) == 1:
        return replace(tools[0], description=_first_sentence(tools[0].description))
    first, names = tools[0], tuple(tool.name for tool in tools)
    return ToolSpec(
        _GROUPS.get(first.arguments.__name__, f"use_{first.arguments.__name__.lower()}"),
        "\n".join(f"{tool.name}: {_first_sentence(tool.description)}" for tool in tools),
        _with_what(first.arguments, names),
        first.language,
        names,
    )


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=。)|(?<=[.:;]) (?=[A-Z])", text, maxsplit=1)[0].rstrip(":;")


@functools.cache
def _with_what(arguments: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel]:
    what: Any = Literal[names]
    return create_model(arguments.__name__, __base__=arguments, what=(what, ...))


def bounded(schema: Any, labels: Sequence[str] = (), name: str = "") -> Any:  # noqa: ANN401  # JSON
    """Return a JSON schema in which nothing is without end: a small model that is held to a form never leaves an open list.

    Args:
        schema: the schema, or a part of it.
        labels: all that evidence may name.
        name: under which name the part stands.
    """
    if isinstance(schema, list):
        return [bounded(one, labels) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if name == "evidence" and labels:
        return schema | {"items": {"type": "string", "enum": [*labels]}, "maxItems": 12}
    made = {key: bounded(value, labels, key) for key, value in schema.items()}
    if made.get("type") == "array" and made.get("items") == {"type": "string", "maxLength": _LONGEST}:
        made["items"] = {"type": "string", "maxLength": _LONGEST_IN_LIST}
    return made if "enum" in made else _BOUNDS.get(str(made.get("type")), {}) | made


def slim(schema: Any, without: AbstractSet[str]) -> Any:  # noqa: ANN401  # JSON
    """Return a JSON schema without some of its keys; properties may be called as they are."""
    if isinstance(schema, list):
        return [slim(one, without) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: slim(one, without) for name, one in value.items()} if key == "properties" else slim(value, without)
        for key, value in schema.items()
        if key not in without
    }
