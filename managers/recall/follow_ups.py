"""Does a message take its subject from what was said before? "And her sister?", 「それはいつだっけ？」.

A question word at its beginning says nothing ("Where did Kenji learn the shamisen?" stands by itself); what
counts is what a message points at and does not name, and how little it says of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from managers.recall.terms import is_japanese

FEW_WORDS = 3
"""Who goes on with "and" and says no more than this goes on with the same subject."""

_GOES_ON = re.compile(r"^\s*(?:and|but|so|then|also|what about|how about|which one|really|oh)\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b", re.IGNORECASE)
_THING = re.compile(
    r"\bits?\b(?! (?:take|takes|took|taken|likely|possible|true|seem|seems|rain|snow)\b)"
    r"|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.!,;]|(?:is|was|are|were|be|go|happen|one|time|day|place|person|man|woman|guy)\b))"
    r"|\b(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )there\b(?! (?:is|are|was|were|been|will|would|any|an?)\b)"
    r"|\b(?:which|that|this) one\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<=[^\s.!?] )(?!I\b|I['’])[A-Z]\w+"  # not at the beginning of a sentence
    r"|^[A-Z]\w+['’]s\b(?<!What['’]s)(?<!Where['’]s)(?<!Who['’]s)(?<!When['’]s)(?<!How['’]s)(?<!That['’]s)(?<!It['’]s)"
    r"|\b(?:the|an?|my|your|our|whose|which|every|some|[A-Z]\w+['’]s) [a-z]\w+"
)
_POINTS_JA = re.compile(
    r"^\s*(?:それ|その|そこ|あれ|あの|これ|この(?!前|間|あいだ|頃|ごろ)|じゃあ|では|で、|でも|あと|ちなみに|ほかに|他に|彼|彼女)"
    r"|(?:それ|その人|その子|あの人|彼女|彼)(?:は|が|を|の|に|と|って)"
)
_ASKS_JA = re.compile(r"^\s*(?:なんで|なぜ|どうして|どこ|いつ|誰|だれ)")
_NOUN_JA = re.compile(r"[一-鿿々ァ-ヺー](?:さん|ちゃん|くん)?[にをがはのとへで]")
"""A noun with its particle: who leaves out the subject has none beside the question word."""


def follows_up(text: str, words: Sequence[str]) -> bool:
    """Whether a message is about what was said before it.

    Args:
        text: the message.
        words: its words that carry a topic.
    """
    if not words:
        return True
    if is_japanese(text):
        return bool(_POINTS_JA.search(text) or (_ASKS_JA.search(text) and not _NOUN_JA.search(text)))
    if _GOES_ON.search(text) and len(words) <= FEW_WORDS:
        return True
    person = _PERSON.search(text)
    if person and not _NAMED.search(text, 0, person.start()):
        return True
    thing = _THING.search(text)
    return bool(thing and (len(words) <= FEW_WORDS or not _NAMED.search(text, 0, thing.start())))
