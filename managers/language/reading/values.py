"""The values that a sentence holds: colours, days, hours, counts. What a question asks for, and a correction replaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from managers.language.lexicons import load
from managers.storage.errors import Lang

ValueKind = Literal["day", "hour", "count", "colour"]
KINDS: tuple[ValueKind, ...] = ("day", "hour", "count", "colour")


@dataclass(frozen=True, slots=True)
class Value:
    """One value, and where it stands in its sentence (after NFKC)."""

    kind: ValueKind
    text: str
    start: int
    end: int


def values_in(text: str, lang: Lang, kinds: Sequence[ValueKind] = KINDS) -> list[Value]:
    """Return the values of some kinds in a sentence, in order; of two that overlap the longer one."""
    plain = unicodedata.normalize("NFKC", text)
    found = [
        Value(kind, match.group().strip(), match.start(), match.end())
        for kind in kinds
        for match in _pattern(lang, kind).finditer(plain)
        if match.group().strip()
    ]
    kept: list[Value] = []
    for value in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def capital_days(text: str) -> str:
    """Return an English text with its weekdays and months as they are written: on sunday → on Sunday."""
    return re.sub(rf"\b(?:{_WEEKDAY}|january|february|april|june|july|august|september|october|november|december)\b", lambda m: m.group().capitalize(), text)  # fmt: skip


def asks_colour(plain: str, lang: Lang) -> bool:
    """Tell whether a question asks for a colour."""
    return bool((_COLOUR_JA if lang == "ja" else _COLOUR_EN).search(plain))


_COLOUR_JA = re.compile(r"何色|なに色|(?:どんな|何の)色|色(?:は|って)")
_COLOUR_EN = re.compile(r"\b(?:what|which)(?:'s| is| was| are)?(?: [\w']+){0,3} colou?rs?\b")

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
NUMBER = r"(?:\d+(?:[.,]\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
_KANJI = r"(?:\d+(?:\.\d+)?|[〇一二三四五六七八九十百千万]+)"
_PATTERNS: dict[Lang, dict[ValueKind, str]] = {
    "en": {
        "day": rf"\b(?:on )?(?:the )?(?:(?:{_WEEKDAY},? )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}})?"
        rf"|(?:{_WEEKDAY},? )?{_MONTH}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
        rf"|(?:(?:this|next|last) )?{_WEEKDAY}\b(?: (?:morning|afternoon|evening|night))?|\d{{1,2}}(?:st|nd|rd|th)\b"
        rf"|(?:the day after )?tomorrow\b|today\b|tonight\b|yesterday\b|(?:next|last) (?:week|month|year|weekend|spring|summer|autumn|winter)\b)"
        rf"|\b(?:in|since|last|next) (?:{_MONTH}\b(?: \d{{4}})?|(?:19|20)\d\d\b)",
        "hour": r"\b(?:at )?(?:\d{1,2}(?::\d\d| ?o'clock| ?[ap]\.?m\b)(?: ?[ap]\.?m\b)?|(?:half past|quarter (?:past|to)|\w+ past) \w+|noon|midnight)|\bat (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
        "count": rf"(?<![\d:])\b{NUMBER}(?: [a-z]+)?(?![\d:])",
        "colour": "",
    },
    "ja": {
        "day": rf"(?:(?:来年|今年|去年|\d{{4}}年)の?)?{_KANJI}月{_KANJI}日(?:の?[月火水木金土日]曜日?)?|(?:(?:今週|来週|再来週|先週|今度)の?)?[月火水木金土日]曜日?|明後日|あさって|明日|あした|今日|昨日|おととい|(?:今|来|先)(?:週|月)末?|来年|{_KANJI}日(?!間|前|後)|{_KANJI}月(?![間曜])",
        "hour": rf"(?:午前|午後|朝の?|夜の?|夕方の?|昼の?)?{_KANJI}時(?!間)(?:半|{_KANJI}分)?|正午",
        "count": rf"{_KANJI}(?:歳|才|人|匹|個|本|冊|枚|杯|回|円|台|階|番|キロ|年間?|[かヶカ]月|週間|日間|時間|分|つ)",
        "colour": "",
    },
}  # fmt: skip


@cache
def _pattern(lang: Lang, kind: ValueKind) -> re.Pattern[str]:
    if kind != "colour":
        return re.compile(_PATTERNS[lang][kind], re.IGNORECASE)
    names = "|".join(sorted(load("follow")[lang]["words"]["colours"].split(), key=len, reverse=True))
    if lang == "ja":
        return re.compile(rf"(?:真っ|まっ|薄い?|濃い|明るい|暗い)?(?:{names})(?:色|(?=[いのでだがとく、。っな]|$))")
    return re.compile(rf"\b(?:(?:light|dark|bright|pale|deep|jet)[ -])?(?:{names})\b(?:(?: and |-)(?:{names})\b)*", re.IGNORECASE)  # fmt: skip
