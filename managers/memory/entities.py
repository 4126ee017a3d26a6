"""Entities: people, pets, places, works, organisations and recurring things; their files are read in `entity_cards`."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, Self

from managers.language.words import content_words
from managers.memory.confidence import CONTRADICTED, FOUND_AGAIN, START, Standing, Why, day_of, moved
from managers.memory.errors import NoSuchFactError
from managers.memory.json_documents import PINNED, USER, short_id
from managers.memory.messages import UNKNOWN, united
from managers.storage.errors import Lang, UnsafeNameError
from managers.storage.paths import safe_name

Kind = Literal["person", "pet", "place", "work", "organisation", "thing"]
KINDS: tuple[Kind, ...] = ("person", "pet", "place", "work", "organisation", "thing")
KEPT_FACTS = 60
_LANGUAGES: tuple[Lang, ...] = ("ja", "en")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fact:
    """One thing known about an entity.

    Attributes:
        text: what people read, in one line.
        evidence: the messages in which it was said.
        mind: what made it; `user` if a person wrote or changed it.
        slot: what it is about, where only one value is true at a time (`home`, `work`, ...); or empty.
        since: the day on which it was said or from which it holds.
        until: when it ceased to hold (`2026-03` or a day); empty: it holds.
        standing: its C-value and what moved it.
        origins: as in `Remembered`.
    """

    text: str
    evidence: tuple[str, ...] = ()
    mind: str = USER
    id: str = ""
    slot: str = ""
    since: str = ""
    until: str = ""
    standing: Standing = field(default_factory=Standing)
    origins: tuple[str, ...] = ()

    @property
    def is_users(self) -> bool:
        return self.mind == USER


@dataclass(frozen=True, slots=True)
class Entity:
    """What is known about somebody or something.

    `lines` are the file's lines after the header, each a fact of ours or a person's own text.
    """

    name: str
    kind: Kind = "thing"
    created: str = ""
    aliases: tuple[str, ...] = ()
    mind: str = ""
    lines: tuple[Fact | str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> list[Fact]:
        """All facts, the ended ones too."""
        return [line for line in self.lines if isinstance(line, Fact)]

    @property
    def current_facts(self) -> list[Fact]:
        return [fact for fact in self.facts if not fact.until]

    @property
    def evidence(self) -> tuple[str, ...]:
        """All messages that the facts rest on; `UNKNOWN` among them stands for the foreign words of what is marked itself."""
        marked = [UNKNOWN] if any(fact.origins for fact in self.facts) else []
        return tuple(dict.fromkeys([*(one for fact in self.facts for one in fact.evidence), *marked]))

    @property
    def is_pinned(self) -> bool:
        return bool(self.extra.get(PINNED))

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    def only(self, chosen: Callable[[Fact], bool]) -> Self:
        """Return it with those facts that are chosen, and a person's own lines."""
        return replace(self, lines=tuple(one for one in self.lines if isinstance(one, str) or chosen(one)))

    def text(self) -> str:
        """Return what people read: the lines without the comments."""
        return "\n".join(f"- {line.text}" if isinstance(line, Fact) else line for line in self.lines).strip()


def with_fact(entity: Entity, fact: Fact) -> Entity:
    """Return the entity knowing one thing more.

    The same thing said again adds its evidence. Where only one value of a slot can be true, the fact
    that held until now is kept as history with its end; what a person wrote stays as it is.
    """
    told = replace(
        fact, text=_one_line(fact.text), id=fact.id or short_id("f_", entity.name, fact.text, *fact.evidence)
    )
    for index, line in enumerate(entity.lines):
        if isinstance(line, Fact) and not line.until and _same(line.text, told.text):
            if line.is_users:
                return entity
            if set(told.evidence) <= set(line.evidence):
                return entity  # a day that is read again
            both = tuple(dict.fromkeys([*line.evidence, *told.evidence]))
            standing = _moved(line, told.since, "found_again", FOUND_AGAIN)
            merged = replace(line, evidence=both, standing=standing, origins=united(line.origins, told.origins))
            return replace(entity, lines=(*entity.lines[:index], merged, *entity.lines[index + 1 :]))
        if isinstance(line, Fact) and line.id == told.id:
            return entity  # ended, or reworded by a person, since it was first told
    since = min((line.since for line in entity.current_facts if _came_after(line, told)), default="")
    if since:  # an older conversation, read late: what held then is known to have changed
        told = replace(told, text=until_text(told.text, since[:7], language_of(told.text)), until=since[:7])
    lines = [_ended(line, told) if _gives_way(line, told) else line for line in entity.lines]
    if lines != list(entity.lines) and told.standing == Standing():
        told = replace(told, standing=Standing(confidence=START["contradiction"]))
    return replace(entity, lines=(*lines, told))


def reworded(entity: Entity, text: str) -> tuple[Fact | str, ...]:
    """Return an entity's lines as a person left them.

    A fact whose words are still the same keeps where it comes from; any other line is the person's own.
    """
    left = list(entity.facts)
    lines: list[Fact | str] = []
    for line in text.replace("\r\n", "\n").rstrip("\n").split("\n"):
        same = next((fact for fact in left if line.rstrip() == f"- {fact.text}"), None)
        if same is None:
            lines.append(line)
        else:
            left.remove(same)
            lines.append(same)
    return tuple(lines)


def ended(entity: Entity, fact_id: str, until: str, lang: Lang) -> Entity:
    """Return the entity with one fact kept as history; a person's own words are left alone."""
    lines = tuple(
        replace(line, text=until_text(line.text, until, lang), until=until)
        if isinstance(line, Fact)
        and line.id == fact_id
        and line.since[:7] <= until
        and not line.until
        and not line.is_users
        else line
        for line in entity.lines
    )
    return replace(entity, lines=lines)


def given_way(entity: Entity, fact_id: str, new: Fact, until: str, lang: Lang) -> Entity:
    """Return the entity after one fact gave way to another.

    It is kept as history, unless the other rests on no message that it did not rest on itself: then nothing changed, it was
    only told in other words. Then it goes where the other says all of it, and else still holds.
    """
    there = next((fact for fact in entity.current_facts if fact.id == fact_id), None)
    if there is None or not set(new.evidence) <= set(there.evidence):
        return ended(entity, fact_id, until, lang)
    if there.is_users or not set(content_words(there.text)) <= set(content_words(new.text)):
        return entity
    return entity.only(lambda fact: fact is not there)


def without_fact(entity: Entity, words: str, until: str) -> Entity:
    """Return the entity with the fact of some words kept as history: it holds no longer.

    Raises:
        NoSuchFactError: there is none, or a person wrote it.
    """
    plain = words.strip().removeprefix("- ")
    found = next((one for one in entity.current_facts if _same(one.text, plain) and not one.is_users), None)
    if found is None:
        raise NoSuchFactError(name=entity.name, fact=plain)
    return ended(entity, found.id, until, language_of(found.text))


def revived(entity: Entity, gone: Fact) -> Entity:
    """Return the entity after a fact was withdrawn: the one that had given way to it holds again."""
    for index in range(len(entity.lines) - 1, -1, -1):
        line = entity.lines[index]
        if not isinstance(line, Fact) or not gone.slot or gone.until or line.slot != gone.slot:
            continue
        if line.until != gone.since[:7] or line.is_users:
            return entity
        text = line.text
        for lang in _LANGUAGES:
            text = text.removeprefix(until_text("", line.until, lang))
        held = replace(line, text=text, until="")
        return replace(entity, lines=(*entity.lines[:index], held, *entity.lines[index + 1 :]))
    return entity


def bounded(entity: Entity) -> tuple[Entity, list[Fact]]:
    """Return the entity as its file should hold it, and the facts that are put on a shelf.

    Nothing moves until a dream has noted twice `KEPT_FACTS` things; then those go that were told and used longest
    ago. What a person wrote, what only one value can be true of, and all of a pinned card stays.
    """
    ours = [fact for fact in entity.facts if not fact.is_users and not fact.slot]
    if len(ours) < 2 * KEPT_FACTS or entity.is_pinned:
        return entity, []
    older = sorted(ours, key=lambda fact: (_last(fact), len(fact.evidence)))[: len(ours) - KEPT_FACTS]
    gone = {fact.id for fact in older}
    return entity.only(lambda fact: fact.id not in gone), older


def _last(fact: Fact) -> str:
    """Return the day on which a fact was told, used or brought back last."""
    return max(fact.since, fact.standing.last_accessed)


def until_text(text: str, until: str, lang: Lang) -> str:
    """Return how a fact that no longer holds reads."""
    return f"{until}まで: {text}" if lang == "ja" else f"until {until}: {text}"


def _gives_way(line: Fact | str, told: Fact) -> bool:
    return (
        isinstance(line, Fact)
        and bool(told.slot)
        and not told.until
        and line.slot == told.slot
        and not line.until
        and not line.is_users
        and line.since <= told.since
    )


def _came_after(line: Fact, told: Fact) -> bool:
    return bool(told.slot and told.since) and line.slot == told.slot and line.since > told.since


def _ended(line: Fact | str, told: Fact) -> Fact | str:
    if isinstance(line, str):
        return line
    until, standing = told.since[:7], _moved(line, told.since, "contradicted", CONTRADICTED)
    return replace(line, text=until_text(line.text, until, language_of(line.text)), until=until, standing=standing)


def _moved(fact: Fact, day: str, why: Why, by: float) -> Standing:
    """Return how a fact stands after something moved it; as before where nobody knows on which day."""
    made, when = day_of(fact.since), day_of(day)
    if when is None:
        return fact.standing
    return fact.standing.model_copy(update=moved(fact.standing, "experience", made, when, why, by))


def language_of(text: str) -> Lang:
    """Return the language in which a fact is written."""
    return "ja" if re.search(r"[ぁ-んァ-ヶ一-龯]", text) else "en"


def _same(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    return re.sub(r"[\s。、.,!！?？「」\"]", "", text).casefold()


def _one_line(text: str) -> str:
    return " ".join(text.replace("<!--", " ").replace("-->", " ").split())


# Names

_KANJI = "[\u3400-\u9fff々]"
_HONORIFICS = ("さん", "くん", "君", "ちゃん", "様", "さま", "先生", "先輩", "氏", "殿")
_TITLES = ("mr.", "mrs.", "ms.", "dr.", "mr", "mrs", "ms", "dr", "the")


def kanji_alone(key: str) -> str:
    """Return the pattern of a name of one kanji (翔, and 航くん by its key) where it stands as no part of a longer word.

    Empty for any other key.
    """
    return rf"(?<!{_KANJI}){key}(?!{_KANJI})" if re.fullmatch(_KANJI, key) else ""


def name_key(name: str) -> str:
    """Return what two names of the same thing have in common: width, case, honorifics and titles aside."""
    plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" 。、.,!?！？「」『』\"'")
    for title in _TITLES:
        if plain.startswith(title + " "):
            plain = plain[len(title) + 1 :]
            break
    for honorific in _HONORIFICS:
        if plain.endswith(honorific) and len(plain) > len(honorific):
            return plain[: -len(honorific)]
    return plain


def is_safe(name: str) -> bool:
    """Whether a name can be an entity's."""
    try:
        return bool(safe_name(name)) and "\n" not in name
    except UnsafeNameError:
        return False


def find_by_name(entities: Iterable[Entity], names: Iterable[str]) -> Entity | None:
    """Return the first of the entities that any of the names means."""
    keys = {name_key(name) for name in names}
    return next((entity for entity in entities if any(name_key(own) in keys for own in entity.names)), None)
