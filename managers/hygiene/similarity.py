"""How alike two statements are, and whether they say the same or contradict each other.

Read by the built-in embedder (hashed character n-grams) and by words, whatever embedder the search has: it costs
nothing, nothing leaves the machine, and it errs on the safe side. Sentence models find "walked 3 km" and "walked 5 km"
the same, and what is merged must be.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import get_args

import numpy as np

from managers.language.lexicons import load, word_set
from managers.language.words import content_words, words
from managers.recall.embedders import Vectors
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.storage.errors import Lang

_DENIED = 1.0
_OPPOSITE = 0.9
_OTHER_NUMBER = 0.7
"""How severe a contradiction is: one denies what the other says; one says the opposite; both name different numbers, which
may both be true."""
_ENDS = " 。．.!！"
_WEIGHTLESS = NgramEmbedder()
_Shape = tuple[int, bool, bool]


def vectors(texts: Sequence[str]) -> Vectors:
    """Return the unit vectors of some statements, one a row: their inner products are their cosines.

    How a statement ends (with a full stop or without) makes no difference.
    """
    return _WEIGHTLESS.passages([text.strip(_ENDS) for text in texts])


def cosines(text: str, others: Sequence[str]) -> Vectors:
    """Return how near a statement is to each of some others; those of a night are compared again and again."""
    rows = [_vector(one.strip(_ENDS)) for one in others]
    near: Vectors = np.stack(rows) @ _vector(text.strip(_ENDS))
    return near


@lru_cache(maxsize=1024)
def _vector(text: str) -> Vectors:
    row: Vectors = _WEIGHTLESS.passages([text])[0]
    return row


@lru_cache(maxsize=8192)
def meaning(text: str) -> tuple[str, ...]:
    """Return by what statements can be merged: those with the same value say the same.

    All words count, in their order, but for those that only round off a sentence (the, です): who gave and who got is told by
    the order alone, or by a particle.
    """
    rounding = word_set("en/lexicon", "kinds", "article") | word_set("ja/lexicon", "content", "politeness")
    return tuple(word.normal for word in words(text, "short") if word.kind != "symbol" and word.normal not in rounding)


def claims(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the numbers that a statement names, and whether it is denied: where these differ, words alike say another thing."""
    _, numbers, is_denied = _read(text)
    return numbers, is_denied


def comparable(told: Sequence[str], texts: Sequence[str], about_same_from: float) -> set[str]:
    """Return those of many statements that one of a few may contradict; of all others `severity` is 0.

    They take a side where it does, or claim otherwise and share so many words with it.
    """
    found = set[str]()
    for one in told:
        (topic, numbers, is_denied), axes = _read(one), sides(one)
        for key, those in _by_shape(tuple(texts)).items():
            if isinstance(key, str):
                found |= those if key in axes else set()
            elif (numbers and key[1]) or is_denied != key[2]:
                both = max(key[0] + len(topic), 1)
                if 2 * min(key[0], len(topic)) / both >= about_same_from:
                    found |= {text for text in those if 2 * len(topic & _read(text)[0]) / both >= about_same_from}
    return found


@lru_cache(maxsize=2)
def _by_shape(texts: tuple[str, ...]) -> Mapping[_Shape | str, set[str]]:
    """Return statements by how many words, whether numbers, and a denial, and by each contrast on a side of which they stand."""
    found = defaultdict[_Shape | str, set[str]](set)
    for text in texts:
        topic, numbers, is_denied = _read(text)
        found[len(topic), bool(numbers), is_denied].add(text)
        for axis in sides(text):
            found[axis].add(text)
    return found


def severity(one: str, other: str, about_same_from: float) -> float:
    """Return how severely two statements contradict each other, from 0 (not at all) to 1.

    Args:
        one: a statement.
        other: another one.
        about_same_from: the least share of words in common by which they are about the same thing (Dice's coefficient).
    """
    (topic, numbers, is_denied), (other_topic, other_numbers, other_is_denied) = _read(one), _read(other)
    if topic.isdisjoint(other_topic):
        return 0.0
    opposite, differ = opposed(one, other), numbers and other_numbers and numbers != other_numbers
    if not opposite and not differ and is_denied == other_is_denied:
        return 0.0
    topic, other_topic = topic - opposite, other_topic - opposite
    alike = 2 * len(topic & other_topic) / max(len(topic) + len(other_topic), 1)
    if alike < about_same_from:
        return 0.0
    if opposite:
        return _OPPOSITE if is_denied == other_is_denied else 0.0  # who does not hate something may well like it
    if is_denied != other_is_denied:
        return _DENIED
    return _OTHER_NUMBER


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[str], tuple[str, ...], bool]:
    """Return what a statement is about, the numbers that it names, and whether it is denied."""
    read = words(text)
    denials = word_set("en/emotions", "rules", "negations") | word_set("ja/emotions", "rules", "negations")
    numbers = tuple(sorted(word.normal or word.lemma for word in read if word.kind == "number"))
    topic = frozenset(content_words(text)) - denials - set(numbers)
    denied = sum(word.normal in denials or word.lemma in denials or word.surface.casefold() in denials for word in read)
    return topic, numbers, denied % 2 == 1


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
        side = next((known for form in forms if (known := _opposites().get(form))), None)
        if side is not None:
            said = found.setdefault(side[0], {})
            said[side[1]] = said.get(side[1], frozenset()) | {*forms, *content_words(word.surface)}
    return found


@cache
def _opposites() -> Mapping[str, tuple[str, bool]]:
    """Return each word that has an opposite (`assets/language/<language>/opposites.toml`) with its contrast and its side."""
    return {
        word: (f"{lang}/{name}", key == "one")
        for lang in get_args(Lang)
        for name, contrast in load(f"{lang}/opposites").items()
        for key in ("one", "other")
        for word in contrast[key].split()
    }
