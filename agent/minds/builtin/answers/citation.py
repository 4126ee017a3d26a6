"""How what was found is said (as a value, a report, a quotation with who said it and when), and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from agent.minds.builtin.answers.candidates import MAX_HITS, Candidate
from agent.minds.builtin.answers.extraction import value_for
from agent.minds.builtin.talk.indirect_speech import report
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say_when
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits
from managers.recall.hits import Hit

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
    candidate = next(theirs, None)
    value = value_for(asked, candidate, scene, coverage) if candidate else ""
    if candidate is None or not value:
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
    words = [text for text in (used.text, used.original) if text]
    if holding := [place for place, hit in enumerate(hits) if any(text in hit.text for text in words)]:
        return holding
    if used.kind == "said" or used.time is None:
        return []  # said in this conversation, or noted
    return [place for place, hit in enumerate(hits) if hit.time and abs(used.time - hit.time) <= _ONE_TALK]
