"""What is known of the user: the sentences that tell who they are, whom they have, and what they care for."""

from __future__ import annotations

import re

from agent.minds.builtin.answers.candidates import MAX_HITS, Candidate, candidates_of, is_question
from agent.minds.builtin.dreams.statements import lasting_terms
from managers.language.lexicons import word_list
from managers.language.reading.reading import read
from managers.language.standing import told_slot
from managers.language.times import find_times
from managers.language.words import content_words, detect_language, words
from managers.mind import ReplyRequest
from managers.storage.errors import Lang

_MOST = 6
_TELLS = 2
"""From this weight on a sentence says something of the one who said it."""
_OWN: dict[Lang, re.Pattern[str]] = {
    "ja": re.compile(r"私|わたし|僕|ぼく|俺|おれ|うち|自分|あたし"),
    "en": re.compile(r"\b(?:i|i'm|i've|my|we|we're|we've|our)\b", re.IGNORECASE),
}
_IS: dict[Lang, re.Pattern[str]] = {
    "ja": re.compile(r"を?して(?:い)?(?:る|ます)[。！!]?$|(?<![たよそ])(?:なん)?(?:だ|です)(?:よ|ね)?[。！!]?$"),
    "en": re.compile(r"\bi(?:'m| am| was) an? \w+|\bi(?:'ve)? (?:teach|taught|study|run|own|work|used to)\b", re.IGNORECASE),
}  # fmt: skip
"""What somebody is or does for a living, said in the plainest way."""

_VAGUE = re.compile(
    r"^(?:so |but |and )?(?:maybe|perhaps|i (?:guess|suppose|don't know))\b|かも(?:しれ|[。…]|$)", re.IGNORECASE
)
"""What is but weighed says nothing yet of anybody."""


def known_of_user(request: ReplyRequest, lang: Lang) -> list[Candidate]:
    """Return up to six sentences that tell most of the user, in the order in which they were told."""
    pool = [c for c in candidates_of(request) if _may_tell(c)]
    weighed = [(weight, at, c) for at, c in enumerate(pool) if (weight := _weight(c, request, lang)) >= _TELLS]
    chosen: list[tuple[int, Candidate]] = []
    for _, at, candidate in sorted(weighed, key=lambda entry: (-entry[0], entry[1])):
        if len(chosen) < _MOST and not any(_is_in(candidate, other) for _, other in chosen):
            chosen.append((at, candidate))
    return [candidate for _, candidate in sorted(chosen, key=lambda pair: pair[0])]


def _may_tell(candidate: Candidate) -> bool:
    is_theirs = candidate.who == "user" or candidate.kind == "entity_memory"
    return is_theirs and candidate.kind != "note" and not is_question(candidate.text)


def _weight(candidate: Candidate, request: ReplyRequest, lang: Lang) -> float:
    text = candidate.text
    lang = detect_language(text, lang)
    told = read(text, lang, persona=request.sheet.persona).sentences
    if not told or told[0].act or told[0].is_question or _VAGUE.search(text):
        return 0
    is_own = bool(_OWN[lang].search(text))
    if lang == "en" and not is_own and candidate.kind not in ("told", "entity_memory"):
        return 0
    terms = set(content_words(text))
    has_person = any(w.surface.lower() in word_list(lang, "persons") for w in told[0].words)
    is_named = any(word.entity == "person" for word in words(text))
    weight = 4.0 * (told_slot(text, lang) is not None) + 3.0 * bool(_IS[lang].search(text))
    weight += 2.0 * (has_person and (is_own or is_named)) + is_named
    weight += 1.5 * bool(terms & lasting_terms(lang)) + 0.5 * is_own
    weight += 2.0 * (candidate.kind in ("told", "entity_memory"))
    weight += 1.0 * any(span.last > request.now.date() for span in find_times(text, request.now))
    return weight + candidate.rank / MAX_HITS


def _is_in(candidate: Candidate, other: Candidate) -> bool:
    one, two = set(content_words(candidate.text)), set(content_words(other.text))
    return one <= two or two <= one
