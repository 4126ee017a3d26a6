"""Read a structured answer out of whatever a model wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, ValidationError

from agent.minds.language_model.surrogates import mended
from managers.mind import Answer
from managers.storage.errors import Lang

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_FORM = {
    "ja": "答えは、次のJSONスキーマに従うJSONオブジェクト一つだけにしてください。前後に説明を書かないでください。\n{schema}",
    "en": "Answer with a single JSON object that follows this JSON schema, and nothing before or after it.\n{schema}",
}
_AGAIN = {
    "ja": "その答えは使えませんでした: {problem}\n直したJSONオブジェクトだけを、もう一度書いてください。",
    "en": "That answer could not be used: {problem}\nWrite the corrected JSON object again, and nothing else.",
}
_NO_JSON = {"ja": "JSONオブジェクトがありません", "en": "there is no JSON object in it"}
_PROBLEMS_TOLD = 5


class UnusableAnswerError(Exception):
    """The text holds no answer of the wanted form; the message says why, without quoting it."""


def describe_form(answer: type[BaseModel], lang: Lang) -> str:
    """Return the instruction that asks for an answer of this form."""
    return _FORM[lang].format(schema=json.dumps(answer.model_json_schema(), ensure_ascii=False))


def ask_again(problem: str, lang: Lang) -> str:
    """Return the request to do it better."""
    return _AGAIN[lang].format(problem=problem)


def parse(text: str, answer: type[Answer], lang: Lang) -> Answer:
    """Return the answer that a text holds.

    Raises:
        UnusableAnswerError: it holds none.
    """
    problem = _NO_JSON[lang]
    for candidate in _objects(text):
        try:
            return answer.model_validate(candidate)
        except ValidationError as error:
            told = error.errors(include_input=False, include_url=False, include_context=False)[:_PROBLEMS_TOLD]
            problem = "; ".join(f"{'.'.join(map(str, item['loc'])) or '-'}: {item['msg']}" for item in told)
    raise UnusableAnswerError(problem)


def _objects(text: str) -> Iterator[object]:
    """Yield the JSON objects of a text: all of it, what is fenced, what stands between braces."""
    for candidate in (text, *(match[1] for match in _FENCE.finditer(text))):
        try:
            yield mended(json.loads(candidate))
        except (ValueError, RecursionError):  # brackets without end, in one that got stuck
            continue
    decoder = json.JSONDecoder(strict=False)
    start = text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        yield mended(found)
        start = text.find("{", end)
