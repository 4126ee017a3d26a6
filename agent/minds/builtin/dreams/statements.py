"""What was said, sentence by sentence, as the built-in mind reads it when it dreams, and the words that a dream writes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final, get_args

from agent.minds.builtin.talk.quotation import marks, quoted, readable
from managers.language.emotion import read_emotion
from managers.language.lexicons import load, word_list
from managers.language.reading.concern import find_help_lines
from managers.language.reading.error_texts import part_errors
from managers.language.reading.reading import read
from managers.language.reading.reality import claimed, is_named_in, other_subject
from managers.language.reading.rules import fits, rule
from managers.language.words import Word, content_words, detect_language, sentences, words
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.sleep.tasks import is_testimony
from managers.storage.errors import Lang

NAME: Final = "built-in"
"""What the built-in mind signs with."""
_LONGEST_TOPIC: Final = 32
_MORE_THAN_AGREEMENT: Final = 4
_SHORTEST_MARK: Final = 5
ENDS: Final = ("done", "reached", "over", "gave_up", "been")
"""The rules for how something ended."""
UNNAMED: Final = frozenset({"あなた", "You", "you", "ユーザー", "User"})


def phrase(lang: Lang, key: str, **slots: str) -> str:
    """Return a phrase with its slots filled in; `{Who}` stands for the slot `who` with a capital.

    Raises:
        KeyError: there is no such phrase, or it needs a slot that was not given.
    """
    template: str = load(f"{lang}/dreams")[key]
    capitals = {name.capitalize(): value[:1].upper() + value[1:] for name, value in slots.items()}
    return template.format(**slots, **capitals)


def call(message: Message, sheet: Sheet, lang: Lang) -> str:
    """Return how the persona refers to a speaker in its memories."""
    if message.role == "persona":
        return phrase(lang, "i")
    name = message.speaker.strip()
    name = sheet.user_name if not name or name in UNNAMED else name
    if not name:
        return phrase(lang, "you")
    is_bare = name[-1].isalnum() and not name.endswith(tuple(word_list("ja", "honorifics")))
    return phrase(lang, "named", name=name) if is_bare else name


def tell(key: str, said: Said, sheet: Sheet, *, longest: int = 120, **slots: str) -> str:
    """Return a phrase that gives a sentence between quotation marks, with who said it."""
    lang = sheet.language
    return phrase(lang, key, who=call(said.message, sheet, lang), quote=quoted(said.text, lang, longest), **slots)


def listed(items: Sequence[str], lang: Lang) -> str:
    """Return a list as it is written: A, B and C."""
    return phrase(lang, "and").join([phrase(lang, "comma").join(items[:-1]), items[-1]] if items[1:] else items)


@cache
def lasting_terms(lang: Lang) -> frozenset[str]:
    """Return the terms of what stays true for a while: likes, work, home, relatives."""
    return frozenset(term for word in word_list(lang, "lasting") for term in content_words(word))


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

    @cached_property
    def plain(self) -> str:
        """Its text with a straight apostrophe, as the rules read it."""
        return self.text.replace("’", "'")

    @property
    def drops_subject(self) -> bool:
        """Whether its language leaves the speaker out."""
        return bool(marks(self.lang)["drops_subject"])

    def has(self, *names: str) -> bool:
        """Whether one of these rules of `statements.toml` fits it."""
        return any(fits(self.lang, "statements", name, self.plain) for name in names)

    def claims(self, *names: str) -> bool:
        """Whether one of these rules fits what it says is so: no dream, no denial, no "if"."""
        return any(claimed(self.lang, "statements", name, self.plain) for name in names)

    def only_mentions(self, *names: str) -> bool:
        """Whether one of these rules fits it, and it says of none that this is so."""
        return self.has(*names) and not self.claims(*names)

    def is_about(self, text: str) -> bool:
        """Whether it tells of its speaker, or of somebody of whom a text speaks."""
        return not self.subject or is_named_in(self.subject, text, self.lang)

    @cached_property
    def subject(self) -> str:
        """Who does what it tells, where that is somebody else; who comes after how it ended (合格して母が泣いた) does not."""
        told = [found for name in ENDS if (found := claimed(self.lang, "statements", name, self.plain))]
        first = min(told, key=re.Match.end, default=None)
        return other_subject(first.string[: first.end()] if first else self.plain, self.lang)

    @cached_property
    def is_question(self) -> bool:
        return any(sentence.is_question for sentence in read(self.text, self.lang, keep=True).sentences)

    @cached_property
    def is_empty(self) -> bool:
        """Courtesy, agreement, praise of what the other said: nothing to remember."""
        if self.is_question or self.has("courtesy", "request"):
            return True
        weight, is_first_person = len(self.terms), self.has("first_person")
        if weight > 1 and self.terms & lasting_terms(self.lang) and is_first_person:
            return False  # "I love ramen"
        if weight < marks(self.lang)["fewest_terms"] or self.has("praise", "echo"):
            return True
        tells_more = weight > _MORE_THAN_AGREEMENT if self.drops_subject else is_first_person
        return self.has("agreement") and not tells_more

    @cached_property
    def feeling(self) -> str:
        """What its words show that the speaker felt."""
        return read_emotion(self.text).emotion

    @cached_property
    def is_own(self) -> bool:
        """Whether it tells something of the speaker's own life, also without naming them."""
        return not self.is_empty and not self.has("addressed") and (self.drops_subject or self.has("first_person"))

    @property
    def is_plan(self) -> bool:
        return not self.is_question and self.has("plan") and not self.has("vague_plan")

    @property
    def weight(self) -> tuple[bool, bool, int]:
        """How much it is worth keeping about somebody; more is better."""
        return self.is_own, bool(self.terms & lasting_terms(self.lang)), min(len(self.terms), 12)


def said_in(messages: Sequence[Message]) -> list[Said]:
    """Return the sentences of some messages, each with the language it is in; no links, code, error texts or help lines.

    What a mind made the persona say is left out: it gives back what it was told and what it recalled, or makes it up.
    A dream of that would count one thing twice, and take an old day for the new one.
    """
    return [said for message in messages if is_testimony(message) for said in _said(message)]


@lru_cache(maxsize=2048)
def _said(message: Message) -> tuple[Said, ...]:
    """Return a message's sentences; each task of a night reads those of its days, so what is known of them is kept."""
    told, _ = part_errors(message.text)
    plain = rule("en", "markup", "code_span").sub(" ", readable(told))
    lang, lines = detect_language(plain), (" ".join(line.split()) for line in sentences(plain))
    return tuple(Said(message, line, lang) for line in lines if line and not _is_no_ones_life(line))


def _is_no_ones_life(line: str) -> bool:
    """Tell code, commands and help lines: nobody tells of their life in them, and what they name is nobody."""
    return fits("en", "markup", "code_line", line) or any(one in line for one in _help_line_marks())


@cache
def _help_line_marks() -> frozenset[str]:
    """Return what help lines are known by: names and long numbers."""
    lines = [line for lang in get_args(Lang) for line in find_help_lines(lang)]
    return frozenset(mark for line in lines for mark in (line.name, line.contact) if len(mark) >= _SHORTEST_MARK)


def topics_of(found: Sequence[Word], text: str, lang: Lang) -> list[str]:
    """Return the noun phrases among some words: nouns that follow each other, light ones left out."""
    kinds, measures = word_list(lang, "topic_kinds"), marks(lang)
    phrases: list[list[Word]] = []
    for word in found:
        if word.kind not in kinds or word.surface.lower() in word_list(lang, "time_words"):
            continue
        if phrases and text[phrases[-1][-1].end : word.start] in measures["compound_joints"]:
            phrases[-1].append(word)
        else:
            phrases.append([word])
    trimmed = [kept for phrase in phrases if (kept := _trimmed(phrase, lang))]
    topics = [text[phrase[0].start : phrase[-1].end] for phrase in trimmed]
    return list(dict.fromkeys(one for one in topics if measures["shortest_topic"] <= len(one) <= _LONGEST_TOPIC))


def _trimmed(phrase: Sequence[Word], lang: Lang) -> list[Word]:
    kept = list(phrase)
    while kept and _is_light(kept[0], lang):
        kept.pop(0)
    while kept and _is_light(kept[-1], lang):
        kept.pop()
    return kept


def _is_light(word: Word, lang: Lang) -> bool:
    light = word_list(lang, "topic_light")
    return (
        word.kind in ("number", "adjective")
        or word.form == "副詞可能"
        or not light.isdisjoint((word.surface.lower(), word.form, word.lemma))
    )


def is_name_of(topic: str, names: Collection[str]) -> bool:
    """Whether a topic is one of the speakers (in small letters), also by a short form (Mel for Melanie)."""
    plain = topic.casefold()
    return any(
        name == plain or (len(plain) > 1 and name.startswith(plain)) or (len(plain) > 2 and name.startswith(plain[:3]))  # noqa: PLR2004  # letters
        for name in names
    )
