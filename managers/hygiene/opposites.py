"""Words that say the opposite of each other (`assets/language/<language>/opposites.toml`): likes and hates, near and far."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import get_args

from managers.language.lexicons import load
from managers.language.words import content_words, words
from managers.storage.errors import Lang

_Side = tuple[str, bool]


def opposed(one: str, other: str) -> frozenset[str]:
    """Return the content words by which two statements say the opposite of each other; without such words nothing.

    Only one such contrast counts: of two statements that take different sides twice nobody knows what they say together.
    """
    mine, theirs = sides(one), sides(other)
    turned = [axis for axis in mine if axis in theirs and mine[axis].keys() != theirs[axis].keys()]
    if len(turned) != 1 or len(mine[turned[0]]) != 1 or len(theirs[turned[0]]) != 1:
        return frozenset()
    return frozenset(word for found in (mine, theirs) for side in found[turned[0]].values() for word in side)


@lru_cache(maxsize=4096)
def sides(text: str) -> Mapping[str, Mapping[bool, frozenset[str]]]:
    """Return on which side of which contrast a statement stands, and by which words."""
    found: dict[str, dict[bool, frozenset[str]]] = {}
    for word in words(text):
        forms = (word.lemma, word.normal, word.surface.casefold())
        side = next((known for form in forms if (known := _table().get(form))), None)
        if side is not None:
            said = found.setdefault(side[0], {})
            said[side[1]] = said.get(side[1], frozenset()) | {*forms, *content_words(word.surface)}
    return found


@cache
def _table() -> Mapping[str, _Side]:
    return {
        word: (f"{lang}/{name}", key == "one")
        for lang in get_args(Lang)
        for name, contrast in load(f"{lang}/opposites").items()
        for key in ("one", "other")
        for word in contrast[key].split()
    }
