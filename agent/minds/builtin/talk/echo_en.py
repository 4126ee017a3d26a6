"""Giving back what was told in English from the listener's side: "so you went to Kyoto"."""

from collections.abc import Sequence

from managers.language.lexicons import load, word_list
from managers.language.reading.english import verb_base
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, rule
from managers.language.words import Word, words

_MAX_WORDS = 15
_GOOD_WORDS = 9
"""Up to here a sentence is given back whole; of a longer one a clause is enough."""
_MIN_WORDS = 4


def echo_of(sentence: Sentence) -> str:
    """Return a sentence as it is given back, with "So" before it; empty where that would be clumsy."""
    bare = rule("en", "told", "decoration").sub("", sentence.text).strip()
    clause = _clause(without_opener(bare.rstrip(".!…~ ")))
    if not clause:
        return ""
    found = words(clause)
    first, lower = found[0], [word.surface.lower() for word in found]
    least = (4 if lower[0] == "it" else 3) if lower[0] in word_list("en", "pointing") else _MIN_WORDS
    is_fit = least <= len([w for w in found if w.kind != "symbol"]) <= _MAX_WORDS
    if not is_fit or speaks_to_listener(found) or lower[0] in word_list("en", "empty_subjects"):
        return ""
    if first.kind in ("interjection", "adverb", "symbol", "number"):
        return ""
    is_inflected = lower[0].endswith(("ed", "ght")) or (
        verb_base(lower[0]) != lower[0] and not lower[0].endswith("ing")
    )
    if first.kind == "verb" and is_inflected:
        return f"So you {swapped(found, clause)}. "
    return f"So {swapped(found, clause)}. " if has_subject(found) else ""


def speaks_to_listener(found: Sequence[Word]) -> bool:
    """Tell whether some words hold a "you"."""
    return bool(word_list("en", "second_persons") & {word.surface.lower() for word in found})


def without_opener(text: str) -> str:
    """Return a sentence without what only leads into it: well, so, on Monday."""
    text = rule("en", "told", "day_first").sub("", text)
    while match := rule("en", "told", "first_word").match(text):
        if match["word"].lower() not in word_list("en", "openers") or len(text) == match.end():
            break
        text = text[match.end() :]
    return text


def _clause(text: str) -> str:
    """Return the clause to give back; two that a comma alone holds together are joined by "and"."""
    text = rule("en", "told", "trailing").sub("", text)
    if not fits("en", "told", "conditional", text) and not fits("en", "told", "joined", text):
        text = rule("en", "told", "splice").sub(", and ", text)
    if len(text.split()) <= _GOOD_WORDS:
        return text
    for piece in rule("en", "told", "breaks").split(text):
        clause = without_opener(piece.strip())
        if _MIN_WORDS <= len(clause.split()) <= _MAX_WORDS and fits("en", "told", "of_oneself", clause):
            return clause
    return text if len(text.split()) <= _MAX_WORDS else ""


def has_subject(found: Sequence[Word]) -> bool:
    """A clause worth echoing begins with I, we, a name, or a thing of one's own, and says something of it."""
    first = found[0]
    if first.surface.lower() not in {"i", "we", "my", "our", *word_list("en", "pointing")} and first.entity != "person":
        return False
    verbs = ("be", "have", "do", "can", "will")
    return any(w.kind == "verb" or w.form in verbs or w.surface in ("'m", "’m", "'s") for w in found[1:])


def swapped(found: Sequence[Word], text: str) -> str:
    """Return a sentence from the listener's side: my → your, I was → you were."""
    swaps = dict(pair.split("=") for pair in load("en/words")["words"]["swaps"].split())
    pieces, last_end, before = [], found[0].start, ""
    for at, word in enumerate(found):
        lower = word.surface.lower().replace("’", "'")
        own = word.surface if at or word.entity else lower
        pieces += [text[last_end : word.start], "were" if (before, lower) == ("i", "was") else swaps.get(lower, own)]
        last_end, before = word.end, word.surface.lower()
    return "".join(pieces)
