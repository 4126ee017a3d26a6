"""Numbers that carry a check of their own: cards, and those that a state gives each person."""

import re
from collections.abc import Iterator
from typing import Final

from managers.language.masking.beside import is_another, is_named, matches
from managers.language.reading.rules import rule

_DAY_AND_TIME: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d[0-2]\d[0-5]\d")
_LAST_GROUP: Final = re.compile(r"[ -]\d+\Z")
_SHORTEST_PLAIN: Final = 15
"""Digits: shorter cards (Diners) look like any other number, unless they are parted or called a card."""


def cards(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a card's number stands: the beginning and length of a card, and Luhn's check."""
    from stdnum import luhn  # noqa: PLC0415  # only where there is a number that looks like one

    for match in matches("card", text):
        for written in (match[0], _LAST_GROUP.sub("", match[0])):  # a date or a code may stand behind it
            digits = digits_of(written)
            if not rule("en", "masking", "card_digits").search(digits) or not luhn.is_valid(digits):
                continue
            span = match.start(), match.start() + len(written)
            is_plain = len(digits) < _SHORTEST_PLAIN and len(written) == len(digits)
            if is_named("card_words", text, *span) or not (is_plain or is_another(text, span[0])):
                yield span
                break


def national_ids(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a マイナンバー or a US social security number stands.

    Twelve digits are anything, nine too: without a dash or a space they need a word that says what they are.
    """
    from stdnum.jp import in_  # noqa: PLC0415
    from stdnum.us import ssn  # noqa: PLC0415

    for name, check in (("my_number", in_), ("ssn", ssn)):
        for match in matches(name, text):
            digits = digits_of(match[0])
            if not check.is_valid(digits) or _DAY_AND_TIME.fullmatch(digits):
                continue
            is_parted = len(match[0]) > len(digits) and not is_another(text, match.start())
            if is_parted or is_named(f"{name}_words", text, *match.span()):
                yield match.span()


def digits_of(written: str) -> str:
    """Return the digits of what is written as a number."""
    return re.sub(r"\D", "", written)
