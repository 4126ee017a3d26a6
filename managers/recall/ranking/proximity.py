"""Which of the best documents say a question's words together, and name what it names.

Japanese only, as the overlap of characters. A passage that holds 「空港」 in its first sentence and 「騒音」 in its last says less of
the airport's noise than one that holds both in two sentences that follow each other; what stands as its heading
is lent to each. And who asks about Laos is seldom answered by a passage that does not name Laos, however much else
it holds. The best documents change places among themselves by it; nothing else moves.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from managers.language.reading.japanese import japanese_words
from managers.recall.hits import ALL_TYPES
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.related_words import marks_told
from managers.recall.index.terms import is_japanese, terms_and_groups
from managers.recall.question.cues import Cues
from managers.recall.ranking.bm25 import worth_of
from managers.recall.ranking.candidates import Candidates, passages_of, scaled

LOOKED_AT = 20
"""How many documents' passages are cut into words for it: a quarter of a millisecond each."""
WORTH = 0.5
"""What a passage loses that says none of the words together, beside the one that says most."""
NAMES_WORTH = 0.3
"""What it loses that holds none of the names."""

_SENTENCE_END = re.compile(r"(?<=[。！？\n])")
_LEAST_WEIGHT = 0.05

Held = frozenset[str]
"""What a piece of text is listed under: words, groups of synonyms, kinds, fields."""


def weigh_proximity(cues: Cues, candidates: Candidates, indexes: Sequence[MemoryIndex]) -> Candidates:
    """Return the candidates, with the best documents in the order in which they say the question's words together."""
    slots = np.flatnonzero(candidates["kind"] == ALL_TYPES.index("knowledge"))[:LOOKED_AT]
    if len(slots) <= 1 or not cues.words or not is_japanese(cues.text):
        return candidates
    documents = candidates[slots]
    read = passages_of(documents, indexes)
    held = [_pieces(one.heading, one.text) if one else (frozenset[str](),) for one in read]
    together = _together(cues, held)
    most = max(together.max(), 1e-9)
    factors = (1 - WORTH + WORTH * together / most) * (1 - NAMES_WORTH + NAMES_WORTH * _named(cues, held))
    order = np.argsort(-documents["score"] * factors, kind="stable")
    ranked = candidates.copy()
    ranked[slots] = scaled(documents[order], documents["score"] / documents["score"][order])
    return ranked


@lru_cache(maxsize=500)
def _pieces(heading: str, text: str) -> tuple[Held, ...]:
    """Return what each two sentences of a passage that follow each other hold, together with its heading."""
    first, _, rest = text.partition("\n")
    if not heading and rest and not first.endswith(("。", "！", "？")):
        heading, text = first, rest
    lent = _held(heading)
    sentences = [_held(sentence) for sentence in _SENTENCE_END.split(text) if sentence.strip()] or [frozenset()]
    following = [*sentences[1:], frozenset[str]()]
    return tuple(one | other | lent for one, other in zip(sentences, following, strict=True))


def _held(text: str) -> Held:
    words, groups = terms_and_groups(text)
    return frozenset((*words, *groups, *marks_told(words)))


def _together(cues: Cues, held: Sequence[Sequence[Held]]) -> npt.NDArray[np.float64]:
    """Return for each passage how much of the question the best of its pieces holds, by rarity among them all."""
    wholes = [frozenset[str]().union(*pieces) for pieces in held]
    weights = [_rarity(sum(word in whole for whole in wholes), len(wholes)) for word in cues.words]
    forms = [_forms(word, cues) for word in cues.words]

    def share(piece: Held) -> float:
        return sum(
            weight * next((worth for form, worth in some if form in piece), 0.0)
            for weight, some in zip(weights, forms, strict=True)
        )

    return np.array([max(map(share, pieces)) for pieces in held]) / sum(weights)


def _forms(word: str, cues: Cues) -> list[tuple[str, float]]:
    """Return under what a word, or what stands for it, is listed, and what each is worth, the most first."""
    groups = {group for meaning in cues.meanings if meaning.words == (word,) for group in meaning.groups}
    return [(word, 1.0), *sorted(((group, worth_of(group)) for group in groups), key=lambda one: -one[1])]


def _rarity(frequency: int, total: int) -> float:
    return max(float(np.log1p((total - frequency + 0.5) / (frequency + 0.5))), _LEAST_WEIGHT)


def _named(cues: Cues, held: Sequence[Sequence[Held]]) -> npt.NDArray[np.float64]:
    """Return for each passage the share of the question's names that it holds; all where it names nothing."""
    names = {word.normal for word in japanese_words(cues.text, "short") if word.kind == "proper"} & set(cues.words)
    return np.array([_share(names, pieces) for pieces in held])


def _share(names: Collection[str], pieces: Sequence[Held]) -> float:
    return sum(any(name in piece for piece in pieces) for name in names) / len(names) if names else 1.0
