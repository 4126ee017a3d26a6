"""Talking: taking up what was told, greeting, comforting, keeping notes, and the words for it all."""
