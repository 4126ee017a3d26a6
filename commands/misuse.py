"""What was typed wrongly: one sentence in the reader's language that says how it is meant.

Typer says so itself, but over several lines, in a frame, and in English alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from typer.exceptions import TyperException

from managers.storage.errors import Lang

_Words = tuple[str, str]
"""Japanese, English."""


def misuse_sentence(error: TyperException, lang: Lang) -> str:
    """Return what is wrong with a command line, and how it should look.

    Typer keeps its errors' classes to itself, so they are told apart by their names; one that is new
    says what Typer says of it, in one line.
    """
    said = next((_SAID[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _SAID), _other)
    japanese, english = said(error)
    usage = _usage(error)
    if lang == "ja":
        return f"{japanese}使い方: {usage}" if usage else japanese
    return f"{english} Usage: {usage}" if usage else english


def _usage(error: Any) -> str:  # noqa: ANN401  # Typer's classes are private
    context = getattr(error, "ctx", None)
    usage = " ".join(context.get_usage().split()).removeprefix("Usage: ") if context else ""
    return re.sub(r"\{(\w+)\}|\[([a-z_]+)\]", lambda found: found.group().strip("{}").upper(), usage)


def _missing(error: Any) -> _Words:  # noqa: ANN401  # as above
    name = _shown(error.param)
    return f"{name} がありません。", f"{name} is missing."


def _bad_value(error: Any) -> _Words:  # noqa: ANN401  # as above
    if error.param is None:
        return _other(error)
    name = _shown(error.param)
    ja, en = _expected(error.param)
    if not ja:
        return f"{name} の値が正しくありません({error.message})。", f"{name} is not right: {error.message}"
    return f"{name} は{ja}にしてください。", f"{name} must be {en}."


def _expected(parameter: Any) -> _Words:  # noqa: ANN401  # as above
    kind, limits = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if kind is datetime:
        return "「2026-01-31」のような日付", "a date like 2026-01-31"
    if kind not in {int, float}:
        return "", ""
    if limits.min is not None and limits.max is not None:
        return f" {limits.min} から {limits.max} までの整数", f"a whole number from {limits.min} to {limits.max}"
    if limits.min is not None:
        return f" {limits.min} 以上の整数", f"a whole number, at least {limits.min}"
    return "整数", "a whole number"


def _no_such_option(error: Any) -> _Words:  # noqa: ANN401  # as above
    near = " ".join(sorted(error.possibilities or ()))
    ja, en = (f"{near} のことでしょうか。", f" Did you mean {near}?") if near else ("", "")
    return f"{error.option_name} という指定はありません。{ja}", f"There is no option {error.option_name}.{en}"


def _value_of_option(error: Any) -> _Words:  # noqa: ANN401  # as above
    if "does not take" in error.message:
        return f"{error.option_name} に値はつけられません。", f"{error.option_name} takes no value."
    return f"{error.option_name} には値が必要です。", f"{error.option_name} needs a value."


def _no_command(error: Any) -> _Words:  # noqa: ANN401  # as above
    known = ", ".join(sorted(error.ctx.command.commands))
    return f"次のどれかを続けてください: {known}。", f"One of these must follow: {known}."


def _usage_error(error: Any) -> _Words:  # noqa: ANN401  # as above
    named = error.message.partition("'")[2].removesuffix("'.")
    if getattr(getattr(error.ctx, "command", None), "commands", None):
        ja, en = _no_command(error)
        return (
            (f"「{named}」というコマンドはありません。{ja}", f'There is no command "{named}". {en}')
            if named
            else (ja, en)
        )
    if "extra argument" in error.message:
        extra = error.message.partition("(s) (")[2].removesuffix(")")
        return f"「{extra}」は余分です。", f'"{extra}" is too much.'
    return _other(error)


def _other(error: Any) -> _Words:  # noqa: ANN401  # as above
    said = " ".join(error.format_message().split())
    return f"{said} ", said


def _shown(parameter: Any) -> str:  # noqa: ANN401  # as above
    """Return an option as it is typed, an argument as the usage shows it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name).upper()


_SAID: dict[str, Callable[[Any], _Words]] = {
    "MissingParameter": _missing,
    "BadParameter": _bad_value,
    "NoSuchOption": _no_such_option,
    "BadOptionUsage": _value_of_option,
    "UsageError": _usage_error,
}
