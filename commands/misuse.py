"""What was typed wrongly: one sentence in the reader's language that says how it is meant.

Typer says so itself, but over several lines, in a frame, and in English alone.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from typer.exceptions import TyperException

from managers.storage.errors import Lang
from managers.storage.texts import Texts

_Words = dict[Lang, str]
_say = Texts("notices/commands").both


def misuse_sentence(error: TyperException, lang: Lang) -> str:
    """Return what is wrong with a command line, and how it should look.

    Typer keeps its errors' classes to itself, so they are told apart by their names; one that is new
    says what Typer says of it, in one line.
    """
    said = next((_SAID[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _SAID), _other)
    usage = _usage(error)
    return _say("misuse.with-usage" if usage else "misuse.alone", said=said(error), usage=usage)[lang]


def _usage(error: Any) -> str:  # noqa: ANN401  # Typer's classes are private
    context = getattr(error, "ctx", None)
    usage = " ".join(context.get_usage().split()).removeprefix("Usage: ") if context else ""
    return re.sub(r"\{(\w+)\}|\[([a-z_]+)\]", lambda found: found.group().strip("{}").upper(), usage)


def _missing(error: Any) -> _Words:  # noqa: ANN401  # as above
    return _say("misuse.missing", name=_shown(error.param))


def _bad_value(error: Any) -> _Words:  # noqa: ANN401  # as above
    if error.param is None:
        return _other(error)
    name = _shown(error.param)
    expected = _expected(error.param)
    if expected is None:
        return _say("misuse.not-right", name=name, why=error.message)
    return _say("misuse.not-as-expected", name=name, expected=expected)


def _expected(parameter: Any) -> _Words | None:  # noqa: ANN401  # as above
    kind, limits = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if kind is datetime:
        return _say("misuse.date")
    if kind not in {int, float}:
        return None
    if limits.min is None:
        return _say("misuse.number")
    return _say(
        "misuse.number-at-least" if limits.max is None else "misuse.number-within", min=limits.min, max=limits.max
    )


def _no_such_option(error: Any) -> _Words:  # noqa: ANN401  # as above
    near = " ".join(sorted(error.possibilities or ()))
    return _say("misuse.no-option", name=error.option_name, near=_say("misuse.near", near=near) if near else "")


def _value_of_option(error: Any) -> _Words:  # noqa: ANN401  # as above
    key = "misuse.takes-no-value" if "does not take" in error.message else "misuse.needs-value"
    return _say(key, name=error.option_name)


def _no_command(error: Any) -> _Words:  # noqa: ANN401  # as above
    known = ", ".join(sorted(error.ctx.command.commands))
    return _say("misuse.one-of", known=known)


def _usage_error(error: Any) -> _Words:  # noqa: ANN401  # as above
    named = error.message.partition("'")[2].removesuffix("'.")
    if getattr(getattr(error.ctx, "command", None), "commands", None):
        one_of = _no_command(error)
        return _say("misuse.no-command", name=named, one_of=one_of) if named else one_of
    if "extra argument" in error.message:
        extra = error.message.partition("(s) (")[2].removesuffix(")")
        return _say("misuse.too-much", extra=extra)
    return _other(error)


def _other(error: Any) -> _Words:  # noqa: ANN401  # as above
    return _say("misuse.other", said=" ".join(error.format_message().split()))


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
