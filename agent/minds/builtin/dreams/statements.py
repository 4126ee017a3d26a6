"""What was said, sentence by sentence, as the built-in mind reads it when it dreams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from managers.language.lexicons import load
from managers.language.words import Word, content_words, detect_language, sentences, words
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.sleep.tasks import is_testimony
from managers.storage.errors import Lang

_SHOWN = re.compile(r"\s*\[(?:shares|shared) [^\]]*\]\s*")
_HONORIFIC = re.compile(r"(さん|くん|君|ちゃん|様|さま|先生|先輩|氏|殿)$")
UNNAMED = frozenset({"あなた", "You", "you", "ユーザー", "User"})
_TOPIC_LENGTH = 32
_TIME_WORDS = re.compile(
    r"next|last|this|every|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|feb(?:ruary)?|march|april|june|july"
    r"|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    re.IGNORECASE,
)
"""When something is, is no part of what it is: "the library next Tuesday"."""
NAME = "built-in"
"""What the built-in mind signs with."""
_FEWEST_TERMS = {"ja": 2, "en": 3}
_MORE_THAN_AGREEMENT = 4
_SHORTEST_TOPIC = {"ja": 2, "en": 3}


@cache
def cue(lang: Lang, name: str) -> re.Pattern[str]:
    """Return one pattern of `assets/language/dreaming.toml`."""
    return re.compile(
        load("dreaming")[lang][name], re.IGNORECASE if lang == "en" and name not in {"home", "moved"} else 0
    )


@cache
def cue_words(lang: Lang, name: str) -> frozenset[str]:
    """Return one list of words of `assets/language/dreaming.toml`."""
    return frozenset(load("dreaming")[lang][name].split())


@cache
def lasting_terms(lang: Lang) -> frozenset[str]:
    """Return the terms of what stays true for a while: likes, work, home, relatives."""
    return frozenset(term for word in cue_words(lang, "lasting") for term in content_words(word))


@dataclass(frozen=True)
class Said:
    """One sentence that somebody said."""

    message: Message
    text: str
    lang: Lang

    @cached_property
    def words(self) -> list[Word]:
        """Its words."""
        return words(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """What it is about: normalised lemmas of its content words."""
        return frozenset(content_words(self.text))

    @cached_property
    def topics(self) -> list[str]:
        """Its noun phrases, in order."""
        return topics_of(self.words, self.text, self.lang)

    def has(self, name: str) -> bool:
        """Whether one of the patterns is in it."""
        return bool(cue(self.lang, name).search(self.text))

    @cached_property
    def is_question(self) -> bool:
        return self.has("question")

    @cached_property
    def is_empty(self) -> bool:
        """Courtesy, agreement, praise of what the other said: nothing to remember."""
        if self.is_question or self.has("courtesy") or self.has("request"):
            return True
        weight = len(self.terms)
        if weight > 1 and self.terms & lasting_terms(self.lang) and _is_first_person(self):
            return False  # "I love ramen"
        if weight < _FEWEST_TERMS[self.lang] or self.has("praise") or self.has("echo"):
            return True
        tells_more = weight > _MORE_THAN_AGREEMENT if self.lang == "ja" else _is_first_person(self)
        return self.has("agreement") and not tells_more

    @cached_property
    def is_own(self) -> bool:
        """Whether it tells something of the speaker's own life."""
        if self.is_empty or self.has("addressed"):
            return False
        return True if self.lang == "ja" else _is_first_person(self)

    @property
    def is_plan(self) -> bool:
        return not self.is_question and self.has("plan") and not self.has("vague_plan")

    @property
    def is_past(self) -> bool:
        return self.has("past")


def said_in(messages: Sequence[Message]) -> list[Said]:
    """Return the sentences of some messages, each with the language it is in.

    What this mind said itself is left out: it gives back what it was told, and quotes what it
    recalled. A dream of that would count one thing twice, and take an old day for the new one.
    """
    found = []
    for message in messages:
        if message.role == "persona" and message.mind == NAME:
            continue
        plain = _SHOWN.sub(" ", message.text)
        lang = detect_language(plain)
        found += [Said(message, _tidy(sentence), lang) for sentence in sentences(plain) if sentence.strip()]
    return found


def told_by_persons(messages: Sequence[Message]) -> list[Said]:
    """Return the sentences that may be evidence of facts."""
    return said_in([message for message in messages if is_testimony(message)])


def topics_of(found: Sequence[Word], text: str, lang: Lang) -> list[str]:
    """Return the noun phrases among some words: nouns that follow each other, light ones left out."""
    phrases: list[list[Word]] = []
    for word in found:
        is_part = word.kind in ("noun", "proper", "number") or (lang == "en" and word.kind == "adjective")
        is_part = is_part and not (lang == "en" and _TIME_WORDS.fullmatch(word.surface))
        touches = bool(phrases and phrases[-1]) and _gap(text, phrases[-1][-1], word, lang)
        if is_part and touches:
            phrases[-1].append(word)
        elif is_part:
            phrases.append([word])
    topics = []
    for phrase in phrases:
        trimmed = _trimmed(phrase, lang)
        if trimmed:
            topic = text[trimmed[0].start : trimmed[-1].end]
            if _SHORTEST_TOPIC[lang] <= len(topic) <= _TOPIC_LENGTH:
                topics.append(topic)
    return list(dict.fromkeys(topics))


def call(message: Message, sheet: Sheet, lang: Lang) -> str:
    """Return how the persona refers to a speaker in its memories."""
    ja = lang == "ja"
    if message.role == "persona":
        return "私" if ja else "I"
    name = message.speaker.strip()
    name = sheet.user_name if not name or name in UNNAMED else name
    if not name:
        return "あなた" if ja else "you"
    return name if not ja or _HONORIFIC.search(name) or not re.search(r"\w$", name) else f"{name}さん"


def quoted(text: str, lang: Lang, limit: int = 120) -> str:
    """Return words in quotation marks, shortened where they are long; marks within them give way."""
    line = text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
    if lang == "ja":
        return f"「{line.rstrip('。').replace('「', '『').replace('」', '』')}」"
    return f"“{line.replace('“', '‘').replace('”', '’')}”"


def sentence_of(said: Said, sheet: Sheet, lang: Lang) -> str:
    """Return one sentence that says who said what."""
    who = call(said.message, sheet, lang)
    if lang == "ja":
        return f"{who}は{quoted(said.text, lang)}と話した。"
    return f"{who[0].upper()}{who[1:]} said, {quoted(said.text, lang)}"


def _is_first_person(said: Said) -> bool:
    return bool(
        re.search(
            r"\b(i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|us|mine|gonna)\b",
            said.text.replace("’", "'"),
            re.IGNORECASE,
        )
    )


def _gap(text: str, before: Word, after: Word, lang: Lang) -> bool:
    between = text[before.end : after.start]
    return between in ("", "・") if lang == "ja" else between in (" ", "-")


def _trimmed(phrase: Sequence[Word], lang: Lang) -> list[Word]:
    light = cue_words(lang, "light")
    kept = list(phrase)
    while kept and (
        kept[0].kind == "number" or (lang == "en" and kept[0].kind == "adjective") or _is_light(kept[0], light)
    ):
        kept.pop(0)
    while kept and (kept[-1].kind in ("adjective", "number") or _is_light(kept[-1], light)):
        kept.pop()
    return kept


def _is_light(word: Word, light: frozenset[str]) -> bool:
    return word.surface.lower() in light or word.form in light or word.form == "副詞可能" or word.lemma in light


def _tidy(sentence: str) -> str:
    return " ".join(sentence.split())
