"""Words that stand for one another in talk: a kind of things and what belongs to it, a field of everyday life.

A question about pets is answered by "our puppy" (hyponymy), one about stress by "I unwind". The lists are in
`assets/language/related.toml`. A passage is listed under the kinds and fields of its words; a question's
word that names a kind, or belongs to a field, finds what is listed under it.
"""

import zlib
from collections.abc import Iterable
from functools import cache

from managers.language.lexicons import FOLDER, load
from managers.recall.index.terms import terms

KIND = "\x05"
"""Marks a kind of things, kept apart from words: the way to what was said without naming the kind."""
FIELD = "\x06"
"""Marks a field of everyday life, kept apart from words: the way to what was said from another side."""

_LISTS = "related"


@cache
def lists_version() -> str:
    """Return what changes when the lists do: an index was listed by them as they were."""
    return f"{zlib.crc32((FOLDER / f'{_LISTS}.toml').read_bytes()):08x}"


def marks_asked(word: str) -> tuple[str, ...]:
    """Return the kinds that a question's word (as it is listed) names, and the fields that it belongs to, marked."""
    return _tables()[0].get(word, ())


def marks_told(words: Iterable[str]) -> list[str]:
    """Return the kinds and fields that a passage's words belong to, marked, repeated as they are."""
    told = _tables()[1]
    return [mark for word in words for mark in told.get(word, ())]


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    asked: dict[str, tuple[str, ...]] = {}
    told: dict[str, tuple[str, ...]] = {}
    for groups in load(_LISTS).values():
        for name, lists in groups.items():
            mark = f"{FIELD if 'both' in lists else KIND}{name}"
            for key, table in (("asked", asked), ("told", told)):
                for word in listed_forms(lists.get("both") or lists[key]):
                    table[word] = (*table.get(word, ()), mark)
    return asked, told


def listed_forms(words: str) -> list[str]:
    """Return how the words of one list stand in the index, each once; what is cut into several does not."""
    cut = map(terms, words.split())
    return list(dict.fromkeys(one[0] for one in cut if len(one) == 1))
