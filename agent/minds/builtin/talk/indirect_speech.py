"""Telling in one's own sentence what somebody told: "he moved to Leeds in May", 5月にリーズに引っ越した.

Persons change sides, and a day that is only right on the day it was said is said anew. What cannot be turned
safely is not turned: the caller quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from agent.minds.builtin.talk.echo_en import has_subject, speaks_to_listener, swapped, without_opener
from agent.minds.builtin.talk.echo_ja import attributive
from agent.minds.builtin.talk.voice import Voice
from managers.language.dates_in_words import say_day
from managers.language.lexicons import load, word_list
from managers.language.reading.rules import fits, fits_any, rule
from managers.language.words import Word, words
from managers.storage.errors import Lang

_MOST_WORDS, _MOST_LETTERS = 24, 60


def report(text: str, time: datetime | None, now: datetime, voice: Voice, persona: str = "") -> str:
    """Return a sentence that the user said as it stands after "you told me that" or before って; empty if it cannot."""
    lang = voice.lang
    if fits_any("indirect_speech", "too_much", text):
        return ""
    is_other_day = time is None or time.date() != now.date()
    if is_other_day and fits(lang, "indirect_speech", "loose", text):
        return ""
    if time is None and _shift_words(lang).search(text):
        return ""
    turned = _english(text) if lang == "en" else _japanese(text, voice, persona)
    return _with_days(turned, time, now, lang) if turned and is_other_day and time else turned


@cache
def _shift_words(lang: Lang) -> re.Pattern[str]:
    """Return what finds the words for days that mean another day on another day: tomorrow, 昨日."""
    names = "|".join(sorted(load(f"{lang}/day_words")["shifts"], key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z])(?:{names})(?![A-Za-z])", re.IGNORECASE)


def _with_days(text: str, time: datetime, now: datetime, lang: Lang) -> str:
    """Say the days of a sentence anew: "tomorrow", told on Monday, is "on 4 November" by Friday."""
    shifts = load(f"{lang}/day_words")["shifts"]
    return _shift_words(lang).sub(
        lambda match: say_day((time + timedelta(days=shifts[match.group().lower()])).date(), now.date(), lang), text
    )


def _english(text: str) -> str:
    plain = without_opener(rule("en", "told", "decoration").sub("", text).strip().rstrip(".!~ "))
    found = words(plain)
    if not 2 < len(found) <= _MOST_WORDS or speaks_to_listener(found):  # noqa: PLR2004  # she is ginger
        return ""
    if not has_subject(found) and not _is_of_a_thing(found):
        return ""
    return rule("en", "told", "trailing").sub("", swapped(found, plain))


def _is_of_a_thing(found: Sequence[Word]) -> bool:
    """Tell "The car broke down", which has a subject and a verb, from a bare "The new car"."""
    is_thing = found[0].surface.lower() in word_list("en", "determiners") - word_list("en", "empty_subjects")
    return is_thing and any(word.kind == "verb" or word.form in ("be", "have") for word in found[2:])


def _japanese(text: str, voice: Voice, persona: str) -> str:
    """Return a sentence before って, without the sign of hearsay: who tells on what they heard says so already."""
    told = rule("ja", "told", "hearsay_end").sub("", attributive(text, voice, persona, limit=_MOST_LETTERS))
    return told[:-1] + "だ" if told.endswith("な") else told
