"""Does a message call for the past, and what is to be looked for? Local, fast, Japanese and English."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from managers.language.times import find_times
from managers.memory.messages import Message
from managers.recall.follow_ups import follows_up
from managers.recall.terms import is_japanese, terms

_ASKS = re.compile(
    r"[?？]\s*$|[?？]"
    r"|^\s*(?:and |so |but )?(?:what|who|whose|whom|when|where|why|how|which|do|does|did|is|are|was|were|have|has|had|can|could|tell me)\b"
    r"|(?:だっけ|でしたっけ|かな|ですか|ますか|でしたか|ましたか|だろう|だったか|のか|かい|っけ)[。!！]?\s*$",
    re.IGNORECASE,
)
_REMEMBERS = re.compile(
    r"\bremember(?!\s+(?:to|that|this:))\b|\brecall\b|\bremind me\b|\bforgot\b|\bforget\b|\bmention(?:ed)?\b|\bonce (?:told|said)\b"
    r"|\b(?:i|we|you) (?:told|said|talked|spoke|discussed|promised|asked|mentioned)\b|\b(?:did|have|had) (?:i|we|you) (?:ever |already )?\w+"
    r"|\blast time\b|\bprevious(?:ly)?\b|\bearlier\b|\bbefore\b|\bback then\b|\bused to\b|\bagain\b"
    r"|覚えて(?!おいて|おこう)|おぼえて(?!おいて)|思い出|忘れ|前に(?!進)|以前|このまえ|この前|この間|こないだ|先日|あの時|あのとき|あの日|昔"
    r"|っけ|話した|話してた|言った|言ってた|言っていた|教えた|約束した|聞いた|だったよね|でしたよね|したよね|ましたよね|例の",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|went|told|said|got|gave|took|made|met|saw|bought|visited|started|happened)\b|\b(?!speed|need|feed|seed|breed|indeed|hundred)\w{3,}ed\b|(?:した|だった|でした|ました|かった|った|んだ)(?:の|ん|か|よ|ね|っけ|？|\?|。|$)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:i|my|me|mine|we|our|us|you|your)\b|私|わたし|僕|ぼく|俺|うち|あなた|きみ|君|彼女|彼|あの人|さん|ちゃん|くん",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<=[^\s.!?] )(?!I\b|I['’]|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May\b|June|July|August"
    r"|(?:Septem|Octo|Novem|Decem)ber)[A-Z][a-z]+"
)
"""A name that is none only because it begins a sentence. Who asks about somebody asks what is known of them."""
_TELL_ME = re.compile(r"(?:教えて|聞かせて)(?:くれる|ください|ほしい|よ|ね)?[。!！]?\s*$")
_TELL_OF = re.compile(r"(?:のこと|について)を?、?(?:教えて|聞かせて)")
_SMALL_TALK = re.compile(
    r"^\W*+(?:(?:hi|hey|hello|so|and|well|oh)\b\W*+)*+(?:"
    r"what(?:['’]s| is| are)? (?:up|new)\b|how(?:['’]s| is| are|['’]re) (?:it|things|life|everything|the weather)\b|how do you\b"
    r"|what(?:['’]s| is) the (?:time|date|day|weather(?: like)?)(?: (?:now|today|tomorrow|like))*\W*$|what (?:time|day|date) is (?:it|today)\b"
    r"|really\b|anything (?:new|else)\b|guess what\b)"
    r"|^\W*+(?:お?元気|(?:最近|近頃|今日|ご?機嫌|気分|調子|体調|具合)[はもって]*(?:どう|いかが|いい|良い)"
    r"|(?:今|いま|今日|きょう|明日)?[は、の]*(?:何時|何日|何曜日?|天気)|本当|ほんと|マジ|まじ)",
    re.IGNORECASE,
)
"""Asks, but for nothing that could have been told: only for a word in return, or for the hour."""
_TURNS_BACK = 4
_SUBJECT_WORDS = 6
_MAX_QUERY = 600


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """Whether to search, and for what.

    Attributes:
        wanted: it calls for the past.
        query: what to look for. A question that may be about the world as well (クロは何色？) has one without being
            `wanted`: what is found must then be as close as a document that nobody asked for.
    """

    wanted: bool
    query: str


def plan_recall(
    message: str,
    window: Sequence[Message],
    now: datetime,
    names_entity: Callable[[str], bool] = lambda _: False,
    *,
    has_documents: bool = False,
) -> RecallPlan:
    """Read a message.

    Args:
        message: what the user says now.
        window: the turns before it, oldest first.
        now: what "yesterday" is reckoned from.
        names_entity: tells whether a text names an entity that is remembered.
        has_documents: there is a knowledge base, which any question may be about.
    """
    text = message.strip()
    words = terms(text)
    asks = bool(_ASKS.search(text))
    spans = find_times(text, now)
    is_past = any(span.first <= now.date() for span in spans) and not all(
        span.first == span.last == now.date() for span in spans
    )
    wanted = bool(
        _REMEMBERS.search(text)
        or (asks and (is_past or (_PAST.search(text) and (words or spans))))
        or (asks and words and (has_documents or _PERSONAL.search(text) or _NAMED.search(text)))
        or (asks and follows_up(text, words) and _subject(window, text))
        or _TELL_OF.search(text)
        or names_entity(text)
    )
    is_open = bool(words) and bool(asks or _TELL_ME.search(text)) and not _SMALL_TALK.search(text)
    return RecallPlan(wanted, _query(text, words, window) if wanted or is_open else "")


def _query(text: str, words: Sequence[str], window: Sequence[Message]) -> str:
    """Return the message, with the subject of the turns before where it has none of its own."""
    text = text[:_MAX_QUERY]
    if not follows_up(text, words):
        return text
    subject = _subject(window, text)
    return f"{text} {subject}".strip() if subject else text


def _subject(window: Sequence[Message], text: str) -> str:
    """Return what the last turns were about: the rarest kind of words they have, names first."""
    own = set(terms(text))
    found: dict[str, str] = {}
    turns = [message for message in window if message.role in ("user", "persona")][-_TURNS_BACK:]
    for message in reversed(turns):
        for surface in _surfaces(message.text):
            for term in terms(surface):
                if term not in own:
                    found.setdefault(term, surface)
        if len(found) >= _SUBJECT_WORDS:
            break
    return " ".join(list(dict.fromkeys(found.values()))[:_SUBJECT_WORDS])


def _surfaces(text: str) -> list[str]:
    """Return a text's words as they stand in it, names before the rest."""
    if is_japanese(text):
        return list(dict.fromkeys(terms(text)))
    found = re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text)
    names = [word for place, word in enumerate(found) if place and word[:1].isupper() and word not in ("I", "I'm")]
    return list(dict.fromkeys([*names, *found]))
