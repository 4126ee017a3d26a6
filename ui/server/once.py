"""Forms that make something do it once, however often they are sent."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_urlsafe
from typing import Final

_MOST_KEPT: Final = 200


class Once:
    """What forms have made, by the number that each was shown with."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._made: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def make(self, deed: str, number: str, make: Callable[[], str]) -> str:
        """Return what a form makes; sent again, also at the same moment, what it made the first time.

        Args:
            deed: what the form is for.
            number: a hidden field of it (`new_number`); an empty one is never the same as another.
            make: does it and returns its name. What it raises is not kept: the form may be sent again.
        """
        with self._lock:
            known = self._made.get((deed, number)) if number else None
            if known is not None:
                return known
            made = make()
            self._made[deed, number] = made
            while len(self._made) > _MOST_KEPT:
                self._made.popitem(last=False)
            return made


def new_number() -> str:
    """Return a number for a form, by which it is known again when it is sent twice."""
    return token_urlsafe(9)
