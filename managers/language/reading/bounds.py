"""How much of a text the rules read: the one door through which readers get what they read, so that nothing pasted holds them up.

No ordinary message comes near these bounds. Whatever is to be found wherever it stands goes past this door, at a cost that
grows with the length alone: what is masked, forgotten, erased, and the words of the index.
"""

from typing import Final

MOST: Final = 16_000
"""Characters of a text: some thirty pages of a diary in Japanese, eight in English."""
LONGEST: Final = 2_000
"""Characters of a sentence: an endless one is read in pieces."""


def opening(text: str) -> str:
    """Return what is read of a text: its beginning."""
    return text[:MOST]


def one_sentence(text: str) -> str:
    """Return what is read of a sentence: its beginning."""
    return text[:LONGEST]
