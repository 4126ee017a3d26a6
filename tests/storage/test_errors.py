"""Every error says its sentence in both languages, from the same facts."""

import re
from importlib import import_module
from string import Formatter

from managers.storage.errors import UtataneError
from managers.storage.paths import CHECKOUT


def _fields(template: str) -> set[str]:
    return {field.removesuffix("_ja").removesuffix("_en") for _, field, _, _ in Formatter().parse(template) if field}


def test_every_error_says_the_same_in_both_languages_and_is_declared_in_the_errors_of_a_floor() -> None:
    for path in CHECKOUT.glob("*/**/errors.py"):
        if path.relative_to(CHECKOUT).parts[0] in {"agent", "commands", "managers", "ui"}:
            import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    kinds = [UtataneError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    wrong = [
        kind.__name__
        for kind in kinds
        if not re.search(r"[぀-ヿ]", kind.ja)
        or re.search(r"[぀-ヿ]", kind.en)
        or _fields(kind.ja) != _fields(kind.en)
        or not kind.__doc__
        or not {"ja", "en"} <= vars(kind).keys()  # its own sentence, not its base's
        or kind.__module__.rpartition(".")[2] != "errors"
    ]
    assert len(kinds) > 50
    assert wrong == []


def test_facts_with_braces_are_text() -> None:
    class OneError(UtataneError):
        ja = "{name}"
        en = "{name}"

    error = OneError(name="{0.__class__}")
    assert str(error) == error.sentence("ja") == "{0.__class__}"
