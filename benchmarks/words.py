"""Sentences with the statistics of speech: a few frequent words, a long tail of rare ones."""

from random import Random

_SYLLABLES = [
    "か",
    "き",
    "く",
    "さ",
    "し",
    "た",
    "な",
    "に",
    "は",
    "ま",
    "み",
    "や",
    "ゆ",
    "ら",
    "り",
    "れ",
    "わ",
    "きょ",
    "しゅ",
    "とう",
    "けん",
    "あい",
    "おう",
]
_PARTICLES = ["が", "を", "に", "で", "と", "は", "も", "から", "まで"]
_ENDS = ("ました。", "だったよ。", "と思う。", "みたい。", "なんだ。")
_ASKED = ("はいつだっけ？", "のこと覚えてる？", "って誰だったかな？", "はどこだった？")
_VOCABULARY = 30_000


def word(rng: Random) -> str:
    """Return a word; its rank follows Zipf's law."""
    rank = min(int(rng.paretovariate(1.0)), _VOCABULARY)
    spelling = Random(rank)
    return "".join(spelling.choice(_SYLLABLES) for _ in range(spelling.randint(2, 4)))


def sentence(rng: Random, *, question: bool = False) -> str:
    """Return one utterance of some 20 to 60 characters."""
    if question:
        return f"前に話した{word(rng)}と{word(rng)}{rng.choice(_ASKED)}"
    phrases = (word(rng) + rng.choice(_PARTICLES) for _ in range(rng.randint(3, 7)))
    return "".join(phrases) + rng.choice(_ENDS)
