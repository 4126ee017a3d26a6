"""A word as the program reads it, the same for both languages."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "noun",
    "proper",
    "pronoun",
    "verb",
    "adjective",
    "adverb",
    "number",
    "interjection",
    "function",
    "symbol",
]
"""`function`: particles, auxiliaries, articles, prepositions, conjunctions, affixes; `adjective` takes
in Japanese な-adjectives; `symbol`: punctuation, emoji, everything that is no word."""

EntityKind = Literal["person", "place", "organisation", "other"]

CONTENT_KINDS: frozenset[Kind] = frozenset({"noun", "proper", "verb", "adjective", "adverb", "number"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text.

    Attributes:
        surface: as it stands in the text.
        lemma: what inflected forms share, for matching: the dictionary form in Japanese (行っ → 行く),
            the Snowball stem of the base form in English (went, going → go).
        kind: the part of speech.
        entity: the kind of the named thing that this word names or is part of.
        start: where it begins in the text, in characters.
        reading: Japanese: how it is read, in katakana; else lower-case surface.
        normal: the lemma with spelling variants joined (引越し, 引っ越し → 引っ越し), lower case.
        form: Japanese: the conjugation form (`連用形-一般`); English: the base form (went → go).
    """

    surface: str
    lemma: str
    kind: Kind
    entity: EntityKind | None
    start: int
    reading: str
    normal: str = ""
    form: str = ""

    @property
    def end(self) -> int:
        """Where it ends in the text, exclusive."""
        return self.start + len(self.surface)
