"""What the tests of the history share."""

from pathlib import Path

from managers.storage.history import Draft, History


def write(history: History, path: Path, text: str | None, author: str = "ねむ", reason: str = "") -> str:
    entry = history.apply({path: None if text is None else text.encode()}, Draft(author, reason))
    assert entry is not None
    return entry
