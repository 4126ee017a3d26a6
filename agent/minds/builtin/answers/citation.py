"""How what was found is said (as a value, a report, a quotation with who said it and when), and what that rests on.

A report tells in one's own sentence what somebody told: "he moved to Leeds in May", 5月にリーズに引っ越した. Persons
change sides, and a day that is only right on the day it was said is said anew; what cannot be turned safely is quoted.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from agent.minds.builtin.answers.candidates import MAX_HITS, Candidate
from agent.minds.builtin.answers.extraction import value_for
from agent.minds.builtin.talk.echo_en import has_subject, speaks_to_listener, swapped, without_opener
from agent.minds.builtin.talk.echo_ja import attributive
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.voice import Voice
from managers.language.dates_in_words import say_day, say_when
from managers.language.lexicons import load, word_list
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, fits_any, rule
from managers.language.words import Word, words
from managers.recall.hits import Hit
from managers.storage.errors import Lang

_MOST_WORDS, _MOST_LETTERS = 24, 60
"""Of a longer sentence no report is made, or of its last clauses."""
_ONE_TALK: Final = timedelta(minutes=20)
"""What was said so close to a memory was looked at because of it."""
_QUOTE_KEYS: Final = {
    "note": "quote_note",
    "episodic_memory": "quote_episode",
    "entity_memory": "quote_entity",
    "knowledge": "quote_document",
    "diary": "quote_diary",
    "dream_insight": "quote_diary",
}


def say_value(scene: Scene, asked: Sequence[Sentence], best: Sequence[Candidate], coverage: float) -> list[str]:
    """Give the value that a question asks for (a day, a place, a colour), and when it was told; empty if none is plain."""
    theirs = (
        c for at, c in enumerate(best) if c.who == "user" and not (at and c.source == best[0].source and c.goes_on)
    )
    values = ((c, value) for c in theirs if (value := value_for(asked, c, scene, coverage)))
    candidate, value = next(values, (None, ""))
    if candidate is None:
        return []
    scene.used.append(candidate)
    slots = {"value": value, **_told_when(candidate, scene), **_amended(candidate, scene)}
    return [scene.book.say("fact", "value_amended" if candidate.amended else "value", **slots)]


def say_told(candidate: Candidate, scene: Scene) -> str:
    """Say in one's own sentence what the user told, with its day; the words themselves where that is not safe."""
    if not candidate.is_own_word:
        return ""
    if candidate.amended:
        return quote_told(candidate, scene)
    told = reported(candidate, scene)
    if not told or fits(scene.lang, "answers", "pronoun", candidate.text):
        return ""
    scene.used.append(candidate)
    return say_report([told], candidate, scene)


def reported(candidate: Candidate, scene: Scene) -> str:
    """Return what was told as it stands after "you told me that", empty where it cannot be turned safely."""
    request = scene.request
    return report(candidate.text, candidate.time, request.now, scene.book.voice, request.sheet.persona)


def say_report(reports: Sequence[str], candidate: Candidate, scene: Scene) -> str:
    """Say what was told on the day of a candidate: "on Monday you told me that he moved, and that she called"."""
    between, last, end = scene.book.voice.marks["reports"]
    told = last.join([between.join(reports[:-1]), reports[-1]] if reports[1:] else reports) + end
    return scene.book.say("fact", "report", told=told, **_told_when(candidate, scene))


def quote_told(candidate: Candidate, scene: Scene) -> str:
    """Quote what the user told; what was put right since is quoted with the words that did so."""
    if not candidate.amended:
        return quote(candidate, scene, key="quote_user")
    scene.used.append(candidate)
    when = say_when(candidate.time, scene.request.now, scene.lang)
    return scene.book.say("fact", "quote_amended", when=when, **_amended(candidate, scene))


def quote(candidate: Candidate, scene: Scene, *, key: str = "") -> str:
    """Return what was recalled in the speaker's own words, with who said it and when; `key` names the phrase."""
    if candidate.amended and not key:
        return quote_told(candidate, scene)
    scene.used.append(candidate)
    return scene.book.say(
        "memory",
        key or _QUOTE_KEYS.get(candidate.kind, f"quote_{candidate.who}"),
        quote=for_quoting(candidate.text, scene.lang),
        when=say_when(candidate.time, scene.request.now, scene.lang),
        heading=candidate.heading,
        unheaded="" if candidate.heading else "yes",
    )


def _told_when(candidate: Candidate, scene: Scene) -> dict[str, str]:
    when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
    return {"when": when, "undated": "" if when else "yes"}


def _amended(candidate: Candidate, scene: Scene) -> dict[str, str]:
    if not candidate.amended:
        return {}
    lang = scene.lang
    return {"quote": for_quoting(candidate.original, lang), "amended": for_quoting(candidate.amended, lang)}


def grounds_of(scene: Scene) -> tuple[Hit, ...]:
    """Return the memories whose words, days or values a reply gave, in the order in which they were found."""
    hits = scene.request.hits
    places = {place for one in scene.used for place in _places(one, hits)}
    return tuple(hits[place] for place in sorted(places))


def _places(used: Candidate, hits: Sequence[Hit]) -> list[int]:
    """Return where the memories are that a sentence stands in, else those beside which it was said."""
    if 0 < used.source <= min(MAX_HITS, len(hits)):
        return [used.source - 1]
    said = [text for text in (used.text, used.original) if text]
    if holding := [place for place, hit in enumerate(hits) if any(text in hit.text for text in said)]:
        return holding
    if used.kind == "said" or used.time is None:
        return []  # said in this conversation, or noted
    return [place for place, hit in enumerate(hits) if hit.time and abs(used.time - hit.time) <= _ONE_TALK]


def report(text: str, time: datetime | None, now: datetime, voice: Voice, persona: str = "") -> str:
    """Return a sentence that the user said as it stands after "you told me that" or before って; empty if it cannot."""
    lang = voice.lang
    if fits_any("indirect_speech", "too_much", text):
        return ""
    is_other_day = time is None or time.date() != now.date()
    if is_other_day and fits(lang, "indirect_speech", "loose", text):
        return ""
    if time is None and _shift_words(lang).search(text):
        return ""
    turned = _english(text) if lang == "en" else _japanese(text, voice, persona)
    return _with_days(turned, time, now, lang) if turned and is_other_day and time else turned


@cache
def _shift_words(lang: Lang) -> re.Pattern[str]:
    """Return what finds the words for days that mean another day on another day: tomorrow, 昨日."""
    names = "|".join(sorted(load(f"{lang}/day_words")["shifts"], key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z])(?:{names})(?![A-Za-z])", re.IGNORECASE)


def _with_days(text: str, time: datetime, now: datetime, lang: Lang) -> str:
    """Say the days of a sentence anew: "tomorrow", told on Monday, is "on 4 November" by Friday."""
    shifts = load(f"{lang}/day_words")["shifts"]
    return _shift_words(lang).sub(
        lambda match: say_day((time + timedelta(days=shifts[match.group().lower()])).date(), now.date(), lang), text
    )


def _english(text: str) -> str:
    plain = without_opener(rule("en", "told", "decoration").sub("", text).strip().rstrip(".!~ "))
    found = words(plain)
    if not 2 < len(found) <= _MOST_WORDS or speaks_to_listener(found):  # noqa: PLR2004  # she is ginger
        return ""
    if not has_subject(found) and not _is_of_a_thing(found):
        return ""
    return rule("en", "told", "trailing").sub("", swapped(found, plain))


def _is_of_a_thing(found: Sequence[Word]) -> bool:
    """Tell "The car broke down", which has a subject and a verb, from a bare "The new car"."""
    is_thing = found[0].surface.lower() in word_list("en", "determiners") - word_list("en", "empty_subjects")
    return is_thing and any(word.kind == "verb" or word.form in ("be", "have") for word in found[2:])


def _japanese(text: str, voice: Voice, persona: str) -> str:
    """Return a sentence before って, without the sign of hearsay: who tells on what they heard says so already."""
    told = rule("ja", "told", "hearsay_end").sub("", attributive(text, voice, persona, limit=_MOST_LETTERS))
    return told[:-1] + "だ" if told.endswith("な") else told
