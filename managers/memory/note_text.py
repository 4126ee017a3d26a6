"""How a diary that has grown long is divided."""

from __future__ import annotations

DIARY_LIMIT = 60_000
"""Characters at which a diary rolls over."""
DIARY_KEPT = 20_000
"""Characters of the newest part that stay, so that the persona still has its last weeks before its eyes."""


def divide(text: str, limit: int = DIARY_LIMIT, kept: int = DIARY_KEPT) -> tuple[str, str]:
    """Return the older part of a diary that is too long, and the newest that stays.

    Divided where a paragraph ends if it can be, else a line, a sentence, anywhere; both parts together
    are the text.
    """
    if len(text) <= limit:
        return "", text
    start = len(text) - kept
    for boundary in ("\n\n", "\n", "。", ". "):
        found = text.find(boundary, start, -1)
        if found != -1:
            return text[: found + len(boundary)], text[found + len(boundary) :]
    return text[:start], text[start:]
