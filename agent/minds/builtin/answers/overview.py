"""Summing up what was talked about: the sentences that tell most of it."""

from __future__ import annotations

import re

from agent.minds.builtin.answers.candidates import Candidate, candidates_of, is_question
from managers.language.emotion import read_emotion
from managers.language.lexicons import word_list
from managers.language.reading.reading import read
from managers.language.times import TimeSpan
from managers.language.words import content_words, words
from managers.mind import ReplyRequest
from managers.storage.errors import Lang


def overview(request: ReplyRequest, lang: Lang, span: TimeSpan | None = None) -> list[Candidate]:
    """Return up to three sentences that tell what was talked about (on those days), in order of time, one a message."""
    by_source: dict[int, Candidate] = {}
    best: dict[int, float] = {}
    pool = candidates_of(request)
    if request.hits and span is None:
        pool = [c for c in pool if c.source > 0]
    for candidate in pool:
        if candidate.kind == "note" or is_question(candidate.text) or not _is_of(candidate, span):
            continue
        reading = read(candidate.text, lang, persona=request.sheet.persona).sentences
        weight = len(set(content_words(candidate.text))) + candidate.rank - (5 if reading and reading[0].act else 0)
        weight -= _GIVEN_BACK if candidate.who == "persona" else 0
        weight += _telling(candidate.text, lang)
        if weight >= 2 and weight > best.get(candidate.source, 0):  # noqa: PLR2004  # words of content
            by_source[candidate.source], best[candidate.source] = candidate, weight
    chosen = sorted(by_source, key=lambda source: -best[source])[:3]
    return sorted((by_source[source] for source in chosen), key=lambda c: c.time or request.now)


def _telling(text: str, lang: Lang) -> float:
    """Return how much a sentence tells besides its number of words: of whom, and with what feeling."""
    is_of_somebody = any(
        word.entity == "person" or word.surface.lower() in word_list(lang, "persons") for word in words(text)
    )
    return (
        _OF_SOMEBODY * is_of_somebody
        + (read_emotion(text).emotion != "neutral")
        - _TO_ME * bool(_SAID_TO_ME.search(text))
    )


_OF_SOMEBODY, _TO_ME = 2, 4
_SAID_TO_ME = re.compile(
    r"話しかけ|話し相手|日記(?:がわり|代わり)|聞いて(?:ほし|くれ|ね)|忘れ(?:そう|る$)|\b(?:use|tell|talk to|writing to) you\b",
    re.IGNORECASE,
)
"""What is said about the talking itself tells nothing of the day."""
_GIVEN_BACK = 3
"""So many words more must be in what the persona itself said: mostly it only took up what was told."""


def _is_of(candidate: Candidate, span: TimeSpan | None) -> bool:
    return span is None or (candidate.time is not None and span.first <= candidate.time.date() <= span.last)
