"""The questions within a question: what is asked in one breath is looked for piece by piece."""

from managers.language.reading.rules import either, fits_any

MOST = 4
"""Of more pieces the first ones are looked for by themselves."""


def clauses(text: str) -> list[str]:
    """Return the questions within a text; one that points back to what stands before it is no question of its own."""
    found: list[str] = []
    for piece in (one.strip(" 、,。") for one in either("clauses", "cut").split(text)):
        if not piece:
            continue
        if found and fits_any("clauses", "points_back", piece):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found[:MOST] if len(found) > 1 else [text]
