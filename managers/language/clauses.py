"""The questions within a question: what is asked in one breath is looked for piece by piece."""

from __future__ import annotations

import re

MOST = 4
"""Of more pieces the first ones are looked for by themselves."""

_CUT = re.compile(
    r"(?<=[?？!！。])\s*|(?<=[a-z0-9])\.\s+|[…]+|\.{3,}\s*|\n+|[;；]\s*"
    r"|(?:^|(?<=[、,。?？!！…\s]))(?:あと(?:は)?|それと|それから|ついでに|もうひとつ|もう一つ)、"
    r"|,?\s+(?:and also|and another thing:?|also,|plus,|and (?=(?:what|who|when|where|why|how|which|did|do|was|were)\b))\s*",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|that|this|they|them|he|she|him|her|his|their|there|then)\b|それ|これ|あれ|その|この|あの|彼|彼女|そこ|そっち",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """Return the questions within a text; one that points back to what stands before it is no question of its own."""
    found: list[str] = []
    for piece in (one.strip(" 、,。") for one in _CUT.split(text)):
        if not piece:
            continue
        if found and _POINTS_BACK.search(piece):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found[:MOST] if len(found) > 1 else [text]
