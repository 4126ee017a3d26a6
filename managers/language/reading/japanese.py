"""Japanese words through SudachiPy: loaded on first use, once per process, a tokenizer per thread."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from managers.language.lexicons import load, phrases, word_set
from managers.language.word import CONTENT_KINDS, EntityKind, Kind, Word
from managers.storage.residence import give_back

if TYPE_CHECKING:
    from sudachipy import Dictionary

Split = Literal["short", "long"]
"""`short` cuts compounds into their parts (選挙|管理|委員|会), as search wants them; `long` keeps what is
named as one (選挙管理委員会), as names want it."""

_MAX_PIECE = 2000
"""Characters per call: Sudachi takes at most 49,149 bytes, and for numbers time that grows with their square."""
_CUTS = ("\n", "。", "！", "？", "!", "?", "、", " ")

UNKNOWN = "未知語"
"""The form of a noun that is not in the dictionary."""

_FILE = "system.dic"

_lock = threading.Lock()
_local = threading.local()
_HIRAGANA = re.compile(r"[ぁ-ゖー]+")
_KATAKANA = re.compile(r"[ァ-ヺー・]+")

_KINDS: dict[str, Kind] = {
    "動詞": "verb",
    "形容詞": "adjective",
    "形状詞": "adjective",
    "副詞": "adverb",
    "連体詞": "function",
    "接続詞": "function",
    "助詞": "function",
    "助動詞": "function",
    "接頭辞": "function",
    "接尾辞": "function",
    "感動詞": "interjection",
    "代名詞": "pronoun",
    "補助記号": "symbol",
    "記号": "symbol",
    "空白": "symbol",
}


@cache
def _dictionary() -> Dictionary:
    from sudachipy import Dictionary  # noqa: PLC0415  # 80 MB and 0.3 s that English users never need

    dictionary = Dictionary(dict="core")
    give_back(_FILE)  # opening reads through a third of it
    return dictionary


def let_rest() -> None:
    """Keep no page of the dictionary in memory for the sake of what was read once: for idle moments."""
    if _dictionary.cache_info().currsize:
        give_back(_FILE)


def _tokenizer() -> Any:  # noqa: ANN401  # sudachipy's own class, imported lazily
    tokenizer = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        with _lock:
            tokenizer = _dictionary().tokenizer()
        _local.tokenizer = tokenizer
    return tokenizer


def warm_up() -> None:
    """Load the dictionary now, so that the first message does not wait for it."""
    _tokenizer().tokenize("うたた寝")


def japanese_words(text: str, split: Split = "long", offset: int = 0) -> list[Word]:
    """Return the words of a text, without white space; `offset` is where it begins in the whole.

    Any text is safe: long ones are cut at sentence ends, surrogates and control characters are
    taken as symbols.
    """
    from sudachipy import SplitMode  # noqa: PLC0415  # see _dictionary

    mode = SplitMode.A if split == "short" else SplitMode.C
    found: list[Word] = []
    for start, piece in _pieces(_encodable(text)):
        for token in _tokenizer().tokenize(piece, mode):
            begin = start + token.begin()
            surface = text[begin : start + token.end()]
            if surface.isspace() or not surface:
                continue
            kind, entity, form = _part_of_speech(token.part_of_speech())
            found.append(
                Word(
                    surface=surface,
                    lemma=token.dictionary_form(),
                    kind=_kind_of(surface, kind),
                    entity=entity,
                    start=begin + offset,
                    reading=token.reading_form(),
                    normal=_plain(token.normalized_form()),
                    form=UNKNOWN if kind == "noun" and token.is_oov() else form,
                )
            )
    return _name_entities(found)


def ends_with_particle(text: str) -> bool:
    """Tell the か of asking at the end of a sentence from that of 静か and of 江ノ島とか."""
    last = japanese_words(text)[-1]
    return last.kind == "function" and last.form != "副助詞"


def japanese_terms(text: str, *, with_affixes: bool = False) -> list[str]:
    """Return the normalised content words of a text, compounds cut: the fast way, for indexing.

    Args:
        text: any text.
        with_affixes: affixes that are nouns too (the 車 of 自動|車, the 林 of 原生|林): in another
            compound, or alone, the same one is a word.
    """
    from sudachipy import SplitMode  # noqa: PLC0415  # see _dictionary

    return [
        _plain(token.normalized_form())
        for _, piece in _pieces(_encodable(text))
        for token in _tokenizer().tokenize(piece, SplitMode.A)
        if _is_term(token.part_of_speech(), with_affixes=with_affixes) and _is_word(token.surface())
    ]


def japanese_terms_and_groups(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the terms of a text, affixes that are nouns too, each with the groups of synonyms that it is in itself.

    Half the work of `japanese_synonyms`, which looks up compounds too: for what is read during a search.
    """
    from sudachipy import SplitMode  # noqa: PLC0415  # see _dictionary

    return [
        (_plain(token.normalized_form()), tuple(token.synonym_group_ids()))
        for _, piece in _pieces(_encodable(text))
        for token in _tokenizer().tokenize(piece, SplitMode.A)
        if _is_term(token.part_of_speech(), with_affixes=True) and _is_word(token.surface())
    ]


@dataclass(frozen=True, slots=True)
class Synonyms:
    """What of a text can be said in other words.

    Attributes:
        first, end: which of the text's terms it is; several where they make a compound.
        groups: the numbers of the synonym dictionary under which the other words stand too.
    """

    first: int
    end: int
    groups: tuple[int, ...]


def japanese_synonyms(text: str) -> tuple[list[str], list[Synonyms]]:
    """Return the terms of a text, affixes that are nouns too, and which of them have synonyms.

    The synonym dictionary (Sudachi's) comes with Sudachi's own: it joins 空港 and エアポート, 衆院 and
    衆議院, 妻 and 奥さん. Compounds are looked up whole and in parts, the parts first.
    """
    from sudachipy import SplitMode  # noqa: PLC0415  # see _dictionary

    found: list[str] = []
    groups: list[Synonyms] = []

    def visit(token: Any, finer: Sequence[SplitMode]) -> None:  # noqa: ANN401  # as _tokenizer
        first = len(found)
        is_term = _is_term(token.part_of_speech(), with_affixes=True)
        for at, mode in enumerate(finer, 1):
            parts = token.split(mode, add_single=False)
            if len(parts):
                for part in parts:
                    visit(part, finer[at:])
                break
        else:
            if is_term and _is_word(token.surface()):
                found.append(_plain(token.normalized_form()))
        if is_term and len(found) > first and (numbers := token.synonym_group_ids()):
            groups.append(Synonyms(first, len(found), tuple(numbers)))

    for _, piece in _pieces(_encodable(text)):
        for token in _tokenizer().tokenize(piece, SplitMode.C):
            visit(token, (SplitMode.B, SplitMode.A))
    return found, groups


@cache
def _is_term(tags: tuple[str, ...], *, with_affixes: bool) -> bool:
    if _part_of_speech(tags)[0] in CONTENT_KINDS:
        return True
    return with_affixes and tags[0] == "接尾辞" and tags[1] == "名詞的"


def _plain(form: str) -> str:
    return unicodedata.normalize("NFKC", form).lower()


def _is_word(surface: str) -> bool:
    return any(char.isalnum() for char in surface)


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 library takes, one for one."""
    if text.isascii():
        return text
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def _pieces(text: str) -> list[tuple[int, str]]:
    pieces = []
    start = 0
    while len(text) - start > _MAX_PIECE:
        window = text[start : start + _MAX_PIECE]
        cut = next((at for mark in _CUTS if (at := window.rfind(mark)) > _MAX_PIECE // 2), _MAX_PIECE - 1) + 1
        pieces.append((start, window[:cut]))
        start += cut
    pieces.append((start, text[start:]))
    return pieces


@cache
def _part_of_speech(tags: tuple[str, ...]) -> tuple[Kind, EntityKind | None, str]:
    main, sub, detail, form = tags[0], tags[1], tags[2], tags[5]
    if main != "名詞":
        return _KINDS.get(main, "symbol"), None, form if form != "*" else sub
    if sub == "数詞":
        return "number", None, sub
    if sub == "固有名詞":
        entity: EntityKind = "person" if detail == "人名" else "place" if detail == "地名" else "other"
        return "proper", entity, tags[3]
    return "noun", None, detail


def _kind_of(surface: str, kind: Kind) -> Kind:
    if kind not in ("noun", "symbol"):
        return kind
    if surface.isdecimal():
        return "number"
    return kind if _is_word(surface) else "symbol"


_NAMEABLE: frozenset[Kind] = frozenset({"proper", "noun", "interjection", "adjective", "adverb"})


def _name_entities(found: list[Word]) -> list[Word]:
    """Correct what the dictionary takes for names: honorifics make one, their lack unmakes doubtful ones."""
    honorifics = word_set("ja/lexicon", "names", "honorifics")
    familiar = word_set("ja/lexicon", "names", "familiar_honorifics")
    titles = word_set("ja/lexicon", "names", "titles")
    corrected: list[Word] = []
    for at, word in enumerate(found):
        if word.kind not in _NAMEABLE:
            corrected.append(word)
            continue
        following = found[at + 1] if at + 1 < len(found) else None
        honorific = following.surface if following and following.start == word.end else ""
        if honorific not in honorifics and honorific not in titles:
            honorific = ""
        corrected.append(_named(word, honorific, is_familiar=honorific in familiar))
    return corrected


def _named(word: Word, honorific: str, *, is_familiar: bool) -> Word:
    if word.surface in word_set("ja/lexicon", "names", "never"):
        return _with(word, "noun" if word.kind == "proper" else word.kind, None)
    is_doubtful = word.surface in word_set("ja/lexicon", "names", "doubtful")
    if honorific and (is_doubtful or word.kind == "proper" or _looks_like_nickname(word, is_familiar=is_familiar)):
        return _with(word, "proper", "person" if word.entity != "organisation" else word.entity)
    if word.kind == "proper":
        entity = None if is_doubtful and word.entity == "person" else _checked_entity(word)
        return _with(word, "proper" if entity else "noun", entity)
    if word.surface.endswith(phrases("ja/lexicon", "names", "organisation_endings")) and len(word.surface) > 3:  # noqa: PLR2004  # shorter ones are the ending itself or a kind of thing (大学, 女子大学)
        return word if word.form != UNKNOWN else _with(word, "proper", "organisation")
    return word


def _looks_like_nickname(word: Word, *, is_familiar: bool) -> bool:
    """Tell ゆうちゃん and ポチくん from ワンちゃん and 店員さん: kana before a familiar honorific, or unknown."""
    is_kana = bool(_HIRAGANA.fullmatch(word.surface) or _KATAKANA.fullmatch(word.surface))
    if is_familiar:
        return is_kana and len(word.surface) > 1
    return word.kind == "noun" and word.form == UNKNOWN


def _checked_entity(word: Word) -> EntityKind | None:
    if word.entity == "other":
        endings = phrases("ja/lexicon", "names", "organisation_endings")
        return "organisation" if word.surface.endswith(endings) else "other"
    if word.entity == "place":
        return "place" if len(word.surface) > 1 else None
    # A given name of one kanji or two kana is an ordinary word more often than not (光, ひな, さち).
    short_kana = _HIRAGANA.fullmatch(word.surface) and len(word.surface) <= 2  # noqa: PLR2004  # see above
    is_doubtful = len(word.surface) == 1 or short_kana
    return None if is_doubtful else "person"


def _with(word: Word, kind: Kind, entity: EntityKind | None) -> Word:
    if word.kind == kind and word.entity == entity:
        return word
    return Word(word.surface, word.lemma, kind, entity, word.start, word.reading, word.normal, word.form)


@cache
def _endings(form: str) -> dict[str, str]:
    """Return how verbs end in a form, by the last letter of their base (`words.toml`)."""
    return dict(pair.split("=") for pair in load("ja/words")["words"][form].split())


def _is_regular(verb: Word) -> bool:
    return verb.lemma == verb.surface + "る"


def past_of(verb: Word) -> str:
    """Return the plain past of a verb that stands before ます: 行き → 行った, 食べ → 食べた."""
    if _is_regular(verb) or verb.lemma.endswith(("する", "くる", "来る", "ずる")):
        return verb.surface + "た"
    is_go = verb.lemma.endswith(("行く", "いく", "ゆく"))
    return verb.lemma[:-1] + ("った" if is_go else _endings("past").get(verb.lemma[-1], "た"))


def negative_of(verb: Word) -> str:
    """Return the plain negative of a verb that stands before ます: 行き → 行かない, 食べ → 食べない."""
    if verb.lemma in ("ある", "有る"):
        return "ない"
    if verb.lemma.endswith(("来る", "くる")):
        return verb.lemma.replace("くる", "こない").replace("来る", "来ない")
    if _is_regular(verb) or verb.lemma.endswith("する"):
        return verb.surface + "ない"
    return verb.lemma[:-1] + _endings("before_nai").get(verb.lemma[-1], "ら") + "ない"
