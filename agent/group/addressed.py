"""Whom a message speaks to, and whose knowledge it is about: read locally, no model is asked."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from managers.language.reading.kinship import NAME_MARK, marked
from managers.language.reading.rules import fits
from managers.language.words import detect_language, sentences
from managers.memory.forgotten import held_words
from managers.storage.errors import Lang

_OTHER: Final = "◇"
_MOST_SENTENCES: Final = 20
_LANGS: Final[tuple[Lang, ...]] = ("ja", "en")


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a message speaks to.

    Attributes:
        targets: by the persona's own name, in the order in which they are named.
        only: they alone are to speak, also from now on.
    """

    targets: tuple[str, ...] = ()
    only: bool = False


def read_address(text: str, names: Mapping[str, Sequence[str]]) -> Address:
    """Read whom a message speaks to.

    Args:
        text: what was said.
        names: what each persona who is there is called, by its own name.
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    parts = [one.strip() for one in sentences(plain)[:_MOST_SENTENCES]] or [plain]
    alone = [name for name in names if any(_fits("only", part, name, names) for part in parts)]
    if alone:
        return Address(_in_order(alone, plain, names), only=True)
    if any(_fits("everyone", part, "", names) for part in parts):
        return Address(tuple(names))
    targets = [name for name in names if any(_fits("addressed", part, name, names) for part in parts)]
    return Address(_in_order(targets, plain, names))


def domain_of(text: str, keywords: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return whose knowledge a message is about, the one whose words it has most of first; nobody's, if it has none.

    Args:
        text: what was said.
        keywords: the words of each persona's domain, by its name.
    """
    found = {name: len(held_words(text, [word.casefold() for word in words])) for name, words in keywords.items()}
    return tuple(sorted((name for name in found if found[name]), key=lambda name: -found[name]))


def _fits(rule: str, text: str, name: str, names: Mapping[str, Sequence[str]]) -> bool:
    own = detect_language(text, "ja")
    return any(fits(lang, "group", rule, _with_marks(text, name, names, lang)) for lang in {own, *_LANGS})


def _with_marks(text: str, name: str, names: Mapping[str, Sequence[str]], lang: Lang) -> str:
    others = [called.lower() for other, all_of in names.items() if other != name for called in all_of]
    return marked(marked(text, others, lang, _OTHER), [one.lower() for one in names.get(name, ())], lang, NAME_MARK)


def _in_order(found: Sequence[str], plain: str, names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    def place(name: str) -> int:
        return min((at for called in names[name] if (at := plain.find(called.lower())) >= 0), default=len(plain))

    return tuple(sorted(found, key=place))
