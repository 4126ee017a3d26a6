"""What a message tells most of: its main sentence, taken up in its own language."""

from __future__ import annotations

from agent.minds.builtin.talk import told_en, told_ja
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.told import Told
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import rule

_MOST_SENTENCES = 12


def take_up(sentence: Sentence, scene: Scene) -> Told:
    """Read what a sentence tells, in its own language."""
    if sentence.lang == "ja":
        return told_ja.take_up(sentence, scene.book.voice, scene.request.sheet.persona)
    return told_en.take_up(sentence)


def topic_of(sentence: Sentence, scene: Scene) -> str:
    """Return the phrase that a sentence is about, or empty."""
    return take_up(sentence, scene).topic


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
