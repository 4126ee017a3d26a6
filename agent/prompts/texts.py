"""The words of prompts, tools and notices, in both languages: one file a topic in `assets/prompts/`."""

from __future__ import annotations

from typing import Any

from managers.storage import texts
from managers.storage.errors import Lang


def table(topic: str) -> dict[str, Any]:
    """Return all of a file."""
    return texts.table(f"prompts/{topic}")


def entry(topic: str, key: str) -> dict[Lang, str]:
    """Return an entry in both languages; `key` is its path, such as `headings.now`."""
    return texts.entry(f"prompts/{topic}", key)


class Texts(texts.Texts):
    """The entries of one file: `say("headings.now", lang)`."""

    def __init__(self, topic: str) -> None:
        """Name the file; it is read when it is needed."""
        super().__init__(f"prompts/{topic}")
