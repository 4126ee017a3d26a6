"""What the words around a word of emotion make of it: negation, degree, whose it is, questions.

Japanese denies behind the word (悲しくない), English before it (not sad): each has its reader here,
and both answer with the same `Context`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from managers.language.emotion_lexicon import Match, key, rule
from managers.language.words import Word
from managers.storage.errors import Lang

_STOPS = frozenset("。．.！!？?\n、,;；:「」")
_REACH = 8
"""How many words away a negation or a subject may stand."""


@dataclass(frozen=True, slots=True)
class Context:
    """How a match is to be taken.

    Attributes:
        negated: it is denied, or said to be over.
        degree: stronger (1.35) or weaker (0.6).
        own: how far it is the speaker's own: 1, or less for others' feelings, questions, conditions, works.
    """

    negated: bool = False
    degree: float = 1.0
    own: float = 1.0


def read_context(match: Match, found: Sequence[Word], lang: Lang, *, is_question: bool) -> Context:
    """Read the words around a match; `is_question`: its sentence asks."""
    if match.first < 0:
        return Context()
    return _japanese(match, found, is_question) if lang == "ja" else _english(match, found, is_question)


def contrast_positions(found: Sequence[Word], lang: Lang) -> list[int]:
    """Return the indexes of words after which the weightier half of a sentence begins (but, けど)."""
    marks = rule(lang, "contrast")
    return [at for at, word in enumerate(found) if key(word, lang) in marks and _is_contrast(found, at, lang)]


def _is_contrast(found: Sequence[Word], at: int, lang: Lang) -> bool:
    word = found[at]
    if lang == "en":
        return True
    if word.surface in ("が", "のに"):
        return word.form == "接続助詞"
    if word.surface == "でも":
        return at == 0 or found[at - 1].surface in _STOPS
    return word.kind == "function"


# --- Japanese ------------------------------------------------------------------------------------------------


def _japanese(match: Match, found: Sequence[Word], is_question: bool) -> Context:
    negated, degree, conditional, hearsay = _japanese_tail(match, found)
    degree *= _degree_before(match, found, "ja")
    own = 1.0
    if conditional:
        own *= 0.35
    if _modifies_work(match, found, "ja"):
        own *= 0.3
    is_event = any(key(found[at], "ja") in rule("ja", "events") for at in range(match.first, match.last + 1))
    if not is_event and _japanese_other(match, found, hearsay=hearsay):
        own *= 0.2
    elif hearsay:
        own *= 0.3
    if is_question and match.emotion != "surprise" and not _wonders(match, found, "ja"):
        own *= 0.2
    return Context(negated, degree, own)


def _japanese_tail(match: Match, found: Sequence[Word]) -> tuple[bool, float, bool, bool]:
    """Read what follows the match: negation, excess (すぎる, たまらない), condition (たら), hearsay (らしい)."""
    negated = hearsay = False
    degree = 1.0
    before = ""
    for at in range(match.last + 1, min(len(found), match.last + 1 + _REACH)):
        word = found[at]
        word_key = key(word, "ja")
        if word.surface in _STOPS or (word_key in rule("ja", "contrast") and _is_contrast(found, at, "ja")):
            break
        if word.surface in ("たら", "だら", "ば", "なら", "れば"):
            return negated, degree, True, hearsay
        if _denies(word, word_key):
            if before in _EXCESS:  # 嬉しくてたまらない
                return negated, degree * 1.35, False, hearsay
            negated ^= not _is_rhetorical(found, match, at)
        elif word_key in ("過ぎる", "捲る"):
            degree *= 1.35
        elif _tells_of_others(found, at):
            hearsay = True
        elif word_key in rule("ja", "relief") and found[match.last].kind == "noun":
            negated = not negated
        elif word.kind not in ("function", "symbol") and word_key not in _EXCESS | rule("ja", "adjective_fillers"):
            break
        if word.kind != "function":
            before = word_key
    return negated, degree, False, hearsay


_EXCESS = frozenset({"堪る", "たまる", "仕方", "しょう", "仕様", "止む", "遣る瀬"})


def _denies(word: Word, word_key: str) -> bool:
    return word.lemma == "ぬ" if word.surface == "ん" else word_key in rule("ja", "negations")


def _tells_of_others(found: Sequence[Word], at: int) -> bool:
    """Read 悲しがる, 悲しいらしい, 嬉しそう, 嬉しいそうだ; 泣きそう after a verb is the speaker's own."""
    word_key = key(found[at], "ja")
    if word_key in ("そう", "様"):
        before = found[at - 1]
        return before.form.startswith(("終止形", "連体形")) or (word_key == "そう" and before.kind == "adjective")
    return word_key in rule("ja", "hearsay")


def _is_rhetorical(found: Sequence[Word], match: Match, at: int) -> bool:
    """Tell 楽しいじゃない (it is fun, isn't it) from 不安じゃない: a finished adjective before じゃ."""
    return (
        at == match.last + 2
        and found[at - 1].surface in ("じゃ", "では")
        and found[match.last].form.startswith(("終止形", "連体形"))
    )


def _japanese_other(match: Match, found: Sequence[Word], *, hearsay: bool) -> bool:
    """Tell whether a third person is the one who feels.

    A plain adjective of feeling is the speaker's own in Japanese (彼が怖い: I fear him); verbs and
    hearsay with a third person as subject are that person's.
    """
    head = found[match.last]
    if key(head, "ja") in rule("ja", "felt_toward"):
        return False
    if head.kind == "adjective" and not hearsay:
        return False
    for at in range(match.first - 1, max(-1, match.first - 1 - _REACH), -1):
        word = found[at]
        if word.surface in _STOPS - {"、"} or word.form == "接続助詞":
            return False
        if word.surface in ("が", "は", "も", "って") and at > 0:
            before = found[at - 1]
            if key(before, "ja") in rule("ja", "first_persons") or before.surface in ("気", "心", "胸", "頭", "体"):
                return False
            if before.entity == "person" or key(before, "ja") in rule("ja", "third_persons") or _is_honorific(before):
                return True
    return False


def _is_honorific(word: Word) -> bool:
    return word.surface in ("さん", "くん", "ちゃん", "君", "様", "たち", "達", "先生")


# --- English -------------------------------------------------------------------------------------------------


def _english(match: Match, found: Sequence[Word], is_question: bool) -> Context:
    negated = _english_negated(match, found, is_question=is_question)
    own = 1.0
    clause = _clause_before(match, found)
    if any(key(word, "en") in rule("en", "conditions") for word in clause):
        own *= 0.35
    if _modifies_work(match, found, "en"):
        own *= 0.3
    is_event = any(key(found[at], "en") in rule("en", "events") for at in range(match.first, match.last + 1))
    subject = _english_subject(match, found)
    if subject == "other" and not is_event:
        own *= 0.15
    asks_another = is_question and not (subject == "own" and _wonders(match, found, "en"))
    if asks_another and match.emotion != "surprise" and match.first == match.last:
        own *= 0.2
    return Context(negated, _degree_before(match, found, "en"), own)


def _clause_before(match: Match, found: Sequence[Word]) -> list[Word]:
    clause: list[Word] = []
    for at in range(match.first - 1, max(-1, match.first - 1 - _REACH), -1):
        if found[at].surface in _STOPS or key(found[at], "en") in rule("en", "contrast") - {"still", "too"}:
            break
        clause.append(found[at])
    return clause


def _english_negated(match: Match, found: Sequence[Word], *, is_question: bool) -> bool:
    negated = False
    clause = _clause_before(match, found)
    for distance, word in enumerate(clause):
        word_key = key(word, "en")
        if word.surface.lower() == "used" and distance and clause[distance - 1].surface == "to":
            return True
        if word_key in rule("en", "negations"):
            is_tag = is_question and distance == len(clause) - 2 and word_key == "n't"  # Isn't it fun?
            following = clause[distance - 1].surface.lower() if distance else ""
            if following != "only" and not is_tag:
                negated = not negated
        elif word_key not in rule("en", "fillers"):
            break
    return negated


def _english_subject(match: Match, found: Sequence[Word]) -> str:
    """Tell whose feeling it is by the nearest person before it: `own`, `other` or `` (nobody named)."""
    inside = [word.surface.lower() for word in found[match.first : match.last + 1]]
    if "i" in inside or "my" in inside or "me" in inside:
        return "own"
    if "me" in [word.surface.lower() for word in found[match.last + 1 : match.last + 4]]:
        return "own"  # it scares me, she is making me sad
    for at in range(match.first - 1, max(-1, match.first - 1 - _REACH), -1):
        word = found[at]
        lower = word.surface.lower()
        if word.surface in _STOPS - {","}:
            break
        if lower in rule("en", "first_persons"):
            return "own"
        is_person = word.entity == "person" or lower in rule("en", "third_persons")
        if is_person and lower != "it":
            is_owner = at + 1 < len(found) and found[at + 1].surface in ("'s", "’s") and match.first - at > 2  # noqa: PLR2004  # Mom's funeral, not Mom's sad
            return "" if is_owner else "other"
    return ""


# --- both ----------------------------------------------------------------------------------------------------


def _degree_before(match: Match, found: Sequence[Word], lang: Lang) -> float:
    degree = 1.0
    for at in range(max(0, match.first - 3), match.first):
        word_key = key(found[at], lang)
        if found[at].surface in _STOPS or word_key in rule(lang, "contrast"):
            degree = 1.0
        elif word_key in rule(lang, "intensifiers"):
            degree = 1.35
        elif word_key in rule(lang, "diminishers"):
            degree = 0.6
    return degree


def _modifies_work(match: Match, found: Sequence[Word], lang: Lang) -> bool:
    """Tell a sad film from sadness."""
    following = [found[at] for at in range(match.last + 1, min(len(found), match.last + 3))]
    if not following or following[0].surface in _STOPS:
        return False
    works = rule(lang, "works")
    return key(following[0], lang) in works or (
        len(following) > 1 and following[0].surface in ("な", "の", "た", "る") and key(following[1], lang) in works
    )


def _wonders(match: Match, found: Sequence[Word], lang: Lang) -> bool:
    """Tell "why am I so sad?" from "are you sad?": a question that people ask themselves."""
    before = found[max(0, match.first - _REACH) : match.first]
    wondering, first = rule(lang, "wondering"), rule(lang, "first_persons")
    keys = {key(word, lang) for word in before} | {word.surface.lower() for word in before}
    return bool(keys & wondering) if lang == "ja" else bool(keys & wondering and keys & first)
