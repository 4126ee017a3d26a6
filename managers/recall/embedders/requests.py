"""What is the same for all who send texts away to be embedded: a call is counted, and tried again where that may help."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from managers.recall.embedders import Vectors
from managers.recall.errors import EmbeddingError
from managers.storage.audit import Given
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError
from managers.usage.meter import Account
from managers.usage.prices import Model

TRIES = 3
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 2.0, 10.0
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
STOPS = frozenset({401, 402, 403, 404, 405, 429})
"""What no other text would change."""


def patiently(ask: Callable[[], Vectors], tries: int, wait: Callable[[float], object]) -> Vectors:
    """Ask, and again with growing pauses where the same may go well a moment later."""
    for attempt in range(1, tries):
        try:
            return ask()
        except EmbeddingError as error:
            if not error.facts.get("again"):
                raise
        wait(min(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1), _LONGEST_WAIT_SECONDS))
    return ask()


@contextmanager
def counted(
    account: Account | None, model: Model, texts: Sequence[str], *, masked: bool, seconds: float
) -> Iterator[list[int]]:
    """Count a request: how many tokens it read is put into what is yielded, else estimated; one that is `refused` costs nothing."""
    read: list[int] = []
    if account is None:
        yield read
        return
    about = estimated_tokens(texts)
    try:
        given = Given({"passages": len(texts)}, is_masked=masked)
        call = replace(account, given=given).open(model, Wish(about, 0, 0), seconds)
    except CapReachedError as error:
        raise EmbeddingError(cause=f"{error.facts['cap_ja']} / {error.facts['cap_en']}", stops=True) from error
    try:
        yield read
    except EmbeddingError as error:
        if error.facts.get("refused"):
            call.release()
        else:
            call.settle(about, 0, is_estimated=True, outcome="failed")
        raise
    call.settle(read[0] if read else about, 0, is_estimated=not read)


def estimated_tokens(texts: Sequence[str]) -> int:
    """Return an upper estimate of the tokens of texts, for Google does not say: three letters or half a kanji each."""
    plain = sum((text.isascii() and len(text)) or sum(letter.isascii() for letter in text) for text in texts)
    return -(-plain // 3) + 2 * (sum(map(len, texts)) - plain)
