"""A day as the built-in mind condenses it: what it was about, and what was said that tells most."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

from agent.minds.builtin.dreams.statements import Said, call, is_name_of, lasting_terms, listed, phrase, said_in, tell
from agent.minds.builtin.talk.quotation import marks
from managers.language.emotion import read_emotion
from managers.memory.emotions import VALUES, concern_of
from managers.memory.messages import Message
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import Claim, DayDraft, DayMaterial, Tone
from managers.storage.errors import Lang

MAX_EVENTS = 10
EVENTS_IN_BLOCK = 2
FEWEST_EVENTS = 4
MAX_QUOTED = 5
_BLOCK = 30
"""A conversation longer than this many messages has usually moved on to something else."""
MAX_TOPICS = 3
MAX_KEYWORDS = 8
_PAUSE_SECONDS = 30 * 60
_LONGEST_EVENT = 160
"""One line on a card."""
_FELT = 0.15
_MIXED_SHARE = 0.25


def summarise_day(material: DayMaterial, _: Cancel | None = None) -> DayDraft:
    """Return the day's episode: sentences that say who said what, all of it quoted from the day."""
    lang = material.sheet.language
    spoken = said_in(material.messages)
    chosen = _chosen(material.messages, spoken)
    topics = day_topics(spoken, {message.speaker for message in material.messages})
    opening = [_opening(material, topics), *_company(material)]
    named = {topic: said.message.id for said in reversed(spoken) for topic in said.topics if topic in topics}
    evidence = [*(said.message.id for said in chosen), *named.values()]
    return DayDraft(
        summary=phrase(lang, "joint").join([*opening, *_told(chosen, material.sheet)]),
        evidence=list(dict.fromkeys(evidence or [material.messages[0].id])),
        key_events=[Claim(text=_event(said, material), evidence=[said.message.id]) for said in chosen],
        emotional_tone=tone_of(material),
    )


def summarise_talk(messages: Sequence[Message], lang: Lang) -> tuple[str, list[str]]:
    """Return what a stretch of talk was, told by nobody in particular, and its keywords; quoted from it as a day is."""
    spoken = said_in(messages)
    topics = day_topics(spoken, {message.speaker for message in messages}, MAX_KEYWORDS)
    about = listed(topics[:MAX_TOPICS], lang)
    nobody = Sheet(persona="", language=lang, system_prompt="")
    opening = [phrase(lang, "talk_about", about=about)] if topics else []
    return phrase(lang, "joint").join([*opening, *_told(_chosen(messages, spoken), nobody)]), topics


def day_topics(spoken: Sequence[Said], speakers: Collection[str] = (), limit: int = MAX_TOPICS) -> list[str]:
    """Return what the day was about: noun phrases that came up most, the more particular ones first."""
    names = {name.casefold() for name in speakers}
    found = {(said.message.id, topic) for said in spoken for topic in said.topics}
    mentioned = Counter(topic for _, topic in found if not is_name_of(topic, names))
    ranked = sorted(mentioned, key=lambda topic: (-mentioned[topic] * math.log(1 + min(len(topic), 12)), topic))
    topics: list[str] = []
    for topic in ranked:
        plain = topic.casefold()
        if not any(plain in other or other in plain for other in map(str.casefold, topics)):
            topics.append(topic)
    return topics[:limit]


def tone_of(material: DayMaterial) -> Tone:
    """Return the day's tone from what the user felt; read anew where it was not read at the time."""
    theirs = [message.text for message in material.messages if message.role == "user"]
    read = [entry.emotion for entry in material.emotions] or [read_emotion(text).emotion for text in theirs]
    if not (felt := [VALUES.get(emotion, 0.0) for emotion in read]):
        return "neutral"
    up, down = (sum(1 for value in felt if sign * value > 0) / len(felt) for sign in (1, -1))
    if any(concern_of(text) for text in theirs):
        return "mixed" if up >= _MIXED_SHARE else "negative"  # a death does not weigh less for the words around it
    if up >= _MIXED_SHARE and down >= _MIXED_SHARE:
        return "mixed"
    mean = sum(felt) / len(felt)
    return "positive" if mean > _FELT else "negative" if mean < -_FELT else "neutral"


def weight_of(said: Said, counts: Counter[str]) -> float:
    """Return how much a sentence tells: what the conversation is about, names and numbers, one's own life."""
    if said.is_empty:
        return 0.0
    shortest, longest = marks(said.lang)["good_length"]
    length = len(said.text)
    fit = 1.0 if shortest <= length <= longest else 0.5 if length < shortest else 0.8
    centre = sum(math.log1p(min(counts[term], 6)) for term in said.terms) / math.sqrt(len(said.terms) or 1)
    named = sum(1 for word in said.words if word.kind == "proper") + 0.5 * sum(
        1 for w in said.words if w.kind == "number"
    )
    own = 1.5 if said.is_own else 1.0
    told = 1.3 if said.has("past") or said.is_plan else 1.0
    heavy = 2.0 if said.has("gone") else 1.3 if said.has("worry") else 1.0
    witness = 1.2 if said.message.role == "user" else 1.0
    lasting = 1.25 if said.is_own and said.terms & lasting_terms(said.lang) else 1.0
    return lasting * fit * (centre + 0.6 * min(named, 3)) * own * told * heavy * witness


def conversations(messages: Sequence[Message]) -> list[list[Message]]:
    """Return the conversations of a day: messages without a long pause between them."""
    found: list[list[Message]] = []
    for message in messages:
        if found and (message.time - found[-1][-1].time).total_seconds() < _PAUSE_SECONDS:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def _chosen(messages: Sequence[Message], spoken: Sequence[Said]) -> list[Said]:
    """Return the sentences that tell most, from each part of the day, in their order."""
    counts = Counter(term for said in spoken for term in said.terms)
    talks = conversations(messages)
    blocks = [talk[at : at + _BLOCK] for talk in talks for at in range(0, len(talk), _BLOCK)]
    each = max(EVENTS_IN_BLOCK, FEWEST_EVENTS // len(blocks))
    weights = {id(said): weight_of(said, counts) for said in spoken}
    chosen: list[Said] = []
    for block in blocks:
        ids = {message.id for message in block}
        there = [said for said in spoken if said.message.id in ids and weights[id(said)] > 0]
        taken = 0
        for said in sorted(there, key=lambda one: -weights[id(one)]):
            if taken < each and all(_overlap(said, o) < 0.4 and said.message.id != o.message.id for o in chosen):  # noqa: PLR2004  # share of terms
                chosen.append(said)
                taken += 1
    if not chosen and spoken:
        chosen = [max(spoken, key=lambda said: (not said.is_question, len(said.terms)))]
    best = sorted(chosen, key=lambda said: -weights[id(said)])[:MAX_EVENTS]
    place = {id(said): index for index, said in enumerate(spoken)}
    return sorted(best, key=lambda said: place[id(said)])


def _told(chosen: Sequence[Said], sheet: Sheet) -> list[str]:
    return [tell("said", said, sheet) for said in _spread(chosen, MAX_QUOTED)]


def _spread(chosen: Sequence[Said], count: int) -> list[Said]:
    if len(chosen) <= count:
        return list(chosen)
    return [chosen[round(n * (len(chosen) - 1) / (count - 1))] for n in range(count)]


def _overlap(one: Said, other: Said) -> float:
    union = one.terms | other.terms
    return len(one.terms & other.terms) / len(union) if union else 1.0


def _opening(material: DayMaterial, topics: Sequence[str]) -> str:
    lang = material.sheet.language
    other = next((call(m, material.sheet, lang) for m in material.messages if m.role == "user"), "")
    key = ("opening" if other else "alone") + ("_about" if topics else "")
    return phrase(lang, key, who=other, about=listed(topics, lang))


def _company(material: DayMaterial) -> list[str]:
    lang, own = material.sheet.language, material.sheet.persona
    others = dict.fromkeys(name for message in material.messages for name in message.present if name != own)
    return [phrase(lang, "company", others=listed([*others], lang))] if others else []


def _event(said: Said, material: DayMaterial) -> str:
    lang = material.sheet.language
    text = said.text if len(said.text) <= _LONGEST_EVENT else said.text[: _LONGEST_EVENT - 1] + "…"
    who = call(said.message, material.sheet, lang)
    return phrase(lang, "event", who=who, text=text.rstrip(marks(lang)["full_stop"]))
