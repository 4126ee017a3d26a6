"""Whose life a sentence tells of, and whose a question asks after: the speaker's, or that of others whom it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Final, get_args

from managers.language.lexicons import word_list
from managers.language.reading.bounds import LONGEST
from managers.language.reading.kinship import kin_of, kin_words, marked, pets
from managers.language.reading.reading import Sentence
from managers.language.reading.reality import other_subject
from managers.language.reading.rules import fits, rule
from managers.language.reading.slots import asked_slot, told_slot
from managers.language.reading.synonyms import one_word
from managers.language.words import Word, words
from managers.storage.errors import Lang

_ME: Final[dict[Lang, str]] = {"en": "me", "ja": "私"}
_OF_THEM: Final = frozenset(("の", "は", "が", "も", "って"))


@dataclass(frozen=True, slots=True)
class Whose:
    """Of whom a text speaks.

    Attributes:
        of_speaker: it speaks of the one who says it, beyond what somebody is to them (my sister).
        others: the people whom it names, each by the one word for all of a kind (母 for お母さん); no animals.
    """

    of_speaker: bool
    others: frozenset[str]

    @property
    def is_plain(self) -> bool:
        """It says of whom it speaks: of the speaker or of others, not of both, nor of whoever belongs to a family."""
        return self.of_speaker != bool(self.others) and not self.others & _listed("several", "pronouns")

    def may_have(self, told: Whose) -> bool:
        """Tell whether what is told may answer a question about these: not where it is plainly somebody else's."""
        if self.of_speaker:
            return told.of_speaker or not told.others
        return bool(self.others & told.others) or not (told.of_speaker or told.others - _listed("pronouns"))


def asked_of(question: str, plain: str, lang: Lang) -> Whose:
    """Read whose life a question asks after, as it was written and in plain form."""
    question, plain = question[:LONGEST], plain[:LONGEST]
    named, own = _people(question, lang), rule(lang, "whose", "of_mine").sub(" ", plain)
    if not named:
        is_own = fits(lang, "whose", "asks_of_speaker", plain) or asked_slot(plain, lang) is not None
        return Whose(is_own, named)
    return Whose(fits(lang, "answers", "mine", own) or (lang == "ja" and not _heads(question, lang)), named)


def told_of(text: str, lang: Lang, before: str = "", *, speaker: str = "", breath: str = "") -> Whose:
    """Read whose life a sentence tells of.

    Args:
        text: the sentence.
        lang: its language.
        before: what it goes on about.
        speaker: a name of the one who told it.
        breath: what the same message said before it: where somebody lives is then told of whom that was about.
    """
    text = marked(text[:LONGEST], [speaker] if speaker else [], lang, _ME[lang])
    own = rule(lang, "whose", "of_mine").sub(" ", text.lower())
    is_own = fits(lang, "answers", "mine", own) or fits(lang, "whose", "to_speaker", own)
    if lang == "ja" and not is_own:
        clause, breath = rule("ja", "reality", "clause_ends").search(text), breath if told_slot(text, lang) else ""
        before = f"{before} {breath}"
        is_own = not all(other_subject(breath + one, lang) for one in (text, text[: clause.end() if clause else None]))
    return Whose(is_own, _people(text, lang) | _people(before, lang))


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose lives some questions plainly ask after.

    Attributes:
        named: as the questions name them.
        known: the same, under all that they were called: Ann and sister, after "my sister Ann".
    """

    named: tuple[Whose, ...]
    known: tuple[Whose, ...]

    def may_have(self, told: Whose) -> bool:
        """Tell whether what is told may answer all of them."""
        return all(one.may_have(told) for one in self.known)

    def unnamed(self, told: Whose) -> str:
        """Return by which words the questions name those who are told of under other names; empty if none are."""
        pairs = zip(self.named, self.known, strict=True)
        found = [one.others for one, known in pairs if known.others & told.others and not one.others & told.others]
        return " ".join(sorted(frozenset().union(*found)))


def read_asked(asked: Iterable[Sentence], texts: Sequence[str], lang: Lang) -> Asked:
    """Read whose lives some questions ask after; `texts` tell who is called what."""
    named = tuple(one for s in asked if (one := asked_of(s.text, s.plain, lang)).is_plain)
    return Asked(named, tuple(_with_other_names(one, texts, lang) for one in named))


def _with_other_names(asked: Whose, texts: Iterable[str], lang: Lang) -> Whose:
    same = set(asked.others)
    for text in texts:
        for name in (word.surface for word in words(text) if _person(word, lang) and not _is_kin(word, lang)):
            kin = kin_of(name, text, lang)
            pair = {name.lower(), one_word(kin.word)} if kin else set()
            same |= pair if pair & asked.others else set()
    return replace(asked, others=frozenset(same))


@cache
def _listed(*lists: str) -> frozenset[str]:
    """Return the words of some lists in both languages, and the one word that stands for each."""
    found = frozenset().union(*(word_list(lang, name) for lang in get_args(Lang) for name in lists))
    return found | {one_word(form) for one in found for form in (one, words(one)[0].normal) if len(words(one)) == 1}


def _is_kin(word: Word, lang: Lang) -> bool:
    known = kin_words(lang) - pets(lang) | _listed("several", "somebody")
    return not known.isdisjoint((word.surface.lower(), word.form, one_word(word.normal)))


def _people(text: str, lang: Lang) -> frozenset[str]:
    return frozenset(name for word in words(text) if (name := _person(word, lang)))


def _heads(text: str, lang: Lang) -> bool:
    """Tell 母の誕生日いつ, which is of somebody, from 母と何した, where the speaker, who is left out, did it with them."""
    found = words(text)
    return any(_person(word, lang) and after.surface in _OF_THEM for word, after in pairwise(found))


def _person(word: Word, lang: Lang) -> str:
    if _is_kin(word, lang):
        return one_word(word.normal if lang == "en" else word.surface)
    is_name = word.entity == "person" or (lang == "en" and word.kind == "proper" and word.entity is None)
    return word.surface.lower() if is_name else ""
