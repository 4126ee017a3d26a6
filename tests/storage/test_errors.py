"""Every error says its sentence in both languages, from the same facts."""

import re
from importlib import import_module
from string import Formatter

from managers.storage.errors import UtataneError
from managers.storage.paths import CHECKOUT

PACKAGES = ("agent", "commands", "managers", "ui")


def _fields(template: str) -> set[str]:
    return {field.removesuffix("_ja").removesuffix("_en") for _, field, _, _ in Formatter().parse(template) if field}


def test_every_error_says_the_same_in_both_languages_and_is_declared_in_the_errors_of_a_floor() -> None:
    sources = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]
    for path in sources:
        if path.name == "errors.py":
            import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    kinds = [UtataneError]
    for kind in kinds:
        kinds += [one for one in kind.__subclasses__() if one.__module__.partition(".")[0] in PACKAGES]
    wrong = [
        kind.__name__
        for kind in kinds
        if not re.search(r"[぀-ヿ]", kind.ja)
        or re.search(r"[぀-ヿ]", kind.en)
        or _fields(kind.ja) != _fields(kind.en)
        or not kind.__doc__
        or not {"ja", "en"} <= vars(kind).keys()  # its own sentence, not its base's
    ]
    a_kind = re.compile(rf"^class \w+\((?:{'|'.join(kind.__name__ for kind in kinds)})\b", re.MULTILINE)
    elsewhere = [path for path in sources if path.name != "errors.py" and a_kind.search(path.read_text("utf-8"))]
    assert len(kinds) > 50
    assert (wrong, elsewhere) == ([], [])


def test_facts_with_braces_are_text() -> None:
    class OneError(UtataneError):
        ja = "{name}"
        en = "{name}"

    error = OneError(name="{0.__class__}")
    assert str(error) == error.sentence("ja") == "{0.__class__}"
