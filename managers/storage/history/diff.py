"""What an entry of the history did to a file, and what stands in the way of taking it back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from managers.storage.history.matching import Change, changes


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What one entry did to one file; None: there was, or is, no such file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def unified(self) -> str:
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
    one, other = _lines(before), _lines(after)
    groups = _Found(changes(one, other)).get_grouped_opcodes() if one != other else ()
    told = [line for group in groups for line in _hunk(group, one, other)]
    lines = [f"--- a/{name}\n", f"+++ b/{name}\n", *told] if told else []
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class _Found(SequenceMatcher[str]):
    """Changes that were found in our own way, to be put into groups in the library's."""

    def __init__(self, found: list[Change]) -> None:
        super().__init__()
        self._found = found

    def get_opcodes(self) -> list[Any]:
        return self._found


def _hunk(group: Sequence[tuple[str, int, int, int, int]], one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@\n"
    for tag, first, last, start, end in group:
        if tag == "equal":
            yield from (f" {line}" for line in one[first:last])
            continue
        yield from (f"-{line}" for line in one[first:last])
        yield from (f"+{line}" for line in other[start:end])


def _range(first: int, last: int) -> str:
    """Return which lines are meant, as GNU diff writes it: of none the one before."""
    length = last - first
    return f"{first + 1}" if length == 1 else f"{first + (length > 0)},{length}"


def _lines(text: str) -> list[str]:
    """Split at line feeds only: `splitlines` would also split at characters that stand inside a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
