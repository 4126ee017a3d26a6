"""Mend emoji that a server has cut in half: it counts in UTF-16, and sends one half with each piece."""

from __future__ import annotations

from managers.storage.json_text import without_lone


class Halves:
    """Joins the halves of pieces. What stays alone becomes U+FFFD, as in the log: no file and no page can hold it."""

    def __init__(self) -> None:
        self._held = ""

    def join(self, text: str) -> str:
        """Return what is certain; a first half at the end waits for its other half."""
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return without_lone(text)

    def rest(self) -> str:
        """Return what never got its other half."""
        left, self._held = self._held, ""
        return without_lone(left)
