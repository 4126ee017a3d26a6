"""What somebody is to the user, said from the listener's side: "your brother", 弟さん."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.minds.builtin.talk.noun_phrases_ja import relatives
from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import word_list
from managers.language.reading.kinship import kin_of, kin_words, pets


@dataclass(frozen=True, slots=True)
class Relation:
    """What somebody is to the user.

    Attributes:
        word: the relation in the user's word: `brother`, 弟.
        spoken: from the listener's side: `your little brother`, 弟さん.
        pronoun: he or she where the word tells; empty if not, and in Japanese.
    """

    word: str
    spoken: str
    pronoun: str = ""


def relation_of(name: str, texts: Iterable[str], voice: Voice) -> Relation | None:
    """Return what somebody is to the user, by the last sentence that says so."""
    told = [kin for text in texts if (kin := kin_of(name, text, voice.lang))]
    if not told:
        return None
    kin = told[-1]
    if voice.lang == "ja":
        return Relation(kin.word, spoken_kin(kin.word, voice))
    pronoun = next((one for one in ("he", "she") if kin.word in word_list("en", f"{one}_kin")), "")
    return Relation(kin.word, f"{'your' if kin.is_mine else 'a'} {kin.manner}{kin.word}", pronoun)


def spoken_kin(word: str, voice: Voice) -> str:
    """Return what a listener calls somebody's relative, or animal: 弟 → 弟さん, 猫 → ユウさんのところの猫, mum → your mum."""
    if voice.lang == "en":
        return f"your {word}" if word.lower() in kin_words("en") else word
    if word not in pets("ja"):
        return relatives().get(word, word)
    return f"{voice.you}のところの{word}" if voice.you and not word.startswith(("愛", "飼")) else f"飼っている{word}"
