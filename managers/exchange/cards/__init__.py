"""Character cards: read from PNG, JSON and CHARX files, kept beside the persona, written again."""
