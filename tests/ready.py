"""What takes long to load, and is loaded once in a process before it forks: none that it forks loads it again."""

from __future__ import annotations

import faiss  # noqa: F401  # the import is what takes long

from managers.language.reading import japanese


def load_what_is_needed() -> None:
    """Load the dictionary, and what keeps vectors."""
    japanese.warm_up()
