"""Changes as they are shown: lines of a unified diff, each with its kind."""

from typing import Final

Line = tuple[str, str]
"""A line's kind (`added`, `removed`, `same`) and its text, with the sign in front."""
_SHOWN_LINES: Final = 400
_KINDS: Final = {"+": "added", "-": "removed"}


def diff_lines(unified: str) -> list[Line]:
    """Return the lines of a unified diff without its heads; a very long one ends with an ellipsis."""
    lines = [line for line in unified.splitlines() if not line.startswith(("---", "+++", "@@", "\\"))]
    shown = [(_KINDS.get(line[:1], "same"), line) for line in lines[:_SHOWN_LINES]]
    return [*shown, ("same", "…")] if len(lines) > _SHOWN_LINES else shown
