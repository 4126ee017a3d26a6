"""Read the calls of tools that a model wrote into its words, in whichever of the many forms.

A call is one only where it names a tool that was offered, and its arguments are what the tool takes: all else is no call.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from managers.mind import ToolSpec
from managers.storage.json_text import mended

_NAMES = ("name", "function", "tool", "tool_name", "function_name", "action", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "tool_input", "action_input", "input", "kwargs", "params")
_WRAPPERS = ("tool_calls", "tool_call", "function_calls", "function_call", "functions")
_BESIDE = {"id", "type", "tool_call_id", "call_id"}
_PARAMETER = re.compile(
    r"<(?:｜DSML｜)?param(?:eter)?(?:\s*=\s*|\s+name\s*=\s*)[\"']?(?P<name>[\w.-]+)[^>]*>\n?(?P<value>.*?)\n?</(?:｜DSML｜)?param(?:eter)?>"
    r"|<arg_key>\s*(?P<key>.*?)\s*</arg_key>\s*<arg_value>\n?(?P<of_key>.*?)\n?</arg_value>",
    re.DOTALL,
)
_NEXT = re.compile(r"<(?:function=|｜DSML｜invoke|invoke\s|tool_call>)")
_QUOTED = re.compile(r"<\|\"\|>(.*?)<\|\"\|>|<escape>(.*?)<escape>", re.DOTALL)
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_BEFORE_JSON = re.compile(r"[^{}()\w]*(?:[^{}()]{0,120}?)(?=\{)")
_TRIED = 200
"""From so many brackets at most a text is read, in vain."""
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}

Read = tuple[str, dict[str, Any]]


def read_calls(text: str, tools: Sequence[ToolSpec]) -> list[Read]:
    """Return the calls that a text holds, as far as they can be used; none where one of them cannot be."""
    known = {name: tool for tool in tools for name in (tool.name, *tool.members)}
    found: list[Read] = []
    has_parameters = _PARAMETER.search(text) is not None
    for name, arguments in (not has_parameters and list(_in_json(text, known))) or _by_names(text, known):
        called = re.sub(r"^(?:functions|default_api)\.|:\d+$", "", name)
        if called not in known or not isinstance(arguments, dict) or not _fits(known[called], called, arguments):
            return []
        found.append((called, mended(arguments)))
    return found


def _fits(tool: ToolSpec, name: str, arguments: Mapping[str, Any]) -> bool:
    try:
        tool.arguments.model_validate({**arguments, **({"what": name} if name in tool.members else {})})
    except ValidationError:
        return False
    return True


def _in_json(text: str, known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, Any]]:
    """Yield what looks like a call among the JSON values of a text."""
    at, decoder = 0, json.JSONDecoder(strict=False)
    for _ in range(_TRIED):
        start = next((found.start() for found in [re.compile(r"[{\[]").search(text, at)] if found), None)
        if start is None:
            return
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
        else:
            yield from _calls_of(value, known)


def _calls_of(value: Any, known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  # JSON
    if isinstance(value, list):
        for one in value:
            yield from _calls_of(one, known)
    if not isinstance(value, dict):
        return
    inner = next((value[key] for key in _WRAPPERS if isinstance(value.get(key), list | dict)), None)
    key = next((key for key in _NAMES if value.get(key)), None)
    if inner is not None:
        yield from _calls_of(inner, known)
    elif key is not None and isinstance(value[key], dict):
        yield from _calls_of(value[key], known)
    elif key is not None and isinstance(value[key], str):
        given = next((value[one] for one in _ARGUMENTS if one in value), None)
        rest = {one: value[one] for one in value if one not in {key, *_BESIDE}}
        yield value[key], _loaded(given) if given is not None else rest
    elif len(value) == 1 and (name := next(iter(value))) in known:
        yield name, _loaded(value[name])


def _loaded(given: Any) -> Any:  # noqa: ANN401  # JSON
    try:
        return json.loads(given, strict=False) if isinstance(given, str) else given
    except ValueError:
        return None


def _by_names(text: str, known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, Any]]:
    """Yield each tool that is named, with the arguments that stand behind its name in a form of their own."""
    listed = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    at = 0
    while known and (named := re.compile(rf"(?<!\w)({listed})(?!\w)").search(text, at)):
        arguments, at = _behind(text, named.end(), known[named[1]])
        yield named[1], arguments


def _behind(text: str, at: int, tool: ToolSpec) -> tuple[Any, int]:
    """Return the arguments that stand behind a name, and where they end."""
    fields = list(tool.arguments.model_fields)
    if opens := re.compile(r"(?:\.call)?(?=\()").match(text, at):
        return _in_python(text, opens.end(), fields)
    following = _NEXT.search(text, at)
    end = following.start() if following else len(text)
    given = {
        (one["name"] or one["key"]): one["value"] or one["of_key"] or "" for one in _PARAMETER.finditer(text, at, end)
    }
    if not given:
        given = {
            name: one[1]
            for name in fields
            if (one := re.search(rf"<{name}>\n?(.*?)\n?</{name}>", text[at:end], re.DOTALL))
        }
    if given:
        return {name: _typed(tool, name, value) for name, value in given.items()}, end
    if before := _BEFORE_JSON.match(text, at):
        quoted = _QUOTED.sub(lambda one: json.dumps(one[1] or one[2] or ""), text[before.end() :])
        for written in (quoted, _BARE_KEY.sub(r'\1"\2":', quoted)):
            try:
                return json.JSONDecoder(strict=False).raw_decode(written)[0], len(text)
            except (ValueError, RecursionError):
                continue
        return None, len(text)
    return {}, end


def _typed(tool: ToolSpec, name: str, value: str) -> Any:  # noqa: ANN401  # JSON
    field = tool.arguments.model_fields.get(name)
    read = _loaded(value) if field is not None and field.annotation is not str and value[:1] in {"[", "{"} else None
    return value if read is None else read


def _in_python(text: str, at: int, fields: Sequence[str]) -> tuple[Any, int]:
    """Return the arguments of a call in Python's form: literals, with names or in their order."""
    for close in list(re.finditer(r"\)", text[at:]))[:_TRIED]:
        end = at + close.end()
        try:
            call = ast.parse(f"f{text[at:end]}", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or len(call.args) > len(fields):
            return None, end
        given = [*zip(fields, call.args, strict=False), *((one.arg or "", one.value) for one in call.keywords)]
        try:
            return {name: _literal(value) for name, value in given}, end
        except ValueError:
            return None, end
    return None, len(text)


def _literal(value: ast.expr) -> Any:  # noqa: ANN401  # a literal
    if isinstance(value, ast.Name) and value.id.lower() in _CONSTANTS:
        return _CONSTANTS[value.id.lower()]
    return ast.literal_eval(value)
