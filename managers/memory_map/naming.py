"""Names of places on the map: the words that are said there and hardly anywhere else (c-TF-IDF).

The words come from the index's own lists, where they stand as stems and dictionary forms; how people
wrote them is looked up in a few passages of the place. Scores as in Grootendorst, 2022 (BERTopic).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from managers.language.lexicons import word_list, word_set
from managers.language.reading.english import stem
from managers.language.word import Kind, Word
from managers.language.words import words
from managers.memory_map.passages import Codes, Passages
from managers.memory_map.placing import Floats, Whole
from managers.recall.index.terms import terms as index_words

WORDS = 3
"""So many words name a place."""

_CANDIDATES = 24
_LOOKED_AT = 8
_MOST_CHARACTERS = 400
_NAMING: frozenset[Kind] = frozenset({"noun", "proper"})
_SHORTEST_LATIN = 3
_LONGEST = 16


@dataclass(frozen=True, slots=True)
class NamingWord:
    """A word of a name: how the index lists it, and how people wrote it."""

    term: str
    surface: str


class Places:
    """Which passage lies where."""

    def __init__(self, codes: Codes, places: Whole) -> None:
        """Remember it; `places` are small whole numbers."""
        self.count = int(places.max()) + 1 if len(places) else 0
        self._places = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, np.int64)
        self._places[codes] = places

    def of(self, codes: Codes) -> Whole:
        """Return the place of each passage, -1 where it has none."""
        found: Whole = np.full(len(codes), -1, np.int64)
        known = codes < len(self._places)
        found[known] = self._places[codes[known]]
        return found


def count_words(passages: Passages, places: Places, fewest: int = 1) -> tuple[list[str], Floats]:
    """Return the words, and for each in how many passages of each place it stands."""
    counts: dict[str, Whole] = {}
    for term, codes in passages.words(fewest):
        if not _may_name(term):
            continue
        where = places.of(codes)
        found = np.bincount(where[where >= 0], minlength=places.count)
        counts[term] = counts[term] + found if term in counts else found
    terms = sorted(counts)
    return terms, np.array([counts[term] for term in terms], np.float64).reshape(len(terms), places.count)


def distinctive(terms: Sequence[str], counts: Floats, speakers: Iterable[str] = ()) -> list[list[str]]:
    """Return for each place the words that tell it from all others, best first."""
    if not terms:
        return [[] for _ in range(counts.shape[1])]
    talking = {term for name in speakers for term in index_words(name)}
    totals = counts.sum(axis=0)
    often = counts.sum(axis=1)
    usual = totals.sum() / max(len(totals), 1)
    scores = counts / np.maximum(totals, 1) * np.log(1 + usual / np.maximum(often, 1))[:, None]
    scores *= np.sqrt(counts / (often + 1)[:, None])  # what is said everywhere tells no place from another
    scores[[row for row, term in enumerate(terms) if term in talking]] = 0
    # A word that was said once names a place only where everything was said once.
    scores *= counts >= np.minimum(2, counts.max(axis=0))
    best = np.argsort(-scores, axis=0, kind="stable")[:_CANDIDATES]
    return [[terms[row] for row in best[:, place] if scores[row, place] > 0] for place in range(counts.shape[1])]


def name_places(passages: Passages, places: Places, candidates: Sequence[Sequence[str]]) -> list[list[NamingWord]]:
    """Return the names: of each place's words the first that are names of things, as people wrote them."""
    held: dict[str, Codes] = {}
    named: list[list[NamingWord]] = []
    for place, terms in enumerate(candidates):
        chosen: list[NamingWord] = []
        for term in terms:
            if term not in held:
                held[term] = passages.holding(term)
            here = held[term][places.of(held[term]) == place][:_LOOKED_AT]
            surface = _surface(term, [passage.text for _, passage in sorted(passages.read(here.tolist()).items())])
            if surface and not any(_is_same(surface, other.surface) for other in chosen):
                chosen.append(NamingWord(term, surface))
            if len(chosen) == WORDS:
                break
        named.append(chosen)
    return named


def _may_name(term: str) -> bool:
    if term.isdigit() or len(term) > _LONGEST:
        return False
    return len(term) >= _SHORTEST_LATIN if term.isascii() else True


def _surface(term: str, texts: Sequence[str]) -> str:
    """Return how a word is mostly written; empty if it mostly names nothing."""
    kinds: Counter[bool] = Counter()
    written: Counter[str] = Counter()
    for text in texts:
        for word in _found(term, text[:_MOST_CHARACTERS]):
            is_name = word.kind in _NAMING and not _is_light(word)
            kinds[is_name] += 1
            if is_name:
                written[_as_written(word)] += 1
    if not written or kinds[True] * 2 < kinds.total():
        return ""
    most = max(written.values())
    return min((surface for surface, count in written.items() if count == most), key=lambda one: (len(one), one))


def _as_written(word: Word) -> str:
    if word.kind == "proper" or not word.surface.isascii():
        return word.surface
    return word.surface if word.surface.isupper() else word.surface.lower()


def _found(term: str, text: str) -> Iterator[Word]:
    for word in words(text, "short"):
        if term in (word.normal, word.lemma) or (word.surface.isascii() and stem(word.surface) == term):
            yield word


def _is_light(word: Word) -> bool:
    return word.normal in _light() or word.form in _light() or word.surface.lower() in _light()


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    listed = word_list("ja", "vague") | word_list("en", "vague")
    return listed | word_set("ja/lexicon", "content", "light") | word_set("en/lexicon", "kinds", "light")


def _is_same(one: str, other: str) -> bool:
    return one.casefold() in other.casefold() or other.casefold() in one.casefold()
