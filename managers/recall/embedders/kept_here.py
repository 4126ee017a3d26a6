"""Questions that hold words which are for this computer only: no embedder elsewhere is given them, words alone find."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STAYS = ContextVar("stays", default=False)


@contextmanager
def staying(*, here: bool = True) -> Iterator[None]:
    """Search meanwhile without an embedder elsewhere, if what is asked must stay `here`."""
    before = _STAYS.set(here or _STAYS.get())
    try:
        yield
    finally:
        _STAYS.reset(before)


def stays_here() -> bool:
    """Tell whether what is asked just now may be given to no embedder elsewhere."""
    return _STAYS.get()
