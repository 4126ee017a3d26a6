"""The words by which passages are found: quick enough for a hundred thousand messages in a minute.

English words lose their inflection (went, going → go), Japanese ones come as dictionary forms with
spelling variants joined. Words that carry no topic are left out on both sides.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from managers.language.lexicons import word_list, word_set
from managers.language.reading.english import stem
from managers.language.reading.japanese import japanese_synonyms, japanese_terms, japanese_terms_and_groups

_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺー一-鿿㐀-䶿々〆]")
_LATIN_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_PAIRED = re.compile(r"[ァ-ヺー]+|[一-鿿㐀-䶿々〆]+")
_MAX_TERM = 40
PAIR = "\x02"
"""Marks a pair of characters, kept apart from words: the way to a Japanese word that is in no dictionary."""

GROUP = "\x04"
"""Marks a group of synonyms, kept apart from words: the way to what was said in other words."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What some words of a text (one, or the parts of a compound) say together.

    Attributes:
        words: as they are listed.
        groups: the groups of synonyms under which whatever means the same is listed too, marked.
    """

    words: tuple[str, ...]
    groups: tuple[str, ...]


def terms(text: str) -> list[str]:
    """Return a text's words for the index, in order, repeated as they are."""
    plain = unicodedata.normalize("NFKC", text).lower()
    if not _JAPANESE.search(plain):
        return _latin(plain)
    return [term for term in map(_listed_form, japanese_terms(plain, with_affixes=True)) if term]


def meanings(text: str) -> tuple[list[str], list[Meaning]]:
    """Return a text's words as `terms` does, and of those that have synonyms what they mean; parts before wholes."""
    plain = unicodedata.normalize("NFKC", text).lower()
    if not _JAPANESE.search(plain):
        return _latin(plain), []
    found, groups = japanese_synonyms(plain)
    forms = [_listed_form(term) for term in found]
    meant = [
        Meaning(words, tuple(f"{GROUP}{number}" for number in one.groups))
        for one in groups
        if (words := tuple(form for form in forms[one.first : one.end] if form))
    ]
    return [form for form in forms if form], meant


def terms_and_groups(text: str) -> tuple[list[str], list[str]]:
    """Return a text's words as `terms` does, and the groups of synonyms that single words of it are in, marked."""
    plain = unicodedata.normalize("NFKC", text).lower()
    if not _JAPANESE.search(plain):
        return _latin(plain), []
    found = japanese_terms_and_groups(plain)
    forms = [form for term, _ in found if (form := _listed_form(term))]
    return forms, [f"{GROUP}{number}" for _, numbers in found for number in numbers]


def is_question_word(term: str) -> bool:
    """Whether a Japanese word only asks (何色, 何歳): it stands in other questions, seldom in what answers."""
    return len(term) > 1 and term.startswith("何")


def pairs(text: str) -> list[str]:
    """Return the two-character pieces of runs of kanji or katakana, marked."""
    plain = unicodedata.normalize("NFKC", text)
    return [PAIR + run[at : at + 2] for run in _PAIRED.findall(plain) if len(run) > 1 for at in range(len(run) - 1)]


def is_japanese(text: str) -> bool:
    """Whether there is any Japanese script in a text."""
    return bool(_JAPANESE.search(text))


def _latin(plain: str) -> list[str]:
    found = []
    empty = word_list("en", "empty")
    for match in _LATIN_WORD.finditer(plain.replace("’", "'")):
        word, _, clitic = match.group().partition("'")
        if clitic != "t" and word not in empty:  # "won't" says nothing of what was won
            found.append(stem(word)[:_MAX_TERM])
    return found


def _listed_form(term: str) -> str:
    """Return how a Japanese text's term is listed; empty if it carries no topic."""
    if term in _light():
        return ""
    return stem(term)[:_MAX_TERM] if term.isascii() else term[:_MAX_TERM]


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    return word_set("ja/lexicon", "content", "light")


@cache
def listed_words(name: str) -> frozenset[str]:
    """Return a list of words of both languages, as `terms` gives them."""
    return word_list("ja", name) | frozenset(terms(" ".join(word_list("en", name))))
