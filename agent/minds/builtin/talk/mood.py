"""The mood of a talk: the feeling to answer, whether something heavy is still in the air, and the dead.

Whom the user has lost is not asked after as if alive, and their days are met quietly.
"""

from collections.abc import Iterable
from dataclasses import replace

from agent.minds.builtin.talk import echo_en, echo_ja
from agent.minds.builtin.talk.scene import Scene
from managers.language.emotion import NEGATIVE, FoundEmotion, read_emotion
from managers.language.reading import told_en, told_ja
from managers.language.reading.kinship import kin_words
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, fits_any, rule
from managers.language.reading.synonyms import one_word_each
from managers.language.reading.told import Told
from managers.language.words import content_words, sentences, words

_MOST_SENTENCES = 12
_STAYS = 8
"""For so many messages of the user a loss is near."""
_SURE = 0.35
_GRIEF = 0.8
_OWN_SUBJECT = 2
"""So many words of meaning make a subject of their own; fewer go on with the one before."""


def take_up(sentence: Sentence, scene: Scene) -> Told:
    """Read what a sentence tells, in its own language, and how it is given back."""
    voice = scene.book.voice
    if sentence.lang == "ja":
        echo = echo_ja.echo_of(sentence, voice, scene.request.sheet.persona)
        return replace(told_ja.take_up(sentence, voice.you), echo=echo)
    return replace(told_en.take_up(sentence), echo=echo_en.echo_of(sentence))


def main_sentence(scene: Scene) -> Sentence | None:
    """Return the sentence that tells most: with feeling before without, longer before shorter, later before earlier."""
    feeling = read_emotion(without_laughter(scene.message)).emotion

    def weight(place: int, sentence: Sentence) -> float:
        own = read_emotion(sentence.text).emotion
        felt = (own != "neutral") + 2.0 * (own in NEGATIVE and own == feeling)
        return min(len(sentence.terms), 8) + 2.0 * felt + 0.3 * place - 0.05 * max(0, len(sentence.text) - 60)

    told = enumerate(scene.read.told[-_MOST_SENTENCES:])
    return max(told, key=lambda pair: weight(*pair), default=(0, None))[1]


def without_laughter(text: str) -> str:
    """Return a text without what people laugh, about mishaps, too: it is no joy."""
    for lang in ("ja", "en"):
        text = rule(lang, "events", "laughter").sub("", text)
    return text


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
