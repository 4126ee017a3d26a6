"""The words of emotion, found in a text by their dictionary forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from managers.language.lexicons import load
from managers.language.words import Word, words
from managers.storage.errors import Lang

Emotion = Literal[
    "joy", "happy", "surprise", "neutral", "sadness", "anger", "fear", "anxious", "tired", "busy", "stressed"
]
EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)

_Entries = dict[str, list[tuple[tuple[str, ...], dict[Emotion, float]]]]


@dataclass(frozen=True, slots=True)
class Match:
    """Words of a text that speak of an emotion.

    Attributes:
        emotion: which.
        weight: how strongly, 1 for a plain word of it.
        first, last: indexes of its words in the text, both inclusive; -1 for what is no word (emoji).
        start: where it begins, in characters.
    """

    emotion: Emotion
    weight: float
    first: int
    last: int
    start: int


def key(word: Word, lang: Lang) -> str:
    """Return what a word is matched by."""
    if word.surface in ("たら", "だら"):
        return word.surface  # よかったら is no よかった
    if lang == "ja" or word.kind == "symbol":
        return word.normal
    return word.lemma


@cache
def rule(lang: Lang, name: str) -> frozenset[str]:
    """Return one list of the lexicon's rules, as keys of single words."""
    listed = str(load(f"{lang}/emotions")["rules"].get(name, "")).split()
    return frozenset(listed) | {key(found[0], lang) for entry in listed if len(found := words(entry)) == 1}


def find_matches(text: str, found: Sequence[Word], lang: Lang) -> list[Match]:
    """Return all words of emotion in a text, the longest phrase winning where several fit."""
    matches = [*_phrases(found, lang), *_raw(text, lang), *_emoji(text)]
    return sorted(matches, key=lambda match: match.start)


def _phrases(found: Sequence[Word], lang: Lang) -> Iterator[Match]:
    entries = _entries(lang)
    keys = [key(word, lang) for word in found]
    at = 0
    while at < len(keys):
        for phrase, emotions in entries.get(keys[at], ()):
            if tuple(keys[at : at + len(phrase)]) == phrase and not _is_bare_stem(found, at + len(phrase) - 1):
                for emotion, weight in emotions.items():
                    yield Match(emotion, weight, at, at + len(phrase) - 1, found[at].start)
                at += len(phrase) - 1
                break
        at += 1


def _is_bare_stem(found: Sequence[Word], at: int) -> bool:
    """Tell ねむ (a name, an outcry) from ねむすぎる: the stem of an adjective with nothing to carry it."""
    if not found[at].form.startswith("語幹"):
        return False
    following = found[at + 1] if at + 1 < len(found) else None
    return following is None or following.kind == "symbol"


@cache
def _entries(lang: Lang) -> _Entries:
    """Return the phrases by their first key, longest first; phrases of no emotion have none."""
    collected: dict[tuple[str, ...], dict[Emotion, float]] = {}
    lexicon = load(f"{lang}/emotions")
    for emotion in EMOTIONS:
        for weight, listed in lexicon.get(emotion, {}).items():
            for phrase in _listed(listed, lang):
                emotions = collected.setdefault(phrase, {})
                emotions[emotion] = max(float(weight), emotions.get(emotion, 0))
    for listed in lexicon["calm"].values():
        for phrase in _listed(listed, lang):
            collected[phrase] = {}
    entries: _Entries = {}
    for phrase, emotions in sorted(collected.items(), key=lambda item: -len(item[0])):
        entries.setdefault(phrase[0], []).append((phrase, emotions))
    return entries


def _listed(listed: str, lang: Lang) -> Iterator[tuple[str, ...]]:
    for entry in listed.split() if lang == "ja" else listed.replace("/", "\n").split("\n"):
        if phrase := tuple(key(word, lang) for word in words(entry)):
            yield phrase


def _raw(text: str, lang: Lang) -> Iterator[Match]:
    for emotion, pattern in _patterns(lang):
        for found in pattern.finditer(text):
            yield Match(emotion, 1.0 if emotion != "happy" else 0.5, -1, -1, found.start())


@cache
def _patterns(lang: Lang) -> tuple[tuple[Emotion, re.Pattern[str]], ...]:
    raw: dict[Emotion, list[str]] = load(f"{lang}/emotions").get("raw", {})
    return tuple((emotion, re.compile(pattern, re.IGNORECASE)) for emotion, listed in raw.items() for pattern in listed)


def _emoji(text: str) -> Iterator[Match]:
    if text.isascii() and ":" not in text and "(" not in text:
        return
    taken: list[tuple[int, int]] = []
    for sign, emotion in _signs():
        at = text.find(sign)
        if at >= 0 and not any(start <= at < end for start, end in taken):
            taken.append((at, at + len(sign)))
            yield Match(emotion, 0.7, -1, -1, at)


@cache
def _signs() -> tuple[tuple[str, Emotion], ...]:
    """Return emoji and kaomoji, the longest first; those with spaces are kept whole by their brackets."""
    table: dict[Emotion, str] = load("ja/emotions")["emoji"]
    signs = [
        (sign, emotion)
        for emotion, listed in table.items()
        for sign in re.findall(r"\(+[^()]*(?:\([^()]*\)[^()]*)*\)+\S*|\S+", listed)
    ]
    return tuple(sorted(signs, key=lambda pair: -len(pair[0])))
