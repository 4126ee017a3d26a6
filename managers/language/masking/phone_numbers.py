"""Telephone numbers as people write them; which ones there can be is known by `phonenumbers`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from managers.language.masking.beside import is_another, is_named, matches
from managers.language.masking.numbers import digits_of

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

_HOME: Final = ("JP", "US")
"""Whose numbers are recognised without a word that says so, in the grouping that is usual there."""
_CALLED: Final = (*_HOME, "GB", "AU", "NZ", "IE", "DE", "FR", "IT", "ES", "KR", "TW", "CN", "IN")
"""Whose numbers are, where a word says that it is a telephone's."""
_MOBILE: Final = re.compile(r"0[5789]0\d{8}")
_LEAST, _MOST = 9, 15
_TAIL: Final = re.compile(r"[ .・/()-]+\d+\)?\Z")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a telephone number stands, without an extension."""
    taken = -1
    for match in matches("phone_international", text):
        if end := _international(match[0]):
            taken = match.start() + end
            yield match.start(), taken
            text = text[: match.start()] + "\0" * end + text[taken:]
    for match in matches("phone_national", text):
        start = match.start() + (match[0].startswith("(") and ")" not in match[0])
        if end := _national(text, start, text[start : match.end()]):
            yield start, start + end


def _international(written: str) -> int:
    """Return how much of it is a number of some country; 0 if none is."""
    for one in _ever_shorter(written, _LEAST - 1):
        if _parsed("+" + digits_of(one).removeprefix("00"), None) is not None:
            return len(one)
    return 0


def _national(text: str, start: int, written: str) -> int:
    """Return how much of what stands there is a number of a country that is thought of; 0 if none is."""
    if is_another(text, start):
        return 0
    is_called = is_named("phone_words", text, start, start + len(written))
    fitting = (one for one in _ever_shorter(written, _LEAST) if len(digits_of(one)) <= _MOST)
    return next((len(one) for one in fitting if _is_number(one, is_called=is_called)), 0)


def _ever_shorter(written: str, least: int) -> Iterator[str]:
    """Yield what is written, then the same without its last group, and so on while it has so many digits."""
    while len(digits_of(written)) >= least:
        yield written
        before, written = written, _TAIL.sub("", written)
        if written == before:
            return


def _is_number(written: str, *, is_called: bool) -> bool:
    digits = digits_of(written)
    for region in _CALLED if is_called else _HOME:
        number = _parsed(digits, region)
        if number is None or (region != "US" and not digits.startswith("0") and not is_called):
            continue
        if is_called or _MOBILE.fullmatch(written) or _is_grouped(written, number):
            return True
    return False


def _is_grouped(written: str, number: PhoneNumber) -> bool:
    """Tell whether it is parted where its country parts it, or in some of those places at least."""
    from phonenumbers import PhoneNumberFormat, format_number  # noqa: PLC0415

    groups = re.findall(r"\d+", written)
    usual = re.findall(r"\d+", format_number(number, PhoneNumberFormat.NATIONAL))
    if number.country_code == 1 and groups[0] == "1":
        groups = groups[1:]
    return len(groups) > 1 and _ends(groups) <= _ends(usual)


def _ends(groups: list[str]) -> set[int]:
    return {sum(map(len, groups[: count + 1])) for count in range(len(groups))}


def _parsed(digits: str, region: str | None) -> PhoneNumber | None:
    """Return the number if it can be somebody's."""
    import phonenumbers  # noqa: PLC0415  # a tenth of a second, and only where there is something to look at

    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None
    return number if phonenumbers.is_valid_number(number) else None
