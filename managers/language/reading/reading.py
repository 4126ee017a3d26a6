"""What a message does, sentence by sentence: a greeting, a question (after what?), something told."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from managers.language.lexicons import word_list
from managers.language.reading.english import spelt_out
from managers.language.reading.japanese import ends_with_particle
from managers.language.reading.kinship import NAME_MARK, marked
from managers.language.reading.rules import first_fit, fits, rule, rules
from managers.language.words import Word, content_words, detect_language, sentences, words
from managers.storage.errors import Lang

SOCIAL = (
    "night", "morning", "evening", "first", "home", "leave", "bye", "day", "how_are_you", "thanks", "apology",
    "affection", "give_name", "praise", "yes", "no", "laugh", "silence", "call", "insult", "complaint", "clarify", "manage", "enough",
)  # fmt: skip
"""Acts that are answered in kind."""
_PARTINGS = frozenset(["night", "bye", "home", "leave", "enough"])
"""Acts of no question: "did you sleep well?" wishes nobody good night."""
_ASKED = frozenset((
    "ask_dream", "ask_love", "ask_goals", "ask_strategy", "ask_drive", "ask_diary", "has_body", "ask_language", "clarify",
))  # fmt: skip
"""Acts of nothing but a question: "I had a dream" asks for nobody's dreams."""
_LONGEST_ACT = 120
_MAX_SENTENCES = 60
_CACHED_LENGTH = 2000
_CLOSING = " 　\n\"'”」』)）"
_JUNK = re.compile(r"(?<![\W_])[\W_]++$")  # tried once a run: a long one inside a sentence costs its length alone


@dataclass(frozen=True)
class Sentence:
    """One sentence of a message. What is not a field is read when it is first asked for, and kept.

    Attributes:
        text: as it was written.
        lang: the language of the message.
        plain: NFKC, lower case, without closing punctuation and the persona's name; `asks` and `act` are read from it.
        known_act: what it does, where the message around it told; empty where its form has to tell.
        known_question: it asks, whatever its form.
    """

    text: str
    lang: Lang
    plain: str
    known_act: str = ""
    known_question: bool = False

    @cached_property
    def words(self) -> list[Word]:
        """Its words."""
        return words(self.text)

    @cached_property
    def terms(self) -> list[str]:
        """What it is about."""
        return content_words(self.text)

    @cached_property
    def is_question(self) -> bool:
        """It asks: neither a wish for company ("やばくない？") nor something mused ("what if …?")."""
        return self.known_question or (not self.known_act and _is_question(self.text, self.plain, self.lang))

    @cached_property
    def asks(self) -> str:
        """What a question is after: who, when, where, how_many, why, what; empty for yes or no, and for no question."""
        return question_word(self.plain, self.lang) if self.is_question else ""

    @cached_property
    def act(self) -> str:
        """What it does: a rule of `acts.toml`, or empty."""
        return self.known_act or _act(self.plain, self.lang, but=_PARTINGS if self.is_question else _ASKED)


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, read: at most sixty of its sentences."""

    text: str
    lang: Lang
    sentences: tuple[Sentence, ...]

    def act(self, *names: str) -> Sentence | None:
        """Return the first sentence that does one of these things."""
        return next((sentence for sentence in self.sentences if sentence.act in names), None)

    @property
    def questions(self) -> list[Sentence]:
        """What asks for more than courtesy."""
        return [s for s in self.sentences if s.is_question and s.act not in SOCIAL]

    @property
    def told(self) -> list[Sentence]:
        """What was told: no question, no courtesy."""
        return [s for s in self.sentences if not s.is_question and not s.act and s.terms]


def read(text: str, lang: Lang, *, persona: str = "", keep: bool = False) -> Reading:
    """Read a message; short ones are kept, since many ask for the same.

    Args:
        text: the message.
        lang: its language where it has no letters.
        persona: the persona's name: calling it is no topic.
        keep: the language is `lang`, whatever the letters are.
    """
    return (_read_short if len(text) <= _CACHED_LENGTH else _read)(text, lang, persona, keep)


def _read(text: str, lang: Lang, persona: str, keep: bool) -> Reading:
    own = lang if keep else detect_language(text, lang)
    parts = sentences(text)[:_MAX_SENTENCES]
    return Reading(text, own, tuple(Sentence(part, own, plain_form(part, own, persona)) for part in parts))


def asks_anything(text: str) -> bool:
    """Tell whether a message asks, in any of its sentences."""
    return any(sentence.is_question for sentence in read(text, "ja").sentences)


def has_question_mark(text: str) -> bool:
    """Tell whether a text ends in a question mark, be it within closing marks or before an exclamation mark."""
    return text.rstrip(_CLOSING).endswith(("?", "？", "?!", "？！"))


def only_asks(text: str) -> bool:
    """Tell whether a message asks and tells nothing."""
    said = [one for one in read(text, "ja").sentences if any(char.isalnum() for char in one.text)]
    return bool(said) and all(one.is_question for one in said)


_read_short = lru_cache(maxsize=512)(_read)


def plain_form(text: str, lang: Lang, persona: str = "") -> str:
    """Return a sentence as the rules want it: NFKC, lower case, no closing punctuation, the persona spoken to as "you"."""
    plain = spelt_out(unicodedata.normalize("NFKC", text).lower().replace("’", "'"))
    if (name := unicodedata.normalize("NFKC", persona).lower()) and name in plain:
        named = marked(plain, [name], lang)
        called = rule(lang, "address", "called").sub("", named)
        named = called if any(char.isalnum() for char in called.replace(NAME_MARK, "x")) else named
        spoken_of = rules(lang, "address")["spoken_of"]
        plain = spoken_of.pattern.sub(spoken_of.means["you"], named).replace(NAME_MARK, name)
    return _JUNK.sub("", plain).strip() or plain.strip()


def _act(plain: str, lang: Lang, *, but: frozenset[str]) -> str:
    if len(plain) > _LONGEST_ACT:
        return ""
    found = first_fit(lang, "acts", plain, but=but)
    longest = rules(lang, "acts")[found].means.get("longest", _LONGEST_ACT) if found else 0
    return found if len(plain) <= longest else ""


def _is_question(text: str, plain: str, lang: Lang) -> bool:
    asks = question_word(plain, lang)
    if fits(lang, "is_question", "never", plain) or (not asks and fits(lang, "is_question", "company", plain)):
        return False
    if has_question_mark(text):
        return True
    if fits(lang, "is_question", "certainly", plain):
        return True
    if fits(lang, "is_question", "with_word", plain):
        return bool(asks) and fits(lang, "is_question", "asking_word", plain)
    if not fits(lang, "is_question", "by_form", plain) or (not asks and fits(lang, "is_question", "muses", text)):
        return False
    return not plain.endswith("か") or ends_with_particle(plain)


def question_word(plain: str, lang: Lang) -> str:
    """Return what the word of asking in a sentence (in plain form) is after: who, when, where, how_many, why, what."""
    return first_fit(lang, "questions", plain)


def question_terms(asked: Iterable[Sentence], lang: Lang) -> list[str]:
    """Return what some questions are about, without the words of asking."""
    light = word_list(lang, "question_light") | word_list(lang, "first_person")
    terms = [term for sentence in asked for term in sentence.terms if term not in light]
    return list(dict.fromkeys(terms))
