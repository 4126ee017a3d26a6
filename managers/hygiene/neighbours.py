"""Which of many statements are near another at all: only those are worth reading closely.

Reading a statement for what it means costs a hundred times what its vector does, and of ten thousand memories a handful
are near another. What is found is exact: what is apart in a part of two vectors is at least as far apart in the whole.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.hygiene.similarity import vectors
from managers.recall.embedders import Vectors

_PART: Final = 384
"""So many places of the vectors are compared first."""
_AT_ONCE: Final = 512
_MANY: Final = 20
"""Where more than one in so many pairs is near, one product of all costs less than one for each."""
_ROUNDED: Final = 1e-5

Mask = npt.NDArray[np.bool_]


def near_another(texts: Sequence[str], least: float) -> Mask:
    """Return which statements are at least so near (a cosine) to another one of them."""
    rows = vectors(texts)
    found = np.zeros(len(texts), np.bool_)
    for start in range(0, len(texts), _AT_ONCE):
        block = rows[start : start + _AT_ONCE]
        pairs = _near(block, rows[start:], least)
        pairs &= ~np.tri(*pairs.shape, dtype=np.bool_)  # each two once, and nothing with itself
        found[start : start + len(block)] |= pairs.any(axis=1)
        found[start:] |= pairs.any(axis=0)
    return found


def near_to(texts: Sequence[str], others: Sequence[str], least: float) -> Mask:
    """Return which statements are at least so near to one of some others."""
    rows, there = vectors(texts), vectors(others)
    found = np.zeros(len(texts), np.bool_)
    for start in range(0, len(texts) if len(others) else 0, _AT_ONCE):
        found[start : start + _AT_ONCE] = _near(rows[start : start + _AT_ONCE], there, least).any(axis=1)
    return found


def _near(some: Vectors, others: Vectors, least: float) -> Mask:
    """Return which are at least so near to which."""
    part, other_part = some[:, :_PART], others[:, :_PART]
    apart = part @ other_part.T
    apart *= -2
    apart += (part**2).sum(axis=1)[:, None]
    apart += (other_part**2).sum(axis=1)
    found: Mask = apart <= 2 * (1 - least) + _ROUNDED
    these, those = found.nonzero()
    if these.size * _MANY > found.size:
        found &= some @ others.T >= least - _ROUNDED
    else:
        found[these, those] = np.einsum("ij,ij->i", some[these], others[those]) >= least - _ROUNDED
    return found
