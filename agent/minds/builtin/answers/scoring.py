"""How well a sentence answers a question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agent.minds.builtin.answers.candidates import MADE_OF, Candidate
from agent.minds.builtin.answers.question_focus import Wanted, verb_bases
from agent.minds.builtin.answers.synonyms import LIKINGS, one_word, one_word_each
from managers.language.lexicons import word_list
from managers.language.reading.rules import fits_any
from managers.language.reading.times import tells_when
from managers.language.reading.values import values_in
from managers.language.words import content_words, detect_language, words

_ANSWERS_ON = 0.9
"""What a sentence of this conversation goes on about is nearly as good as said in it."""


def score_of(candidate: Candidate, wanted: Wanted, spread: dict[str, float]) -> tuple[float, float]:
    """Return how well a sentence answers, and the share of the question's words that it holds."""
    there = one_word_each(candidate.text)
    around = one_word_each(candidate.around) - there if candidate.around else set()
    unknown = max(spread.values(), default=1.0)
    total = sum(spread.get(term, unknown) for term in wanted.terms) or 1.0
    covered = sum(spread.get(term, unknown) for term in wanted.terms if one_word(term) in there) / total
    share = _ANSWERS_ON if candidate.goes_on else 0.5
    covered += share * sum(spread.get(term, unknown) for term in wanted.terms if one_word(term) in around) / total
    score = covered + 0.35 * candidate.rank
    if wanted.asks and has_answer(candidate, wanted.asks, wanted.terms):
        score += 0.3 if is_counted(candidate, wanted) else 0.1
    if candidate.goes_on and wanted.cues & verb_bases(candidate.text):
        score += 0.15  # "What does Jack want to be?", "He wants to be an engineer."
    if _is_topic(candidate, wanted):
        score += 0.25
    if wanted.owner != "nobody" and (
        candidate.who == wanted.owner or (candidate.kind == "note" and wanted.owner == "user")
    ):
        score += 0.12
    if candidate.time and any(span.first <= candidate.time.date() <= span.last for span in wanted.spans):
        score += 0.4
    if candidate.who == "persona" and wanted.owner != "persona":
        score -= 0.15
    if candidate.kind in MADE_OF - {"told"}:
        score -= 0.3  # what a night made of it; what was said comes first
    if len(there) < 2 and not around:  # noqa: PLR2004  # "Wow!", はい。
        score -= 0.2
    return score, covered


def spread_of(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return how much each word tells candidates apart."""
    counts: dict[str, int] = {}
    for candidate in candidates:
        for term in set(content_words(candidate.text)):
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log(1 + len(candidates) / count) for term, count in counts.items()}


def _is_topic(candidate: Candidate, wanted: Wanted) -> bool:
    """Tell 推しは…, which says of the very thing what is asked, from what only goes on after it."""
    if wanted.asks in ("where", "when", "how_many"):
        return False  # a place, a day and a number are known by themselves
    found = words(candidate.text[:40])
    at = next((at for at, word in enumerate(found[:4]) if word.form == "係助詞" and word.surface == "は"), 0)
    named = [word for word in found[:at] if word.kind != "function"]
    return bool(named) and all(word.normal in wanted.terms for word in named)


def is_counted(candidate: Candidate, wanted: Wanted) -> bool:
    """Tell whether a sentence counts what is to be counted, if anything is: 3位 for 何位."""
    return not wanted.counter or any(
        value.text.endswith(wanted.counter) for value in values_in(candidate.text, "ja", ["count"])
    )


def has_answer(candidate: Candidate, asks: str, terms: Sequence[str]) -> bool:  # noqa: PLR0911  # one per kind
    """Tell whether a sentence holds the kind of thing that was asked for, beyond the question's own words."""
    text = candidate.text
    if asks == "how_many":
        return bool(fits_any("focus", "number", text))
    if asks == "colour":
        return bool(values_in(text, detect_language(text), ["colour"]))
    if asks == "when":
        return tells_when(text) or bool(fits_any("focus", "number", text))
    if asks == "why":
        return fits_any("focus", "reason", text)
    if asks not in ("who", "where"):
        return False
    lang = detect_language(text)
    for word in words(text):
        if word.normal in terms:
            continue
        is_person = word.entity == "person" or word.surface.lower() in word_list(lang, "persons")
        if asks == "who" and is_person:
            return True
        if asks == "where" and word.entity in word_list(lang, "entities_of_place"):
            return True
    return False


def held(candidate: Candidate, wanted: Wanted) -> int:
    """Return how many of the question's words stand in the sentence itself."""
    return len({one_word(term) for term in wanted.terms} & one_word_each(candidate.text))


def shares_taste_alone(wanted: Wanted, candidate: Candidate) -> bool:
    """Whether it shares with the question only that somebody likes something: food, or a dog?"""
    there = one_word_each(candidate.text) | one_word_each(candidate.around)
    shared = {one_word(term) for term in wanted.terms if one_word(term) in there}
    return bool(shared & LIKINGS) and len(shared) < len(set(wanted.terms)) and shared <= LIKINGS | wanted.names
