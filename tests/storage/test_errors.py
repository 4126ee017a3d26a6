"""Every error says its sentence in both languages, from the same facts."""

import re
from importlib import import_module
from string import Formatter

import pytest

from managers.personas.errors import PersonaNotFoundError
from managers.storage.errors import UtataneError
from managers.storage.paths import CHECKOUT

_MODULES = [
    import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    for package in ("agent", "commands", "managers", "ui")
    for path in (CHECKOUT / package).rglob("*.py")
    if "Error(" in path.read_text("utf-8")
]
_CLASSES = sorted(
    {
        found
        for module in _MODULES
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, UtataneError)
    },
    key=lambda kind: kind.__name__,
)


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


def test_what_a_person_reads_is_declared_in_the_errors_of_a_floor() -> None:
    assert {kind.__module__.rpartition(".")[2] for kind in _CLASSES} == {"errors"}


def test_facts_with_braces_are_text() -> None:
    error = PersonaNotFoundError(name="{0.__class__}")
    assert "{0.__class__}" in str(error)
    assert "{0.__class__}" in error.sentence("ja")
