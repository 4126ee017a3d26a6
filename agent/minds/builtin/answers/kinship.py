"""Who somebody is to the user: "my brother Neil", 弟のニール, read from what they told; and a name for "my cat"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agent.minds.builtin.dreams.statements import cue_words
from agent.minds.builtin.talk.noun_phrases_ja import relatives
from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import word_list
from managers.language.words import words
from managers.storage.errors import Lang

_KIND_OF = r"(?P<kind>(?:(?:little|big|older|younger|elder|eldest|youngest|twin|best|old|good|close|late|new|former|ex|step|half|great|dear)[ -])*)"
_MINE_JA = r"(?:(?:私|わたし|僕|ぼく|俺|おれ|うち|あたし|ウチ)の)?"
_HE = frozenset("brother father dad husband son uncle nephew grandfather grandpa grandson boyfriend fiancé fiance stepfather stepson".split())  # fmt: skip  # noqa: SIM905  # words read best as words
_SHE = frozenset("sister mother mom mum wife daughter aunt niece grandmother grandma granddaughter girlfriend fiancée fiancee stepmother stepdaughter".split())  # fmt: skip  # noqa: SIM905  # words read best as words


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
    found: Relation | None = None
    for text in texts:
        found = (_japanese if voice.lang == "ja" else _english)(name, text, voice) or found
    return found


def kin_words(lang: Lang) -> frozenset[str]:
    """Return the words for those whom somebody has: relatives, friends, animals."""
    names = cue_words(lang, "relations") | cue_words(lang, "acquainted") | cue_words(lang, "pets")
    return names | word_list(lang, "persons") | word_list(lang, "pets")


def _english(name: str, text: str, _: Voice) -> Relation | None:
    who = re.escape(name)
    plain = text.replace("’", "'")
    patterns = (
        rf"\b(?:my|our) {_KIND_OF}(?P<word>[a-z-]+),? (?:(?:is |was )?(?:called|named) |is |whose name is |named )?{who}\b",
        rf"\b(?:my|our) {_KIND_OF}(?P<word>[a-z-]+)'s name is {who}\b",
        rf"\b{who}(?:, who)?(?:'s| is| was|,) (?:my|our) {_KIND_OF}(?P<word>[a-z-]+)\b",
        rf"\b(?:a|an|our) (?P<kind>)(?P<word>[a-z-]+) (?:called|named) {who}\b",
        rf"\b(?P<kind>)(?P<word>mum|mom|dad|grandma|grandpa|granny|grandad)'s name is {who}\b",
    )
    for at, pattern in enumerate(patterns):
        for match in re.finditer(pattern, plain, re.IGNORECASE):
            word = match["word"].lower()
            if at in (0, 3) and word not in kin_words("en") and _is_one_of_work(word):
                return Relation(word, f"{'your' if at == 0 else 'a'} {match['kind'].lower()}{word}")
            if word in kin_words("en"):
                pronoun = "he" if word in _HE else "she" if word in _SHE else ""
                return Relation(word, f"your {match['kind'].lower()}{word}", pronoun)
    return None


_WORKERS = re.compile(r"(?:er|or|ist|ian|ent|ant|mate|man|woman|ee|eer|chef|coach|nurse|vet|judge|priest|monk)$")


def _is_one_of_work(word: str) -> bool:
    """Tell what somebody is besides kin: editor, dentist, student."""
    return bool(_WORKERS.search(word)) and words(f"the {word}")[-1].kind == "noun"


def _japanese(name: str, text: str, voice: Voice) -> Relation | None:
    who = rf"{re.escape(name)}(?:さん|くん|君|ちゃん)?"
    kin = "|".join(sorted(kin_words("ja"), key=len, reverse=True))
    patterns = (
        rf"(?P<word>[一-龠]{{1,3}}[方手長員者師生人家娘])の{who}",
        rf"(?P<word>{kin})の{who}(?![ぁ-ん]*の(?:名前|{kin}))",
        rf"{who}(?:は|って|が)、?{_MINE_JA}(?:[^はがを、。]{{1,8}}の)?(?P<word>{kin})(?:だ|です|なん|で、|な[のん]|$|。)",
        rf"(?P<word>{kin})(?:は|が|の名前は|の名は|の名前が|、)、?{who}(?:だ|です|と|って|という|なん|$|。)",
        rf"{who}(?:という|っていう|って名前の)(?P<word>{kin})",
    )
    for pattern in patterns:
        if match := re.search(pattern, text):
            return Relation(match["word"], spoken_kin(match["word"], voice))
    return None


def spoken_kin(word: str, voice: Voice) -> str:
    """Return what a listener calls somebody's relative, or animal: 弟 → 弟さん, 猫 → ユウさんのところの猫."""
    if word in cue_words("ja", "pets") | word_list("ja", "pets"):
        return (
            f"{voice.you}のところの{word}" if voice.you and not word.startswith(("愛", "飼")) else f"飼っている{word}"
        )
    return relatives().get(word, word)
