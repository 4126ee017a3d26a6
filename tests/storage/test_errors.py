"""Every error says its sentence in both languages, from the same facts."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from managers.storage import errors
from managers.storage.errors import UtataneError

_CLASSES = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, UtataneError)]


def _fields(template: str) -> set[str]:
    return {field.removesuffix("_ja").removesuffix("_en") for _, field, _, _ in Formatter().parse(template) if field}


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_both_sentences_are_there_and_use_the_same_facts(kind: type[UtataneError]) -> None:
    assert re.search(r"[぀-ヿ]", kind.ja)
    assert not re.search(r"[぀-ヿ]", kind.en)
    assert _fields(kind.ja) == _fields(kind.en)
    assert kind.__doc__


@pytest.mark.parametrize("kind", [k for k in _CLASSES if k is not UtataneError], ids=lambda kind: kind.__name__)
def test_no_error_shares_its_sentence_with_its_base(kind: type[UtataneError]) -> None:
    assert "ja" in vars(kind)
    assert "en" in vars(kind)


def test_facts_with_braces_are_text() -> None:
    error = errors.PersonaNotFoundError(name="{0.__class__}")
    assert "{0.__class__}" in str(error)
    assert "{0.__class__}" in error.sentence("ja")
