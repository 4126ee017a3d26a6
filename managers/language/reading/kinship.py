"""Who somebody is to whom: "my brother Neil", 弟のニール; whether a name stands for a person or an animal."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from managers.language.lexicons import word_list
from managers.language.reading.rules import rules
from managers.language.words import Word, words
from managers.storage.errors import Lang

NAME_MARK: Final = "◯"
"""What stands for a name in the rules of `kinship.toml`."""
_WORKERS: Final = ("er", "or", "ist", "ian", "ent", "ant", "mate", "man", "woman", "ee", "eer", "chef", "coach", "nurse", "vet", "judge", "priest", "monk")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kin:
    """What somebody is told to be.

    Attributes:
        word: the relation in the speaker's word, in small letters: `brother`, 弟, `editor`.
        manner: what stands before it: `little `.
        is_mine: it is the speaker's own.
    """

    word: str
    manner: str = ""
    is_mine: bool = True


@cache
def kin_words(lang: Lang) -> frozenset[str]:
    """Return the words for those whom somebody has: relatives, friends, animals."""
    return frozenset().union(*(word_list(lang, name) for name in ("relations", "acquainted", "persons"))) | pets(lang)


def is_person(word: Word, lang: Lang) -> bool:
    """Tell whether a word names somebody, or says what somebody is to somebody: Nora, sister, 先生."""
    return word.entity == "person" or not word_list(lang, "persons").isdisjoint((word.surface.lower(), word.form))


@cache
def pets(lang: Lang) -> frozenset[str]:
    """Return the words for animals that people live with."""
    return word_list(lang, "house_pets") | word_list(lang, "pets")


def marked(text: str, names: Iterable[str], lang: Lang, mark: str = NAME_MARK) -> str:
    """Return a text, with a straight apostrophe, in which a mark stands for each of some names."""
    return naming(names, lang).sub(mark, text.replace("’", "'"))


def naming(names: Iterable[str], lang: Lang) -> re.Pattern[str]:
    """Return what finds any of some names, in whatever capitals; nothing where there are none."""
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"
    return re.compile(listed if lang == "ja" else rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


def kin_of(name: str, text: str, lang: Lang, *, asked: bool = True) -> Kin | None:
    """Return what a sentence tells somebody to be to its speaker.

    Args:
        name: the name, as it was written.
        text: the sentence.
        lang: its language.
        asked: the name is known to be somebody's: the speaker's own people and what is but likely count. Otherwise it may
            be a town's as well, and anybody's people count.
    """
    plain, left_out = marked(text, [name], lang), "other" if asked else "likely"
    for rule in rules(lang, "kinship").values():
        for match in () if rule.name.startswith(left_out) else rule.pattern.finditer(plain):
            word, manner = match["word"].lower(), (match.groupdict().get("manner") or "").lower()
            if lang == "ja" or word in kin_words(lang):
                return Kin(word, manner)
            if rule.name.endswith("_named") and _is_one_of_work(word):
                return Kin(word, manner, is_mine=rule.name.startswith("mine"))
    return None


def kind_of_name(name: str, texts: Iterable[str], lang: Lang) -> Literal["person", "pet"] | None:
    """Return what a name stands for where somebody is told under it (主人の正夫, my friend Florence); None if nobody is."""
    told = [kin for text in texts if name in text and (kin := kin_of(name, text, lang, asked=False))]
    return None if not told else "pet" if any(kin.word in pets(lang) for kin in told) else "person"


def _is_one_of_work(word: str) -> bool:
    """Tell what somebody is besides kin: editor, dentist, student."""
    return word.endswith(_WORKERS) and words(f"the {word}")[-1].kind == "noun"
