"""Whom and what a day told something about, as the built-in mind finds it.

Four ways in: names (through the language tools), titles in quotation marks, people known by their
relation to the speaker (my grandma, 恋人), and things that came up again and again. What is kept of
each is what was said, quoted.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.minds.builtin.dreams.kinds import acts, told_kind
from agent.minds.builtin.dreams.statements import (
    UNNAMED,
    Said,
    call,
    cue_words,
    lasting_terms,
    quoted,
    said_in,
    told_by_persons,
)
from agent.minds.builtin.dreams.summary import is_name_of
from managers.language.standing import CHANGES, STATES
from managers.language.words import Entity as Named
from managers.language.words import entities as named_in
from managers.memory.entities import Entity, find_by_name, is_safe, name_key
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.sleep.tasks import EntitiesDraft, EntityDraft, EntityMaterial, FactDraft
from managers.storage.errors import Lang

Kind = Literal["person", "pet", "place", "work", "organisation", "thing"]
MAX_FACTS = 6
MAX_OWN_FACTS = 5
RECURRING = 4
"""So many messages of a day make a thing worth an entity; two where it is known already."""
_TITLE = re.compile(r"[『「“\"]([^『』「」“”\"]{2,40})[』」”\"]")
_KATAKANA = re.compile(r"[ァ-ヺー・]{3,}")
_KINDS: dict[str, Kind] = {"person": "person", "place": "place", "organisation": "organisation", "other": "thing"}
_LONGEST_COMPOUND = 12
_PETS_STAY = 3
"""For so many messages "he" and "Luna" may still be the cat."""
_WITHIN = frozenset({"市内", "県内", "都内", "国内", "以外", "以上", "以下", "全部", "全体"})
_PLACE_ENDINGS = (
    "神社",
    "寺",
    "駅",
    "市",
    "区",
    "町",
    "村",
    "県",
    "府",
    "島",
    "山",
    "川",
    "湖",
    "海",
    "公園",
    "温泉",
    "タワー",
    "ツリー",
    "城",
    "橋立",
)
_ABSTRACT_ENDINGS = ("ic", "ary", "ful", "ive", "ous", "able", "ence", "ness", "ity", "ment", "tion", "sion", "ing")
_NAMED_JA = r"の([ァ-ヺー]{2,8}(?:ちゃん|さん|くん|君)?)(?=[がはもをにと、。])"
_MINE_JA = frozenset({"うち", "ウチ", "私", "わたし", "僕", "ぼく", "俺", "おれ", "我が家", "わが家"})
_MYSELF_JA = re.compile("(?:私|わたし|僕|ぼく|俺|おれ|自分)(?:は|が|も)")
_MYSELF_EN = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|me)\b")
_POSSESSIVE = re.compile(r"\b(?:[Mm]y|[Oo]ur) (\w+)(?:,? (\w+))?(?:,? (\w+))?")


@dataclass
class _Found:
    """Somebody or something, and where it was spoken of."""

    name: str
    kind: Kind
    said: list[Said] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)
    is_named: bool = True
    may_be_person: bool = False
    """The dictionary takes it for a person's name; a hint only."""
    is_told: bool = False
    """Somebody said what it is to them: my sister Nora."""
    is_near_pets: bool = False
    """A pet was spoken of shortly before: "Luna" may be the cat, unless somebody says that she is not."""


def describe(material: EntityMaterial) -> EntitiesDraft:
    """Return everyone and everything that the new messages told something about."""
    day = material.day
    told = told_by_persons(day.new_messages)
    speakers = {message.speaker for message in day.messages if message.speaker}
    found: dict[str, _Found] = {}
    common = {word.surface for said in told for word in said.words if word.surface.islower()}
    near_pets = _near_pets(day.messages)
    for said in told:
        for one in _mentions(said, speakers, common):
            one.is_near_pets = one.is_named and said.message.id in near_pets
            _take(found, one, said)
    _take_recurring(found, told, material.known, speakers)
    for one in found.values():
        one.kind = _by_what_is_said(one)
    drafts = [_draft(one, day.sheet) for one in found.values() if one.name not in UNNAMED]
    others = [one.name for one in found.values() if one.kind in ("person", "pet")]
    others += [one.name for one in material.known if one.kind in ("person", "pet")]
    own = [
        _speaker(
            speaker,
            name,
            [said for said in told if not _is_about_another(said, set(others) - {speaker, name})],
            day.sheet,
            _known_slots(name, material.known),
        )
        for speaker in sorted(speakers)
        for name in [_name_of(speaker, day.sheet)]
    ]
    return EntitiesDraft(entities=[draft for draft in [*own, *drafts] if draft is not None and draft.facts])


def _name_of(speaker: str, sheet: Sheet) -> str:
    """Return the name under which somebody's own facts are kept: as "you" only while nobody has told a name."""
    return sheet.user_name or speaker if speaker in UNNAMED else speaker


def _by_what_is_said(one: _Found) -> Kind:
    """Return what a name stands for: what was said of it counts for more than the dictionary's guess."""
    if not one.is_named or one.is_told or one.kind not in ("thing", "place", "person"):
        return one.kind
    texts = [said.text for said in one.said]
    lang = one.said[0].lang
    if (told := told_kind(one.name, texts, lang)) is not None:
        return told
    if one.is_near_pets and one.kind != "place":
        return "pet"
    return "person" if lang == "ja" and one.may_be_person and acts(one.name, texts) else one.kind


def _take(found: dict[str, _Found], one: _Found, said: Said) -> None:
    known = found.setdefault(name_key(one.name), one)
    if said not in known.said:
        known.said.append(said)
    known.aliases |= one.aliases | ({one.name} - {known.name})
    known.is_near_pets |= one.is_near_pets
    if (known.kind == "thing" and one.kind != "thing") or (one.is_told and not known.is_told):
        known.kind = one.kind
    known.is_told |= one.is_told


def _mentions(said: Said, speakers: Iterable[str], common: Collection[str]) -> list[_Found]:
    names = {name.casefold() for name in speakers}
    titles = _titles(said)
    in_titles = " ".join(title.name for title in titles)
    found: list[_Found | None] = []
    for one in named_in(said.text):
        is_speaker = any(is_name_of(_bare(part), names) for part in one.text.split())
        if not is_speaker and _bare(one.text) not in in_titles and one.text.casefold() not in common:
            found.append(_named(one, said))
    found += [*titles, *_relations(said)]
    found += [_Found(match.group(1), one.kind) for one in found if one and (match := _paired(one, said))]
    return [one for one in found if one is not None and is_safe(one.name) and _is_name(one.name, said)]


def _paired(one: _Found, said: Said) -> re.Match[str] | None:
    """Return the name before "and" and a name: at a sentence's start its capital says nothing."""
    if said.lang != "en" or not one.is_named or one.kind == "work":
        return None
    return re.search(rf"(?:^|[.!?] )([A-Z][a-z]{{2,}}) and {re.escape(one.name)}\b", said.text)


def _near_pets(messages: Sequence[Message]) -> set[str]:
    """Return the messages shortly after which or in which pets were spoken of."""
    near: set[str] = set()
    last = -_PETS_STAY
    for index, said in enumerate(said_in([message]) for message in messages):
        if any(_is_pet(one) for one in said):
            last = index
        if index - last < _PETS_STAY:
            near.add(messages[index].id)
    return near


def _named(one: Named, said: Said) -> _Found | None:
    kind = _KINDS[one.kind]
    name, end = (_whole(one, said), one.end) if said.lang == "ja" else (one.text, one.end)
    if name != one.text:
        end += len(name) - len(one.text)
        kind = "place" if kind == "place" and name.endswith(_PLACE_ENDINGS) else "thing"
        kind = "place" if name.endswith(_PLACE_ENDINGS) else kind
    name = unicodedata.normalize("NFKC", name).strip(" 。、.,!?！？'’")
    after = said.text[end : end + 6]
    if said.lang == "ja":
        honorific = re.match(r"(さん|くん|君|ちゃん|様|先生|先輩|選手)", after)
        if kind == "person" and not honorific:
            kind = "place" if re.match(r"(で|に行|へ|まで|から)", after) and not _KATAKANA.fullmatch(name) else "thing"
        if honorific:
            name, kind = name + honorific.group(1), "person"
    elif not re.search(r"[A-Za-z]{2}", name) or name.casefold() in cue_words("en", "light"):
        return None
    return _Found(name, kind, may_be_person=one.kind == "person")


def _whole(one: Named, said: Said) -> str:
    """Return a name with the nouns that stick to it: 日商簿記, 貴船神社, FF14."""
    end = one.end
    for word in said.words:
        if word.start == end and word.kind in ("noun", "proper", "number") and word.surface not in _WITHIN:
            end = word.end
    return said.text[one.start : end] if end - one.start <= _LONGEST_COMPOUND else one.text


def _titles(said: Said) -> list[_Found]:
    marks = cue_words(said.lang, "work_marks")
    found = []
    for match in _TITLE.finditer(said.text):
        title = match.group(1).strip()
        around = said.text[max(0, match.start() - 24) : match.start()] + " " + said.text[match.end() : match.end() + 16]
        capitalised = said.lang == "en" and title[:1].isupper() and len(title.split()) <= 8  # noqa: PLR2004  # words of a title
        if any(mark in around.casefold() for mark in marks) or capitalised:
            found.append(_Found(title.rstrip(",.!"), "work"))
    return found


def _relations(said: Said) -> list[_Found]:
    """Return those who are known by what they are to the speaker, named after both."""
    relations = cue_words(said.lang, "relations")
    owner = said.message.speaker
    if said.lang == "en":
        return [
            one
            for match in _POSSESSIVE.finditer(said.text)
            if (one := _kin(match, _possessive(owner), relations)) is not None
        ]
    found = []
    pets = cue_words("ja", "pets")
    for at, word in enumerate(said.words):
        if word.surface not in relations | pets:
            continue
        before = said.words[at - 1].surface if at else ""
        after = said.text[word.end : word.end + 2]
        is_mine = before == "の" and at > 1 and said.words[at - 2].surface in _MINE_JA
        if word.surface in pets and not (is_mine or re.match(_NAMED_JA, said.text[word.end :])):
            continue  # any cat
        if (before in ("の", "ご", "お", "その", "ある") and not is_mine) or after.startswith(
            ("の日", "親", "同士", "たち", "とか", "さん")
        ):
            continue
        if not re.match(r"(が|は|も|に|と|を|の|から|、|で)", after) or said.is_question:
            continue
        relative = _relative("あなたの" if owner == "You" else f"{owner}の", word.surface, "ja")
        found.append(_with_name(relative, said.text[word.end :]))
    return found


def _with_name(relative: _Found, after: str) -> _Found:
    """Return a relative, or an animal, under the name that follows the word for it: 妹のノラ, 猫のモモちゃん."""
    match = re.match(_NAMED_JA, after)
    if match is None:
        return relative
    return _Found(match[1], relative.kind, aliases={relative.name, *relative.aliases}, is_told=True)


def _kin(match: re.Match[str], owner: str, relations: frozenset[str]) -> _Found | None:
    """Read "my sister", "my little sister", and "my sister Aiko", who then has a name."""
    words = [word for word in match.groups() if word]
    at = next((n for n, word in enumerate(words[:2]) if word.casefold() in relations), None)
    if at is None:
        return None
    relative = _relative(f"{owner} ", words[at].casefold(), "en")
    named = words[at + 1] if len(words) > at + 1 else ""
    if not named.istitle():
        return relative
    return _Found(named, relative.kind, aliases={relative.name, *relative.aliases}, is_told=True)


def _possessive(owner: str) -> str:
    return "Your" if owner == "You" else f"{owner}'s"


def _relative(owner: str, relation: str, lang: Lang) -> _Found:
    """Return somebody known by a relation; other words for the same relation become aliases."""
    group = next((g.split("=") for g in cue_words(lang, "same") if relation in g.split("=")), [relation])
    kind: Kind = "pet" if relation in cue_words(lang, "pets") else "person"
    aliases = {owner + one for one in (group[0], relation)} - {owner + group[0]}
    return _Found(owner + group[0], kind, aliases=aliases, is_named=False)


def _take_recurring(
    found: dict[str, _Found], told: Sequence[Said], known: Sequence[Entity], speakers: Iterable[str]
) -> None:
    """Take the things that came up again and again, by both or on more than one day."""
    names = {name.casefold() for name in speakers}
    known_keys = {name_key(name) for entity in known for name in entity.names}
    mentioned: dict[str, list[Said]] = defaultdict(list)
    shown: dict[str, str] = {}
    for said in told:
        for topic in said.topics:
            key = name_key(topic)
            shown.setdefault(key, topic)
            if said not in mentioned[key]:
                mentioned[key].append(said)
    for key, places in mentioned.items():
        topic = shown[key]
        if key in found or is_name_of(topic, names) or not is_safe(topic) or not _is_particular(topic, places[0]):
            continue
        messages = {said.message.id for said in places}
        if key in known_keys or (len(messages) >= RECURRING and len({said.message.speaker for said in places}) > 1):
            found[key] = _Found(topic, "thing", places, is_named=False)


def _is_particular(topic: str, said: Said) -> bool:
    """Whether a noun phrase names a thing rather than a circumstance."""
    if said.lang == "ja":
        if _KATAKANA.fullmatch(topic):
            return True
        parts = [word for word in said.words if word.surface in topic and word.kind in ("noun", "proper")]
        return (len(topic) > 2 and len(parts) > 1) or any(word.kind == "proper" for word in parts)  # noqa: PLR2004  # letters
    return " " in topic or (len(topic) > 4 and not topic.casefold().endswith(_ABSTRACT_ENDINGS))  # noqa: PLR2004  # letters


def _is_name(name: str, said: Said) -> bool:
    return bool(name.strip()) and not (said.lang == "ja" and len(name) == 1)


def _is_pet(said: Said) -> bool:
    pets = cue_words(said.lang, "pets")
    return bool({word.surface.casefold() for word in said.words} & pets)


def _draft(one: _Found, sheet: Sheet) -> EntityDraft | None:
    telling = [said for said in one.said if not said.is_question and len(said.terms) > 1]
    # What was only asked about, or thanked for, is nothing known; a name is kept where it was used in passing.
    lasting = [said for said in telling if not said.is_empty] or (telling if one.is_named else [])
    best = sorted(lasting, key=_weight, reverse=True)[:MAX_FACTS]
    facts = [_quote(said, sheet) for said in sorted(best, key=lambda said: said.message.time)]
    if not facts:
        return None
    return EntityDraft(name=one.name, kind=one.kind, aliases=sorted(one.aliases), facts=facts)


def _known_slots(name: str, known: Sequence[Entity]) -> dict[str, str]:
    """Return what is known of somebody of which only one can be true: slots and the ids of their facts."""
    entity = find_by_name(known, [name])
    return {fact.slot: fact.id for fact in entity.current_facts if fact.slot} if entity else {}


def _speaker(speaker: str, name: str, told: Sequence[Said], sheet: Sheet, known: dict[str, str]) -> EntityDraft | None:
    """Return what somebody told of themselves that stays true for a while."""
    own = [said for said in told if said.message.speaker == speaker and said.is_own and not said.has("vague_plan")]
    theirs = [said for said in told if said.message.speaker == speaker]
    facts = [fact for said in theirs if (fact := _slotted(said, sheet, known)) is not None]
    lasting = [said for said in own if said.terms & lasting_terms(said.lang)]
    chosen = sorted(lasting, key=_weight, reverse=True)[:MAX_OWN_FACTS]
    slotted = {one for fact in facts for one in fact.evidence}
    facts += [
        _quote(said, sheet) for said in sorted(chosen, key=lambda s: s.message.time) if said.message.id not in slotted
    ]
    if not facts or not is_safe(name):
        return None
    return EntityDraft(name=name, kind="person", aliases=_short_forms(name, told), facts=facts)


def _is_about_another(said: Said, names: Iterable[str]) -> bool:
    """Tell whether a sentence tells of somebody whom the speaker knows, and not of the speaker."""
    known = "|".join(sorted((cue_words(said.lang, "relations") | cue_words(said.lang, "pets")), key=len, reverse=True))
    called = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)"
    if said.lang == "ja":
        subject = rf"(?:{called}|(?:{known})(?:の[^はがもを、。]{{1,8}})?)(?:さん|ちゃん|くん|君)?(?:は|が|も)"
        return bool(re.search(subject, said.text)) and not _MYSELF_JA.search(said.text)
    subject = rf"(?:\w+, )?(?:(?:and|but|so) )?(?:(?:my|our) (?:\w+ ){{0,2}}(?:{known})\b|(?:{called})\b)(?!,? and I\b)"
    return bool(re.match(subject, said.text.replace("’", "'"), re.IGNORECASE)) and not _MYSELF_EN.search(said.text)


def _slotted(said: Said, sheet: Sheet, known: dict[str, str]) -> FactDraft | None:
    """Return a fact of which only one can be true at a time: where somebody lives, works, how old they are.

    Who says 関西 one day and 京都 the next has not moved: only what tells of a change (a move, a new job,
    a birthday) replaces what is known.
    """
    if said.is_question or said.is_plan:
        return None
    if said.has("quit") and "work" in known:
        return _quote(said, sheet).model_copy(update={"replaces": known["work"]})
    for pattern, slot in (*CHANGES.items(), *STATES.items()):
        if said.has(pattern):
            is_news = pattern in CHANGES or slot not in known
            return _quote(said, sheet).model_copy(update={"slot": slot if is_news else ""})
    return None


def _quote(said: Said, sheet: Sheet) -> FactDraft:
    lang: Lang = sheet.language
    who = call(said.message, sheet, lang)
    text = (
        f"{who}{quoted(said.text, lang, 200)}" if lang == "ja" else f"{_capital(who)}: {quoted(said.text, lang, 240)}"
    )
    return FactDraft(text=text, evidence=[said.message.id])


def _short_forms(name: str, told: Sequence[Said]) -> list[str]:
    """Return the short forms by which the others call somebody: Mel for Melanie."""
    called: dict[str, int] = defaultdict(int)
    for said in told:
        if said.message.speaker != name:
            for one in named_in(said.text):
                if one.text != name and is_name_of(_bare(one.text), {name.casefold()}):
                    called[_bare(one.text)] += 1
    return sorted(
        form for form, times in called.items() if times > 1 and is_safe(form) and name_key(form) != name_key(name)
    )


def _weight(said: Said) -> tuple[bool, bool, int]:
    return (said.is_own, bool(said.terms & lasting_terms(said.lang)), min(len(said.terms), 12))


def _bare(name: str) -> str:
    return name.strip(" .,!?'’").removesuffix("'s").removesuffix("’s")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
