"""Corrections that name no subject ("No, it's on Friday", いや、金曜だよ): what they put right, and how it reads then."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from managers.language.lexicons import word_list
from managers.language.reading.kinship import naming
from managers.language.reading.rules import fits, rule, rules, search
from managers.language.reading.values import KINDS, Value, ValueKind, values_in
from managers.language.words import content_words, detect_language, sentences, words
from managers.storage.errors import Lang

_LOOKS_BACK, _LOOKS_FAR = 3, 25
_FIRST = 2
"""Whoever puts something right begins with that, be it after a "Sorry."."""
_LONGEST = 300
"""Whoever puts something right is brief; a longer sentence was pasted."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence that was put right.

    Attributes:
        place: which of the texts before held it, counted from the end: 1 is the last.
        original: the sentence as it was said.
        corrected: the same with the new value.
        old, new: the two values.
    """

    place: int
    original: str
    corrected: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a correcting sentence says: without its marks, the value that it denies, whether the mark came last."""

    lang: Lang
    said: str
    denied: str
    is_marked: bool
    is_late: bool


def read_correction(text: str, before: Sequence[str], long_before: Sequence[str] = ()) -> Correction | None:
    """Return what a message puts right of the user's messages before it, oldest first; None if it is none.

    Only a value is exchanged for one of its kind (a day for a day): what else somebody may have meant is not guessed.
    What was said in an earlier talk is put right only where the correction names what it means.
    """
    far = [*long_before, *before][-_LOOKS_FAR:]
    for claim in (_claim(sentence) for sentence in sentences(text)[:_FIRST] if len(sentence) <= _LONGEST):
        if claim is not None:
            found = _find(claim, before[-_LOOKS_BACK:], is_far=False) or _find(claim, far, is_far=True)
            if found is not None:
                return found
    return None


def _claim(text: str) -> _Claim | None:
    lang = detect_language(text)
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip().rstrip(".。!！ ")
    marked = rule(lang, "correction", "marked").match(plain)
    said = plain[marked.end() :] if marked else plain
    denials = (one.search(said) for name, one in rules(lang, "correction").items() if name.startswith("denied"))
    denied = min((match for match in denials if match), key=lambda match: match.start(), default=None)
    late = None if marked or denied else rule(lang, "correction", "late").search(plain)
    if late is not None:
        said = said[: late.start()]
    if not (marked or denied or late) or said.endswith(("?", "？")):
        return None
    said = said.replace(denied.group(), " ") if denied else said
    return _Claim(lang, said, denied["old"].strip() if denied else "", bool(marked or late), late is not None)


def _find(claim: _Claim, before: Sequence[str], *, is_far: bool) -> Correction | None:
    must_name = claim.is_late or (is_far and claim.is_marked)
    for place, earlier in enumerate(reversed(before), 1):
        for sentence in dict.fromkeys(reversed(sentences(earlier))):
            if must_name and not _names(claim, sentence):
                continue
            if found := _put_right(sentence, claim):
                return Correction(place, sentence, *found)
    return None


def _put_right(sentence: str, claim: _Claim) -> tuple[str, str, str] | None:
    """Return a sentence with the new value, the old value and the new one; None where they do not fit each other."""
    plain = unicodedata.normalize("NFKC", sentence)
    for kind, new in _only_values(claim.said, claim.lang).items():
        old = values_in(plain, claim.lang, [kind])
        old = [one for one in old if not claim.denied or _bare(one.text) in _bare(claim.denied)]
        if len(old) == 1 and _bare(new.text) != _bare(old[0].text) and _is_bare(claim, new, plain):
            return _exchanged(plain, old[0], new, claim.lang)
    return _renamed(plain, claim)


@lru_cache(maxsize=16)
def _only_values(said: str, lang: Lang) -> dict[ValueKind, Value]:
    """Return the values of which a claim has one of its kind: it is held against sentence after sentence."""
    found = {kind: values_in(said, lang, [kind]) for kind in KINDS}
    return {kind: values[0] for kind, values in found.items() if len(values) == 1}


def _renamed(plain: str, claim: _Claim) -> tuple[str, str, str] | None:
    """Return a sentence with the word that a correction gives for the one that it denies: 美樹 for 美咲; None if it gives none."""
    given = search(claim.lang, "correction", "gives", claim.said.strip(" ,、"))
    if not claim.denied or given is None or len(naming([claim.denied], claim.lang).findall(plain)) != 1:
        return None
    fresh = given["new"].strip()
    is_name = claim.lang == "ja" or (fresh[:1].isupper() and claim.denied[:1].isupper())
    return (naming([claim.denied], claim.lang).sub(fresh, plain), claim.denied, fresh) if is_name else None


def _names(claim: _Claim, sentence: str) -> bool:
    """Tell whether a correction names what an earlier sentence spoke of."""
    bare = claim.said
    for value in reversed(values_in(bare, claim.lang)):
        bare = bare[: value.start] + " " + bare[value.end :]
    return bool((set(content_words(bare)) - _light(claim.lang)) & set(content_words(sentence)))


def _light(lang: Lang) -> frozenset[str]:
    return word_list(lang, "light") | word_list(lang, "changing")


def _is_bare(claim: _Claim, value: Value, sentence: str) -> bool:
    """Tell whether a correction says hardly more than its value, or only words of the sentence that it puts right."""
    subject = rule(claim.lang, "correction", "no_subject").sub("", claim.said[: value.start].strip())
    rest = subject + " " + claim.said[value.end :]
    is_news = set(content_words(rest)) - set(content_words(sentence)) - _light(claim.lang)
    return not is_news and not any(word.entity and word.surface not in sentence for word in words(rest))


def _exchanged(plain: str, old: Value, new: Value, lang: Lang) -> tuple[str, str, str]:
    fresh, stale, whole = _bare(new.text), _bare(old.text), plain[old.start : old.end]
    lead, _, tail = whole.partition(stale) if stale in whole else ("", "", "")
    week = rule(lang, "correction", "week").match(stale)
    if week and not fits(lang, "correction", "week", fresh) and fits(lang, "correction", "weekday", fresh):
        fresh = week.group() + fresh  # 来週の火曜 → 来週の水曜: the week was not in question
    return plain[: old.start] + lead + fresh + tail + plain[old.end :], stale, fresh


def _bare(value: str) -> str:
    """Return a value without the preposition that stands before it."""
    return rule("en", "correction", "preposition").sub("", value.strip())
