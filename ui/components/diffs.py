"""Changes as they are shown: lines of a unified diff, each with its kind."""

from typing import Final

from managers.storage.printable import marked

Line = tuple[str, str]
"""A line's kind (`added`, `removed`, `same`) and its text, with the sign in front."""
_SHOWN_LINES: Final = 400
_KINDS: Final = {"+": "added", "-": "removed"}


def diff_lines(unified: str) -> list[Line]:
    """Return the lines of a unified diff without its heads; a very long one ends with an ellipsis."""
    lines = all_diff_lines(unified)
    return [*lines[:_SHOWN_LINES], ("same", "…")] if len(lines) > _SHOWN_LINES else lines


def all_diff_lines(unified: str) -> list[Line]:
    """Return the lines of a unified diff without its heads, however many: what a person is asked to allow is shown whole.

    Characters that nobody sees stand as their numbers: some turn a line round, so that it reads as another.
    """
    lines = unified.removesuffix("\n").split("\n") if unified else []  # a line may hold what `splitlines` splits at
    # A line of a text has a sign in front, so that it may look like a head of the file; those are the first two alone.
    inside = lines[2:] if unified.startswith("--- a/") else lines
    return [(_KINDS.get(line[:1], "same"), marked(line)) for line in inside if not line.startswith(("@@", "\\"))]
