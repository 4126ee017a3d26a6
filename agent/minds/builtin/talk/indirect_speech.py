"""Telling in one's own sentence what somebody told: "he moved to Leeds in May", 5月にリーズに引っ越した.

Persons change sides, and a day that is only right on the day it was said is said anew. What cannot be turned
safely is not turned: the caller quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.minds.builtin.talk import echo_ja, told_en
from agent.minds.builtin.talk.dates_in_words import say_day
from agent.minds.builtin.talk.voice import Voice
from managers.language.words import Word, words
from managers.storage.errors import Lang

_MOST_WORDS, _MOST_LETTERS = 24, 60
_SHIFTS: dict[Lang, dict[str, int]] = {
    "en": {"today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "yesterday": -1, "last night": -1},
    "ja": {"今日": 0, "きょう": 0, "今朝": 0, "今夜": 0, "今晩": 0, "さっき": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2, "昨日": -1, "きのう": -1, "昨夜": -1, "ゆうべ": -1, "おととい": -2},
}  # fmt: skip
_LOOSE: dict[Lang, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:now|right now|just|soon|(?<!years )(?<!year )ago|(?:this|next|last) (?:week|weekend|month|year|\w+day)|these days|here|there)\b", re.IGNORECASE
    ),
    "ja": re.compile(r"今(?![日朝夜晩度])|(?:今|来|先|再来)(?:週|月|年)|去年|もうすぐ|さっき|[0-9一二三四五六七八九十]+(?:日|週間|か月)[前後]|ここ|そこ|こっち"),
}  # fmt: skip
"""Words that mean something else on another day, and have no other name that is surely right."""
_TOO_MUCH = re.compile(r"[?？「」“”\"]|\.\.\.|…|https?:|\b(?:lol|haha)\b", re.IGNORECASE)


def report(text: str, time: datetime | None, now: datetime, voice: Voice, persona: str = "") -> str:
    """Return a sentence that the user said as it stands after "you told me that" or before って; empty if it cannot."""
    if _TOO_MUCH.search(text):
        return ""
    lang = voice.lang
    is_other_day = time is None or time.date() != now.date()
    if (
        is_other_day
        and (_LOOSE[lang].search(text) or time is None)
        and (_LOOSE[lang].search(text) or _shifts(text, lang))
    ):
        return ""
    turned = _english(text) if lang == "en" else _japanese(text, voice, persona)
    return _with_days(turned, time, now, lang) if turned and is_other_day and time else turned


def _shifts(text: str, lang: Lang) -> list[re.Match[str]]:
    names = "|".join(sorted(_SHIFTS[lang], key=len, reverse=True))
    pattern = rf"\b(?:{names})\b" if lang == "en" else rf"(?:{names})"
    return list(re.finditer(pattern, text, re.IGNORECASE))


def _with_days(text: str, time: datetime, now: datetime, lang: Lang) -> str:
    """Say the days of a sentence anew: "tomorrow", told on Monday, is "on 4 November" by Friday."""
    for match in reversed(_shifts(text, lang)):
        day = time + timedelta(days=_SHIFTS[lang][match.group().lower()])
        text = text[: match.start()] + say_day(day.date(), now.date(), lang) + text[match.end() :]
    return text


def _english(text: str) -> str:
    plain = re.sub(r"[\U0001F000-\U0001FAFF☀-➿❤]+|\s*\([^)]*\)", "", text).strip().rstrip(".!~ ")
    found = words(told_en.without_opener(plain))
    lower = {word.surface.lower() for word in found}
    if not 2 < len(found) <= _MOST_WORDS or told_en.SECOND_PERSONS & lower:  # noqa: PLR2004  # she is ginger
        return ""
    if not told_en.has_subject(found) and not _is_of_a_thing(found):
        return ""
    return told_en.TRAILING.sub("", told_en.swapped(found, told_en.without_opener(plain)))


_HEARSAY = re.compile(r"(?<=[たるいだ])(?:そう|らしい|みたい)な?$")
"""Who tells on what they heard by hearsay says so already (…って)."""


def _is_of_a_thing(found: Sequence[Word]) -> bool:
    """Tell "The car broke down", which has a subject and a verb, from a bare "The new car"."""
    is_thing = found[0].surface.lower() in ("the", "his", "her", "their", "our", "a", "an")
    return is_thing and any(word.kind == "verb" or word.form in ("be", "have") for word in found[2:])


def _japanese(text: str, voice: Voice, persona: str) -> str:
    told = _HEARSAY.sub("", echo_ja.attributive(text, voice, persona, limit=_MOST_LETTERS))
    return told[:-1] + "だ" if told.endswith("な") else told
