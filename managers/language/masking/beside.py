"""What stands beside a number, and says what it is."""

import re
from collections.abc import Iterator
from typing import Final, get_args

from managers.language.reading.rules import rules
from managers.storage.errors import Lang

_TOPIC: Final = "masking"
_FAR, _BEHIND, _NEAR = 40, 14, 24
"""Characters: how far before a number a word may stand that says what it is, how far behind, and how far a label."""


def matches(name: str, text: str) -> Iterator[re.Match[str]]:
    """Yield where a rule of any language is found in a text."""
    for lang in get_args(Lang):
        if one := rules(lang, _TOPIC).get(name):
            yield from one.pattern.finditer(text)


def is_named(name: str, text: str, start: int, end: int) -> bool:
    """Tell whether words of a list (`card_words`) stand on the same line, near what lies between two places."""
    before, behind = text[max(start - _FAR, 0) : start], text[end : end + _BEHIND]
    near = before[before.rfind("\n") + 1 :] + "\0" + behind.partition("\n")[0]
    return any(True for _ in matches(name, near))


def is_told(name: str, text: str, start: int, end: int) -> bool:
    """Tell whether the words right before it (`<name>_before`) or behind it (`<name>_behind`) say that it is a ..."""
    before, behind = text[max(start - _NEAR, 0) : start], text[end : end + _NEAR]
    return any(True for _ in matches(f"{name}_before", before)) or any(True for _ in matches(f"{name}_behind", behind))


def is_another(text: str, start: int) -> bool:
    """Tell whether the label right before a number says that it is an order's, a book's, or the like."""
    return any(True for _ in matches("other_words", text[max(start - _NEAR, 0) : start]))
