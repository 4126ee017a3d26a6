"""Whom a message speaks to, and whose knowledge it is about: read locally, no model is asked."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from managers.language.reading.kinship import NAME_MARK, marked
from managers.language.reading.rules import search
from managers.language.words import sentences
from managers.memory.forgotten import held_words
from managers.storage.errors import Lang

_OTHER: Final = "◇"
_MOST_SENTENCES: Final = 20
_LANGS: Final[tuple[Lang, ...]] = ("ja", "en")


_WHO_MAY: Final = ("only", "quiet", "all_but", "all_again")
"""The rules that say who is to speak from now on."""


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a message speaks to.

    Attributes:
        targets: by the persona's own name, in the order in which they are named.
        only: those who alone are to speak, also from now on; empty: anybody may again; None: it says nothing of that.
        is_all: it says who is to speak, and nothing else.
    """

    targets: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    is_all: bool = False


@dataclass(frozen=True)
class _Part:
    """A sentence with marks in the place of all names, by each that it names (empty: none is asked about) and language."""

    marked: Mapping[str, Mapping[Lang, str]]

    def found(self, rule: str, name: str = "") -> re.Match[str] | None:
        """Return where a rule is found."""
        tried = (search(lang, "group", rule, text) for lang, text in self.marked.get(name, {}).items())
        return next((match for match in tried if match is not None), None)

    @property
    def is_arrangement(self) -> bool:
        """Whether it says who is to speak, and ends with that."""
        found = (self.found(rule, name) for rule in _WHO_MAY for name in self.marked)
        return any(match is not None and not any(map(str.isalnum, match.string[match.end() :])) for match in found)


def read_address(text: str, names: Mapping[str, Sequence[str]]) -> Address:
    """Read whom a message speaks to."""
    plain = unicodedata.normalize("NFKC", text).lower()
    parts = [_part(one.strip(), names) for one in sentences(plain)[:_MOST_SENTENCES] or [plain]]

    def named(rule: str) -> list[str]:
        return _in_order([name for name in names if any(part.found(rule, name) for part in parts)], plain, names)

    is_all = all(part.is_arrangement for part in parts)
    if only := named("only"):
        return Address(tuple(only), tuple(only), is_all)
    all_but, quiet = named("all_but"), named("quiet")
    rest = tuple(name for name in names if name not in {*all_but, *quiet})
    if (all_but or quiet) and rest:
        return Address(rest if all_but else tuple(one for one in named("addressed") if one in rest), rest, is_all)
    only_none = () if any(part.found("all_again") for part in parts) else None
    if any(part.found("everyone") and not part.found("all_again") for part in parts):
        return Address(tuple(names), only_none)
    return Address(tuple(named("addressed")), only_none, is_all)


def domain_of(text: str, keywords: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return whose knowledge a message is about, the one whose words it has most of first; nobody's, if it has none."""
    found = {name: len(held_words(text, [word.casefold() for word in words])) for name, words in keywords.items()}
    return tuple(sorted((name for name in found if found[name]), key=lambda name: -found[name]))


def _part(text: str, names: Mapping[str, Sequence[str]]) -> _Part:
    there = [name for name, called in names.items() if any(one.lower() in text for one in called)]
    return _Part({name: {lang: _with_marks(text, name, names, lang) for lang in _LANGS} for name in ("", *there)})


def _with_marks(text: str, name: str, names: Mapping[str, Sequence[str]], lang: Lang) -> str:
    others = [called.lower() for other, all_of in names.items() if other != name for called in all_of]
    return marked(marked(text, others, lang, _OTHER), [one.lower() for one in names.get(name, ())], lang, NAME_MARK)


def _in_order(found: Sequence[str], plain: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    def place(name: str) -> int:
        return min((at for called in names[name] if (at := plain.find(called.lower())) >= 0), default=len(plain))

    return sorted(found, key=place)
