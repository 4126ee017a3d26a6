"""Learn from what a model's server counts how many tokens a text has for it: from a bound to a measure.

The estimate of `tokens` is right for no model in particular. Each prompt whose tokens were reported tells of one model how the
kinds of text in it really count: a weight for each, by recursive least squares. On top comes a margin, by how far the weights
were off lately. What is used moves in steps: a server that keeps what it has read reads all anew where a prompt is cut elsewhere.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from agent.minds.tokens import Parts, parts_of

_KINDS: Final = len(Parts._fields)
_LEAST, _MOST = 0.35, 4.0
"""No tokenizer is further from the estimate; a report beyond this counts something else."""
_PART_READ = 0.6
"""A report that is this far below what is expected tells only what was read anew, or what was left of a prompt."""
_DOUBT, _NOISE, _DRIFT = 0.05, 0.0004, 0.00002
"""Variances: of the weights before anything was seen, of a report beside them, and of the weights from one to the next."""
_STEP = 0.93
"""What is used becomes less only where it would be this much less."""
_AT_FIRST, _EVER, _FADES = 0.1, 0.02, 0.97
"""The margin: before much was seen, always, and how a surprise is forgotten."""
_NONE: Final = Parts()


@dataclass
class Sent:
    """What of a request its tokens depend on; as `Count`, it adds up texts and returns nothing for them."""

    parts: Parts = _NONE
    around: int = 0
    """Tokens around the texts."""
    is_text: bool = True
    """It is nothing but text: of pictures and forms nobody can tell what a server counts for them."""

    def __call__(self, text: str) -> int:
        self.parts = Parts(*map(sum, zip(self.parts, parts_of(text), strict=True)))
        return 0


class Calibration:
    """How one model counts."""

    def __init__(self) -> None:
        self._weights = [1.0] * _KINDS
        self._doubt = [[_DOUBT * (a == b) for a in range(_KINDS)] for b in range(_KINDS)]
        self._surprise, self._seen = 1.0, 0
        self._used = Parts(*self._weights)

    def count(self, text: str) -> int:
        """Return the tokens of a text, with the margin."""
        return self.total(parts_of(text))

    def total(self, parts: Sequence[float]) -> int:
        """Return the tokens of what has these parts, with the margin."""
        return int(_dot(self._used, parts) + 0.999)

    def learn(self, parts: Sequence[float], read: float) -> bool:
        """Take in how many tokens a prompt really had; return whether texts are counted otherwise from now on."""
        expected, whole = _dot(self._weights, parts), sum(parts)
        if not _LEAST * whole < read < _MOST * whole or (self._seen and read < _PART_READ * expected):
            return False
        self._surprise = max(read / expected, 1 + (self._surprise - 1) * _FADES) if self._seen else 1.0
        self._seen += 1
        self._correct([part / read for part in parts])
        margin = self._surprise * (1 + _EVER + _AT_FIRST / self._seen)
        margin = max(margin, read / max(_dot(self._weights, parts), 1))
        wanted = Parts(*(weight * margin for weight in self._weights))
        is_new = _dot(self._used, parts) < read or _dot(wanted, parts) < _STEP * _dot(self._used, parts)
        self._used = wanted if is_new else self._used
        return is_new

    def _correct(self, parts: Sequence[float]) -> None:
        toward = [_dot(row, parts) for row in self._doubt]
        error, scale = 1 - _dot(self._weights, parts), _NOISE + _dot(toward, parts)
        self._weights = [_within(self._weights[kind] + error * one / scale) for kind, one in enumerate(toward)]
        for a, row in enumerate(self._doubt):
            self._doubt[a] = [row[b] - toward[a] * toward[b] / scale + _DRIFT * (a == b) for b in range(_KINDS)]

    @property
    def numbers(self) -> dict[str, Any]:
        """What is kept of it."""
        return {"weights": self._weights, "used": list(self._used), "seen": self._seen}

    def recall(self, kept: Any) -> None:  # noqa: ANN401  # JSON
        """Take up what was kept, if it can be: somebody may have written in the file."""
        with suppress(TypeError, ValueError, KeyError):
            weights, used = (Parts(*map(_within, kept[name])) for name in ("weights", "used"))
            self._weights, self._used, self._seen = list(weights), used, max(1, int(kept["seen"]))


def _within(weight: float) -> float:
    return min(max(_LEAST, float(weight)), 2 * _MOST)  # in this order: what is no number counts little


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
