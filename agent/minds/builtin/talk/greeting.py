"""Greetings, introductions, thanks and goodbyes: in full when nothing else was said, else in a word."""

import unicodedata

from agent.minds.builtin.talk.acknowledgement import turn_to_what_is_open
from agent.minds.builtin.talk.mood import is_heavy_talk
from agent.minds.builtin.talk.scene import Scene
from managers.language.dates_in_words import part_of_day
from managers.language.reading.introductions import was_asked_name
from managers.language.reading.reading import SOCIAL, has_question_mark, read
from managers.language.reading.rules import fits_any

_LATE, _EARLY, _NOON = 22, 4, 12
"""Hours: from when a goodbye is for the night, and from when a good morning comes late."""
_HELLOS = ("morning", "day", "evening")
_OF_COMING_AND_GOING = ("night", "bye", "home", "leave", "first", "how_are_you")
_KINDNESSES = ("thanks", "apology", "praise", "affection")


def answer_courtesy(scene: Scene, *, is_alone: bool) -> list[str]:
    """Answer greetings, thanks and the like; where nothing else was said at all, ask on."""
    acts = [sentence.act for sentence in scene.read.sentences if sentence.act in SOCIAL]
    if not acts:
        return [scene.book.say("small", "ask_on")] if is_alone else []
    if scene.given:
        return meet(scene)
    hour = scene.request.now.hour
    if is_alone and "bye" in acts and (hour >= _LATE or hour < _EARLY):
        return [scene.book.say("greet", "bye_late")]
    first = next(act for group in (("night", "bye"), ("how_are_you",), acts) for act in acts if act in group)
    return _in_full(scene, first) if is_alone or "how_are_you" in acts else _in_a_word(scene, first)


def meet(scene: Scene) -> list[str]:
    """Greet somebody who gives their name, by that name; later on take up what they want to be called."""
    known, now = scene.request.sheet.user_name, part_of_day(scene.request.now)
    if scene.given == known:
        return [] if has_greeted(scene) else [scene.book.say("greet", now)]
    is_early = len(scene.heard) <= 1 and not any(scene.book.voice.name in text for text in scene.spoken)
    is_awaited = not scene.spoken or (is_early and not was_asked_name(scene.spoken[-1]))
    is_put_right = bool(known) and known.casefold() in scene.message.casefold()
    if is_put_right or not (is_awaited or scene.read.act("first")):
        return [scene.book.say("greet", "called")]
    said = scene.read.act(*_HELLOS)
    bare = "" if scene.read.told or scene.read.questions else "yes"
    return [scene.book.say("greet", "met", greeting=scene.book.phrase("hello", said.act if said else now), bare=bare)]


def short_hello(scene: Scene, act: str) -> str:
    """Return a greeting of one word, with the name where it is known."""
    return scene.book.say("greet", "short", greeting=scene.book.phrase("hello", act))


def has_greeted(scene: Scene) -> bool:
    """Tell whether one of the persona's last replies began with a greeting."""
    return any(fits_any("courtesy", "greeted", unicodedata.normalize("NFKC", one).lower()) for one in scene.spoken[-6:])


def _in_full(scene: Scene, act: str) -> list[str]:
    say = scene.book.say
    if act in _HELLOS or act in _OF_COMING_AND_GOING:
        return _hello(scene, act) if act in _HELLOS else [say("greet", act)]
    if act == "give_name":
        is_known = bool(scene.book.voice.you)
        return [say("greet", "called" if is_known else "again", greeting=scene.book.phrase("hello", "day"))]
    if act == "yes" and is_heavy_talk(scene):
        return [say("comfort", "rest" if scene.asked_lately > 1 else "ask")]
    if act == "yes" and _was_asked_what(scene):
        return [say("small", "ask_on")]
    if act in ("yes", "no"):
        return [say("small", "agree" if act == "yes" else "no"), *_keep_going(scene)]
    return [say("small", "here" if act == "call" else act)]


def _hello(scene: Scene, act: str) -> list[str]:
    say, request = scene.book.say, scene.request
    is_new = not (scene.spoken or scene.book.voice.you or request.notes or request.hits)
    if is_new and scene.book.chance(0.5):
        return [short_hello(scene, act), say("greet", "first")]
    if has_greeted(scene):
        return [say("greet", "again", greeting=scene.book.phrase("hello", act))]
    if act == "morning" and _NOON <= request.now.hour < _LATE:
        return [say("greet", "late_morning")]
    return [say("greet", part_of_day(request.now) if act == "day" and scene.lang == "en" else act)]


def _in_a_word(scene: Scene, act: str) -> list[str]:
    if act in _HELLOS:
        return [] if has_greeted(scene) else [short_hello(scene, act)]
    table = "small" if act in _KINDNESSES else "greet" if act in ("night", "bye") else ""
    return [scene.book.say(table, act)] if table else []


def _was_asked(scene: Scene) -> bool:
    return bool(scene.spoken) and has_question_mark(scene.spoken[-1])


def _was_asked_what(scene: Scene) -> bool:
    return _was_asked(scene) and bool(read(scene.spoken[-1][-60:], scene.lang).sentences[-1].asks)


def _keep_going(scene: Scene) -> list[str]:
    """After a short answer: an open question or a new start, when the thread has run dry."""
    if _was_asked(scene) and scene.asked_lately < 2:  # noqa: PLR2004  # of the last two
        return []
    return turn_to_what_is_open(scene)
