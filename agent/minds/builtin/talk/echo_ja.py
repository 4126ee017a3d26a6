"""Giving back what was told in Japanese: nominalised echoes (…したんですね) with their grammar intact."""

from collections.abc import Sequence

from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import word_list
from managers.language.reading.japanese import negative_of, past_of
from managers.language.reading.noun_phrases_ja import from_listener, is_suffix
from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits, rule
from managers.language.words import Word, words

_MAX_ECHO = 36
_NOMINAL = frozenset({"noun", "proper", "number", "pronoun"})
_NOT_FINITE = ("命令形", "意志推量形", "連用形", "未然形", "仮定形")


def echo_of(sentence: Sentence, voice: Voice, persona: str) -> str:
    """Return a sentence from the listener's side, with んですね; empty where that would be clumsy or wrong."""
    told = attributive(sentence.text, voice, persona)
    least = 3 if fits("ja", "told", "begins_with_number", told) else 5
    if not least <= len(told) <= _MAX_ECHO:  # shorter ones say nothing, longer ones are hard to hear
        return ""
    return told + ("んですね。" if voice.polite else "んだね。")


def attributive(text: str, voice: Voice, persona: str, *, limit: int = _MAX_ECHO) -> str:
    """Return a sentence from the listener's side in the form that stands before ん (静かな, 行った); empty if it has none.

    Args:
        text: the sentence, as it was said.
        voice: whose side it is told from.
        persona: the listener's name: what is said to them is not given back.
        limit: of a longer one only the last clauses are taken.
    """
    text = rule("ja", "told", "decoration").sub("", text)
    if (persona and persona in text) or fits("ja", "told", "not_given_back", text):
        return ""
    body = _plain_predicate(_without_opener(words(_last_clause(text, limit))))
    if body is None:
        return ""
    tokens, tail = body
    return from_listener(tokens[_skip_subject(tokens) :], voice.you) + tail


def _last_clause(text: str, limit: int) -> str:
    text = rule("ja", "told", "opener").sub("", text.strip()).rstrip("。．.!！…~〜～ー　 ")
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
    tokens = _without_final_particles(list(found))
    if not tokens:
        return None
    if tokens[-1].lemma in ("だ", "です") and tokens[-1].surface == "な":
        tokens.pop()
    polite = next((at for at in range(len(tokens) - 1, -1, -1) if tokens[at].lemma == "ます"), -1)
    if polite > 0 and len(tokens) - polite <= 4:  # noqa: PLR2004  # ませんでした
        return _from_polite(tokens, polite)
    return _from_plain(tokens)


def _without_final_particles(tokens: list[Word]) -> list[Word]:
    """Leave out よ, ね and the んだ of explaining."""
    final = word_list("ja", "final_particles")
    while tokens and (tokens[-1].kind == "symbol" or (tokens[-1].surface in final and tokens[-1].kind != "noun")):
        tokens.pop()
    if len(tokens) > 2 and tokens[-2].surface in ("ん", "の") and tokens[-2].form == "準体助詞":  # noqa: PLR2004  # …んだ
        is_explained = tokens[-1].lemma in ("だ", "です") and tokens[-1].normal != "た"
        tokens = tokens[:-2] if is_explained else tokens
    if len(tokens) > 1 and tokens[-1].surface == "の" and tokens[-1].kind == "function":
        tokens = tokens[:-1]
    return tokens


def _from_polite(tokens: list[Word], at: int) -> tuple[list[Word], str] | None:
    verb, rest = tokens[at - 1], "".join(word.surface for word in tokens[at + 1 :])
    endings = {"": verb.lemma, "た": past_of(verb), "ん": negative_of(verb)}
    endings["んでした"] = endings["ん"].removesuffix("い") + "かった"
    if rest not in endings or tokens[at].surface == "ましょ":
        return None
    return tokens[: at - 1], endings[rest]


def _from_plain(tokens: list[Word]) -> tuple[list[Word], str] | None:  # noqa: PLR0911  # one return per ending
    last = tokens[-1]
    if last.lemma == "です" and last.surface == "です":
        tokens = tokens[:-1]
        if not tokens:
            return None
        return (tokens, "") if _is_finite(tokens[-1]) else (tokens, "な") if _is_nominal(tokens[-1]) else None
    if len(tokens) > 2 and tokens[-2].lemma == "です" and last.surface == "た":  # noqa: PLR2004  # X でした
        return (tokens[:-2], "だった")
    if last.surface == "だ":
        return (tokens, "") if last.normal == "た" else (tokens[:-1], "な")  # 休んだ, 静かだ
    if last.surface in ("ん", "へん") and last.kind == "function":
        return None  # 寝れん
    if last.surface in word_list("ja", "unfit_ends") or last.form.startswith(_NOT_FINITE):
        return None
    if _is_nominal(last):
        return tokens, "な"
    return (tokens, "") if _is_finite(last) else None


def _is_finite(word: Word) -> bool:
    return word.form.startswith(("終止形", "連体形")) or word.surface in ("た", "だ", "ない", "たい")


def _is_nominal(word: Word) -> bool:
    is_counter = is_suffix(word) or word.form == "助数詞可能"
    is_na_adjective = word.kind == "adjective" and not word.lemma.endswith("い")
    return word.kind in _NOMINAL or is_counter or is_na_adjective


def _skip_subject(tokens: Sequence[Word]) -> int:
    """Leave out 私は at the beginning: the listener is meant anyway."""
    if len(tokens) < 3 or tokens[0].surface not in word_list("ja", "first_person"):  # noqa: PLR2004  # 私 は …
        return 0
    if tokens[1].surface == "は":
        return 3 if tokens[2].surface == "、" else 2
    return 2 if tokens[1].surface in ("って", "、") else 0
