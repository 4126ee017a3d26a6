"""Taking up what was told in Japanese: nominalised echoes (…したんですね) and noun phrases to ask after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from agent.minds.builtin.telling import Told, acts
from agent.minds.builtin.understanding import Sentence, word_list
from agent.minds.builtin.voice import Voice
from managers.language.lexicons import load
from managers.language.times import tells_when
from managers.language.words import Word, words

_FIRST_PERSONS = frozenset(["私", "わたし", "僕", "ぼく", "俺", "おれ", "あたし", "わし", "ウチ", "うち", "自分"])
_SECOND_PERSONS = re.compile(r"あなた|きみ|君(?![がはの]?(?:代|主))|お前|おまえ|そっち|そちら")
_FINAL = frozenset(
    [
        "よ",
        "ね",
        "な",
        "わ",
        "さ",
        "ぞ",
        "ぜ",
        "なあ",
        "ねえ",
        "なぁ",
        "ねぇ",
        "もん",
        "もの",
        "けど",
        "けれど",
        "けれども",
        "が",
        "し",
        "から",
        "ので",
        "んで",
        "w",
        "ｗ",
        "笑",
        "ー",
    ]
)
_UNFIT_ENDS = frozenset(
    [
        "かな",
        "か",
        "かも",
        "っけ",
        "かしら",
        "だろう",
        "でしょう",
        "う",
        "よう",
        "たら",
        "ば",
        "て",
        "で",
        "と",
        "は",
        "を",
        "に",
        "へ",
        "も",
        "まで",
        "より",
        "とか",
        "たり",
    ]
)
_RELATIVE = re.compile(
    "お?(?:母|父|妹|弟|姉|兄|祖母|祖父|夫|妻|嫁|奥|旦那|息子|娘|両親|家族|親|おばあ|おじい|子供|孫|いとこ)"
)
_EMPTY_HEADS = frozenset(
    [
        "こと",
        "事",
        "もの",
        "物",
        "とき",
        "時",
        "ところ",
        "所",
        "ため",
        "為",
        "よう",
        "方",
        "ほう",
        "中",
        "前",
        "後",
        "間",
        "うち",
        "感じ",
        "気",
        "わけ",
        "はず",
        "まま",
        "人",
        "自分",
        "日々",
    ]
)
_NO_ECHO = re.compile(r"http|「|ください|存じ|おります|ございま|(?<!て)ね[ー〜!！。]*$")
"""What is said to the listener, or already shared with them (…ですね), is not given back."""
_MAX_ECHO = 36
_NOMINAL = frozenset({"noun", "proper", "number", "pronoun"})


def take_up(sentence: Sentence, voice: Voice, persona: str) -> Told:
    """Read what a Japanese sentence tells."""
    found = sentence.words
    person = _phrase_before(found, ("と", "に", "から"), voice, wants_person=True)
    subject = _phrase_before(found, ("は", "が"), voice, wants_person=True)
    place = _phrase_before(found, ("へ", "に", "で"), voice, wants_person=False)
    topic, is_pet = _topic(found, voice)
    return Told(
        echo=_echo(sentence, voice, persona),
        act=_act(found),
        is_future=_is_future(found),
        is_past=any(word.lemma in ("た", "だった") and word.kind == "function" for word in found[-5:]),
        topic=topic,
        is_wish=_is_wish(found),
        is_own=not subject,
        is_dated=tells_when(sentence.text),
        person=person or subject,
        place=place,
        is_pet=is_pet,
        is_relative=bool(_RELATIVE.search(person or subject)),
    )


def _act(found: Sequence[Word]) -> str:
    known = acts("ja")
    for at in range(len(found) - 1, -1, -1):
        word = found[at]
        if (
            word.kind == "verb"
            and at
            and found[at - 1].surface in ("て", "で", "ちゃ", "じゃ")
            and known.get(word.normal) != "go"
        ):
            continue  # an auxiliary: 食べてみる, 貸してくれる
        if (
            word.kind == "verb"
            and at
            and found[at - 1].surface in ("て", "で")
            and word.lemma in ("いく", "くる", "行く", "来る")
        ):
            continue
        if word.kind in ("verb", "noun", "adjective"):
            act = known.get(word.lemma) or known.get(word.normal)
            if act:
                return act
            if word.kind == "verb" and word.normal not in ("為る", "居る", "成る", "有る", "思う", "言う"):
                return ""
    return ""


def _is_wish(found: Sequence[Word]) -> bool:
    """Tell 行きたい from 行きたくない."""
    return any(
        word.lemma == "たい"
        and word.kind == "function"
        and not any(later.normal in ("無い", "ない") for later in found[at + 1 : at + 3])
        for at, word in enumerate(found)
    )


def _is_future(found: Sequence[Word]) -> bool:
    future = word_list("ja", "future")
    if any(word.lemma in ("た", "だった") and word.kind == "function" for word in found[-4:]):
        return False
    return any(word.surface in future or (word.lemma == "たい" and word.kind == "function") for word in found)


# --- noun phrases --------------------------------------------------------------------------------------------


def phrases(found: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the noun phrases of a sentence as spans of words: compounds, honorifics, nouns joined by の."""
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(found):
        if not _is_noun(found[at]) or found[at].surface in _EMPTY_HEADS - {"自分"}:
            at += 1
            continue
        end = at + 1
        while end < len(found):
            is_joined = found[end].start == found[end - 1].end and found[end].surface not in _EMPTY_HEADS
            if is_joined and (_is_noun(found[end]) or _is_suffix(found[end])):
                end += 1
            elif found[end].surface in ("の", "・") and end + 1 < len(found) and _is_noun(found[end + 1]):
                end += 2
            else:
                break
        spans.append((at, end))
        at = end
    return spans


def _is_noun(word: Word) -> bool:
    return (
        word.kind in ("noun", "proper", "number") and word.form not in ("副詞可能", "助数詞可能")
    ) or word.entity is not None


def _is_suffix(word: Word) -> bool:
    return word.kind == "function" and word.form in ("名詞的", "一般") and word.surface in (
        "さん", "くん", "君", "ちゃん", "様", "さま", "氏", "たち", "達", "屋", "駅", "市", "県", "区", "町", "村", "山", "川", "島", "店", "館", "園", "会", "室", "系", "用", "的", "枚", "個", "本", "冊", "匹", "人",
    )  # fmt: skip


def _trimmed(found: Sequence[Word], span: tuple[int, int]) -> tuple[int, int]:
    """Leave out a beginning that carries nothing (今日の…) and refuse what ends in a light word."""
    start, end = span
    light = word_list("ja", "light")
    while end - start > 2 and found[start].surface in light and found[start + 1].surface == "の":  # noqa: PLR2004  # X の Y
        start += 2
    while start < end and found[start].kind == "number":
        start += 1
    head = found[end - 1]
    is_light = head.surface in _EMPTY_HEADS or (head.surface in light and end - start == 1)
    if start >= end or is_light or head.kind == "number":
        return start, start
    return start, end


def _spoken(found: Sequence[Word], span: tuple[int, int], voice: Voice) -> str:
    """Return a phrase from the listener's side: 私の母 → お母さん."""
    start, end = span
    relatives = _relatives()
    text = ""
    for at in range(start, end):
        word = found[at]
        following = found[at + 1].surface if at + 1 < end else ""
        if word.surface in _FIRST_PERSONS:
            text += voice.you or "あなた"
        elif word.surface in relatives and following not in ("さん", "ちゃん", "様"):
            text += relatives[word.surface]
        else:
            text += word.surface
    return text


@cache
def _relatives() -> dict[str, str]:
    return dict(pair.split("=") for pair in load("follow")["ja"]["words"]["relatives"].split())


def _is_person(found: Sequence[Word], span: tuple[int, int]) -> bool:
    inside = found[span[0] : span[1]]
    return any(word.entity == "person" for word in inside) or any(
        word.surface in word_list("ja", "persons") for word in inside[-2:]
    )


def _phrase_before(found: Sequence[Word], particles: Sequence[str], voice: Voice, *, wants_person: bool) -> str:
    for span in phrases(found):
        start, end = _trimmed(found, span)
        if (
            start == end
            or end >= len(found)
            or found[end].surface not in particles
            or found[end].form not in ("格助詞", "係助詞")
        ):
            continue
        is_person = _is_person(found, (start, end))
        if wants_person and is_person:
            return _spoken(found, (start, end), voice)
        is_place = any(word.entity == "place" for word in found[start:end]) or _act(found) == "go"
        if not wants_person and not is_person and is_place:
            return _spoken(found, (start, end), voice)
    return ""


def _topic(found: Sequence[Word], voice: Voice) -> tuple[str, bool]:
    """Return the phrase that most of the sentence is about: the object, else the subject, else the longest."""
    best, best_score = (0, 0), 0.0
    for span in phrases(found):
        start, end = _trimmed(found, span)
        if start == end:
            continue
        particle = found[end].surface if end < len(found) else ""
        length = found[end - 1].end - found[start].start
        score = {"を": 3.0, "が": 2.0, "は": 1.5, "に": 1.2, "で": 1.0}.get(particle, 0.8) + min(length, 10) / 10
        if any(word.entity for word in found[start:end]):
            score += 0.6
        if end == len(found) or found[end].kind == "symbol" or found[end].lemma in ("だ", "です"):
            score = 0.0 if found[end - 1].form in ("形状詞可能", "サ変形状詞可能") else 0.5  # the predicate: 雨は苦手
        if length > 1 and score > best_score:
            best, best_score = (start, end), score
    if not best_score:
        return "", False
    is_pet = any(word.surface in word_list("ja", "pets") or word.surface.endswith(("犬", "猫")) for word in found)
    return _spoken(found, best, voice), is_pet


# --- echo ----------------------------------------------------------------------------------------------------


def _echo(sentence: Sentence, voice: Voice, persona: str) -> str:
    text = re.sub(r"[（(][^）)]*[）)]|[\U0001F000-\U0001FAFF☀-➿♪♡❤]+|[wｗ]+$", "", sentence.text)
    if _SECOND_PERSONS.search(text) or (persona and persona in text) or _NO_ECHO.search(text):
        return ""
    body = _plain_predicate(_without_opener(words(_last_clause(text))))
    if body is None:
        return ""
    tokens, tail = body
    start = _skip_subject(tokens)
    spoken = _spoken_all(tokens[start:], voice) + tail
    if not 5 <= len(spoken) <= _MAX_ECHO:  # noqa: PLR2004  # shorter ones say nothing, longer ones are hard to hear
        return ""
    return spoken + ("んですね。" if voice.polite else "んだね。")


def _last_clause(text: str) -> str:
    openers = "|".join(sorted(word_list("ja", "openers"), key=len, reverse=True))
    text = re.sub(rf"^(?:(?:{openers})[、,ー…]*)+(?=[^はがもをにのと])", "", text.strip()).rstrip("。．.!！…~〜～ー　 ")
    if len(text) <= _MAX_ECHO:
        return text
    parts = text.split("、")
    clause = parts.pop()
    while parts and len(clause) + len(parts[-1]) < _MAX_ECHO - 6:
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
    while tokens and (tokens[-1].kind == "symbol" or (tokens[-1].surface in _FINAL and tokens[-1].kind != "noun")):
        tokens.pop()
    if (
        len(tokens) > 2  # noqa: PLR2004  # …んだ
        and tokens[-1].lemma in ("だ", "です")
        and tokens[-2].surface in ("ん", "の")
        and tokens[-2].form == "準体助詞"
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
    if last.lemma == "だ" and last.surface == "だ":
        return tokens[:-1], "な"
    if last.surface in _UNFIT_ENDS or last.form.startswith(("命令形", "意志推量形", "連用形", "未然形", "仮定形")):
        return None
    if _is_nominal(last):
        return tokens, "な"
    return (tokens, "") if _is_finite(last) else None


def _is_finite(word: Word) -> bool:
    return word.form.startswith(("終止形", "連体形")) or word.surface in ("た", "だ", "ない", "たい")


def _is_nominal(word: Word) -> bool:
    return word.kind in _NOMINAL or _is_suffix(word) or (word.kind == "adjective" and not word.lemma.endswith("い"))


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
    if len(tokens) > 2 and tokens[0].surface in _FIRST_PERSONS and tokens[1].surface in ("は", "って", "、"):  # noqa: PLR2004  # 私 は …
        return 2 if tokens[1].surface != "は" or tokens[2].surface != "、" else 3
    return 0


def _spoken_all(tokens: Sequence[Word], voice: Voice) -> str:
    """Join words from the listener's side, keeping the spaces between Latin ones."""
    relatives = _relatives()
    text, last_end = "", tokens[0].start if tokens else 0
    for at, word in enumerate(tokens):
        following = tokens[at + 1].surface if at + 1 < len(tokens) else ""
        text += " " if word.start > last_end else ""
        last_end = word.end
        if word.surface in _FIRST_PERSONS and word.kind in ("pronoun", "noun") and word.surface != "自分":
            text += (voice.you or "あなた") + (
                "のところ" if word.surface in ("うち", "ウチ") and following == "の" else ""
            )
        elif word.surface in relatives and following not in ("さん", "ちゃん", "様"):
            text += relatives[word.surface]
        else:
            text += word.surface
    return text
