"""What it says of itself, of its inner life, of the clock, and of what it thinks of a thing."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from agent.minds.builtin.answers.candidates import is_of_persona, noted_lines
from agent.minds.builtin.answers.selection import search_question
from agent.minds.builtin.talk.quotation import for_quoting, quoted
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import say
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.reading import Sentence, question_terms, read
from managers.language.reading.rules import either, fits, fits_any, rules
from managers.language.words import content_words, detect_language, sentences

_STEM: Final = 4
"""So many letters tell rain and rainy for the same."""
_LIGHT: Final = frozenset(["day", "days", "日", "時"])
_MOST_LINES: Final = 60
_LONGEST_QUOTE: Final = 120


def tell_of_oneself(scene: Scene) -> list[str]:
    """Tell of oneself in the words of one's own notes and sheet; other ones each time that one is asked."""
    fresh = [line for line in _about_persona(scene) if not any(line[-16:] in text for text in scene.spoken)]
    if not fresh:
        return [scene.book.say("self", "what")]
    return [*fresh[: 1 if any(mark in fresh[0] for mark in "“「") else 2], scene.book.say("self", "you_now")]


def _about_persona(scene: Scene) -> list[str]:
    """Return what the persona says of itself in its notes, else what its sheet says of it, as a quotation."""
    sheet = scene.request.sheet
    lines = [line for line in noted_lines(scene.request) if is_of_persona(line, sheet)]
    own = [s for line in lines for s in sentences(line) if detect_language(s) == scene.lang]
    of_sheet = [s.strip("-・* ") for s in sheet.system_prompt.splitlines()[:_MOST_LINES] if s.lstrip()[:1] != "#"]
    described = [s for s in of_sheet if fits_any("itself", "describes", s) and detect_language(s) == scene.lang]
    return own + [_from_sheet(line, scene) for line in described[:4]]


def _from_sheet(line: str, scene: Scene) -> str:
    """Say what a line of the sheet says: a liking in one's own words, anything else as a quotation."""
    match = rules(scene.lang, "itself")["likes"].search(line)
    if match:
        return scene.book.say("self", "like", value=next(group for group in match.groups() if group))
    return scene.book.say("self", "persona_fact", quote=for_quoting(line, scene.lang, _LONGEST_QUOTE))


def tell_of_life(key: str, scene: Scene) -> list[str]:
    """Say the first goal as it stands in memory, or what the last night made it resolve; or that there is none."""
    life = scene.request.itself()
    text = life.strategy if key == "strategy" else next(iter(life.goals), "")
    if not text:
        return [scene.book.say("self", f"{key}_none")]
    return [scene.book.say("self", key, quote=for_quoting(text, scene.lang, _LONGEST_QUOTE))]


def tell_dream(scene: Scene) -> list[str]:
    """Say whether it dreams, with the newest dream that was not told yet in this conversation."""
    dreams = [for_quoting(dream, scene.lang, _LONGEST_QUOTE) for dream in scene.request.itself().dreams]
    fresh = [dream for dream in dreams if not any(dream in text for text in scene.spoken)]
    return [scene.book.say("self", "dreamt", quote=fresh[0]) if fresh else scene.book.say("self", "dream")]


def tell_date(scene: Scene) -> list[str]:
    """Say what day it is, or was yesterday, or will be."""
    plain = scene.read.text.lower()
    named = (one for one in rules(scene.lang, "itself").values() if "days" in one.means and one.search(plain))
    day = next(named, None)
    date = say("full", scene.request.now + timedelta(days=day.means["days"] if day else 0), scene.lang)
    return [scene.book.say("self", f"date_{day.name}" if day else "date", date=date)]


def say_again(scene: Scene) -> list[str]:
    """Say once more what was said last, as it was."""
    if not scene.spoken:
        return [scene.book.say("small", "here")]
    return [quoted(scene.spoken[-1], scene.lang, 200)]


def tell_of_body(scene: Scene) -> list[str]:
    """Say what one's sheet says of one's likings; else own up to having no body."""
    return [tell_liking(scene) or scene.book.say("self", "body")]


def tell_liking(scene: Scene) -> str:
    """Say what the sheet says of a liking that is asked for ("what do you like?"); own up where it is of another kind."""
    asked = " ".join(sentence.text for sentence in _asked(scene))
    if not fits_any("itself", "taste", asked):
        return ""
    if line := _line_on(scene):
        return _from_sheet(line, scene)
    if _thing_asked(scene):
        return scene.book.say("self", "no_taste")
    wants_dislike = fits_any("itself", "dislike", asked)
    lines = [one for one in _tastes(scene) if fits_any("itself", "dislike", one) == wants_dislike]
    return _from_sheet(lines[0], scene) if lines else ""


def tell_taste(scene: Scene) -> list[str]:
    """Say what one's sheet says of liking that very thing; else own up to having no body to like it with."""
    if not _thing_asked(scene):
        return tell_of_body(scene)
    line = _line_on(scene)
    return [_from_sheet(line, scene) if line else scene.book.say("self", "body")]


def _tastes(scene: Scene) -> list[str]:
    lines = re.split(r"[\n。]|(?<=[.!])\s", scene.request.sheet.system_prompt)
    return [line.strip("-・* #") for line in lines if fits_any("itself", "taste", line)]


def _line_on(scene: Scene) -> str:
    """Return the line of one's sheet that speaks of liking what a question is about, or nothing."""
    asked = {term[:_STEM] for term in _thing_asked(scene)}
    return next((line for line in _tastes(scene) if asked & {t[:_STEM] for t in content_words(line)}), "")


def _thing_asked(scene: Scene) -> set[str]:
    light = _LIGHT | {t for word in either("itself", "taste").findall(scene.read.text) for t in content_words(word)}
    return {t for t in question_terms(_asked(scene), scene.lang) if len(t) > 1 or not t.isascii()} - light


def _asked(scene: Scene) -> list[Sentence]:
    return [s for s in scene.read.sentences if s.is_question] or list(scene.read.sentences)


def tell_opinion(scene: Scene) -> list[str]:
    """Say what one's sheet says of the thing; else own up to having no view, and ask for theirs."""
    if line := _line_on(scene):
        return [_from_sheet(line, scene), scene.book.say("self", "you_now")]
    asked = _asked(scene)
    says_what = any(fits(sentence.lang, "itself", "own_question", sentence.plain) for sentence in asked)
    has_terms = bool(set(question_terms(asked, scene.lang)) - _LIGHT)
    before = _told_of(asked, scene) if has_terms else "" if says_what else _told_before(scene)
    if not before:
        return [scene.book.say("self", "opinion")]
    return [scene.book.say("self", f"opinion_{_kind_of(before)}", quote=for_quoting(before, scene.lang, 80))]


def _kind_of(told: str) -> str:
    """Return whether what was told is a good thing, a bad one, or neither."""
    emotion = read_emotion(told).emotion
    if emotion in ("joy", "happy") or fits_any("itself", "wishes", told):
        return "good"
    return "bad" if emotion in NEGATIVE else "about"


def _told_before(scene: Scene) -> str:
    """Return the last thing that the user told: what a bare "what do you think?" is about."""
    for text in reversed(scene.heard[-2:]):
        told = read(text[:2000], scene.lang, persona=scene.request.sheet.persona).told
        best = max(told, key=lambda sentence: len(sentence.terms), default=None)
        if best is not None and len(best.terms) > 1:
            return best.text
    return ""


def _told_of(asked: Sequence[Sentence], scene: Scene) -> str:
    """Return what the user told of somebody or something that is asked about ("what do you think of Tom?")."""
    heard = {term for text in scene.heard for term in content_words(text[:2000])}
    is_told = bool(heard & (set(question_terms(asked, scene.lang)) - _LIGHT))
    if not is_told and not any(word.entity for sentence in asked for word in sentence.words):
        return ""
    found = search_question(asked, scene.request, scene.lang)
    return next((c.text for c in found.best if found.fits and c.who == "user"), "")


def own_up_to_task(scene: Scene) -> list[str]:
    """Say that something is beyond this mind: the first time in a conversation with the way to a model."""
    was_told = any(scene.book.was_said("self", "cannot_at_first", text) for text in scene.spoken)
    return [scene.book.say("self", "cannot" if was_told else "cannot_at_first")]
