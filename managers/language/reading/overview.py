"""Questions that one place cannot answer: in what order things came up, or how all of something went."""

from managers.language.reading.rules import either, fits_any


def asks_for_overview(text: str) -> bool:
    """Tell whether a question wants an order of what was said, or the sum of it."""
    wants = fits_any("overview", "order", text) or fits_any("overview", "summary", text)
    return wants and fits_any("overview", "of_us", text)


def subject_of_overview(text: str) -> str:
    """Return such a question without the words that only ask for an order or a sum."""
    return " ".join(either("overview", "asking").sub(" ", text).split())
