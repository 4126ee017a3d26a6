"""Mend emoji that a server has cut in half: it counts in UTF-16, and sends one half with each piece."""

from __future__ import annotations

import json


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


def without_lone(text: str) -> str:
    """Return the text with halves that stand side by side joined, and lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mended(value: object) -> object:
    """Return a JSON value with such halves joined or replaced in all its texts: they may have come escaped."""
    return json.loads(without_lone(json.dumps(value, ensure_ascii=False)))
