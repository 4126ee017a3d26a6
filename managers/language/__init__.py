"""Natural-language tools for Japanese and English that need no model and no network."""
