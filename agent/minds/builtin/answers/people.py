"""Who somebody is, what was told of them, and what was heard of them last."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent.minds.builtin.answers.candidates import Candidate, candidates_of
from agent.minds.builtin.answers.citation import quote_told, reported, say_report
from agent.minds.builtin.talk.scene import Scene
from agent.minds.builtin.talk.voice import Voice
from managers.language.dates_in_words import say_when
from managers.language.lexicons import word_list
from managers.language.reading.kinship import kin_of, kin_words, naming, pets
from managers.language.reading.noun_phrases_ja import relatives
from managers.language.reading.reading import Sentence, asks_anything
from managers.language.reading.rules import fits, rule
from managers.language.words import content_words, sentences

_MOST_TOLD: Final = 3


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


def answer_who(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say who somebody is and what was told of them; empty if nobody is asked for or nothing is known."""
    name = asked_name(asked)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.who == "user" or c.kind == "note"]
    about = _about(name, pool, scene)
    relation = relation_of(_bare(name), (c.text for c in about), scene.book.voice)
    told = _distinct([c for c in about if not _says_only_who(c, name, relation)])
    newest = sorted(told, key=lambda c: (c.time is not None, c.time, -c.source))[-_MOST_TOLD:]
    if relation is None and not newest:
        return []
    scene.used.extend([*(c for c in about if relation_of(_bare(name), [c.text], scene.book.voice)), *newest])
    said = [scene.book.say("fact", "relation", who=name, relation=relation.spoken)] if relation else []
    return said + _say_all(name, relation, newest, scene)


def answer_last_heard(scene: Scene, asked: Sequence[Sentence]) -> list[str]:
    """Say what was heard last of somebody whom the user wonders about (クロは元気かな); empty if nothing is known."""
    name = _named_by("wonders", asked)
    if not name:
        return []
    pool = [c for c in candidates_of(scene.request) if c.is_own_word]
    about = [c for c in _about(name, pool, scene) if c.text.strip() != scene.message.strip()]
    for candidate in reversed(about):
        told = reported(candidate, scene)
        if told and candidate.time is not None:
            scene.used.append(candidate)
            relation = relation_of(_bare(name), (c.text for c in about), scene.book.voice)
            told = _without_name(told, name, relation, scene)
            when = say_when(candidate.time, scene.request.now, scene.lang)
            who = spoken_kin(name, scene.book.voice)
            return [scene.book.say("fact", "last_heard", who=who, told=told, when=when)]
    return []


def asked_name(asked: Sequence[Sentence]) -> str:
    """Return whom a message asks about by name ("who is Neil?"), as it is written there; or empty."""
    return _named_by("who", asked)


def _named_by(asks: str, asked: Sequence[Sentence]) -> str:
    """Return the name, with its title, that a rule of `answers.toml` finds in a question."""
    for sentence in asked:
        match = rule(sentence.lang, "answers", asks).search(sentence.plain)
        name, *title = [group for group in match.groups() if group] if match else [""]
        if name and not fits(sentence.lang, "answers", "nobody", name):
            return _as_written(name, sentence.text) + "".join(title)
    return ""


def _as_written(name: str, text: str) -> str:
    """Return a name with the capitals that it has in a text; one in small letters gets its capital, a relation does not."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    at = plain.lower().find(name)
    written = plain[at : at + len(name)] if at >= 0 else name
    is_name = written.isascii() and written.islower() and name not in kin_words("en") and " " not in name
    return written[:1].upper() + written[1:] if is_name else written


def _bare(name: str) -> str:
    title = next((one for one in word_list("ja", "honorific") if name.endswith(one)), "")
    return name.removesuffix(title)


def _about(name: str, pool: Sequence[Candidate], scene: Scene) -> list[Candidate]:
    """Return what tells of somebody, oldest first: it names them, or goes on about what names them."""
    named, drops_subject = naming([_bare(name)], scene.lang), scene.book.voice.marks["drops_subject"]
    told = [c for c in pool if not asks_anything(c.text)]
    sources = {c.source for c in told if named.search(c.text)}

    def goes_on(one: Candidate) -> bool:
        # A Japanese sentence without a subject is mostly of the speaker (さみしい): only in one breath it goes on.
        is_near = one.source in sources if drops_subject else fits(scene.lang, "answers", "pronoun", one.text)
        return one.goes_on and is_near and any(named.search(sentence) for sentence in sentences(one.around))

    found = [c for c in told if named.search(c.text) or goes_on(c)]
    return sorted(found, key=lambda c: (c.time is not None, c.time or scene.request.now, abs(c.source)))


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    kept: list[Candidate] = []
    for candidate in found:
        terms = set(content_words(candidate.text))
        if terms and not any(terms <= set(content_words(other.text)) for other in kept):
            kept.append(candidate)
    return kept


def _says_only_who(candidate: Candidate, name: str, relation: Relation | None) -> bool:
    """Tell "My cat is called Biscuit", which the relation says already, from what tells more."""
    if relation is None:
        return False
    light = {"i", "have", "我々", *content_words("name called named 名前 いう 呼ぶ")}
    for text in (name, _bare(name), relation.word, relation.spoken):
        light.update(content_words(text))
    return not set(content_words(candidate.text)) - light


def _say_all(name: str, relation: Relation | None, told: Sequence[Candidate], scene: Scene) -> list[str]:
    """Say what was told of somebody, a sentence a day; quoted where none of it can be turned safely."""
    by_day: dict[str, list[tuple[str, Candidate]]] = {}
    quotes: list[str] = []
    for candidate in told:
        when = say_when(candidate.time, scene.request.now, scene.lang) if candidate.time else ""
        if text := reported(candidate, scene):
            by_day.setdefault(when, []).append((_without_name(text, name, relation, scene), candidate))
        elif not quotes and len(told) < _MOST_TOLD:
            quotes.append(quote_told(candidate, scene))
    said = [say_report([text for text, _ in day], day[0][1], scene) for day in by_day.values()]
    return said or quotes


def _without_name(text: str, name: str, relation: Relation | None, scene: Scene) -> str:
    """Leave out who it is about, where that was just said: "your brother Neil moved" → "he moved", 弟さんのニールが → ∅."""
    spoken, word = (re.escape(relation.spoken), re.escape(relation.word)) if relation else ("(?!)", "(?!)")
    if scene.lang == "en":
        kin = rf"(?:{spoken}(?: is called| named| called|,)? )?"
        pronoun = (relation.pronoun if relation else "") or name
        return re.sub(rf"^{kin}{re.escape(name)}\b(?!'|,? and\b)", pronoun, text, flags=re.IGNORECASE)
    kin = rf"(?:{spoken}の?|[^、]{{0,8}}{word}の)?"
    title = "|".join(word_list("ja", "honorific"))
    return re.sub(rf"^{kin}{re.escape(_bare(name))}(?:{title})?[はが、]、?", "", text)


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
