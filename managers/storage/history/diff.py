"""What an entry of the history did to a file, and what stands in the way of taking it back."""

from __future__ import annotations

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What one entry did to one file; None: there was, or is, no such file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def unified(self) -> str:
        """The change as a unified diff."""
        before, after = ((side or b"").decode("utf-8", "replace") for side in (self.before, self.after))
        return unified(before, after, self.path)


@dataclass(frozen=True, slots=True)
class UndoConflict:
    """What stands in the way of an undo or redo: as it is now, and as it would be.

    Attributes:
        path: the file, relative to the persona's folder.
        current, restored: the record, value or lines in question (JSON as people would write it, or
            text); the whole file where there is no smaller piece. None: there is no such thing.
        part: the record's id, the way to a value, or a line's number; empty: the whole file.
    """

    path: str
    current: bytes | None
    restored: bytes | None
    part: str = ""


def unified(before: str, after: str, name: str) -> str:
    """Return a unified diff of two texts; empty when they are the same."""
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Split at line feeds only: `splitlines` would also split at characters that stand inside a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
