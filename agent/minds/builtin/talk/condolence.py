"""The dead: whom the user has lost is not asked after as if alive, and their days are met quietly."""

from __future__ import annotations

from collections.abc import Iterable

from agent.minds.builtin.talk.scene import Scene
from managers.language.reading.kinship import kin_words
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits_any
from managers.language.reading.synonyms import one_word_each
from managers.language.reading.told import Told
from managers.language.words import sentences, words

_STAYS = 8
"""For so many messages of the user the loss is near."""


def condole(scene: Scene, sentence: Sentence, told: Told, feeling: str) -> list[str]:
    """Answer what is told of somebody who has died, or shortly after a death was told; empty where there is none."""
    subject = told.person or told.topic
    is_joyful = fits_any("events", "news", scene.message)
    if fits_any("events", "dies", sentence.text) and tells_of_loss(sentence.text) and not is_joyful:
        after = scene.book.say("comfort", "rest" if scene.asked_lately else "ask", grief="yes")
        return [scene.book.say("feel", "loss", who=subject), after]
    is_about_dead = bool(subject) and is_gone(subject, scene)
    if (is_about_dead and told.is_wish) or _misses_the_dead(scene):
        return [scene.book.say("feel", "sadness", echo=told.echo), scene.book.say("comfort", "rest")]
    is_quiet = feeling in ("neutral", "surprise") or (feeling in ("joy", "happy") and told.is_past and is_about_dead)
    if is_quiet and (is_about_dead or is_near_loss(scene)) and not is_joyful:
        return [scene.book.say("feel", "neutral", echo=told.echo), scene.book.say("comfort", "quiet")]
    return []


def is_gone(person: str, scene: Scene) -> bool:
    """Tell whether somebody was said to have died, in this conversation or in what was recalled."""
    recalled = [hit.text for hit in scene.request.hits if hit.speaker != scene.request.sheet.persona]
    told = [*scene.heard, scene.message, *recalled, scene.request.notes]
    who = one_word_each(person)
    return bool(who) and any(who & one_word_each(sentence) for sentence in _deaths(told))


def speaks_of_death(scene: Scene) -> bool:
    """Tell whether a message tells of a death, be it long ago: no moment for a yawn."""
    return any(_deaths([scene.message]))


def is_near_loss(scene: Scene) -> bool:
    """Tell whether a death was told of a short while ago."""
    return any(not fits_any("events", "long_ago", told) for told in _deaths([*scene.heard[-_STAYS:], scene.message]))


def _misses_the_dead(scene: Scene) -> bool:
    """Tell whether somebody wishes for once more of what a death that they told of has taken, however long ago."""
    if not fits_any("events", "once_more", scene.message):
        return False
    spoken_of = {word.surface for word in words(scene.message)} & kin_words(scene.lang)
    return any(_deaths(scene.heard[-_STAYS:])) or any(is_gone(one, scene) for one in spoken_of)


def _deaths(texts: Iterable[str]) -> Iterable[str]:
    told = (text[:4000] for text in texts if fits_any("events", "death", text))
    return (sentence for text in told for sentence in sentences(text) if fits_any("events", "death", sentence))
