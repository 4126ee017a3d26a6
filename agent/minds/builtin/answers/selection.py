"""Answering about the past: which sentence of what was recalled really answers the question."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agent.minds.builtin.answers.candidates import (
    BESIDE,
    MADE_OF,
    MAX_HITS,
    Candidate,
    candidates_of,
    last_told,
    says_the_same,
    sentences_of,
    who_said,
)
from agent.minds.builtin.answers.question_focus import Wanted, asks_how_it_stands, may_answer, read_question
from managers.language.lexicons import word_list
from managers.language.reading.english import verb_bases
from managers.language.reading.kinship import is_person
from managers.language.reading.reading import Sentence, asks_anything
from managers.language.reading.rules import fits_any
from managers.language.reading.slots import asked_slot, told_slot
from managers.language.reading.synonyms import LIKINGS, one_word, one_word_each
from managers.language.reading.times import tells_when
from managers.language.reading.values import values_in
from managers.language.words import content_words, detect_language, words
from managers.mind import ReplyRequest
from managers.storage.errors import Lang

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
    is_owners = candidate.who == wanted.owner or (candidate.kind == "note" and wanted.owner == "user")
    day = candidate.time.date() if candidate.time else None
    weights = (
        (0.3 if is_counted(candidate, wanted) else 0.1, has_answer(candidate, wanted.asks, wanted.terms)),
        # "What does Jack want to be?", "He wants to be an engineer."
        (0.15, candidate.goes_on and bool(wanted.cues & verb_bases(candidate.text))),
        (0.25, _is_topic(candidate, wanted)),
        (0.12, wanted.owner != "nobody" and is_owners),
        (0.4, day is not None and any(span.first <= day <= span.last for span in wanted.spans)),
        (-0.15, candidate.who == "persona" and wanted.owner != "persona"),
        (-0.3, candidate.kind in MADE_OF - {"told"}),  # what a night made of it; what was said comes first
        (-0.2, len(there) < 2 and not around),  # noqa: PLR2004  # "Wow!", はい。
    )
    return sum((weight for weight, is_so in weights if is_so), covered + 0.35 * candidate.rank), covered


def spread_of(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return how much each word tells candidates apart."""
    counts = Counter(term for candidate in candidates for term in set(content_words(candidate.text)))
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


def has_answer(candidate: Candidate, asks: str, terms: Sequence[str]) -> bool:
    """Tell whether a sentence holds the kind of thing that was asked for, beyond the question's own words."""
    text, lang = candidate.text, detect_language(candidate.text)
    if asks in ("who", "where"):
        places = word_list(lang, "entities_of_place")
        fresh = [word for word in words(text) if word.normal not in terms]
        return any(is_person(word, lang) if asks == "who" else word.entity in places for word in fresh)
    is_number = asks in ("how_many", "when") and fits_any("focus", "number", text)
    is_other = (asks == "when" and tells_when(text)) or (asks == "why" and fits_any("focus", "reason", text))
    return is_number or is_other or (asks == "colour" and bool(values_in(text, lang, ["colour"])))


def held(candidate: Candidate, wanted: Wanted) -> int:
    """Return how many of the question's words stand in the sentence itself."""
    return len({one_word(term) for term in wanted.terms} & one_word_each(candidate.text))


def shares_taste_alone(wanted: Wanted, candidate: Candidate) -> bool:
    """Whether it shares with the question only that somebody likes something: food, or a dog?"""
    there = one_word_each(candidate.text) | one_word_each(candidate.around)
    shared = {one_word(term) for term in wanted.terms if one_word(term) in there}
    return bool(shared & LIKINGS) and len(shared) < len(set(wanted.terms)) and shared <= LIKINGS | wanted.names


_FITS = 0.34
"""At least this share of what was asked (rare words weigh more) must be in a sentence that answers."""
_SECOND_SHARE = 0.8
_ALIKE, _NEARLY = 0.2, 0.15
"""By so much less of the question's words, or of a score, what was said later still is as good."""
_NEAR = 2
"""So many likings are told where nobody knows which of them is of the kind that was asked for."""
_Scored = Sequence[tuple[tuple[float, float], Candidate]]
"""Sentences, the best first, each behind its score and the share of the question's words that it holds."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best sentences for a question, and whether they really fit it.

    Attributes:
        is_near: one tells of a liking, and a liking was asked for; whether of that kind, only a person knows.
        coverage: the share of the question's words that the best one holds.
    """

    best: tuple[Candidate, ...]
    fits: bool
    is_near: bool = False
    coverage: float = 0.0


def search_question(  # noqa: PLR0911  # one return per way to find, or not
    asked: Sequence[Sentence], request: ReplyRequest, lang: Lang, *, with_now: bool = True
) -> Found:
    """Return what answers a question, from hits, notes and, `with_now`, this conversation."""
    pool = [c for c in candidates_of(request) if with_now or c.kind != "said"]
    candidates = may_answer(pool, asked, request, lang)
    if not candidates:
        return Found((), fits=False)
    if standing := _standing(asked, candidates, lang):
        return Found((standing,), fits=True)
    spread = spread_of(candidates)
    wanted = read_question(asked, request, lang)
    candidates = _of_them(candidates, wanted) or candidates
    scored = sorted(
        ((score_of(c, wanted, spread), c) for c in candidates), key=lambda pair: (-pair[0][0], -pair[1].rank)
    )
    (_, coverage), best = scored[0]
    fits = coverage >= _FITS or (not wanted.terms and bool(request.hits))
    if fits and shares_taste_alone(wanted, best):
        liked = [c for (_, share), c in scored if share and c.who == best.who and shares_taste_alone(wanted, c)]
        newest = sorted(liked, key=lambda c: c.time or request.now, reverse=True)
        return Found(tuple(newest[:_NEAR]), fits=False, is_near=True)
    theirs = [(score, c) for score, c in scored if c.who != "persona" or wanted.owner == "persona"]
    near = [(score + 0.3 * c.rank, c) for (score, share), c in theirs if c.source > 0 and (share or c.rank > BESIDE)]
    if not fits and near:
        return Found((max(near, key=lambda pair: pair[0])[1],), fits=False, coverage=coverage)
    if not fits and best.source > 0 and (not coverage or (best.who == "persona" and wanted.owner != "persona")):
        return Found((), fits=False)  # it only stood beside what was recalled
    newer = _newer(best, wanted, scored, is_end_asked=asks_how_it_stands(asked)) if fits else None
    if newer is not None:
        return Found((newer, best), fits=True, coverage=coverage)
    chosen = [best, *_seconds(scored, wanted, fits=fits)]
    if fits and wanted.asks == "when" and len(chosen) == 1:
        chosen += _hour_of(best, candidates)
    return Found(tuple(chosen), fits=fits, coverage=coverage)


def _of_them(candidates: Sequence[Candidate], wanted: Wanted) -> list[Candidate]:
    """Return the sentences that speak of all those whom a question names: what Peter does is no answer about Isla."""

    def names_all(c: Candidate) -> bool:
        text = f"{c.text} {c.original} {c.around if c.goes_on else ''} {c.heading}"
        there = one_word_each(text)
        return all(surface in text or (terms and terms <= there) for surface, terms in wanted.named)

    return [c for c in candidates if names_all(c)] if wanted.named else []


def _seconds(scored: _Scored, wanted: Wanted, *, fits: bool) -> list[Candidate]:
    """Return the second sentence that answers too, if there is one nearly as good that adds to the best."""
    (top, _), best = scored[0]
    for (score, share), candidate in scored[1:]:
        if score < _SECOND_SHARE * top or (share < _FITS and fits):
            break
        is_new = candidate.source != best.source and not says_the_same(candidate, best)
        if is_new and _adds_to(best, candidate, wanted):
            return [candidate]
    return []


def _adds_to(best: Candidate, candidate: Candidate, wanted: Wanted) -> bool:
    """Tell a second sentence that answers too from what the persona said to it, a date beside an age, and mere company."""
    if candidate.who == "persona" and best.who == "user" and wanted.owner != "persona":
        return False
    if has_answer(best, wanted.asks, wanted.terms) and not has_answer(candidate, wanted.asks, wanted.terms):
        return False
    if not _is_beyond_names(candidate, best, wanted):
        return False
    if wanted.counter and is_counted(best, wanted) and not is_counted(candidate, wanted):
        return False
    return not wanted.terms or bool(held(candidate, wanted)) or (candidate.goes_on and not held(best, wanted))


def _is_beyond_names(candidate: Candidate, best: Candidate, wanted: Wanted) -> bool:
    """Tell a second sentence that shares more with a question than whom it is about, where the best one does."""
    plain = {one_word(term) for term in wanted.terms} - wanted.names
    return not (plain & one_word_each(best.text)) or bool(plain & one_word_each(candidate.text)) or candidate.goes_on


def _hour_of(best: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentence that goes on with the hour, where the day stands in one and the hour in the next."""
    if fits_any("answers", "hour", best.text) or best.kind != "said":
        return []
    return [c for c in candidates if c.source == best.source and c.goes_on and fits_any("answers", "hour", c.text)][:1]


def _newer(best: Candidate, wanted: Wanted, scored: _Scored, *, is_end_asked: bool) -> Candidate | None:
    """Return the last word on it, where something later says as much: people correct themselves, and things move.

    `is_end_asked`: a question how things stand asks for the last that was told of them, however little it says.
    """
    if best.time is None or best.who == "persona":
        return None
    top, coverage = scored[0][0]

    def says_as_much(score: float, share: float, c: Candidate) -> bool:
        is_near = score >= top - _NEARLY and share >= max(_FITS, coverage - _ALIKE)
        return is_near and held(c, wanted) >= held(best, wanted) and is_counted(c, wanted) == is_counted(best, wanted)

    return last_told(
        c
        for (score, share), c in scored
        if c.who == best.who
        and c.time is not None
        and (c.time, -c.source) > (best.time, -best.source)
        and held(c, wanted)
        and (is_end_asked or says_as_much(score, share, c))
        and not says_the_same(c, best)
    )


def _standing(asked: Sequence[Sentence], candidates: Sequence[Candidate], lang: Lang) -> Candidate | None:
    """Return the last that was told of what a question asks about the user and of which one thing is true at a time."""
    slot = next((slot for sentence in asked if (slot := asked_slot(sentence.text, lang))), None)
    if slot is None:
        return None
    told = [c for c in candidates if c.who != "persona" and told_slot(c.text, detect_language(c.text)) == slot]
    return last_told(told)


def related(told: Sentence, request: ReplyRequest) -> Candidate | None:
    """Return an earlier day's word by the user that shares the rare words of what was just told."""
    terms = {term for term in told.terms if len(term) > 1}
    today = request.now.date()
    for place, hit in enumerate(request.hits[:MAX_HITS], 1):
        if hit.time is None or hit.time.date() >= today or who_said(hit, request) != "user":
            continue
        for sentence in sentences_of(hit):
            shared = terms & set(content_words(sentence))
            is_named = any(word.entity and word.normal in shared for word in words(sentence))
            if (len(shared) >= 2 or is_named) and not asks_anything(sentence) and 8 <= len(sentence) <= 90:  # noqa: PLR2004  # a sentence worth quoting
                return Candidate(sentence, hit.type, "user", hit.time, 1.0, source=place)
    return None
