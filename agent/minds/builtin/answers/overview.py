"""What was talked about, and what is known of the user: the sentences that tell most of it."""

from __future__ import annotations

import unicodedata
from typing import Final

from agent.minds.builtin.answers.candidates import (
    MAX_HITS,
    Candidate,
    candidates_of,
    is_of_persona,
    noted_lines,
    says_the_same,
)
from agent.minds.builtin.dreams.statements import lasting_terms, phrase
from agent.minds.builtin.talk.quotation import marks, quoted
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_when
from managers.language.emotion import read_emotion
from managers.language.lexicons import word_list
from managers.language.reading.introductions import name_noted
from managers.language.reading.kinship import is_person
from managers.language.reading.reading import asks_anything, read
from managers.language.reading.rules import fits, fits_any
from managers.language.reading.slots import told_slot
from managers.language.reading.times import TimeSpan, find_times
from managers.language.words import content_words, detect_language, words
from managers.mind import ReplyRequest
from managers.storage.errors import Lang

_LONGEST: Final = 160
_MOST_KNOWN: Final = 6
_MOST_SUMMED: Final = 3
_TELLS: Final = 2
"""From this weight on a sentence says something."""
_NAME_NOTE: Final = 60
"""A note of fewer letters that gives a name tells nothing else."""
_OF_SOMEBODY, _TO_ME, _SOCIAL, _GIVEN_BACK = 2, 4, 5, 3
"""Words more or less that a sentence counts for: one of somebody, of the talking itself, of courtesy, of the persona."""


def tell_overview(scene: Scene) -> list[str]:
    """Say what was talked about: three things, each quoted; empty if nothing was."""
    spans = find_times(scene.read.text, scene.request.now)
    chosen = _overview(scene.request, scene.lang, spans[0] if spans else None)
    if not chosen:
        return []
    when = as_said(spans[0], scene) if spans else say_when(chosen[0].time, scene.request.now, scene.lang)
    scene.used.extend(chosen)
    quotes = [phrase(scene.lang, "brief", quote=quoted(c.text, scene.lang, _LONGEST)) for c in chosen]
    return [scene.book.say("memory", "overview", when=when, quotes=scene.book.voice.joint.join(quotes))]


def as_said(span: TimeSpan, scene: Scene) -> str:
    """Return a time in the words it was asked for in, with their capitals: "last Thursday"."""
    plain = unicodedata.normalize("NFKC", scene.read.text)
    said = plain[span.start : span.end].strip()
    return said if said.lower() == span.text else span.text


def _overview(request: ReplyRequest, lang: Lang, span: TimeSpan | None) -> list[Candidate]:
    """Return up to three sentences that tell what was talked about (on those days), in order of time, one a message."""
    best: dict[int, tuple[float, Candidate]] = {}
    for candidate in candidates_of(request):
        if request.hits and span is None and candidate.source <= 0:
            continue
        if candidate.kind == "note" or asks_anything(candidate.text):
            continue
        if span is not None and not (candidate.time and span.first <= candidate.time.date() <= span.last):
            continue
        weight = _weight_of_talk(candidate, request, lang)
        if weight >= _TELLS and weight > best.get(candidate.source, (0.0,))[0]:
            best[candidate.source] = weight, candidate
    chosen = sorted(best.values(), key=lambda one: -one[0])[:_MOST_SUMMED]
    return sorted((candidate for _, candidate in chosen), key=lambda c: c.time or request.now)


def _weight_of_talk(candidate: Candidate, request: ReplyRequest, lang: Lang) -> float:
    """Return how much a sentence tells of a talk: its words, of whom, with what feeling, and who said it."""
    text = candidate.text
    sentences = read(text, lang, persona=request.sheet.persona).sentences
    weight = len(set(content_words(text))) + candidate.rank + (read_emotion(text).emotion != "neutral")
    weight += _OF_SOMEBODY * any(is_person(word, lang) for word in words(text))
    weight -= _SOCIAL * bool(sentences and sentences[0].act) + _TO_ME * fits_any("answers", "of_talking", text)
    return weight - _GIVEN_BACK * (candidate.who == "persona")  # mostly it only took up what was told


def tell_what_is_known(scene: Scene) -> list[str]:
    """Say what is known of the user: their name, what is noted of them, and what they told of themselves."""
    persona, name = scene.request.sheet.persona, scene.book.voice.you
    lines = [line for line in noted_lines(scene.request) if not is_of_persona(line, scene.request.sheet)]
    about = [line for line in lines if name and name.removesuffix("さん") in line] or lines
    noted = [line for line in dict.fromkeys(about) if not (name_noted(line, persona) and len(line) < _NAME_NOTE)][-3:]
    known = [c for c in _known_of_user(scene.request, scene.lang) if not any(c.text in line for line in noted)]
    scene.used.extend(known)
    own = [scene.book.say("memory", "your_name")] if name else []
    if not (chosen := [*noted, *(c.text for c in known)]):
        return [*own, scene.book.say("memory", "known_nothing")]
    facts = phrase(scene.lang, "semicolon").join(quoted(line.rstrip("."), scene.lang, _LONGEST) for line in chosen)
    return [*own, scene.book.say("memory", "known", facts=facts)]


def _known_of_user(request: ReplyRequest, lang: Lang) -> list[Candidate]:
    """Return up to six sentences that tell most of the user, in the order in which they were told."""
    pool = [c for c in candidates_of(request) if _may_tell(c)]
    weighed = [(weight, at, c) for at, c in enumerate(pool) if (weight := _weight_of_user(c, request, lang)) >= _TELLS]
    chosen: list[tuple[int, Candidate]] = []
    for _, at, candidate in sorted(weighed, key=lambda entry: (-entry[0], entry[1])):
        if len(chosen) < _MOST_KNOWN and not any(says_the_same(candidate, other) for _, other in chosen):
            chosen.append((at, candidate))
    return [candidate for _, candidate in sorted(chosen, key=lambda pair: pair[0])]


def _may_tell(candidate: Candidate) -> bool:
    is_theirs = candidate.who == "user" or candidate.kind == "entity_memory"
    return is_theirs and candidate.kind != "note" and not asks_anything(candidate.text)


def _weight_of_user(candidate: Candidate, request: ReplyRequest, lang: Lang) -> float:
    """Return how much a sentence tells of who the user is: a lasting fact, their people, a time to come."""
    text = candidate.text
    lang = detect_language(text, lang)
    sentences = read(text, lang, persona=request.sheet.persona).sentences
    if not sentences or sentences[0].act or sentences[0].is_question or fits_any("answers", "weighed", text):
        return 0
    is_own = fits(lang, "answers", "own", text)
    is_kept = candidate.kind in ("told", "entity_memory")
    if not (is_own or is_kept or marks(lang)["drops_subject"]):
        return 0
    has_person = any(w.surface.lower() in word_list(lang, "persons") for w in sentences[0].words)
    is_named = any(word.entity == "person" for word in words(text))
    weight = 4.0 * (told_slot(text, lang) is not None) + 3.0 * fits(lang, "answers", "is_or_does", text)
    weight += 2.0 * (has_person and (is_own or is_named)) + is_named + 2.0 * is_kept
    weight += 1.5 * bool(set(content_words(text)) & lasting_terms(lang)) + 0.5 * is_own
    weight += 1.0 * any(span.last > request.now.date() for span in find_times(text, request.now))
    return weight + candidate.rank / MAX_HITS
