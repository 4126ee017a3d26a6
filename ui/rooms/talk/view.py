"""What the conversation shows: pure functions from messages, turns and memories to entries for the templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import reduce
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from agent.approval import Waiting, sentence
from agent.attachments import sent_with
from agent.companion import Companion
from agent.events import (
    Begins,
    Failed,
    Held,
    Noticed,
    Recalled,
    Received,
    Replied,
    Speaking,
    Thinking,
    ToolUsed,
    TurnEvent,
    Unsaid,
)
from agent.turn import Turn
from managers.memory.messages import GREETING, Message, is_unnamed
from managers.recall.hits import Hit
from managers.storage.errors import Notice, UtataneError
from managers.usage.errors import CapReachedError
from ui.components.diffs import all_diff_lines
from ui.components.times import clock_time, day_name
from ui.locales import Texts
from ui.server.addresses import address_of

SHOWN_CHARACTERS: Final = 20_000
"""A longer message is cut on the page (never in the log), with a link to the whole."""

Kind = Literal[
    "day",
    "topic",
    "opening",
    "message",
    "announcement",
    "off-record",
    "live",
    "failure",
    "noticed",
    "held",
    "unanswered",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the conversation; the page's script keeps those that have not changed.

    Attributes:
        key: stays the same as long as it is the same entry.
        kind: which template shows it.
        facts: what the template shows.
    """

    key: str
    kind: Kind
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Live:
    """A turn as far as it has come.

    Attributes:
        number: which turn it is.
        step: how many of its events this is made of.
        replaces: the id of the answer in whose place it will stand; empty where there was none.
        heard, answer: the ids of the user's message and of what it was answered with.
        thinking, speaking: what came so far.
        used: announcements of tools.
        noticed: what there is to know about how the answer came about.
    """

    number: int = 0
    step: int = 0
    replaces: str = ""
    heard: str = ""
    answer: str = ""
    thinking: str = ""
    speaking: str = ""
    used: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    noticed: tuple[Notice, ...] = ()
    error: UtataneError | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that stands with a message."""

    name: str
    address: str
    is_picture: bool


def live_of(turn: Turn) -> Live:
    """Return a turn as far as it has come."""
    return after(begun(turn), turn.so_far)


def begun(turn: Turn) -> Live:
    """Return a turn of which nothing has come yet."""
    return Live(turn.number, replaces=turn.replaces, heard=turn.answers)


def after(live: Live, events: Sequence[TurnEvent]) -> Live:
    """Return what is shown of a turn after more events."""
    return replace(reduce(_grown, events, live), step=live.step + len(events))


def _grown(live: Live, event: TurnEvent) -> Live:  # noqa: PLR0911  # one return per event reads best
    match event:
        case Received(message):
            return replace(live, heard=message.id)
        case Recalled(hits=hits):
            return replace(live, hits=tuple(hits))
        case Thinking(text):
            return replace(live, thinking=live.thinking + text)
        case Speaking(text):
            return replace(live, speaking=live.speaking + text)
        case Unsaid():
            return replace(live, speaking="")
        case ToolUsed(announcement):
            return replace(live, used=(*live.used, announcement.text), speaking="")
        case Noticed(notice):
            return replace(live, noticed=(*live.noticed, notice))
        case Failed(error):
            return replace(live, error=error, over=True)
        case Replied(message):
            return replace(live, answer=message.id, over=True)
        case Held() | Begins():  # shown with whatever else waits
            return live


def live_entry(live: Live) -> Entry:
    """Return the entry that shows a turn under way."""
    return Entry("live", "live", {"live": live})


def unheard(events: Sequence[TurnEvent]) -> UtataneError | None:
    """Return what a turn failed of before the user's message was on disk; None if it is there."""
    if any(isinstance(event, Received) for event in events):
        return None
    return next((event.error for event in events if isinstance(event, Failed)), None)


def conversation(
    messages: Sequence[Message], today: date, t: Texts, *, off_record: bool = False, live: Live | None = None
) -> list[Entry]:
    """Return the entries for messages: days, topics, announcements and what was said.

    What `live` shows itself is left out: it stands in the place of the answer that is made anew, or at the end.
    """
    entries: list[Entry] = []
    day: date | None = None
    for message in messages:
        if live and live.replaces == message.id:
            entries.append(live_entry(live))
            continue
        if message.time.date() != day:
            day = message.time.date()
            key = f"day-{day}{'-off' if off_record else ''}"
            entries.append(Entry(key, "day", {"label": day_name(day, today, t)}))
        if message.role != "system":
            entries.append(Entry(f"m-{message.id}", "message", {"message": message, "off_record": off_record}))
        elif message.speaker == "new_topic":
            entries.append(Entry(f"m-{message.id}", "topic"))
        else:
            text = message.text[:SHOWN_CHARACTERS]
            entries.append(Entry(f"m-{message.id}", "announcement", {"text": text}))
        if live and not live.replaces and live.heard == message.id:
            break
    if live and not any(entry.kind == "live" for entry in entries):
        entries.append(live_entry(live))
    return entries


def outcome(live: Live, *, can_retry: bool) -> list[Entry]:
    """Return what is to be known of how a turn went: notices, and what it failed of.

    Off the record nothing can be answered again: what was said is in no log.
    """
    noticed = [notice for notice in live.noticed if notice.level != "passing"]
    entries = [Entry(f"noticed-{notice.code}", "noticed", {"notice": notice}) for notice in noticed]
    if live.error:
        facts = {"error": live.error, "id": live.heard if can_retry else ""}
        entries.append(Entry("failure", "failure", facts))
    return entries


def is_cap(error: UtataneError) -> bool:
    """Tell whether a cap on what models may cost stopped an answer."""
    return isinstance(error, CapReachedError)


def how_it_went(companion: Companion, said: Sequence[Message]) -> Live | None:
    """Return how the last turn went, for as long as nothing was said since: any window may ask, at any time."""
    turn = companion.last_turn
    if turn is None:
        return None
    went = live_of(turn)
    written = [message.id for event in turn.so_far if (message := _written(event))]
    shown = [message.id for message in said]
    if turn.replaces and went.error:  # the old answer stands, and whatever was said after it
        return went if turn.replaces in shown else None
    return None if written and written[-1:] != shown[-1:] else went


def answers(said: Sequence[Message]) -> frozenset[str]:
    """Return the ids of what answers something: of the persona's words those before which the user spoke in this topic."""
    found, is_asked = set(), False
    for message in said:
        if message.role == "persona" and is_asked:
            found.add(message.id)
        elif message.role == "user" or message.speaker == "new_topic":
            is_asked = message.role == "user"
    return frozenset(found)


def unanswered(said: Sequence[Message]) -> str:
    """Return the id of the user's message after which nobody has said anything; empty if there is none."""
    for message in reversed(said):
        if message.role != "system" or message.speaker == "new_topic":
            return message.id if message.role == "user" else ""
    return ""


def held_entries(waiting: Sequence[Waiting], persona: str, t: Texts) -> list[Entry]:
    """Return what the persona would write and a person must allow first, each with what would change."""
    return [
        Entry(
            f"held-{wish.held.id}",
            "held",
            {
                "id": wish.held.id,
                "sentence": sentence(wish, persona, t.lang),
                "problem": wish.problem.sentence(t.lang) if wish.problem else "",
                "lines": all_diff_lines(wish.look.diff) if wish.look else (),
                "base": wish.look.base if wish.look else "",
                "can_allow": wish.look is not None,
            },
        )
        for wish in waiting
    ]


def shown_text(text: str) -> tuple[str, bool]:
    """Return a message's text as far as the page shows it, and whether that is not all."""
    return (text, False) if len(text) <= SHOWN_CHARACTERS else (f"{text[:SHOWN_CHARACTERS]}…", True)


def name_of(speaker: str) -> str:
    """Return the name that words stand under; empty where nobody knew it."""
    return "" if is_unnamed(speaker) else speaker


def attachments(message: Message, persona: str) -> list[Attachment]:
    """Return the files that stand with a message."""
    return [
        Attachment(sent.name, address_of(persona, "attachments", PurePosixPath(sent.path).name), sent.is_picture)
        for sent in sent_with(message)
        if sent.path
    ]


def time_of(message: Message) -> str:
    """Return the time of day that stands under a message."""
    return clock_time(message.time)


def _written(event: TurnEvent) -> Message | None:
    match event:
        case Received(message) | ToolUsed(message):
            return message
        case Replied():
            return event.message
        case _:
            return None


def reason(hit: Hit, t: Texts) -> str:
    """Return how close a memory was, and what each part of the search gave to its place."""
    closeness = max(0, min(100, round(100 * (1 - hit.score / 2))))
    said = t("chat.reason", layer=t(f"layers.{hit.source}"), closeness=closeness)
    shares = " · ".join(f"{t(f'reasons.{part}')} {share:.0%}" for part, share in hit.why)
    return f"{said} ({shares})" if shares else said


def minds(said: Sequence[Message], t: Texts) -> dict[str, str]:
    """Return the mind's name for each answer that another mind gave than the one before; the first is left out."""
    shown: dict[str, str] = {}
    before = ""
    for message in said:
        if message.role != "persona" or message.mind in ("", GREETING):
            continue
        if before and message.mind != before:
            shown[message.id] = t("mind.builtin_name") if message.mind == "built-in" else message.mind
        before = message.mind
    return shown


def last_of(said: list[Message]) -> str:
    """Return the id of the user's last message of this topic."""
    for message in reversed(said):
        if message.role == "user":
            return message.id
        if message.role == "system" and message.speaker == "new_topic":
            return ""
    return ""
