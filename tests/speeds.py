"""Two speeds: `make test` leaves out what is marked `slow`; `make test-all` runs everything."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_quick(values: Iterable[Any], *, quick: int = 1) -> list[Any]:
    """Return parameters of which `make test` runs the first `quick`, and `make test-all` every one."""
    chosen = list(values)
    return chosen[:quick] + [pytest.param(*_listed(value), marks=pytest.mark.slow) for value in chosen[quick:]]


def _listed(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)
