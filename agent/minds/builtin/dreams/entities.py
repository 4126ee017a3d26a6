"""Whom and what a day told something about, as the built-in mind finds it.

Four ways in: names (through the language tools), titles in quotation marks, people known by their
relation to the speaker (my grandma, 恋人), and things that came up again and again. What is kept of
each is what was said, quoted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from agent.minds.builtin.dreams.mentions import Mention, bare_name, is_katakana, is_pet_word, mentions
from agent.minds.builtin.dreams.statements import UNNAMED, Said, is_name_of, lasting_terms, said_in, tell
from managers.language.lexicons import word_list
from managers.language.reading.kinship import marked
from managers.language.reading.reality import claims
from managers.language.reading.rules import fits
from managers.language.reading.slots import TOLD, is_change, tells
from managers.language.reading.whose import told_of
from managers.language.words import entities as named_in
from managers.memory.entities import Entity, find_by_name, is_safe, name_key
from managers.memory.messages import Message
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import DayMaterial, EntitiesDraft, EntityDraft, EntityMaterial, FactDraft

MAX_FACTS: Final = 6
MAX_OWN_FACTS: Final = 5
RECURRING: Final = 4
"""So many messages of a day make a thing worth an entity; one is enough where it is known already."""
_PETS_STAY: Final = 3
"""For so many messages "he" and "Luna" may still be the cat."""
_LIVING: Final = ("person", "pet")
_LONGEST_FACT: Final = {"ja": 200, "en": 240}


def describe_entities(material: EntityMaterial, _: Cancel | None = None) -> EntitiesDraft:
    """Return everyone and everything that the new messages told something about."""
    sheet, given = material.day.sheet, _names_of_user(material.day)
    material = replace(material, day=_under_one_name(material.day, given))
    day, told = material.day, said_in(material.day.new_messages)
    speakers = {message.speaker for message in day.messages if message.speaker}
    own_names = {speaker: _own_names([s for s in told if s.message.speaker == speaker]) for speaker in speakers}
    for speaker in {message.speaker for message in day.messages if message.role == "user"}:
        own_names[speaker].update(given)
    found = _mentioned(
        told, {name.casefold() for name in speakers.union(*own_names.values())}, day.messages, material.known
    )
    _take_recurring(found, told, material.known, speakers)
    for one in found.values():
        one.kind = one.kind_by_what_is_said()
    drafts = [_draft(one, sheet) for one in found.values() if one.name not in UNNAMED]
    others = {one.name for one in found.values() if one.kind in _LIVING}
    others |= {one.name for one in material.known if one.kind in _LIVING}
    own = []
    for speaker in sorted(speakers):
        name = sheet.user_name or speaker if speaker in UNNAMED else speaker  # "you" only while nobody has told a name
        themselves = {speaker, name, *own_names[speaker]}
        theirs = [said for said in told if not _is_about_another(said, others - themselves)]
        own.append(_speaker(speaker, name, own_names[speaker], theirs, material))
    return EntitiesDraft(entities=[draft for draft in [*own, *drafts] if draft is not None and draft.facts])


def _names_of_user(day: DayMaterial) -> list[str]:
    """Return the names under which the user spoke, the newest last: who puts their name right goes on under another."""
    return [one.speaker for one in day.messages if one.role == "user" and one.speaker not in {"", *UNNAMED}]


def _under_one_name(day: DayMaterial, given: Sequence[str]) -> DayMaterial:
    """Return the day with all that the user said under one name: Tom, Tommy and Thomas are one person."""
    if not given:
        return day
    name = day.sheet.user_name if day.sheet.user_name in given else given[-1]
    return replace(day, messages=tuple(replace(m, speaker=name) if m.role == "user" else m for m in day.messages))


def _own_names(told: Sequence[Said]) -> set[str]:
    """Return all names that somebody gave as their own, or took back: Tom, Tommy, Thomas."""
    found = (match for said in told for match in claims(said.lang, "persons", "own_name", said.plain))
    return {name for match in found for name in match.groups() if name and is_safe(name)}


def _mentioned(
    told: Sequence[Said], speakers: Collection[str], messages: Sequence[Message], known: Sequence[Entity]
) -> dict[str, Mention]:
    """Return whom and what the sentences speak of, by the key of the name."""
    found: dict[str, Mention] = {}
    common = {word.surface for said in told for word in said.words if word.surface.islower()}
    near_pets = _near_pets(messages)
    spoken_of = [(said, mentions(said, speakers, common)) for said in told]
    persons = {name_key(one.name) for _, ones in spoken_of for one in ones if one.is_told and one.kind == "person"}
    persons.update(name_key(name) for one in known if one.kind == "person" and one.aliases for name in one.names)
    for said, ones in spoken_of:
        pets = persons & {name_key(one.name) for one in ones if one.is_told and one.kind == "pet"}
        for one in ones:
            if name_key(one.name) in pets:  # a cat of the sister's name: it stands under what it is to the speaker
                if not one.aliases:
                    continue
                one.name, one.is_named = min(one.aliases), False
                one.aliases.discard(one.name)
            one.is_near_pets = one.is_named and said.message.id in near_pets
            found.setdefault(name_key(one.name), one).take(one, said)
    return found


def _near_pets(messages: Sequence[Message]) -> set[str]:
    """Return the messages shortly after which or in which pets were spoken of."""
    named = [any(is_pet_word(w.surface, s.lang) for s in said_in([one]) for w in s.words) for one in messages]
    return {one.id for at, one in enumerate(messages) if any(named[max(0, at + 1 - _PETS_STAY) : at + 1])}


def _take_recurring(
    found: dict[str, Mention], told: Sequence[Said], known: Sequence[Entity], speakers: Iterable[str]
) -> None:
    """Take the things that came up again and again, by both or on more than one day."""
    names = {name.casefold() for name in speakers}
    known_keys = {name_key(name) for entity in known for name in entity.names}
    mentioned: dict[str, Mention] = {}
    for said in told:
        for topic in said.topics:
            one = Mention(topic, "thing", is_named=False)
            mentioned.setdefault(name_key(topic), one).take(one, said)
    for key, one in mentioned.items():
        if key in found or is_name_of(one.name, names) or not is_safe(one.name) or not _is_particular(one):
            continue
        is_shared = len({said.message.speaker for said in one.said}) > 1
        if key in known_keys or (is_shared and len({said.message.id for said in one.said}) >= RECURRING):
            one.aliases.clear()  # other ways to write the same
            found[key] = one


def _is_particular(one: Mention) -> bool:
    """Whether a noun phrase names a thing rather than a circumstance."""
    said, topic = one.said[0], one.name
    if said.lang == "en":
        is_long = len(topic) > 4 and not topic.casefold().endswith(tuple(word_list("en", "abstract_endings")))  # noqa: PLR2004  # letters
        return " " in topic or is_long
    parts = [word for word in said.words if word.surface in topic and word.kind in ("noun", "proper")]
    is_compound = len(topic) > 2 and len(parts) > 1  # noqa: PLR2004  # letters
    return is_katakana(topic) or is_compound or any(word.kind == "proper" for word in parts)


def _draft(one: Mention, sheet: Sheet) -> EntityDraft | None:
    telling = [said for said in one.said if not said.is_question and len(said.terms) > 1]
    # What was only asked about, or thanked for, is nothing known; a name is kept where it was used in passing.
    lasting = [said for said in telling if not said.is_empty] or (telling if one.is_named else [])
    facts = [_quote(said, sheet) for said in _best(lasting, MAX_FACTS)]
    return EntityDraft(name=one.name, kind=one.kind, aliases=sorted(one.aliases), facts=facts) if facts else None


def _best(said: Sequence[Said], most: int) -> list[Said]:
    return sorted(sorted(said, key=lambda one: one.weight, reverse=True)[:most], key=lambda one: one.message.time)


def _speaker(
    speaker: str, name: str, names: Collection[str], told: Sequence[Said], material: EntityMaterial
) -> EntityDraft | None:
    """Return what somebody told of themselves that stays true for a while, under all the names that they gave."""
    sheet, entity = material.day.sheet, find_by_name(material.known, [name, *names])
    slots = {fact.slot: fact.id for fact in entity.current_facts if fact.slot} if entity else {}
    theirs = [said for said in told if said.message.speaker == speaker]
    facts = [fact for said in theirs if (fact := _slotted(said, sheet, slots)) is not None]
    lasting = [s for s in theirs if s.is_own and not s.has("vague_plan") and s.terms & lasting_terms(s.lang)]
    slotted = {one for fact in facts for one in fact.evidence}
    facts += [_quote(said, sheet) for said in _best(lasting, MAX_OWN_FACTS) if said.message.id not in slotted]
    if not facts or not is_safe(name):
        return None
    aliases = {*names, *_short_forms(name, told)} - {name}
    return EntityDraft(name=name, kind="person", aliases=sorted(aliases), facts=facts)


def _is_about_another(said: Said, names: Collection[str]) -> bool:
    """Tell whether a sentence tells of somebody whom the speaker knows, and not of the speaker."""
    before, plain = said.message.text.partition(said.text)[0], marked(said.text, names, said.lang)
    whose = told_of(said.text, said.lang, speaker=said.message.speaker, breath=before)
    is_of_known = fits(said.lang, "statements", "of_another", plain) and not said.has("of_speaker")
    return is_of_known or bool(whose.others and not whose.of_speaker)


def _slotted(said: Said, sheet: Sheet, known: dict[str, str]) -> FactDraft | None:
    """Return a fact of which only one can be true at a time: where somebody lives, works, how old they are.

    Who says 関西 one day and 京都 the next has not moved: only what tells of a change (a move, a new job,
    a birthday) replaces what is known.
    """
    text, lang = said.plain, said.lang
    if said.is_plan:
        return None
    if "work" in known and tells("quit", text, lang) and not fits(lang, "events", "long_ago", text):
        return _quote(said, sheet).model_copy(update={"replaces": known["work"]})
    for name, slot in TOLD.items():
        if tells(name, text, lang):
            is_news = is_change(name, text, lang) or slot not in known
            return _quote(said, sheet).model_copy(update={"slot": slot if is_news else ""})
    return None


def _quote(said: Said, sheet: Sheet) -> FactDraft:
    text = tell("told", said, sheet, longest=_LONGEST_FACT[sheet.language])
    return FactDraft(text=text, evidence=[said.message.id])


def _short_forms(name: str, told: Sequence[Said]) -> list[str]:
    """Return the short forms by which the others call somebody: Mel for Melanie."""
    spoken = [bare_name(one.text) for said in told if said.message.speaker != name for one in named_in(said.text)]
    called = Counter(form for form in spoken if form != name and is_name_of(form, {name.casefold()}))
    return [form for form, times in called.items() if times > 1 and is_safe(form) and name_key(form) != name_key(name)]
