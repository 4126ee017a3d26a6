"""What it says of itself, of the clock, and of what it thinks of a thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from agent.minds.builtin.answers.candidates import is_of_persona, noted_lines
from agent.minds.builtin.answers.selection import search_question
from agent.minds.builtin.talk.dates_in_words import say_date, say_time
from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.reading import Sentence, question_terms, read
from managers.language.words import content_words, detect_language, sentences


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
    of_sheet = [s.strip("-・* ") for s in sheet.system_prompt.splitlines()[:60] if not s.lstrip().startswith("#")]
    described = [s for s in of_sheet if _DESCRIBES.match(s) and detect_language(s) == scene.lang]
    quoted = [scene.book.say("self", "persona_fact", quote=for_quoting(s, scene.lang, 120)) for s in described[:4]]
    return own + quoted


_DESCRIBES = re.compile(r"(?:you(?: are|'re| love| like| doze| live)|あなたは|好きなもの|いつも)", re.IGNORECASE)


def tell_time(scene: Scene) -> list[str]:
    """Say what time it is."""
    return [scene.book.say("self", "time", time=say_time(scene.request.now, scene.lang))]


def tell_date(scene: Scene) -> list[str]:
    """Say what day it is, or was yesterday, or will be."""
    plain = scene.read.text.lower()
    shift = next((days for pattern, days in _SHIFTS.items() if re.search(pattern, plain)), 0)
    text = scene.book.say("self", "date", date=say_date(scene.request.now + timedelta(days=shift), scene.lang))
    if shift:
        text = text.replace("今日は" if scene.lang == "ja" else "Today is", _SHIFTED[scene.lang][shift], 1)
    return [text]


_SHIFTS = {r"明後日|あさって|day after tomorrow": 2, r"明日|あした|tomorrow": 1, r"昨日|きのう|yesterday": -1}
_SHIFTED = {
    "ja": {-1: "昨日は", 1: "明日は", 2: "あさっては"},
    "en": {-1: "Yesterday was", 1: "Tomorrow is", 2: "The day after tomorrow is"},
}


def say_again(scene: Scene) -> list[str]:
    """Say once more what was said last, as it was."""
    if not scene.spoken:
        return [scene.book.say("small", "here")]
    said = for_quoting(scene.spoken[-1], scene.lang, 200)
    return [f"「{said}」" if scene.lang == "ja" else f"“{said}”"]


def take_up_a_topic(scene: Scene) -> list[str]:
    """Ask what has been left open, once; else ask for anything."""
    if scene.request.questions:
        fresh = [q.topic for q in scene.request.questions if not any(q.topic in text for text in scene.spoken)]
        if fresh:
            return [scene.book.say("open", "ask", topic=for_quoting(fresh[0], scene.lang, 60))]
    return [scene.book.say("self", "talk")]


def tell_of_body(scene: Scene) -> list[str]:
    """Say what one's sheet says of one's likings; else own up to having no body."""
    fact = quote_sheet(scene)
    return [fact] if fact else [scene.book.say("self", "body")]


def quote_sheet(scene: Scene) -> str:
    """Quote the persona's own sheet where it answers a question about the persona ("what do you like?")."""
    asked = _TASTES.findall(scene.read.text)
    if not asked:
        return ""
    best, best_score = "", 0
    for line in _sheet_lines(scene):
        words_of_taste = {_taste(found) for found in _TASTES.findall(line)}
        score = len(words_of_taste & {_taste(found) for found in asked}) + bool(_TASTE_LINE.match(line.strip("-・* ")))
        if words_of_taste and score > best_score:
            best, best_score = line.strip("-・* #"), score
    return scene.book.say("self", "persona_fact", quote=for_quoting(best, scene.lang, 120)) if best else ""


_TASTES = re.compile(
    r"好き|嫌い|趣味|得意|苦手|\b(?:likes?|loves?|enjoys?|hobby|hobbies|favou?rites?|hates?|dislikes?)\b", re.IGNORECASE
)
_STEM = 4
"""So many letters tell rain and rainy for the same."""


def _sheet_lines(scene: Scene) -> list[str]:
    return re.split(r"[\n。]|(?<=[.!])\s", scene.request.sheet.system_prompt)


def tell_taste(scene: Scene) -> list[str]:
    """Say what one's sheet says of liking that very thing; else own up to having no body to like it with."""
    return [_sheet_on(scene) or scene.book.say("self", "body")]


def _sheet_on(scene: Scene) -> str:
    """Quote the line of one's sheet that speaks of what a question is about, or nothing."""
    asked = _asked(scene)
    light = _DAYS | {t for word in _TASTES.findall(scene.read.text) for t in content_words(word)}
    terms = {t[:_STEM] for t in question_terms(asked, scene.lang) if len(t) > 1 or not t.isascii()} - light
    for line in _sheet_lines(scene):
        if _TASTES.search(line) and terms & {t[:_STEM] for t in content_words(line)}:
            return scene.book.say("self", "persona_fact", quote=for_quoting(line.strip("-・* #"), scene.lang, 120))
    return ""


_DAYS = frozenset(["day", "days", "日", "時"])
_TASTE_LINE = re.compile(r"好きな|嫌いな|趣味|得意な|苦手な|(?:you|she|he) (?:love|like|enjoy|hate)", re.IGNORECASE)


def _asked(scene: Scene) -> list[Sentence]:
    return [s for s in scene.read.sentences if s.is_question] or list(scene.read.sentences)


def _taste(found: str) -> str:
    """Return liking or disliking, in whatever word."""
    return "dislike" if re.match(r"嫌|苦手|hate|dislike", found, re.IGNORECASE) else "like"


def tell_opinion(scene: Scene) -> list[str]:
    """Say what one's sheet says of the thing; else own up to having no view, and ask for theirs."""
    if fact := _sheet_on(scene):
        return [fact, scene.book.say("self", "you_now")]
    asked = _asked(scene)
    terms = set(question_terms(asked, scene.lang)) - _DAYS
    says_what = any(_OWN_QUESTION.search(sentence.plain) for sentence in asked)
    before = _told_of(asked, scene) if terms else "" if says_what else _told_before(scene)
    if not before:
        return [scene.book.say("self", "opinion")]
    return [scene.book.say("self", f"opinion_{_kind_of(before)}", quote=for_quoting(before, scene.lang, 80))]


_OWN_QUESTION = re.compile(r"\bdo you (?:think|believe) (?!so\b)\w+|(?:大丈夫|うまくいく|いける|平気)(?:だ)?と思う")
"""What says itself what it asks about, and does not mean the last thing that was told."""


def _kind_of(told: str) -> str:
    """Return whether what was told is a good thing, a bad one, or neither."""
    emotion = read_emotion(told).emotion
    if emotion in ("joy", "happy") or _WISHES.search(told):
        return "good"
    return "bad" if emotion in NEGATIVE else "about"


_WISHES = re.compile(r"たい|たくて|\b(?:want|wanna|hope|wish|dream)\b|\bI'd (?:be|like|love)\b", re.IGNORECASE)


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
    is_told = bool(heard & (set(question_terms(asked, scene.lang)) - _DAYS))
    if not is_told and not any(word.entity for sentence in asked for word in sentence.words):
        return ""
    found = search_question(asked, scene.request, scene.lang)
    return next((c.text for c in found.best if found.fits and c.who == "user"), "")
