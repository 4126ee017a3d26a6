"""Kinds of things and what belongs to them: a question about pets is answered by "our puppy" (hyponymy).

The lists are in `assets/language/hyponyms.toml`. A passage is listed under the kinds of its words; a
question's word that names a kind finds what is listed under it, never the other way round.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache

from managers.language.english import stem
from managers.language.japanese import japanese_terms
from managers.language.lexicons import FOLDER, load

KIND = "\x05"
"""Marks a kind of thing, kept apart from words: the way to what was said without naming the kind."""

_LISTS = "hyponyms"


@cache
def lists_version() -> str:
    """Return what changes when the lists do: an index was listed by them as they were."""
    return f"{zlib.crc32((FOLDER / f'{_LISTS}.toml').read_bytes()):08x}"


def kinds_asked(word: str) -> tuple[str, ...]:
    """Return the kinds that a question's word (as it is listed) names, marked."""
    return _tables()[0].get(word, ())


def kinds_told(words: Iterable[str]) -> list[str]:
    """Return the kinds that a passage's words belong to, marked, repeated as they are."""
    told = _tables()[1]
    return [kind for word in words for kind in told.get(word, ())]


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    asked: dict[str, tuple[str, ...]] = {}
    told: dict[str, tuple[str, ...]] = {}
    for language, kinds in load(_LISTS).items():
        for name, lists in kinds.items():
            for key, table in (("asked", asked), ("told", told)):
                for word in listed_forms(lists[key], language):
                    table[word] = (*table.get(word, ()), f"{KIND}{name}")
    return asked, told


def listed_forms(words: str, language: str) -> list[str]:
    """Return how the words of one list stand in the index, each once; Japanese ones that are cut into several do not."""
    if language == "english":
        return list(dict.fromkeys(stem(word) for word in words.split()))
    cut = [japanese_terms(word, with_affixes=True) for word in words.split()]
    return list(dict.fromkeys(one[0] for one in cut if len(one) == 1))
