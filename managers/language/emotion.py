"""The emotion of a message: eleven labels, Japanese and English, read locally in a millisecond or two."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from managers.language.emotion_context import Context, contrast_positions, read_context
from managers.language.emotion_lexicon import EMOTIONS, Emotion, Match, find_matches
from managers.language.reading.loss import tells_of_loss
from managers.language.reading.rules import fits_any
from managers.language.words import Word, detect_language, sentence_spans, words

__all__ = ["EMOTIONS", "Emotion", "FoundEmotion", "read_emotion"]

POSITIVE: frozenset[Emotion] = frozenset({"joy", "happy"})
NEGATIVE: frozenset[Emotion] = frozenset({"sadness", "anger", "fear", "anxious", "tired", "busy", "stressed"})

_THRESHOLD = 0.45
"""Less than half a plain word of emotion is none."""
_JOY_STRENGTH = 1.3
"""Happiness with at least this strength is joy."""
_MIXED_SHARE = 0.55
_MAX_LENGTH = 3000
"""The beginning and end of longer texts tell how their writer feels."""


@dataclass(frozen=True, slots=True)
class FoundEmotion:
    """What a message tells about its writer's emotion.

    Attributes:
        emotion: the strongest.
        confidence: 0 to 1; for `neutral`, how sure it is that there is none.
        mixed: a strong emotion of the other sign stands beside it.
        scores: strength by emotion, for those that were found.
    """

    emotion: Emotion
    confidence: float
    mixed: bool = False
    scores: Mapping[Emotion, float] | None = None


def read_emotion(text: str, names: Collection[str] = ()) -> FoundEmotion:
    """Read the writer's own emotion; others' feelings, questions and conditions count little.

    Args:
        text: the message.
        names: names that are no words here, such as the persona's own (ねむ is no ねむい).
    """
    for name in names:
        text = text.replace(name, "") if name else text
    if len(text) > _MAX_LENGTH:
        text = text[: _MAX_LENGTH // 2] + "\n" + text[-_MAX_LENGTH // 2 :]
    lang = detect_language(text)
    found = words(text)
    matches = find_matches(text, found, lang)
    scores = _scores(text, found, matches) if matches else {}
    reading = (
        _decide(scores, exclamations=text.count("!") + text.count("！")) if matches else FoundEmotion("neutral", 0.6)
    )
    if reading.emotion == "neutral" and tells_of_loss(text):
        return FoundEmotion("sadness", 0.6, scores=scores)  # told without a word of feeling, and no neutral news
    return reading


def _scores(text: str, found: Sequence[Word], matches: Sequence[Match]) -> dict[Emotion, float]:
    lang = detect_language(text)
    contrasts = contrast_positions(found, lang)
    questions = [span for span in sentence_spans(text) if fits_any("is_question", "asks_another", text[slice(*span)])]
    single: dict[Emotion, list[float]] = {}
    for match in matches:
        is_question = any(start <= match.start < end for start, end in questions)
        context = read_context(match, found, lang, is_question=is_question)
        emotion, strength = _effect(match, context)
        if emotion is not None:
            single.setdefault(emotion, []).append(strength * _contrast_share(match, matches, found, contrasts))
    return {emotion: max(each) + 0.25 * (sum(each) - max(each)) for emotion, each in single.items()}


def _effect(match: Match, context: Context) -> tuple[Emotion | None, float]:
    """Return the emotion that is left after negation, and its strength."""
    strength = match.weight * context.degree * context.own
    if not context.negated:
        return match.emotion, strength
    if match.emotion in POSITIVE:
        # "very" belongs to the denied word: not very happy is not very unhappy.
        return "sadness", min(0.75, 0.8 * match.weight) * context.own
    return None, 0.0


def _contrast_share(match: Match, matches: Sequence[Match], found: Sequence[Word], contrasts: Sequence[int]) -> float:
    """The clause after a "but" weighs more than the one before, if it speaks of emotion at all."""
    position = match.start
    later = [found[at].start for at in contrasts if found[at].start > position]
    if later and any(other.start > later[0] for other in matches):
        return 0.55
    return 1.0


def _decide(scores: dict[Emotion, float], *, exclamations: int) -> FoundEmotion:
    emphasis = 1 + 0.1 * min(exclamations, 3)
    if scores.get("joy", 0) and scores.get("happy", 0):
        stronger: Emotion = "joy" if scores["joy"] >= 0.6 * scores["happy"] else "happy"  # joy is the rarer word
        weaker: Emotion = "happy" if stronger == "joy" else "joy"
        scores[stronger] = max(scores[stronger], scores[weaker]) + 0.25 * min(scores[stronger], scores[weaker])
        del scores[weaker]
    top: Emotion = max(scores, key=lambda emotion: scores[emotion], default="neutral")
    strength = scores.get(top, 0.0)
    if strength < _THRESHOLD:
        return FoundEmotion("neutral", round(1 - strength, 2), scores=scores)
    opposite = NEGATIVE if top in POSITIVE else POSITIVE if top in NEGATIVE else frozenset()
    against = max((scores[emotion] for emotion in opposite if emotion in scores), default=0.0)
    if top == "happy" and strength * emphasis >= _JOY_STRENGTH and against < _THRESHOLD:
        top = "joy"
    pair = POSITIVE if top in POSITIVE else ()
    rest = max((value for emotion, value in scores.items() if emotion not in (top, *pair)), default=0.0)
    confidence = min(0.98, (strength / (strength + 0.5)) * (1 - 0.4 * min(1.0, rest / strength)))
    return FoundEmotion(top, round(confidence, 2), mixed=against >= _MIXED_SHARE * strength, scores=scores)
