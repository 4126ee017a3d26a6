"""The mood of a talk: the feeling to answer, and whether something heavy is still in the air."""

from __future__ import annotations

from agent.minds.builtin.talk.main_point import main_sentence, take_up, without_laughter
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.told import Told
from managers.language.emotion import NEGATIVE, FoundEmotion, read_emotion
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, fits_any
from managers.language.words import content_words

_SURE = 0.35
_GRIEF = 0.8
_OWN_SUBJECT = 2
"""So many words of meaning make a subject of their own; fewer go on with the one before."""


def feeling_of(scene: Scene) -> str:
    """Return the feeling to answer: the turn's own reading where it is sure, `mixed` where there are two."""
    sober = without_laughter(scene.message)
    reading = _felt(scene, sober)
    if fits_any("events", "plain_fact", sober):
        return "neutral"  # "I was born in Leicester", にんじんきらい
    if reading.mixed:
        return "mixed"
    given = scene.request.emotion
    is_own = scene.request.sheet.persona not in scene.message and sober == scene.message
    if is_own and given.emotion != "neutral" and given.confidence >= _SURE:
        return given.emotion
    return reading.emotion if reading.confidence >= _SURE else "neutral"


def _felt(scene: Scene, text: str) -> FoundEmotion:
    return read_emotion(text, [scene.request.sheet.persona])


def is_mild(scene: Scene, told: Told) -> bool:
    """Tell dread of the dentist from grief."""
    if fits_any("events", "parting", scene.message):
        return False
    return told.is_future or (told.is_own and (_felt(scene, scene.message).scores or {}).get("sadness", 1.0) < _GRIEF)


def is_dark(sentence: Sentence) -> bool:
    """Tell what must not be given back, which would confirm it: despair (どうせ変わらない), pain."""
    return fits(sentence.lang, "events", "dark", sentence.plain) or read_emotion(sentence.text).emotion in NEGATIVE


def is_heavy_talk(scene: Scene) -> bool:
    """Tell whether the user's last words before this were heavy."""
    felt = [_felt(scene, text).emotion for text in scene.heard[-2:]]
    return bool({"sadness", "fear"} & {*felt} or {"anger", "stressed"} & {*felt[-1:]})


def goes_on_heavily(scene: Scene) -> bool:
    """Tell whether a message goes on about the heavy thing that was told before it, or turns to something else."""
    if not is_heavy_talk(scene) or _was_left(scene):
        return False
    sentence = main_sentence(scene)
    if sentence is None or fits(scene.lang, "events", "points_back", sentence.plain):
        return True
    if read_emotion(sentence.text).emotion in NEGATIVE or not take_up(sentence, scene).topic:
        return True
    before = {term for text in scene.heard[-2:] for term in content_words(text)}
    return bool(before & set(sentence.terms)) or len(sentence.terms) < _OWN_SUBJECT


def _was_left(scene: Scene) -> bool:
    """Tell whether the message before this one had turned from the heavy one before it to a subject of its own already."""
    if scene.lang != "en" or len(scene.heard) < 2:  # noqa: PLR2004  # the heavy one and what followed it
        return False
    heavy, last = scene.heard[-2:]
    terms = set(content_words(last))
    is_other = len(terms) >= _OWN_SUBJECT and not terms & set(content_words(heavy))
    return is_other and not fits("en", "events", "of_them", last) and _felt(scene, last).emotion not in NEGATIVE


def is_everyday(scene: Scene) -> bool:
    """Tell whether a message is of everyday things, with nothing dark in it, though the talk before was."""
    if scene.given:
        return True
    sentence = main_sentence(scene)
    if sentence is None or any(is_dark(one) for one in scene.read.told):
        return False
    return not goes_on_heavily(scene) and bool(take_up(sentence, scene).topic) and len(sentence.terms) >= _OWN_SUBJECT
