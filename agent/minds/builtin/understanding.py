"""What a message does, sentence by sentence: a greeting, a question (after what?), something told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from managers.language.lexicons import load
from managers.language.reading.rules import first_fit
from managers.language.words import Word, content_words, detect_language, sentences, words
from managers.storage.errors import Lang

SOCIAL = (
    "night", "morning", "evening", "first", "home", "leave", "bye", "day", "how_are_you", "thanks", "apology",
    "affection", "give_name", "praise", "yes", "no", "laugh", "silence", "call", "insult", "complaint", "clarify", "manage", "enough",
)  # fmt: skip
"""What is answered in kind."""
_MAX_SENTENCES = 60
_LONG_COURTESY = {"ja": 18, "en": 45}
"""A longer sentence tells something, though it begins with thanks."""
_JUNK = re.compile(r"[\W_]+$", re.UNICODE)

_QUESTION_END_JA = re.compile(
    r"(?:か|かい|かな|っけ|かしら|だっけ|んだっけ|のかな|の|だろう|でしょう|なーんだ|(?:誰|だれ|何|なに|いつ|どこ)(?:だ|や|じゃ)?"
    r"|(?:(?<![^はがもて、\s])|(?<=[こそあど]れ))なん(?:だ|や|じゃ)?)$"
)
"""「これはなんだ」 asks, 「明日は健診なんだ」 tells."""
_QUESTION_START_EN = re.compile(
    r"^(?:(?:and|so|but|hey|hi|oh|ok|okay|well|please|um|hmm)[, ]+)*(?:what|when|where|who|whose|whom|which|why|how|do|does|did|is|are|was|were|can|could|would|will|have|has|should|may|am)\b(?!n't you think)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message.

    Attributes:
        text: as it was written.
        plain: NFKC, lower case, without closing punctuation and the persona's name.
        intent: the table of `intents.toml` that it fits, or empty.
        is_question: it asks.
        asks: what a question is after: who, when, where, how_many, why, what; empty for yes or no.
    """

    text: str
    lang: Lang
    plain: str
    intent: str
    is_question: bool
    asks: str

    @property
    def words(self) -> list[Word]:
        """Its words."""
        return words(self.text)

    @property
    def terms(self) -> list[str]:
        """What it is about."""
        return content_words(self.text)


@dataclass(frozen=True, slots=True)
class Understanding:
    """A message, read."""

    text: str
    lang: Lang
    sentences: tuple[Sentence, ...]

    def intent(self, *names: str) -> Sentence | None:
        """Return the first sentence that does one of these things."""
        return next((sentence for sentence in self.sentences if sentence.intent in names), None)

    @property
    def questions(self) -> list[Sentence]:
        """What asks for more than courtesy."""
        return [s for s in self.sentences if s.is_question and s.intent not in SOCIAL]

    @property
    def told(self) -> list[Sentence]:
        """What was told: no question, no courtesy."""
        return [s for s in self.sentences if not s.is_question and not s.intent and s.terms]


def understand(text: str, persona: str, default: Lang, *, keep: bool = False) -> Understanding:
    """Read a message.

    Args:
        text: the message.
        persona: the persona's name: calling it is no topic.
        default: the language where the message has no letters.
        keep: the conversation's language stays, whatever the letters are.
    """
    lang = default if keep else detect_language(text, default)
    read = tuple(_read(sentence, persona, lang) for sentence in sentences(text)[:_MAX_SENTENCES])
    return Understanding(text, lang, read)


def _read(text: str, persona: str, lang: Lang) -> Sentence:
    plain = plain_form(text, persona, lang)
    is_question = _is_question(text, plain, lang)
    intent = _intent(plain, lang, but=_PARTINGS if is_question else _ASKED)
    return Sentence(text, lang, plain, intent, is_question, _asks(plain, lang) if is_question else "")


def plain_form(text: str, persona: str, lang: Lang) -> str:
    """Return a sentence as the patterns want it."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    plain = _spelt_out(plain) if lang == "en" else plain
    name = unicodedata.normalize("NFKC", persona).lower()
    if name:
        suffix = "(?:さん|ちゃん|くん|様)?" if lang == "ja" else ""
        calling = rf"{re.escape(name)}{suffix}"
        called = re.sub(rf"(?:[、, ]+|^){calling}(?=[。.!?!?〜~ー]*$)|^{calling}[、,!! ]+", "", plain)
        plain = called if any(char.isalnum() for char in called) else plain
        spoken_of = (
            rf"{calling}(?=の(?:こと|好き|趣味|名前)|は|って|について)" if lang == "ja" else rf"(?<=about ){calling}$"
        )
        plain = re.sub(spoken_of, "あなた" if lang == "ja" else "you", plain)
    return _JUNK.sub("", plain).strip() or plain.strip()


_SHORT = {
    **{f"{word}s": f"{word}'s" for word in ("what", "who", "where", "when", "how", "that", "there")},
    **{f"{word}nt": f"{word}n't" for word in ("do", "did", "does", "is", "was", "would", "could", "should", "have", "has")},
    "cant": "can't", "wont": "won't", "im": "i'm", "ive": "i've", "youre": "you're", "ur": "your", "u": "you", "r": "are",
    "wanna": "want to", "gonna": "going to",
}  # fmt: skip
_SHORT_WORD = re.compile(rf"(?<![\w'])(?:{'|'.join(_SHORT)})(?![\w'])")


def _spelt_out(plain: str) -> str:
    """Write out what quick fingers leave out: whats ur name → what's your name."""
    return _SHORT_WORD.sub(lambda match: _SHORT[match.group()], plain)


@cache
def _patterns(lang: Lang) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(listed))) for name, listed in load("intents")[lang].items())


_PARTINGS = frozenset(["night", "bye", "home", "leave", "enough"])
"""What no question does: "did you sleep well?" wishes nobody good night."""


_ASKED = frozenset(["ask_dream", "ask_love", "clarify"])
"""What only a question does: "I had a dream" asks for nobody's dreams."""


def _intent(plain: str, lang: Lang, *, but: frozenset[str] = frozenset()) -> str:
    if len(plain) > 120:  # noqa: PLR2004  # nobody greets at such length
        return ""
    found = next((name for name, pattern in _patterns(lang) if name not in but and pattern.search(plain)), "")
    is_long = len(plain) > _LONG_COURTESY[lang]
    return "" if found in ("thanks", "apology", "leave", "home") and is_long else found


def _is_question(text: str, plain: str, lang: Lang) -> bool:
    if plain.startswith("what if") or (lang == "ja" and _AGREES.search(plain) and not _asks(plain, lang)):
        return False  # a worry, or company that is wanted, not an answer
    if text.rstrip(" 　\"'”」』)）").endswith(("?", "？", "?!", "？！", "?！")):
        return True
    if lang == "en":
        return bool(_QUESTION_START_EN.search(plain)) and not plain.startswith(("do not", "don't", "have a"))
    if re.search(r"(?:ほうが|方が|ば|たら)(?:いい|良い)(?:かな|だろう|でしょう)$", plain):
        return True
    if re.search(r"(?:かな|だろう|でしょう|の)$", plain):
        return bool(_asks(plain, lang))
    return bool(_QUESTION_END_JA.search(plain)) and not _only_ends_like_one(text, plain)


_MUSES = re.compile(r"(?<!です)(?<!ます)(?<!ません)(?<!でした)(?<!ました)か(?:…|・・|\.\.)[…・.。]*\s*$")
"""あの店、閉まるのか… is said to oneself."""


def _only_ends_like_one(text: str, plain: str) -> bool:
    """Tell 江ノ島とか and 静か, which merely end with the か of asking, and what is mused."""
    if _MUSES.search(text) and not _asks(plain, "ja"):
        return True
    last = words(plain)[-1]
    return last.surface.endswith("か") and (last.kind != "function" or last.form == "副助詞")


_AGREES = re.compile(
    r"^(?:まあ|ま)?、?(?:いっか|いいか|そっか)$"
    r"|(?<!覚えて)(?<!知ら)(?<!わから)(?:[しか]くな[いく]|なくな[いく]|ばくな[いく]|よくな[いく]|すごくな[いく]|じゃん|じゃんか)(?:です)?$"
)
"""Who says やばくない？ wants company, no answer; まあいっか gives in."""


def _asks(plain: str, lang: Lang) -> str:
    return first_fit(lang, "questions", plain)


def word_list(lang: Lang, name: str) -> frozenset[str]:
    """Return one list of `follow.toml`."""
    return _word_list(lang, name)


@cache
def _word_list(lang: Lang, name: str) -> frozenset[str]:
    return frozenset(load("follow")[lang]["words"][name].split())


def question_terms(asked: Sequence[Sentence], lang: Lang) -> list[str]:
    """Return what some questions are about, without the words of asking."""
    light = word_list(lang, "question_light")
    light |= word_list(lang, "first_persons") if lang == "ja" else frozenset()
    terms = [term for sentence in asked for term in sentence.terms if term not in light]
    return list(dict.fromkeys(terms))
