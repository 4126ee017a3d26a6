"""Read a structured answer out of whatever a model wrote around it."""

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, cast

from pydantic import BaseModel, ModelWrapValidatorHandler, ValidationError, model_validator

from agent.minds.tool_schemas import slim
from managers.mind import Answer
from managers.sleep.errors import DraftRejectedError
from managers.storage.errors import Lang
from managers.storage.json_text import mended
from managers.storage.texts import Texts, table

_FENCE = re.compile(r"```(?:json)?\s*+(.*?)```", re.DOTALL | re.IGNORECASE)
_say = Texts("prompts/answer_forms")
_PROBLEMS_TOLD = 5
_BRACES_TRIED = 200
"""From each one all that follows may be read, in vain."""


class UnusableAnswerError(Exception):
    """The text holds no answer of the wanted form; the message says why, without quoting it."""


def describe_form(answer: type[BaseModel], lang: Lang) -> str:
    """Return the instruction that asks for an answer of this form."""
    schema = slim(answer.model_json_schema(), {"title"})  # these repeat the keys: a third of the tokens
    return _say("form", lang, schema=json.dumps(schema, ensure_ascii=False))


def task_of(answer: type[BaseModel]) -> dict[str, str]:
    """Return what an answer is for, in both languages, as facts of an error: nobody knows the names of our forms."""
    words = table("prompts/answer_forms")["task"]
    named = next((words[kind.__name__] for kind in answer.__mro__ if kind.__name__ in words), words["otherwise"])
    return {f"task_{lang}": told for lang, told in named.items()}


def empty_answer(lang: Lang) -> str:
    """Return what is wrong with an answer that has nothing in it."""
    return _say("empty", lang)


def ask_again(problem: str, lang: Lang) -> str:
    """Return the request to do it better."""
    return _say("again", lang, problem=problem)


def parse(text: str, answer: type[Answer], lang: Lang) -> Answer:
    """Return the answer that a text holds.

    Raises:
        UnusableAnswerError: it holds none.
    """
    problem = _say("no_json", lang)
    for candidate in _objects(text):
        try:
            return answer.model_validate(candidate)
        except ValidationError as error:
            problem = "; ".join(_problems(error, lang)[:_PROBLEMS_TOLD])
    raise UnusableAnswerError(problem)


def checked_form(
    form: type[Answer], check: Callable[[Answer], object], lang: Lang, labels: Sequence[str] = ()
) -> type[Answer]:
    """Return an answer's form with a check as part of its validation: what both find wrong is said at once.

    Args:
        form: the answer.
        check: raises `DraftRejectedError` for an answer that has the form and cannot be used.
        lang: the language of the prompt.
        labels: what evidence is named by; a server that holds its model to a form lets it write no other.
    """

    def sound(_: type[Answer], value: Any, handler: ModelWrapValidatorHandler[Answer]) -> Answer:  # noqa: ANN401  # whatever JSON there is
        problems: list[str] = []
        if isinstance(value, dict) and value and form.model_fields.keys().isdisjoint(value):
            raise ValueError(_say("no_field", lang, names=", ".join(form.model_fields)))  # and no empty answer
        try:
            answer = handler(value)
            rest: Answer | None = form.model_validate(answer.model_dump())
        except ValidationError as error:
            problems, rest = _problems(error, lang), _rest_of(form, value, error)
        try:
            if rest is not None:
                check(rest)
        except DraftRejectedError as error:
            problems.append(str(error.facts["reason"]))
        if problems:
            raise ValueError("; ".join(problems[:_PROBLEMS_TOLD]))
        return answer

    namespace = {
        "__doc__": form.__doc__,
        "__module__": form.__module__,
        "__annotations__": {"labels": ClassVar[tuple[str, ...]]},
        "labels": tuple(labels),
        "sound": model_validator(mode="wrap")(cast("Any", classmethod(sound))),
    }
    return type(form.__name__, (form,), namespace)


def _problems(error: ValidationError, lang: Lang) -> list[str]:
    """Return what is wrong with an answer, in the language of the prompt; nothing of the answer is quoted."""
    told = []
    kinds, otherwise = table("prompts/answer_forms")["wrong"], table("prompts/answer_forms")["otherwise"]
    for item in error.errors(include_input=False, include_url=False):
        name, facts = ".".join(map(str, item["loc"])) or "-", item.get("ctx", {})
        if item["type"] == "value_error":
            told.append(str(facts.get("error", item["msg"])))
        else:
            told.append(kinds.get(item["type"], otherwise)[lang].format(name=name, **facts))
    return told


def _rest_of(form: type[Answer], value: object, error: ValidationError) -> Answer | None:
    """Return an answer without what does not fit, as far as it can be looked at; None if not at all."""
    if not isinstance(value, dict):
        return None
    rest = copy.deepcopy(value)
    for loc in {item["loc"][:2] for item in error.errors() if item["loc"]}:
        field = form.model_fields.get(str(loc[0]))
        if len(loc) > 1 and isinstance(rest.get(loc[0]), list):
            rest[loc[0]] = [one for number, one in enumerate(value[loc[0]]) if not _names(error, loc[0], number)]
        elif field is not None and field.is_required():
            rest[loc[0]] = "" if field.annotation is str else []
        else:
            rest.pop(loc[0], None)
    with suppress(ValidationError):
        return form.model_validate(rest)
    return None


def _names(error: ValidationError, field: str | int, number: int) -> bool:
    return any(item["loc"][:2] == (field, number) for item in error.errors())


def _objects(text: str) -> Iterator[object]:
    """Yield the JSON objects of a text: all of it, what is fenced, what stands between braces."""
    for candidate in (text, *(match[1] for match in _FENCE.finditer(text))):
        try:
            yield mended(json.loads(candidate))
        except (ValueError, RecursionError):  # brackets without end, in one that got stuck
            continue
    decoder = json.JSONDecoder(strict=False)
    end = 0
    for _ in range(_BRACES_TRIED):
        start = text.find("{", end)
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield mended(found)
