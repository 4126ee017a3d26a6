"""Words of any text: Japanese and Latin script told apart, each read by its own tools.

`words` and `content_words` are what the rest of the program needs; both are cached for short texts,
since one message is read by recall, emotion, concern and reply within the same second.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from managers.language.lexicons import word_set
from managers.language.reading.bounds import LONGEST, MOST
from managers.language.reading.english import english_words
from managers.language.reading.japanese import Split, japanese_terms, japanese_words, warm_up
from managers.language.reading.rules import fits, rule
from managers.language.word import CONTENT_KINDS, EntityKind, Kind, Word
from managers.storage.errors import Lang

__all__ = [
    "Entity",
    "EntityKind",
    "Kind",
    "Split",
    "Word",
    "content_words",
    "content_words_as_written",
    "detect_language",
    "entities",
    "sentence_spans",
    "sentences",
    "warm_up",
    "words",
]

_CACHED_LENGTH = 2000
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺー一-鿿㐀-䶿々〆ｦ-ﾟ]")
_HIRAGANA = re.compile(r"[ぁ-ゖ]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:[’'][A-Za-z]+)?")
# A Latin run inside Japanese: at least two letters, so that Tシャツ and A型 stay whole.
_LATIN_RUN = re.compile(r"[A-Za-zＡ-Ｚａ-ｚÀ-ɏ]{2}[A-Za-z0-9Ａ-Ｚａ-ｚÀ-ɏ'’.,&\- ]*(?<=[A-Za-z0-9Ａ-Ｚａ-ｚÀ-ɏ])")


def detect_language(text: str, default: Lang = "ja") -> Lang:
    """Tell Japanese from English (any Latin script); `default` where neither is there."""
    japanese = len(_JAPANESE.findall(text[:4000]))
    latin = _LATIN_WORD.findall(text[:4000])
    if not japanese:
        return "en" if latin else default
    if not latin:
        return "ja"
    functions = word_set("en/lexicon", "kinds", "function") | word_set("en/lexicon", "kinds", "pronoun")
    english = sum(2.0 if word.lower().replace("’", "'") in functions else 0.4 for word in latin)
    return "ja" if len(_HIRAGANA.findall(text[:4000])) * 0.5 + japanese * 0.5 >= english else "en"


_CLOSING = "」』）)】〉》\"”’'"
_OPENING = {"「": "」", "『": "』", "（": "）", "(": ")"}
_ENDS = "。．！？!?…\n"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that are read, stripped; a sentence quoted inside another stays with it."""
    spans = sentence_spans(text[:MOST])
    return [text[at : min(at + LONGEST, end)] for start, end in spans for at in range(start, end, LONGEST)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of all of a text begins and ends, without the white space around it."""
    spans = []
    start = 0
    for end in _sentence_ends(text):
        stripped = text[start:end].strip()
        if stripped:
            begin = start + len(text[start:end]) - len(text[start:end].lstrip())
            spans.append((begin, begin + len(stripped)))
        start = end
    return spans


def _sentence_ends(text: str) -> Iterator[int]:
    waiting: list[str] = []
    opened = 0
    at = 0
    while at < len(text):
        char = text[at]
        if char in _OPENING and len(waiting) < 4:  # noqa: PLR2004  # deeper nesting is noise
            waiting.append(_OPENING[char])
            opened = at
        elif waiting and char == waiting[-1]:
            waiting.pop()
        elif waiting and (char == "\n" or at - opened > 200):  # noqa: PLR2004  # a bracket nobody closed
            waiting.clear()
        if not waiting and char in " \u3000" and _parts_sentences(text, at):
            yield at + 1
        elif not waiting and (
            (char in _ENDS and not rule("ja", "sentences", "said_on").match(text, at + 1))
            or (char == "." and _ends_sentence(text, at))
        ):
            while at + 1 < len(text) and text[at + 1] in _ENDS + ".":
                at += 1
            while at + 1 < len(text) and text[at + 1] in _CLOSING and char != "\n":
                at += 1
            yield at + 1
        at += 1
    yield len(text)


_LEAD_OF_SENTENCE = 60


def _parts_sentences(text: str, at: int) -> bool:
    """Tell the space that stands for a full stop (苦手でした　骨が) from one within a name."""
    if not text[at + 1 : at + 2].strip() or text[at + 1].isascii():
        return False
    return fits("ja", "sentences", "could_end", text[max(0, at - _LEAD_OF_SENTENCE) : at].rpartition("\n")[2])


def _ends_sentence(text: str, at: int) -> bool:
    following = text[at + 1 : at + 3]
    if following and not following[0].isspace() and following[0] not in _CLOSING + ".":
        return False
    return not fits("en", "sentences", "abbreviation", text[max(0, at - 6) : at + 1]) or not following.strip()


def words(text: str, split: Split = "long") -> list[Word]:
    """Return the words of a text in order, without white space.

    Args:
        text: any text, of any length.
        split: `long` keeps Japanese compounds whole, as names want it; `short` cuts them, as search
            wants it.
    """
    if len(text) <= _CACHED_LENGTH:
        return list(_cached_words(text, split))
    return _words(text, split)


@lru_cache(maxsize=256)
def _cached_words(text: str, split: Split) -> tuple[Word, ...]:
    return tuple(_words(text, split))


def _words(text: str, split: Split) -> list[Word]:
    found: list[Word] = []
    for start, end, is_latin in _runs(text):
        if is_latin:
            before = text[:start].rstrip()
            is_start = not before or before[-1] in "。.!?！？"
            found.extend(english_words(text[start:end], start, at_sentence_start=is_start))
        else:
            found.extend(japanese_words(text[start:end], split, start))
    return found


def _runs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Cut a text into its Latin runs (True) and the rest."""
    if not _JAPANESE.search(text):
        yield 0, len(text), True
        return
    start = 0
    for run in _LATIN_RUN.finditer(text):
        if text[start : run.start()].strip():
            yield start, run.start(), False
        yield run.start(), run.end(), True
        start = run.end()
    if text[start:].strip():
        yield start, len(text), False


def content_words(text: str) -> list[str]:
    """Return what a text is about: the normalised lemmas of its content words, in order.

    Japanese compounds are cut into their parts; words that carry no topic (する, こと, thing) are left out.
    """
    return list(_cached_terms(text)) if len(text) <= _CACHED_LENGTH else _terms(text)


@lru_cache(maxsize=256)
def _cached_terms(text: str) -> tuple[str, ...]:
    return tuple(_terms(text))


def _terms(text: str) -> list[str]:
    terms: list[str] = []
    for start, end, is_latin in _runs(text):
        terms.extend(_english_terms(text[start:end]) if is_latin else japanese_terms(text[start:end]))
    light = _light()
    return [term for term in terms if term not in light]


def content_words_as_written(text: str) -> dict[str, str]:
    """Return what a text is about, by what `content_words` calls it: as the text itself writes it (桃 → モモ)."""
    text, written = text[:MOST], dict[str, str]()
    for word in words(text, "short"):
        if len(terms := content_words(word.surface)) == 1:
            written.setdefault(terms[0], word.surface)
    return {term: written.get(term, term) for term in content_words(text)}


def _english_terms(text: str) -> list[str]:
    return [word.normal for word in english_words(text) if word.kind in CONTENT_KINDS and word.form not in _light()]


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    return word_set("ja/lexicon", "content", "light") | word_set("en/lexicon", "kinds", "light")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing in a text: one or more words."""

    text: str
    kind: EntityKind
    start: int
    end: int


def entities(text: str) -> list[Entity]:
    """Return the named things in a text, words that belong together joined (John Smith, 田中太郎)."""
    found: list[Entity] = []
    for word in words(text):
        if word.entity is None:
            continue
        last = found[-1] if found else None
        between = text[last.end : word.start] if last else ""
        if last and _belongs(last, word, between):
            found[-1] = Entity(text[last.start : word.end], last.kind, last.start, word.end)
        else:
            found.append(Entity(word.surface, word.entity, word.start, word.end))
    return found


def _belongs(last: Entity, word: Word, between: str) -> bool:
    if last.kind != word.entity:
        return False
    is_latin = bool(_LATIN_WORD.match(word.surface))
    return between in (" ", " of ", " the ", " & ", ". ") if is_latin else between == "" and word.entity == "person"
