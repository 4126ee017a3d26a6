"""What was forgotten: words that somebody asked to have let go of, memories that were taken out, and how they come back.

Nothing is erased: a record in the log takes each message out of the conversation, and another one brings it back.
Every record names the message that asked for it, so that one wish is one thing to bring back. A memory that was
forgotten is out of search and prompts, and kept by the history.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import dropwhile, islice
from pathlib import Path
from typing import Final

from managers.language.reading.forget_wishes import asks_to_forget, read_forget_wish
from managers.language.words import content_words
from managers.memory.errors import MessageNotFoundError, UnclearWhatToForgetError
from managers.memory.log import ConversationLog
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message
from managers.storage import locks
from managers.storage.files import read_bytes
from managers.storage.history import History
from managers.storage.history.diff import FileDiff
from managers.storage.history.entries import Entry
from managers.storage.json_text import load_json

FORGOTTEN = "forgotten"
"""The reason, in the history, of a change that takes a memory out of search and prompts."""
FORGET: Final = "forget"
REMEMBER: Final = "remember"
LOOKED_AT = 20_000
"""So many records of the log are looked through for what was forgotten; older ones are in the log all the same."""
_THREAD = 400
_RECENT = timedelta(hours=12)
"""What lies further back is not what somebody means by "just now"."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What one wish took away.

    Attributes:
        id: the message that asked for it.
        time: when it was forgotten.
        messages: as they read before, oldest first.
    """

    id: str
    time: datetime
    messages: tuple[Message, ...]


def choose(log: ConversationLog, asked_in: str, about: str = "") -> list[Message]:
    """Return the messages that a wish means: the last statement with its answer, or those that hold some words.

    What is named is looked for in what was said lately, then in all of the talk, where it was said on one day.

    Raises:
        UnclearWhatToForgetError: nothing is surely meant.
    """
    thread = log.thread(_THREAD)
    at = next((place for place, message in enumerate(thread) if message.id == asked_in), None)
    if at is None:
        raise UnclearWhatToForgetError
    said = [message for message in thread[:at] if message.role != "system"]
    recent = [message for message in said if message.time >= thread[at].time - _RECENT]
    if not about:
        among = thread[at].group  # what was said last to all of them, and not to this one alone
        meant = _last_statement([message for message in recent if not among or message.group == among])
    else:
        meant = _that_hold(recent, content_words(about)) or _of_one_day(_that_hold(said, content_words(about)))
    if not meant:
        raise UnclearWhatToForgetError
    return meant


def forget_words(log: ConversationLog, ids: Sequence[str], asked_in: str) -> None:
    """Take messages out of the conversation; those that are gone already stay so."""
    with locks.writing(log.paths):
        for message_id in ids:
            if log.get(message_id) is not None:
                log.supersede(message_id, None, kind=FORGET, because=asked_in)


def wishes_left(log: LogReader) -> dict[str, list[str]]:
    """Return the wishes that were granted and still stand in the conversation, each with its own id and its answer's.

    They name what was forgotten: what is left of them would be dreamt of and searched for in its place.
    """
    left: dict[str, list[str]] = {}
    for one in forgotten_words(log):
        asked = log.get(one.id)
        if asked is not None and asks_to_forget(asked.text):
            left[one.id] = [one.id, *_answer_to(log, asked)]
    return left


def _answer_to(log: LogReader, asked: Message) -> Iterator[str]:
    """Yield the ids of what followed a message: announcements, and the first reply; of several personas, all replies."""
    day = asked.time.date()
    later = dropwhile(lambda message: message.id != asked.id, log.messages(day, day + timedelta(days=1)))
    for message in islice(later, 1, None):
        if message.role == "user":
            return
        yield message.id
        if message.role == "persona" and not message.present:
            return


def forgotten_words(log: LogReader) -> list[Forgotten]:
    """Return what was forgotten and has not come back, newest first."""
    gone = log.deleted()
    if not gone:
        return []
    asked: dict[str, list[str]] = {}
    times: dict[str, datetime] = {}
    taken: set[str] = set()
    for record, target in log.changes(FORGET, LOOKED_AT):
        if target in gone and target not in taken:
            taken.add(target)
            times.setdefault(record.text, record.time)
            asked.setdefault(record.text, []).append(target)
    readings = _before(log, taken)
    found = []
    for wish, ids in asked.items():
        messages = (readings[one] for one in ids if one in readings)
        found.append(Forgotten(wish, times[wish], tuple(sorted(messages, key=lambda one: (one.time, one.id)))))
    return found


def bring_back(log: ConversationLog, forgotten: Forgotten) -> None:
    """Put messages back into the conversation, as they read before."""
    with locks.writing(log.paths):
        for message in forgotten.messages:
            log.supersede(message.id, message.text, kind=REMEMBER)


def find_forgotten(log: LogReader, wish: str) -> Forgotten:
    """Return what one wish took away.

    Raises:
        MessageNotFoundError: nothing of it is gone now.
    """
    found = next((one for one in forgotten_words(log) if one.id == wish), None)
    if found is None:
        raise MessageNotFoundError(message_id=wish)
    return found


def _before(log: LogReader, ids: set[str]) -> dict[str, Message]:
    """Return messages as they read before they were deleted."""
    readings = log.originals(ids)
    texts = log.readings(ids)
    return {one: replace(message, text=texts.get(one, message.text)) for one, message in readings.items()}


def _last_statement(before: Sequence[Message]) -> list[Message]:
    """Return the user's last message that says something, and all that came after it."""
    for at in range(len(before) - 1, -1, -1):
        message = before[at]
        if message.role != "user":
            continue
        if read_forget_wish(message.text) is not None:
            return []  # asked a second time: what stands before it is something else
        if content_words(message.text) or message.attachments:
            return list(before[at:])
    return []


def _of_one_day(meant: list[Message]) -> list[Message]:
    """Return messages that were said on one day; of several days it is not sure which ones are meant."""
    return meant if len({message.time.date() for message in meant}) == 1 else []


def _that_hold(before: Sequence[Message], terms: Sequence[str]) -> list[Message]:
    """Return the user's messages that hold all of some words, each with its answers; answers alone say nothing."""
    meant: list[Message] = []
    is_meant = False
    for message in before:
        is_named = holds(message.text, terms)
        if message.role == "user":
            is_meant = is_named and read_forget_wish(message.text) is None
        if is_meant or (is_named and meant):
            meant.append(message)
    return meant


def holds(text: str, terms: Sequence[str]) -> bool:
    """Tell whether a text holds each of some words."""
    return bool(terms) and len(held_words(text, terms)) == len(terms)


def held_words(text: str, terms: Sequence[str]) -> list[str]:
    """Return those of some words that a text holds."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = set(content_words(text))
    return [term for term in terms if term in words or _stands(term, plain)]


def _stands(term: str, plain: str) -> bool:
    """Tell whether a word stands in a text; Latin ones as whole words ("Tom" is not in "tomorrow")."""
    if term.isascii():
        return re.search(rf"\b{re.escape(term.casefold())}\b", plain) is not None
    return len(term) > 1 and term.casefold() in plain


def forgotten_entries(history: History, folder: Path, look_at: int) -> list[Entry]:
    """Return the changes that forgot something which has not come back since, newest first."""
    entries = [entry for entry in history.entries(look_at) if entry.reason == FORGOTTEN and entry.kind == "change"]
    return [entry for entry in entries if not entry.undone_by and not _is_back(history, folder, entry.id)]


def _is_back(history: History, folder: Path, entry_id: str) -> bool:
    """Tell whether what an entry forgot stands there again, put back beside later changes."""
    return all(_is_there_again(diff, read_bytes(folder / diff.path)) for diff in history.diff(entry_id))


def _is_there_again(diff: FileDiff, current: bytes | None) -> bool:
    if diff.after is None:
        return current is not None
    return _record_ids(diff.before) - _record_ids(diff.after) <= _record_ids(current)


def _record_ids(data: bytes | None) -> set[str]:
    """Return the ids of the records in a file's lists."""
    try:
        value = load_json(data or b"null")
    except (ValueError, RecursionError):
        return set()
    held = value.values() if isinstance(value, dict) else [value]
    records = [one for entries in held if isinstance(entries, list) for one in entries if isinstance(one, dict)]
    return {str(one["id"]) for one in records if one.get("id")}
