"""Wishes that hold from now on, and what somebody likes better: said once, meant for every answer that they touch."""

from managers.language.reading.rules import fits_any


def is_standing_wish(text: str) -> bool:
    """Tell whether a user says how things should be done from now on, or what they like better."""
    return fits_any("preferences", "from_now_on", text) or fits_any("preferences", "likes_better", text)


def asks_for_help(text: str) -> bool:
    """Tell whether somebody wants something done or advised, which such a wish may bear on."""
    return fits_any("preferences", "asks_for_help", text)
