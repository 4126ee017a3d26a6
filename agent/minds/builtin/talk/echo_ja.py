"""Giving back what was told in Japanese: nominalised echoes (…したんですね) with their grammar intact."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.minds.builtin.talk.noun_phrases_ja import is_suffix, relatives
from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import word_list
from managers.language.reading.reading import Sentence
from managers.language.words import Word, words

_SECOND_PERSONS = re.compile(r"あなた|きみ|君(?![がはの]?(?:代|主))|お前|おまえ|そっち|そちら")
_NO_ECHO = re.compile(
    r"http|「|^大丈夫|つもりじゃ|ください|存じ|おります|ございま|(?<!て)ね[ー〜!！。]*$|[?？][」』]?$"
)
"""What is said to the listener, or already shared with them (…ですね), is not given back."""
_MAX_ECHO = 36
_NOMINAL = frozenset({"noun", "proper", "number", "pronoun"})


def echo_of(sentence: Sentence, voice: Voice, persona: str) -> str:
    """Return a sentence from the listener's side, with んですね; empty where that would be clumsy or wrong."""
    spoken = attributive(sentence.text, voice, persona)
    least = 3 if re.match(r"[0-9０-９一二三四五六七八九十百千]", spoken) else 5
    if not least <= len(spoken) <= _MAX_ECHO:  # shorter ones say nothing, longer ones are hard to hear
        return ""
    return spoken + ("んですね。" if voice.polite else "んだね。")


def attributive(text: str, voice: Voice, persona: str, *, limit: int = _MAX_ECHO) -> str:
    """Return a sentence from the listener's side in the form that stands before ん (静かな, 行った); empty if it has none.

    Args:
        text: the sentence, as it was said.
        voice: whose side it is told from.
        persona: the listener's name: what is said to them is not given back.
        limit: of a longer one only the last clauses are taken.
    """
    text = re.sub(r"[（(][^）)]*[）)]|[\U0001F000-\U0001FAFF☀-➿♪♡❤]+|[wｗ]+$", "", text)
    if _SECOND_PERSONS.search(text) or (persona and persona in text) or _NO_ECHO.search(text):
        return ""
    body = _plain_predicate(_without_opener(words(_last_clause(text, limit))))
    if body is None:
        return ""
    tokens, tail = body
    return _spoken_all(tokens[_skip_subject(tokens) :], voice) + tail


def _last_clause(text: str, limit: int) -> str:
    openers = "|".join(sorted(word_list("ja", "openers"), key=len, reverse=True))
    text = re.sub(rf"^(?:(?:{openers})[、,ー…]*)+(?=[^はがもをにのと])", "", text.strip()).rstrip("。．.!！…~〜～ー　 ")
    if len(text) <= limit:
        return text
    parts = text.split("、")
    clause = parts.pop()
    while parts and len(clause) + len(parts[-1]) < limit - 6:
        clause = f"{parts.pop()}、{clause}"
    return clause


def _without_opener(found: list[Word]) -> list[Word]:
    openers = word_list("ja", "openers")
    while found and (found[0].surface in openers or found[0].kind in ("symbol", "interjection")):
        found = found[1:]
    return found


def _plain_predicate(found: list[Word]) -> tuple[list[Word], str] | None:
    """Bring the end of a sentence into the plain attributive form; None where it cannot stand before ん."""
    tokens = list(found)
    while tokens and (
        tokens[-1].kind == "symbol"
        or (tokens[-1].surface in word_list("ja", "final_particles") and tokens[-1].kind != "noun")
    ):
        tokens.pop()
    if (
        len(tokens) > 2  # noqa: PLR2004  # …んだ
        and tokens[-1].lemma in ("だ", "です")
        and tokens[-2].surface in ("ん", "の")
        and tokens[-2].form == "準体助詞"
        and tokens[-1].normal != "た"
    ):  # …んだ
        tokens = tokens[:-2]
    elif len(tokens) > 1 and tokens[-1].surface == "の" and tokens[-1].kind == "function":
        tokens.pop()
    if not tokens:
        return None
    if tokens[-1].lemma in ("だ", "です") and tokens[-1].surface == "な":
        tokens.pop()
    polite = next((at for at in range(len(tokens) - 1, -1, -1) if tokens[at].lemma == "ます"), -1)
    if polite > 0 and len(tokens) - polite <= 4:  # noqa: PLR2004  # ませんでした
        return _from_polite(tokens, polite)
    return _from_plain(tokens)


def _from_polite(tokens: list[Word], at: int) -> tuple[list[Word], str] | None:
    verb, rest = tokens[at - 1], "".join(word.surface for word in tokens[at + 1 :])
    ending = {
        "": verb.lemma,
        "た": past_of(verb),
        "ん": negative_of(verb),
        "んでした": negative_of(verb).removesuffix("い") + "かった",
    }.get(rest)
    if ending is None or tokens[at].surface == "ましょ":
        return None
    return tokens[: at - 1], ending


def _from_plain(tokens: list[Word]) -> tuple[list[Word], str] | None:  # noqa: PLR0911  # one return per ending
    last = tokens[-1]
    if last.lemma == "です" and last.surface == "です":
        tokens = tokens[:-1]
        if not tokens:
            return None
        last = tokens[-1]
        return (tokens, "") if _is_finite(last) else (tokens, "な") if _is_nominal(last) else None
    if len(tokens) > 2 and tokens[-2].lemma == "です" and last.surface == "た":  # noqa: PLR2004  # X でした
        return (tokens[:-2], "だった")
    if last.surface == "だ" and last.normal == "た":
        return tokens, ""  # 休んだ, 泳いだ
    if last.lemma == "だ" and last.surface == "だ":
        return tokens[:-1], "な"
    if last.surface in ("ん", "へん") and last.kind == "function":
        return None  # 寝れん
    if last.surface in word_list("ja", "unfit_ends") or last.form.startswith(
        ("命令形", "意志推量形", "連用形", "未然形", "仮定形")
    ):
        return None
    if _is_nominal(last):
        return tokens, "な"
    return (tokens, "") if _is_finite(last) else None


def _is_finite(word: Word) -> bool:
    return word.form.startswith(("終止形", "連体形")) or word.surface in ("た", "だ", "ない", "たい")


def _is_nominal(word: Word) -> bool:
    return (
        word.kind in _NOMINAL
        or is_suffix(word)
        or word.form == "助数詞可能"
        or (word.kind == "adjective" and not word.lemma.endswith("い"))
    )


_PAST = {
    "く": "いた",
    "ぐ": "いだ",
    "す": "した",
    "つ": "った",
    "う": "った",
    "る": "った",
    "ぬ": "んだ",
    "ぶ": "んだ",
    "む": "んだ",
}
_A_ROW = dict(zip("うくぐすつぬぶむる", "わかがさたなばまら", strict=True))


def past_of(verb: Word) -> str:
    """Return the plain past of a verb that stands before ます: 行き → 行った, 食べ → 食べた."""
    if verb.lemma.endswith(("する", "くる", "来る", "ずる")) or verb.lemma == verb.surface + "る":
        return verb.surface + "た"
    if verb.lemma.endswith(("行く", "いく", "ゆく")):
        return verb.lemma[:-1] + "った"
    return verb.lemma[:-1] + _PAST.get(verb.lemma[-1], "た")


def negative_of(verb: Word) -> str:
    """Return the plain negative of a verb that stands before ます: 行き → 行かない, 食べ → 食べない."""
    if verb.lemma in ("ある", "有る"):
        return "ない"
    if verb.lemma.endswith(("来る", "くる")):
        return verb.lemma.replace("くる", "こない").replace("来る", "来ない")
    if verb.lemma.endswith("する") or verb.lemma == verb.surface + "る":
        return verb.surface + "ない"
    return verb.lemma[:-1] + _A_ROW.get(verb.lemma[-1], "ら") + "ない"


def _skip_subject(tokens: Sequence[Word]) -> int:
    """Leave out 私は at the beginning: the listener is meant anyway."""
    if (
        len(tokens) > 2  # noqa: PLR2004  # 私 は …
        and tokens[0].surface in word_list("ja", "first_persons")
        and tokens[1].surface in ("は", "って", "、")
    ):
        return 2 if tokens[1].surface != "は" or tokens[2].surface != "、" else 3
    return 0


def _spoken_all(tokens: Sequence[Word], voice: Voice) -> str:
    """Join words from the listener's side, keeping the spaces between Latin ones."""
    known = relatives()
    text, last_end = "", tokens[0].start if tokens else 0
    for at, word in enumerate(tokens):
        following = tokens[at + 1].surface if at + 1 < len(tokens) else ""
        text += " " if word.start > last_end else ""
        last_end = word.end
        if (
            word.surface in word_list("ja", "first_persons")
            and word.kind in ("pronoun", "noun")
            and word.surface != "自分"
        ):
            is_home = word.surface in ("うち", "ウチ") and following in ("の", "に", "で", "へ", "から")
            text += (voice.you or "あなた") + ("のところ" if is_home else "")
        elif word.surface in known and following not in ("さん", "ちゃん", "様") and not text.endswith(("ご", "お")):
            text += known[word.surface]
        else:
            text += word.surface
    return text
