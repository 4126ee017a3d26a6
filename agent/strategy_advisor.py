"""What has helped with requests like this one, and what to beware of: known before an answer is thought of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.prompts.quoting import one_line
from managers.language.reading.reactions import FAULT_OF
from managers.language.words import content_words
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.strategies import DecompositionPattern, FailurePattern, Strategies, StrategyStore
from managers.mind import Advice

ALIKE: Final = 0.8
"""From this likeness on two requests are of one kind."""
_LONGEST_REQUEST = 200
"""Characters of a request that tell what kind it is of."""
_MOST_WARNINGS = 3


@dataclass(frozen=True)
class StrategyAdvisor:
    """Knows what one persona has learned about helping.

    Attributes:
        store: what was learned.
        likeness: how alike a text is to others: 1 is the same, 0 has nothing to do with it.
    """

    store: StrategyStore
    likeness: Callable[[str, Sequence[str]], npt.NDArray[np.float32]]

    def advise(self, request: str, kept: Kept = NOTHING_KEPT) -> Advice:
        """Return what is known of requests like this one; costs one look at the disk where nothing was learned."""
        known, text = self.store.current(), kind_of(request)
        known = Strategies(kept.others(known.entries)) if kept else known
        if not known.entries or not text:
            return Advice()
        warned = _warnings(known.failures, text)
        avoided = {one.pattern for one in warned}
        found = self._closest(known, text, lambda one: one.is_proven and avoided.isdisjoint(_risks(one)))
        return Advice(
            strategy=tuple(found.strategy) if found else (),
            steps=tuple(found.subtasks) if found else (),
            uses=found.usage_count if found else 0,
            avoid=tuple(one.pattern for one in warned),
            mitigations=tuple(one.mitigation for one in warned),
        )

    def belongs_to(self, known: Strategies, fresh: DecompositionPattern) -> str:
        """Return the id of the pattern of which an answer is one more case: a like request, met in the same way."""
        found = self._closest(known, fresh.query_pattern, lambda one: set(one.strategy) == set(fresh.strategy))
        return found.id if found else ""

    def warm_up(self) -> None:
        """Make the vectors that the next turn compares with: off the user's path."""
        if some := self.store.current().decompositions:
            self.likeness(some[0].query_pattern, [one.query_pattern for one in some])

    def _closest(
        self, known: Strategies, text: str, fits: Callable[[DecompositionPattern], bool]
    ) -> DecompositionPattern | None:
        some = known.decompositions
        if not some:
            return None
        alike = self.likeness(text, [one.query_pattern for one in some])
        closest_first = (int(at) for at in np.argsort(-alike) if alike[at] >= ALIKE)
        return next((some[at] for at in closest_first if fits(some[at])), None)


def kind_of(request: str) -> str:
    """Return what of a request tells its kind: its beginning, on one line."""
    return one_line(request[: 2 * _LONGEST_REQUEST])[:_LONGEST_REQUEST]


def _warnings(failures: Sequence[FailurePattern], text: str) -> list[FailurePattern]:
    """Return what threatens with a request, the gravest first."""
    words = frozenset(content_words(text)) if failures else frozenset()
    found = [one for one in failures if one.threatens({i for i in one.indicators if _is_in(i, words)})]
    return sorted(found, key=lambda one: -one.severity)[:_MOST_WARNINGS]


def _risks(one: DecompositionPattern) -> set[str]:
    """Return what somebody could complain of whom one helped in this way."""
    return {FAULT_OF[trait] for trait in one.strategy if trait in FAULT_OF}


def _is_in(indicator: str, words: frozenset[str]) -> bool:
    terms = _terms(indicator)
    return bool(terms) and terms <= words


@lru_cache(maxsize=1024)
def _terms(indicator: str) -> frozenset[str]:
    return frozenset(content_words(indicator))
