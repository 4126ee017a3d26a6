"""Answering about the past by quoting: which sentence of what was recalled really answers the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.minds.builtin.candidates import (
    MADE_OF,
    MAX_HITS,
    Candidate,
    Who,
    candidates_of,
    is_question,
    sentences_of,
    who_said,
)
from agent.minds.builtin.understanding import Sentence, question_terms, word_list
from managers.language.english import verb_base
from managers.language.standing import asked_slot, told_slot
from managers.language.times import TimeSpan, find_times, tells_when
from managers.language.words import content_words, detect_language, words
from managers.mind import ReplyRequest
from managers.recall.spans import without_asking
from managers.recall.terms import is_question_word
from managers.storage.errors import Lang

_FITS = 0.34
"""At least this share of what was asked (rare words weigh more) must be in a sentence that answers."""
_SECOND_SHARE = 0.8
_NEAR = 2
"""So many likings are told where nobody knows which of them is of the kind that was asked for."""


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


def search_question(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang, *, with_now: bool = True) -> Found:
    """Return what answers a question, from hits, notes and, `with_now`, this conversation."""
    spans = [span for sentence in asked for span in find_times(sentence.text, request.now)]
    names = {term for name in (request.sheet.persona, request.sheet.user_name) for term in content_words(name)}
    timed = {term for span in spans for term in content_words(span.text)}
    terms = [term for term in question_terms(asked, lang) if term not in names | timed]
    counter = _counter(asked)
    said = set(content_words(without_asking(" ".join(sentence.text for sentence in asked))))
    terms = [term for term in terms if not is_question_word(term) and (term in said or not asks_how_it_stands(asked))]
    terms = terms or ([counter] if counter else [] if spans else _terms_before(request, lang))
    asks = next((sentence.asks for sentence in asked if sentence.asks), "")
    candidates = [c for c in candidates_of(request) if with_now or c.kind != "said"]
    if not any(_ASKS_FOR_QUESTIONS.search(sentence.plain) for sentence in asked):
        candidates = [c for c in candidates if not is_question(c.text)]
    if not candidates:
        return Found((), fits=False)
    if standing := _standing(asked, candidates, lang):
        return Found((standing,), fits=True)
    spread = _spread(candidates)
    wanted = _Wanted(tuple(terms), asks, _owner(asked, request, lang), tuple(spans), counter, _cues(asked))
    scored = sorted(((_score(c, wanted, spread), c) for c in candidates), key=lambda pair: (-pair[0][0], -pair[1].rank))
    (top, coverage), best = scored[0]
    fits = coverage >= _FITS or (not terms and bool(request.hits))
    if fits and _shares_taste_alone(terms, best):
        liked = [c for (_, share), c in scored if share and c.who == best.who and _shares_taste_alone(terms, c)]
        newest = sorted(liked, key=lambda c: c.time or request.now, reverse=True)
        return Found(tuple(newest[:_NEAR]), fits=False, is_near=True)
    if not fits and (recalled := [(score + 0.3 * c.rank, c) for (score, _), c in scored if c.source > 0]):
        return Found((max(recalled, key=lambda pair: pair[0])[1],), fits=False, coverage=coverage)
    newer = _newest(best, wanted, scored) if asks_how_it_stands(asked) else _newer(best, wanted, scored)
    if fits and newer is not None:
        return Found((newer, best), fits=True, coverage=coverage)
    chosen = [best]
    for (score, share), candidate in scored[1:]:
        if score < _SECOND_SHARE * top or (share < _FITS and fits) or len(chosen) > 1:
            break
        if not _adds_to(best, candidate, wanted):
            continue
        if candidate.source != best.source and not _says_the_same(candidate.text, best.text):
            chosen.append(candidate)
    if fits and asks == "when" and len(chosen) == 1:
        chosen += _hour_of(best, candidates)
    return Found(tuple(chosen), fits=fits, coverage=coverage)


def _adds_to(best: Candidate, candidate: Candidate, wanted: _Wanted) -> bool:
    """Tell a second sentence that answers too from what the persona said to it, a date beside an age, and mere company."""
    if candidate.who == "persona" and best.who == "user" and wanted.owner != "persona":
        return False
    if wanted.counter and _is_counted(best, wanted) and not _is_counted(candidate, wanted):
        return False
    return not wanted.terms or bool(_held(candidate, wanted)) or (candidate.goes_on and not _held(best, wanted))


def _hour_of(best: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentence that goes on with the hour, where the day stands in one and the hour in the next."""
    if _HOUR.search(best.text) or best.kind != "said":
        return []
    return [c for c in candidates if c.source == best.source and c.goes_on and _HOUR.search(c.text)][:1]


_HOUR = re.compile(
    r"[0-9０-９一二三四五六七八九十]時(?!間)|\b(?:at|from) \d{1,2}\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b",
    re.IGNORECASE,
)


def _newer(
    best: Candidate, wanted: _Wanted, scored: Sequence[tuple[tuple[float, float], Candidate]]
) -> Candidate | None:
    """Return the last word on it, where something later says as much: people correct themselves, and things move."""
    if best.time is None or best.who == "persona":
        return None
    top, coverage = scored[0][0]
    held = _held(best, wanted)
    later = [
        c
        for (score, share), c in scored
        if c.time is not None
        and score >= top - _NEARLY
        and _held(c, wanted) >= max(held, 1)
        and (c.time, -c.source) > (best.time, -best.source)
        and c.who == best.who
        and share >= max(_FITS, coverage - _ALIKE)
        and not _says_the_same(c.text, best.text)
        and (not wanted.counter or _is_counted(c, wanted) == _is_counted(best, wanted))
    ]
    return max(later, key=lambda c: (c.time is not None, c.time, -c.source), default=None)


def _newest(
    best: Candidate, wanted: _Wanted, scored: Sequence[tuple[tuple[float, float], Candidate]]
) -> Candidate | None:
    """Return the last that the user told of it, whatever it was: a question how things stand asks for the end."""
    later = [
        c
        for _, c in scored
        if c.who == best.who == "user"
        and (c.time is not None and best.time is not None and c.time > best.time)
        and _held(c, wanted)
        and not _says_the_same(c.text, best.text)
    ]
    return max(later, key=lambda c: (c.time is not None, c.time), default=None)


def asks_how_it_stands(asked: Sequence[Sentence]) -> bool:
    """Tell a question for news of somebody or something (モモはどうなった？)."""
    return any(_HOW_IT_STANDS.search(sentence.plain) for sentence in asked)


_HOW_IT_STANDS = re.compile(
    r"どうなっ|どうなりま|どうして(?:る|い)|元気(?:か|な|に|$)|\b(?:happened|happening) (?:to|with)\b|\b(?:became|become) of\b|\bany news\b"
)


def _held(candidate: Candidate, wanted: _Wanted) -> int:
    """Return how many of the question's words stand in the sentence itself."""
    return len(set(wanted.terms) & _terms_of(candidate.text))


_ALIKE = 0.2
_NEARLY = 0.15
_ASKS_FOR_QUESTIONS = re.compile(r"聞い[たて]|聞きま|尋ね|たずね|質問|\bask(?:ed|ing)?\b|\bquestions?\b")


def _shares_taste_alone(terms: Sequence[str], candidate: Candidate) -> bool:
    """Whether it shares with the question only that somebody likes something: food, or a dog?"""
    there = _terms_of(candidate.text) | set(content_words(candidate.around))
    shared = [term for term in terms if _taste(term) in there]
    return 0 < len(shared) < len(terms) and all(_taste(term) in _LIKINGS for term in shared)


def _standing(asked: Sequence[Sentence], candidates: Sequence[Candidate], lang: Lang) -> Candidate | None:
    """Return the last that was told of what a question asks about the user and of which one thing is true at a time."""
    slot = next((slot for sentence in asked if (slot := asked_slot(sentence.text, lang))), None)
    if slot is None:
        return None
    told = [c for c in candidates if c.who != "persona" and told_slot(c.text, detect_language(c.text)) == slot]
    return max(told, key=lambda c: (c.time is not None, c.time, -c.source), default=None)


def _counter(asked: Sequence[Sentence]) -> str:
    """Return in what a number is asked for: the 位 of 何位."""
    found = (
        re.search(r"何(個|人|位|番|問|回|匹|歳|才|分|時間|円|枚|冊|本|キロ|度|台|杯|週間|日間|年間|年(?!生))", s.plain)
        for s in asked
    )
    return next((match.group(1) for match in found if match), "")


def _says_the_same(one: str, other: str) -> bool:
    first, second = set(content_words(one)), set(content_words(other))
    return first <= second or second <= first


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a question wants: about what, which kind of answer, whose words, from when; `cues` are its lighter verbs."""

    terms: tuple[str, ...]
    asks: str
    owner: Who
    spans: tuple[TimeSpan, ...]
    counter: str = ""
    cues: frozenset[str] = frozenset()


def _cues(asked: Sequence[Sentence]) -> frozenset[str]:
    """Return the verbs of a question: too common to search by, they tell which of two sentences on somebody answers."""
    return frozenset(base for sentence in asked if sentence.lang == "en" for base in _bases(sentence.plain))


def _bases(text: str) -> set[str]:
    found = {verb_base(word) for word in re.findall(r"[a-z]{4,}", text.lower())} - _NO_CUES
    return {"call" if base == "name" else base for base in found}


_NO_CUES = frozenset("what when where which whom whose does were have that this with from about your their there they them then".split())  # fmt: skip  # noqa: SIM905  # words read best as words


def _owner(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang) -> Who:
    plain = " ".join(sentence.text for sentence in asked)
    if request.sheet.user_name and request.sheet.user_name in plain:
        return "user"
    if request.sheet.persona and request.sheet.persona in plain:
        return "persona"
    return _whose(" ".join(sentence.plain for sentence in asked), lang)


def _terms_before(request: ReplyRequest, lang: Lang) -> list[str]:
    """A question without words of its own ("and when was that?") is about what was said before."""
    light = word_list(lang, "question_light")
    for turn in reversed(request.turns[:-1]):
        if turn.role == "user" and (terms := [t for t in content_words(turn.text) if t not in light]):
            return list(dict.fromkeys(terms))
    return []


def _spread(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return how much each word tells candidates apart."""
    counts: dict[str, int] = {}
    for candidate in candidates:
        for term in set(content_words(candidate.text)):
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log(1 + len(candidates) / count) for term, count in counts.items()}


_ANSWERS_ON = 0.9
"""What a sentence of this conversation goes on about is nearly as good as said in it."""


def _score(candidate: Candidate, wanted: _Wanted, spread: dict[str, float]) -> tuple[float, float]:
    """Return how well a sentence answers, and the share of the question's words that it holds."""
    there = _terms_of(candidate.text)
    around = set(content_words(candidate.around)) - there if candidate.around else set()
    unknown = max(spread.values(), default=1.0)
    total = sum(spread.get(term, unknown) for term in wanted.terms) or 1.0
    covered = sum(spread.get(term, unknown) for term in wanted.terms if _taste(term) in there) / total
    share = _ANSWERS_ON if candidate.goes_on else 0.5
    covered += share * sum(spread.get(term, unknown) for term in wanted.terms if term in around) / total
    score = covered + 0.35 * candidate.rank
    if wanted.asks and _has_answer(candidate, wanted.asks, wanted.terms):
        score += 0.3 if not wanted.counter or _is_counted(candidate, wanted) else 0.1
    if candidate.goes_on and wanted.cues & _bases(candidate.text):
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
        score -= 0.2  # what a night made of it; what was said comes first
    if len(there) < 2 and not around:  # noqa: PLR2004  # "Wow!", はい。
        score -= 0.2
    return score, covered


def _is_topic(candidate: Candidate, wanted: _Wanted) -> bool:
    """Tell 推しは…, which says of the very thing what is asked, from what only goes on after it."""
    if wanted.asks in ("where", "when", "how_many"):
        return False  # a place, a day and a number are known by themselves
    found = words(candidate.text[:40])
    at = next((at for at, word in enumerate(found[:4]) if word.form == "係助詞" and word.surface == "は"), 0)
    named = [word for word in found[:at] if word.kind != "function"]
    return bool(named) and all(word.normal in wanted.terms for word in named)


def _is_counted(candidate: Candidate, wanted: _Wanted) -> bool:
    return bool(re.search(rf"[0-9０-９一二三四五六七八九十百千万]{wanted.counter}", candidate.text))


_LIKINGS = frozenset(["好き", "嫌い"])


def _terms_of(text: str) -> set[str]:
    return {_taste(term) for term in content_words(text)}


def _taste(term: str) -> str:
    """Return one word for all words of liking, and one for all of disliking."""
    return _TASTES.get(term, term)


_TASTES = {
    **dict.fromkeys(["好き", "大好き", "大好物", "好物", "好む", "気に入る", "お気に入り"], "好き"),
    **dict.fromkeys(["love", "like", "favorit", "favourit", "favorite", "favourite", "enjoy", "ador", "adore"], "好き"),
    **dict.fromkeys(["嫌い", "大嫌い", "苦手", "hate", "dislik", "dislike", "detest"], "嫌い"),
}

_NUMBER = re.compile(
    r"[0-9０-９〇一二三四五六七八九十百千万半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|half|couple|once|twice)\b",
    re.IGNORECASE,
)


def _has_answer(candidate: Candidate, asks: str, terms: Sequence[str]) -> bool:  # noqa: PLR0911  # one per kind
    """Tell whether a sentence holds the kind of thing that was asked for, beyond the question's own words."""
    text = candidate.text
    if asks == "how_many":
        return bool(_NUMBER.search(text))
    if asks == "when":
        return tells_when(text) or bool(_NUMBER.search(text))
    if asks == "why":
        return bool(re.search(r"から|ので|ため|理由|おかげ|because|since|so that|reason|\bto\b", text, re.IGNORECASE))
    if asks not in ("who", "where"):
        return False
    lang = detect_language(text)
    for word in words(text):
        if word.normal in terms:
            continue
        is_person = word.entity == "person" or word.surface.lower() in word_list(lang, "persons")
        if asks == "who" and is_person:
            return True
        if asks == "where" and (word.entity in ("place", "organisation") or (word.entity == "other" and lang == "ja")):
            return True
    return False


def _whose(plain: str, lang: Lang) -> Who:
    """Read whose words are asked for: mine (the user's) or yours (the persona's)."""
    if lang == "ja":
        mine = re.search(r"私|わたし|僕|ぼく|俺|自分|うちの|あたし", plain)
        yours = re.search(r"あなた|君|きみ|お前|そちら|おすすめして|薦めて|言ってくれ|教えてくれた", plain)
    else:
        mine = re.search(r"\b(?:i|my|me|mine|i'm|i've|we|our)\b", plain)
        yours = re.search(r"\b(?:(?:did|have|do) you|your|you (?:say|tell|recommend|suggest|said|told))\b", plain)
    if bool(mine) == bool(yours):
        return "user" if mine else "nobody"
    return "user" if mine else "persona"


def related(told: Sentence, request: ReplyRequest) -> Candidate | None:
    """Return an earlier day's word by the user that shares the rare words of what was just told."""
    terms = {term for term in told.terms if len(term) > 1}
    today = request.now.date()
    for hit in request.hits[:MAX_HITS]:
        if hit.time is None or hit.time.date() >= today or who_said(hit, request) != "user":
            continue
        for sentence in sentences_of(hit):
            shared = terms & set(content_words(sentence))
            is_named = any(word.entity and word.normal in shared for word in words(sentence))
            if (len(shared) >= 2 or is_named) and not is_question(sentence) and 8 <= len(sentence) <= 90:  # noqa: PLR2004  # a sentence worth quoting
                return Candidate(sentence, hit.type, "user", hit.time, 1.0)
    return None


def names_days_alone(asked: Sequence[Sentence], request: ReplyRequest, lang: Lang) -> bool:
    """Tell a question that asks for nothing but what was on some days ("What did I do yesterday?")."""
    spans = [span for sentence in asked for span in find_times(sentence.text, request.now)]
    timed = {term for span in spans for term in content_words(span.text)}
    return bool(spans) and not _counter(asked) and all(term in timed for term in question_terms(asked, lang))
