"""How much of a text the rules read: the one door through which readers get what they read, so that nothing pasted holds them up.

No ordinary message comes near these bounds. Whatever is to be found wherever it stands goes past this door, at a cost that
grows with the length alone: what is masked, forgotten, erased, and the words of the index.
"""

MOST = 16_000
"""Characters of a text that are read, its first: some thirty pages of a diary in Japanese, eight in English."""
LONGEST = 2_000
"""Characters of a sentence: an endless one is read in pieces, and by itself as far as this."""
