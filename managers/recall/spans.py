"""What of a question is no word to search for: the times that it looks back on, and phrases that only ask."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from managers.language.times import TimeSpan

_BEHIND = re.compile(
    r"\b(?:last|past|previous|ago|back|before|earlier|yesterday|recently|lately|other day)\b"
    r"|前|先|昨|去年|一昨|おととい|おととし|きのう|ゆうべ|こないだ|この間|さっき"
)
_ASKING = re.compile(
    r"\bwhat(?:['’]s| is| has| had)? (?:ever )?(?:happened|happening|become|became)(?: (?:to|with|of))?\b|\bany (?:news|updates?) (?:on|about|of|from)\b"
    r"|\bhow (?:many|much|long|often|old|tall|big|far)\b"
    r"|\b(?:still|now|currently|any ?more|these days|at the moment)\b"
    r"|^\s*(?:最近|近頃|このごろ)|(?<=[はもが])(?:今も)?元気(?:かな|ですか|なの|にして(?:る|いる|ます)か?な?)?[？?。]?\s*$"
    r"|どう(?:なった|なりました|してる|している|だった|でした)か?[？?。]?\s*$"
    r"|(?:について|のこと)?を?、?(?:教えて|聞かせて)(?:くれる|ください|ほしい|よ|ね)?[？?。！!]?\s*$",
    re.IGNORECASE,
)
_COUNTERS = re.compile(r"何[一-鿿]{1,2}")
_WEEK = 7
_TOLD_AS_PAST = re.compile(
    r"\b(?:did|was|were|had|have i|have we|have you|happened|talked|said|told)\b|(?:た|だ)(?:っけ|の|か|かな|んだっけ|[？?。！!]|$)|てた|ていた|っけ",
    re.IGNORECASE,
)


def without_asking(text: str) -> str:
    """Return a question without the phrases that only ask how something stands."""
    return _ASKING.sub(" ", text).strip()  # a space before a Japanese word changes how it is cut


def without_counters(text: str) -> str:
    """Return a question without 何色, 何歳: no answer holds them, and so rare a word would hide how close one is."""
    return _COUNTERS.sub(" ", text)


def times_behind(text: str, spans: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return the times that a question looks back on.

    "On Thursday" may be the next one: then "Thursday" is a word like others, said by whoever spoke of the plan.

    Args:
        text: the question.
        spans: all times that it names.
    """
    is_past = bool(_TOLD_AS_PAST.search(text))
    return tuple(span for span in spans if is_past or _BEHIND.search(span.text))


def without_relative(text: str, spans: Sequence[TimeSpan]) -> str:
    """Return a question (NFKC) without the words that say some days as seen from now.

    Nobody repeats them: what was done yesterday was told as done "today". A date, a weekday, a season may be named in
    what is sought.

    Args:
        text: the question, NFKC.
        spans: the times that it looks back on, in order, as `find_times` reads them in it.
    """
    if len(unicodedata.normalize("NFKC", text).lower()) != len(text):
        return text  # a character that changes its length: the places would not fit
    for span in reversed(spans):
        if span.is_relative and (span.last - span.first).days < _WEEK and _BEHIND.search(span.text):
            text = text[: span.start] + " " + text[span.end :]
    return text
