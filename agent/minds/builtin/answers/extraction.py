"""The value that answers a question, read from one sentence that the user told: the day, the place, the colour, the name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import timedelta

from agent.minds.builtin.answers.candidates import Candidate
from agent.minds.builtin.answers.kinship import kin_words
from agent.minds.builtin.answers.synonyms import one_word, one_word_each, plain_of_idioms
from agent.minds.builtin.talk.dates_in_words import say_day
from agent.minds.builtin.talk.scene import Scene
from managers.language.english import verb_base
from managers.language.lexicons import word_list
from managers.language.reading.reading import Sentence
from managers.language.reading.values import NUMBER, ValueKind, asks_colour, capital_days, values_in
from managers.language.words import Word, words
from managers.storage.errors import Lang

_SURE = 0.45
"""So much of what is asked must be in what answers, for a bare value to be given as the fact."""


def value_for(  # noqa: PLR0911  # one return per kind of value
    asked: Sequence[Sentence], candidate: Candidate, scene: Scene, coverage: float
) -> str:
    """Return the value that a question wants, as a sentence may begin with it; empty where it is not plain."""
    sentence = next((one for one in asked if one.asks), asked[0] if asked else None)
    if sentence is None or coverage < _SURE or not is_of_that(sentence, candidate):
        return ""
    text = unicodedata.normalize("NFKC", candidate.text).replace("’", "'")
    lang = scene.lang
    if asks_colour(sentence.plain, lang):
        return _only(text, lang, "colour").removesuffix("い")
    if _ASKS_CODE.search(sentence.plain):
        codes = re.findall(r"(?<![\w.])\d[\d -]{1,14}\d(?!\w|\.\d)", text)
        return codes[0] if len(codes) == 1 else ""
    if _ASKS_NAME[lang].search(sentence.plain):
        return _name(sentence.plain, text, lang)
    if sentence.asks == "when":
        return _day(sentence, candidate, text, scene)
    if sentence.asks == "how_many":
        return _count(sentence.plain, text, lang)
    return _place(sentence, text, lang) if sentence.asks == "where" else ""


def is_of_that(sentence: Sentence, candidate: Candidate) -> bool:
    """Tell whether a sentence speaks of all that a question asks about: of Mum's coming, not of her birthday."""
    there = _words_there(candidate)
    return all(_forms(word) & there for word in _asked_words(sentence))


def is_beside(sentence: Sentence, candidate: Candidate) -> bool:
    """Tell a sentence that shares with a question nothing but whom it is about."""
    kin = kin_words(sentence.lang)
    plain = [w for w in _asked_words(sentence) if w.entity != "person" and w.kind != "proper" and w.surface not in kin]
    there = _words_there(candidate)
    return bool(plain) and not any(_forms(word) & there for word in plain)


def _asked_words(sentence: Sentence) -> list[Word]:
    light = word_list(sentence.lang, "asking")
    return [
        word
        for word in words(plain_of_idioms(sentence.plain))
        if word.kind in ("noun", "verb", "proper", "adjective")
        and not word.surface.startswith("何")
        and not {word.normal, word.surface, word.form, _base(word)} & light
    ]


def _words_there(candidate: Candidate) -> set[str]:
    there = one_word_each(f"{candidate.text} {candidate.original} {candidate.around}")
    return there.union(*(_forms(word) for word in words(plain_of_idioms(candidate.text))))


def _forms(word: Word) -> set[str]:
    return {one_word(word.normal), one_word(word.lemma), _base(word)}


def _base(word: Word) -> str:
    return one_word(verb_base(word.surface.lower()))


_ASKS_CODE = re.compile(
    r"\bwhat(?:'s| is| was)\b.*\b(?:code|number|pin|password|combination)\b|(?:番号|暗証|コード|パスワード)(?:は|って)"
)
_ASKS_NAME: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:what(?:'s| is| was)|tell me) .*\bnames?\b|\bname of my\b|\bwhat(?:'s| is| was) (?:he|she|it|my \w+) called\b|\bwhat (?:do|did) (?:i|we) call\b|\bremember .*\bname\b"),
    "ja": re.compile(r"の名前|名前(?:は|って)|何て(?:呼|名前|いう)|なんて(?:呼|名前|いう)"),
}  # fmt: skip


def _only(text: str, lang: Lang, kind: ValueKind) -> str:
    """Return the one value of a kind; two would leave open which is meant."""
    found = values_in(text, lang, [kind])
    return found[0].text if len(found) == 1 else ""


def _day(sentence: Sentence, candidate: Candidate, text: str, scene: Scene) -> str:
    lang = scene.lang
    if re.search(r"\bwhat time\b|何時", sentence.plain):
        return _only(text, lang, "hour")
    found = values_in(text, lang, ["day"])
    if len(found) != 1:
        return ""
    said = capital_days(found[0].text)
    hours = values_in(text, lang, ["hour"])
    hour = hours[0].text if len(hours) == 1 else ""
    day = _as_day(said, candidate, text, scene)
    if not day:
        return ""
    if lang == "ja":
        return f"{day}の{hour}" if hour else day
    return f"{day} {hour}" if hour else day


def _as_day(said: str, candidate: Candidate, text: str, scene: Scene) -> str:
    """Return a day that was named from another one ("tomorrow", 金曜) with the date it had; empty where that is unsure."""
    lang, now, told = scene.lang, scene.request.now, candidate.time
    bare = re.sub(r"^on (?:the )?", "", said, flags=re.IGNORECASE).lower()
    if bare in _NEAR or said in _NEAR:
        if told is None:
            return ""
        return say_day((told + timedelta(days=_NEAR.get(bare, _NEAR.get(said, 0)))).date(), now.date(), lang)
    weekday = _WEEKDAY.match(bare)
    if weekday is None:
        return "" if _VAGUE.search(bare) else said
    if told is None or _PAST[lang].search(text) or _REGULAR.search(text):
        return said
    number = _WEEKDAYS_JA.index(weekday["ja"]) if weekday["ja"] else _WEEKDAYS_EN.index(weekday["en"])
    ahead = (number - told.weekday() - 1) % 7 + 1
    date = (told + timedelta(days=ahead)).date()
    named = say_day(date, now.date(), lang)
    if lang == "ja":
        return (
            said
            if named == said
            else f"{said}、{named}"
            if date >= now.date()
            else f"{said}({date.month}月{date.day}日)"
        )
    return said if named.lower() == said.lower() else f"{said}, that {'is' if date >= now.date() else 'was'} {named}"


_NEAR = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2, "今日": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2, "昨日": -1, "おととい": -2}  # fmt: skip
_WEEKDAYS_JA = "月火水木金土日"
_WEEKDAYS_EN = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_WEEKDAY = re.compile(
    r"^(?:今度の)?(?P<ja>[月火水木金土日])曜日?$|^(?:this )?(?P<en>mon|tues|wednes|thurs|fri|satur|sun)day$"
)
_VAGUE = re.compile(r"\b(?:next|last)\b|[来先今]週|[来先今]月|再来週|来年|去年")
_PAST: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:was|were|had|did|went|came|\w+ed)\b", re.IGNORECASE),
    "ja": re.compile(r"[たっ]た|だった|でした|ました|んだ$"),
}  # fmt: skip
_REGULAR = re.compile(r"毎|いつも|\b(?:every|always|usually|each)\b", re.IGNORECASE)


def _count(plain: str, text: str, lang: Lang) -> str:
    found = values_in(text, lang, ["count"])
    if lang == "ja":
        unit = re.search(
            r"何(歳|才|人|匹|個|本|冊|枚|杯|回|円|台|階|番|キロ|年間?|[かヶカ]月|週間|日間|時間|分)|いくつ", plain
        )
        fitting = [v for v in found if unit and (not unit[1] or v.text.endswith(unit[1]))]
        return fitting[0].text if len(fitting) == 1 else ""
    if re.search(r"\bhow old\b", plain):
        asked = [word.surface for word in words(plain) if word.kind in ("noun", "proper", "verb", "adjective")]
        named = re.findall(rf"\b(?:{'|'.join(map(re.escape, asked))})(?: is|'s| was|,)? (?:now |already )?({NUMBER})\b(?! (?!years)[a-z]+s\b)", text, re.IGNORECASE) if asked else []  # fmt: skip
        if len(named) == 1:
            return str(named[0])
        ages = re.findall(
            r"\b(?:is|am|are|was|turned|turns|'s|'m|'re)\s+(?:now |already |only )?(\d{1,3})\b(?! (?!years)[a-z]+s\b)",
            text,
        )
        return ages[0] if len(ages) == 1 else ""
    if _DO_I_HAVE.search(plain) and not _I_HAVE.search(text):
        return ""  # twelve poems that an editor wants are none that one has
    return found[0].text if len(found) == 1 and len(found[0].text.split()) > 1 else ""


_DO_I_HAVE = re.compile(r"\b(?:do|did) (?:i|we) (?:have|own)\b|\bhave (?:i|we) got\b")
_I_HAVE = re.compile(r"\b(?:i|we)(?:'ve| have| had| own| owned| got| keep)\b", re.IGNORECASE)


def _place(sentence: Sentence, text: str, lang: Lang) -> str:
    return _place_ja(sentence, text) if lang == "ja" else _place_en(sentence, text)


def _place_en(sentence: Sentence, text: str) -> str:
    """Return the phrase of place behind the verb that was asked with: "in a bakery", of "He works in a bakery"."""
    verbs = {verb_base(word.surface.lower()) for word in sentence.words if word.kind in ("verb", "noun")}
    verbs |= {"live", "move"} if verbs & {"live", "move"} else set()
    found = words(text)
    for word in found[:-1]:
        base = verb_base(word.surface.lower())
        if base not in verbs or (word.surface.lower() == "going"):
            continue
        match = re.match(
            r"\s+(?:(?:back|over|up|down|out|away)\s+)?(?P<place>(?:in|at|to|near|by|on|from|for|behind|under|outside|inside)\s+(?!(?:be|do|see|get|help|make)\b)(?:(?:the|a|an|his|her|their|our)\s+)?[\w'-]+(?:\s+(?!(?:and|but|so|because|with|in|on|at|for|since|when|where|which|that|next|last|every|to|now|today|tomorrow|yesterday)\b)[\w'-]+){0,3})",
            text[word.end :],
        )
        if match and not re.match(r"(?:in|on|at|for)\s+(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|an? (?:hour|week|month|year)|my\b)", match["place"], re.IGNORECASE):  # fmt: skip
            return re.sub(r"\bour\b", "your", match["place"])
    return ""


def _place_ja(sentence: Sentence, text: str) -> str:
    """Return the phrase before で, に or へ and the verb that was asked with: パン屋 of パン屋で働いてる."""
    verbs = {word.normal for word in sentence.words if word.kind == "verb" and word.normal not in _LIGHT_JA}
    verbs |= {"住む", "暮らす", "引っ越す"} if verbs & {"住む", "暮らす"} else set()
    found = words(text)
    places: list[str] = []
    for at, word in enumerate(found):
        if word.surface not in ("で", "に", "へ") or word.form != "格助詞" or not at:
            continue
        verb = next((later for later in found[at + 1 :] if later.kind == "verb"), None)
        noun = next((later for later in found[at + 1 : at + 3] if later.form == "サ変可能"), None)
        asked = {one.normal for one in (verb, noun) if one is not None}
        start = at
        while start and (found[start - 1].kind in ("noun", "proper", "number") or found[start - 1].surface in ("の", "さん") or found[start - 1].form == "名詞的"):  # fmt: skip
            start -= 1
        phrase = text[found[start].start : word.start]
        if (
            phrase
            and asked & verbs
            and not values_in(phrase, "ja", ["day", "hour"])
            and found[start].entity != "person"
        ):
            places.append(phrase)
    return places[0] if len(places) == 1 else ""


_LIGHT_JA = frozenset(["為る", "居る", "有る", "成る", "言う"])


def _name(plain: str, text: str, lang: Lang) -> str:
    """Return the name that a sentence gives to the one who is asked for (my cat, うちの猫, my boat)."""
    light = word_list(lang, "asking") | {"name", "names", "名前", "なまえ"}
    nouns = [word for word in words(plain) if word.kind == "noun" and word.surface not in light]
    asked = dict.fromkeys(form for word in nouns for form in (word.surface, word.form) if form.isalnum())
    if not asked:
        return ""
    one = "|".join(sorted(map(re.escape, asked), key=len, reverse=True))
    kin = "|".join(sorted(map(re.escape, set(asked) & kin_words(lang)), key=len, reverse=True)) or r"(?!)"
    name = r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)" if lang == "en" else r"(?P<name>[^、。はがをに「」\s]{1,12}?)"
    patterns: tuple[str, ...]
    if lang == "en":
        patterns = (
            rf"\b(?:{one})(?:,| is| was)? (?:called|named) (?:the )?{name}",
            rf"\b(?:{one})'s name (?:is|was) (?:the )?{name}",
            rf"\b(?:{kin}),? {name}\b",
            rf"\b{name}(?:,| is| was|'s) (?:my|our) (?:\w+ )?(?:{kin})\b",
        )
    else:
        end = r"(?:(?:だ|です|でした|だった|っていいます|といいます|っていう|という|って呼|と呼|なん)|[。！!]?$)"
        patterns = (
            rf"(?:{one})の(?:名前|なまえ|名)(?:は|が|って)、?{name}{end}",
            rf"^(?:名前|なまえ)(?:は|が|って)、?{name}{end}",
            rf"(?:{kin})(?:は|が|、)、?{name}(?:という|っていう|って呼|と呼|といいます|っていいます)",
            rf"(?:{kin})の(?P<name>[ァ-ヴー]{{2,10}}|[一-龠]{{2,4}}?)(?=[はがもをにと、])",
            rf"{name}(?:という|っていう)(?:{one})",
        )
    return next((match["name"] for pattern in patterns if (match := re.search(pattern, text))), "")
