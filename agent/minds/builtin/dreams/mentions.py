"""Whom and what a sentence speaks of: names, titles in quotation marks, and people by their relation to the speaker."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from agent.minds.builtin.dreams.statements import Said, is_name_of, phrase
from agent.minds.builtin.talk.quotation import marks
from managers.language.lexicons import word_list
from managers.language.reading.kinship import kind_of_name, marked
from managers.language.reading.rules import fits, rule, search
from managers.language.words import Entity as Named
from managers.language.words import entities as named_in
from managers.memory.entities import Kind, is_safe
from managers.storage.errors import Lang

_TITLE: Final = re.compile(r"[『「“\"]([^『』「」“”\"]{2,40})[』」”\"]")
_KATAKANA: Final = re.compile(r"[ァ-ヺー・]{3,}")
_KINDS: Final[dict[str, Kind]] = {
    "person": "person",
    "place": "place",
    "organisation": "organisation",
    "other": "thing",
}
_LONGEST_COMPOUND: Final = 12
_LONGEST_TITLE: Final = 8


@dataclass
class Mention:
    """Somebody or something, and where it was spoken of.

    Attributes:
        name, kind, aliases: as they will be kept.
        said: the sentences that speak of it.
        is_named: it has a name of its own.
        may_be_person: the dictionary takes it for a person's name; a hint only.
        is_told: somebody said what it is to them: my sister Nora.
        is_near_pets: a pet was spoken of shortly before: "Luna" may be the cat, unless somebody says that she is not.
    """

    name: str
    kind: Kind
    said: list[Said] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)
    is_named: bool = True
    may_be_person: bool = False
    is_told: bool = False
    is_near_pets: bool = False

    def take(self, other: Mention, said: Said) -> None:
        """Add another mention of the same, in `said`."""
        if said not in self.said:
            self.said.append(said)
        self.aliases |= other.aliases | ({other.name} - {self.name})
        self.is_near_pets |= other.is_near_pets
        if (self.kind == "thing" and other.kind != "thing") or (other.is_told and not self.is_told):
            self.kind = other.kind
        self.is_told |= other.is_told

    def kind_by_what_is_said(self) -> Kind:
        """Return what a name stands for: what was said of it counts for more than the dictionary's guess."""
        if not self.is_named or self.is_told or self.kind not in ("thing", "place", "person"):
            return self.kind
        texts, lang = [said.text for said in self.said], self.said[0].lang
        if (told := kind_of_name(self.name, texts, lang)) is not None:
            return told
        if self.is_near_pets and self.kind != "place":
            return "pet"
        return "person" if self.may_be_person and acts(self.name, texts, lang) else self.kind


def acts(name: str, texts: Collection[str], lang: Lang) -> bool:
    """Tell whether a name does what only people do: 正夫が帰ってきた. Said of a town (京都が好き) it proves nothing."""
    return any(fits(lang, "persons", "acts", text.replace(name, "◯")) for text in texts)


def mentions(said: Said, speakers: Collection[str], common: Collection[str]) -> list[Mention]:
    """Return whom and what a sentence speaks of.

    Args:
        said: the sentence.
        speakers: the names of those who talk, in small letters: they are not told of under them.
        common: words that were also written small: no names.
    """
    titles = _titles(said)
    in_titles = " ".join(title.name for title in titles)
    found: list[Mention | None] = []
    for one in named_in(said.text):
        is_speaker = any(is_name_of(bare_name(part), speakers) for part in one.text.split())
        if not is_speaker and bare_name(one.text) not in in_titles and one.text.casefold() not in common:
            found.append(_named(one, said))
    found += [*titles, *_relations(said)]
    found += [Mention(match["first"], one.kind) for one in found if one and (match := _paired(one, said))]
    shortest = marks(said.lang)["shortest_name"]
    return [one for one in found if one is not None and is_safe(one.name) and len(one.name) >= shortest]


def bare_name(name: str) -> str:
    """Return a name without what is written around it, and without a possessive ending."""
    return name.strip(" .,!?'’").removesuffix("'s").removesuffix("’s")


def is_katakana(text: str) -> bool:
    """Tell a word of three letters or more in katakana: mostly a name, or a thing's own word."""
    return _KATAKANA.fullmatch(text) is not None


def _paired(one: Mention, said: Said) -> re.Match[str] | None:
    """Return the name before "and" and a name: at a sentence's start its capital says nothing."""
    if not one.is_named or one.kind == "work":
        return None
    return search(said.lang, "persons", "paired", marked(said.text, [one.name], said.lang))


def _named(one: Named, said: Said) -> Mention | None:
    kind = _KINDS[one.kind]
    if said.lang == "en":
        name = _plain(one.text)
        is_name = re.search(r"[A-Za-z]{2}", name) and name.casefold() not in word_list("en", "topic_light")
        return Mention(name, kind) if is_name else None
    whole = _whole(one, said)
    if whole != one.text:
        kind = "place" if whole.endswith(tuple(word_list("ja", "place_endings"))) else "thing"
    after, name = said.text[one.start + len(whole) :], _plain(whole)
    title = next((one for one in word_list("ja", "titles_of_persons") if after.startswith(one)), "")
    if title:
        return Mention(name + title, "person", may_be_person=one.kind == "person")
    if kind == "person":
        kind = "place" if fits("ja", "persons", "goes_there", after) and not is_katakana(name) else "thing"
    return Mention(name, kind, may_be_person=one.kind == "person")


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip(" 。、.,!?！？'’")


def _whole(one: Named, said: Said) -> str:
    """Return a name with the nouns that stick to it: 日商簿記, 貴船神社, FF14."""
    end = one.end
    for word in said.words:
        is_part = word.kind in ("noun", "proper", "number") and word.surface not in word_list("ja", "not_of_name")
        end = word.end if word.start == end and is_part else end
    return said.text[one.start : end] if end - one.start <= _LONGEST_COMPOUND else one.text


def _titles(said: Said) -> list[Mention]:
    signs, has_capitals = word_list(said.lang, "work_marks"), marks(said.lang)["has_capitals"]
    found = []
    for match in _TITLE.finditer(said.text):
        title = match[1].strip()
        around = said.text[max(0, match.start() - 24) : match.start()] + " " + said.text[match.end() : match.end() + 16]
        capitalised = has_capitals and title[:1].isupper() and len(title.split()) <= _LONGEST_TITLE
        if any(sign in around.casefold() for sign in signs) or capitalised:
            found.append(Mention(title.rstrip(",.!"), "work"))
    return found


def _relations(said: Said) -> list[Mention]:
    """Return those who are known by what they are to the speaker, named after both: Yuki's mother, 妹のノラ."""
    if said.lang == "ja" and said.is_question:
        return []
    found = []
    whole = {(word.start, word.end) for word in said.words}
    for match in rule(said.lang, "persons", "relative").finditer(said.plain):
        is_any_pet = is_pet_word(match["word"], said.lang) and not (match["name"] or match["mine"])
        if is_any_pet or match.span("word") not in whole:  # any cat; the 夫 of 大丈夫
            continue
        relative = _relative(said.message.speaker, match["word"].casefold(), said.lang)
        if match["name"]:
            aliases = {relative.name, *relative.aliases}
            relative = Mention(match["name"], relative.kind, aliases=aliases, is_told=True)
        found.append(relative)
    return found


def _relative(speaker: str, relation: str, lang: Lang) -> Mention:
    """Return somebody known by a relation; other words for the same relation become aliases."""
    group = next((g.split("=") for g in word_list(lang, "same") if relation in g.split("=")), [relation])
    kind: Kind = "pet" if is_pet_word(relation, lang) else "person"
    key = "yours" if speaker == "You" else "theirs"
    name, alias = (phrase(lang, key, who=speaker, relation=one) for one in (group[0], relation))
    return Mention(name, kind, aliases={alias} - {name}, is_named=False)


def is_pet_word(word: str, lang: Lang) -> bool:
    """Tell whether a word means an animal that lives with people."""
    return word.casefold() in word_list(lang, "house_pets")
