"""Find what tells who somebody is, or opens their doors: addresses, numbers, keys.

Order decides: what an earlier kind takes is out of sight of the later ones. The patterns, and the words that speak for or
against a number, are data (`assets/language/{en,ja}/masking.toml`).
"""

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from managers.language.masking import numbers, phone_numbers
from managers.language.masking.beside import is_told, matches
from managers.language.words import entities

MaskedKind = Literal["EMAIL", "PHONE", "CC", "SSN", "IP", "API_KEY", "NAME"]
"""In the words of the placeholders; SSN is any number that a state gave somebody, マイナンバー too."""
Span = tuple[int, int]

_NARROW: Final = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff70", "-")
    | dict.fromkeys("\u3000\u00a0\u202f", " ")
    | {"\uff65": "・"}
)
_DASH: Final = re.compile("(?<=[0-9０-９])ー(?=[0-9０-９])")
_KANJI: Final = "〇一二三四五六七八九"
_IN_KANJI: Final = re.compile(rf"[{_KANJI}零]{{3,}}")
_KANJI_DIGITS: Final = str.maketrans({**{kanji: str(digit) for digit, kanji in enumerate(_KANJI)}, "零": "0"})
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_AT: Final = re.compile(r"@|%40|[\[({<] ?(?i:at)|アット")
_TELLING: Final = re.compile(rf"[0-9]|KEY|A[KS]IA|eyJ|[A-Za-z_-]{{20}}|{_AT.pattern}")
_NETS: Final = tuple(ipaddress.IPv6Network(net) for net in ("2000::/3", "fe80::/10", "fc00::/7"))


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was found: what it is, and where it stands in the text, in characters."""

    kind: MaskedKind
    start: int
    end: int


@lru_cache(maxsize=256)
def find(text: str) -> tuple[Found, ...]:
    """Return what is to be masked in a text, in its order, nothing twice; people's names are not looked for."""
    if _UNSEEN.search(text):  # nobody sees what stands between the digits
        seen = [place for place, letter in enumerate(text) if not _UNSEEN.match(letter)]
        bare = find("".join(text[place] for place in seen))
        return tuple(Found(one.kind, seen[one.start], seen[one.end - 1] + 1) for one in bare)
    narrow = _IN_KANJI.sub(lambda match: match[0].translate(_KANJI_DIGITS), text)
    narrow = _DASH.sub("-", narrow).translate(_NARROW)
    if not _TELLING.search(narrow):
        return ()
    found: list[Found] = []
    for kind, spans in _KINDS:
        for start, end in list(spans(narrow)):
            found.append(Found(kind, start, end))
            narrow = narrow[:start] + "\0" * (end - start) + narrow[end:]
    return tuple(sorted(found, key=lambda one: one.start))


@lru_cache(maxsize=256)
def find_people(text: str, known: frozenset[str] = frozenset()) -> tuple[Found, ...]:
    """Return where people are named: in Japanese by the dictionary, in any language those who are known."""
    by_dictionary = ((one.start, one.end) for one in entities(text) if one.kind == "person" and not one.text.isascii())
    by_name = (
        match.span()
        for name in known
        if len(name) > 1
        for match in re.finditer(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text)
    )
    found: list[Found] = []
    for start, end in sorted({*by_name, *by_dictionary}, key=lambda span: (span[0], -span[1])):
        if not found or start >= found[-1].end:
            found.append(Found("NAME", start, end))
    return tuple(found)


def _keys(text: str) -> Iterator[Span]:
    taken = -1
    spans = [
        match.span(match.lastgroup or 0)
        for name in (
            "key_with_a_mark",
            "key_in_address",
            "key_behind_bearer",
            "key_behind_its_name",
            "key_without_digits",
        )
        for match in matches(name, text)
    ]
    for start, end in sorted(spans):
        if start >= taken:
            yield start, end
            taken = end


def _emails(text: str) -> Iterator[Span]:
    return (match.span() for match in matches("email", text)) if _AT.search(text) else iter(())


def _ip_addresses(text: str) -> Iterator[Span]:
    for match in matches("ip_v4", text):
        if _is_somebodys_v4(match[0]) and not is_told("version", text, *match.span()):
            yield match.span()
    for match in matches("ip_v6", text) if text.count(":") > 1 else ():
        written = match[0] if match[0].endswith("::") else match[0].removesuffix(":")
        if _is_somebodys_v6(written):
            yield match.start(), match.start() + len(written)


def _is_somebodys_v4(written: str) -> bool:
    """Tell whether an address leads to a computer: not the own one, not all, not a network's mask."""
    try:
        address = ipaddress.IPv4Address(written)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or address.is_multicast or written.startswith("255."))


def _is_somebodys_v6(written: str) -> bool:
    try:
        address = ipaddress.IPv6Address(written)
    except ValueError:
        return False
    return any(address in net for net in _NETS)


_KINDS: Final[tuple[tuple[MaskedKind, Callable[[str], Iterator[Span]]], ...]] = (
    ("API_KEY", _keys),
    ("EMAIL", _emails),
    ("IP", _ip_addresses),
    ("CC", numbers.cards),
    ("SSN", numbers.national_ids),
    ("PHONE", phone_numbers.find),
)
