"""The prompt of a reply: its headings, standing guidance and quotations, in both languages.

A part is a heading and a text; `agent.prompt_parts` decides how much of each fits.
"""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import PurePosixPath
from typing import Literal

from agent.prompts.quoting import name_in_label, one_line, passage, plain
from managers.language.dates_in_words import say
from managers.memory.emotion_names import Feeling, feeling_name
from managers.memory.entities import Fact
from managers.memory.messages import NAMELESS, is_unnamed
from managers.mind import Concern, OpenQuestion, Sheet
from managers.recall.hits import LOG_TYPES, Hit
from managers.storage.errors import Lang
from managers.storage.texts import Texts, entry

PartName = Literal[
    "guidance", "world_before", "persona", "world", "user", "core_memory", "notepad", "episodes", "strategy", "goals",
    "now", "company", "concern", "lore", "questions", "drives", "advice", "thread", "hits", "knowledge",
]  # fmt: skip
"""In the order in which they stand: who it is first, what it recalls for this message last."""

_say = Texts("prompts/system_prompt")

APART = timedelta(hours=2)
"""Words that are said later than this are no answer to the ones before."""


def heading(lang: Lang, part: PartName) -> str:
    """Return what stands over a part."""
    return _say(f"headings.{part}", lang)


def guidance(lang: Lang) -> str:
    """Return the standing guidance."""
    return _say("guidance", lang)


def not_here(lang: Lang) -> str:
    """Return what stands in place of lines that do not fit; their `count` is filled in by whoever cuts them."""
    return entry("prompts/system_prompt", "not_here")[lang]


def now(lang: Lang, time: datetime, last: datetime | None, user: str) -> str:
    """Say what time it is, and when somebody last talked if that was not just now."""
    told = [_say("now", lang, now=say("with_clock", time, lang))]
    if last is None:
        told.append(_say("never_spoken", lang, user=user))
    elif is_apart(last, time):
        told.append(_say("last_spoken", lang, then=say("with_clock", last, lang)))
    return "\n".join(told)


def is_apart(before: datetime, after: datetime) -> bool:
    """Tell whether words stand apart in time: on another day, or hours later."""
    return before.date() != after.date() or abs(after - before) >= APART


def mark(lang: Lang, time: datetime, *, is_own: bool = False) -> str:
    """Return the mark that tells from when the words after it are; `is_own`: the persona spoke, and nobody before it."""
    own = f" {_say('wrote_first', lang)}" if is_own else ""
    return f"[{say('with_clock', time, lang)}{own}]"


def concern(lang: Lang, found: Concern) -> str:
    """Return how to meet a message of concern, with the help lines."""
    return _say("concern", lang, lines=_listed(found.help_lines))


def lingering(lang: Lang, felt: Feeling, user: str, lines: Sequence[str]) -> str:
    """Return how to talk with somebody for the rest of a day on which they told of pain, danger or a loss."""
    words = one_line(felt.words).rstrip("。.")
    told = _say("told", lang, words=words) if words else _say("told_something", lang)
    feeling = feeling_name(felt.name, lang)
    said = _say("lingering", lang, when=say("with_clock", felt.time, lang), user=user, told=told, feeling=feeling)
    return "\n".join([said, _say("lines_at_hand", lang, lines=_listed(lines))] if lines else [said])


def heavy_now(lang: Lang, felt: Feeling, user: str) -> str:
    """Return how to meet a message that itself tells of a loss."""
    return _say("heavy_now", lang, user=user, feeling=feeling_name(felt.name, lang))


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def one_at_most(lang: Lang) -> str:
    """Say that one of some open questions at most is asked."""
    return _say("one_at_most", lang)


Item = tuple[str, str, Sequence[str], Sequence[str]]
"""A line of a prompt, the words in it that are a memory's, the messages that these rest on, and how they are marked themselves."""


def questions(found: Sequence[OpenQuestion]) -> list[Item]:
    """Write open questions as a list."""
    told = [(one, one_line(f"{one.topic} ({one.context})" if one.context else one.topic)) for one in found]
    return [(f"- {text}", text, one.evidence, one.origins) for one, text in told]


def hit(lang: Lang, found: Hit) -> str:
    """Write one recalled memory: in a line of ours when and who or what, then its words, quoted."""
    when = _when(lang, found)
    speaker = NAMELESS[lang] if is_unnamed(found.speaker) else found.speaker
    who = name_in_label(speaker) or _say(f"who.{found.type}", lang)
    text = found.text
    if found.shared_by:
        who = _say("shared", lang, name=name_in_label(found.shared_by))
    elif found.type in {"entity_memory", "knowledge"}:
        who += _say("in_quotes", lang, name=name_in_label(found.origin or PurePosixPath(found.path).stem))
    if found.heading and found.type != "entity_memory" and found.heading not in text:
        text = f"{found.heading}\n{text}"  # theirs, too
    return passage(", ".join(part for part in (when, who) if part), text)


def _when(lang: Lang, found: Hit) -> str:
    """Say when a memory is from: to the minute what was said, else the day, for no file knows the hour."""
    if found.time is None:
        return ""
    if found.type in LOG_TYPES and found.time.time() != time.min:  # an imported log may know the day alone
        return say("with_clock", found.time, lang)
    day, is_of_day = say("with_weekday", found.time, lang), found.time.time() == time.min
    if found.type == "entity_memory":  # its facts may be of any day since; a moment is that at which a night made it
        return _say("since_then", lang, day=day) if is_of_day else ""
    if found.type == "dream_insight":
        return _say("about" if is_of_day else "written", lang, day=day)
    return day


def attachment(lang: Lang, name: str, text: str, *, earlier: bool = False) -> str:
    """Write a file that came with this message, or with an earlier one."""
    return passage(_say("attached_earlier" if earlier else "attached", lang, name=name_in_label(name)), text)


def file_sent(lang: Lang, name: str) -> str:
    """Return the line of ours that tells which file came with a message."""
    return f"[{_say('attached', lang, name=name_in_label(name))}]"


def user(lang: Lang, sheet: Sheet, known: Sequence[str]) -> list[str]:
    """Say whom the persona is talking to: their name, what they wrote of themselves, what is known of them (`known_facts`).

    Where not all of it fits, the end falls.
    """
    name = one_line(sheet.user_name)
    named = _say("named", lang, user=name) if name else _say("unnamed", lang)
    known_as = _say("formerly" if name else "unknown", lang, user=name, nameless=NAMELESS[lang])
    records = _say("in_records", lang, user=known_as, persona=one_line(sheet.persona))
    profile = plain(sheet.user_profile).strip()
    return [f"{named}\n{records}", *(profile.split("\n") if profile else []), *known]


def known_facts(lang: Lang, facts: Sequence[Fact]) -> list[Item]:
    """Write what is known of the user, newest first."""
    told = [(one, one_line(one.text)) for one in reversed(facts)]
    return [
        (_say("since", lang, fact=text, since=one.since) if one.since else f"- {text}", text, one.evidence, one.origins)
        for one, text in told
    ]
