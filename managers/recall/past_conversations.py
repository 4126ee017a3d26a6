"""Searching the log for a phrase: exact words, over all of it, newest and oldest alike."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import date, datetime

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.storage.copies import without_copies
from managers.storage.files import files, read_bytes
from managers.storage.paths import PersonaPaths

_UNDATED = datetime(1, 1, 1)
NEWEST = 2
OLDEST = 2


def search_past_conversations(
    log: ConversationLog,
    paths: PersonaPaths,
    phrase: str,
    *,
    excluded: int,
    shown: Collection[str] = (),
    since: date | None = None,
) -> list[Hit]:
    """Return at most four messages that hold a phrase: the two newest and the two oldest, newest first.

    Args:
        log: the conversation, archives included.
        paths: the persona, for imported sources that are kept as they came.
        phrase: what to look for: as it stands, or all of its words; width and case aside.
        shown: messages that are left out as well.
        since: the first day whose talk is in use.
        excluded: how many of the newest messages are left out: they are what is being talked about.
    """
    words = _plain(phrase).split()
    if not words:
        return []
    recent = {*shown, *(message.id for message in (log.tail(excluded) if excluded else ()))}
    matches = [
        hit
        for hit in _all(log, paths, since)
        if not (set(hit.message_ids) & recent) and all(word in _plain(hit.text) for word in words)
    ]
    exact = [hit for hit in matches if " ".join(words) in _plain(hit.text)]
    ordered = sorted(exact or matches, key=lambda hit: hit.time or _UNDATED, reverse=True)
    return ordered[:NEWEST] + ordered[NEWEST:][-OLDEST:]


def _all(log: ConversationLog, paths: PersonaPaths, since: date | None) -> Iterator[Hit]:
    for message in log.messages(since):
        if message.role != "system":
            yield _hit_of(message)
    names = [path.name for path in files(paths.log_import_source, "*.txt")]
    for name in without_copies(paths.log_import_source, names):
        for hit in _blocks(name, (read_bytes(paths.log_import_source / name) or b"").decode("utf-8", "replace")):
            if since is None or hit.time is None or hit.time.date() >= since:
                yield hit


def _hit_of(message: Message) -> Hit:
    return Hit(
        text=message.text,
        type="current_log",
        source="semantic",
        path="log.txt",
        message_ids=(message.id,),
        score=0.0,
        time=message.time,
        speaker=message.speaker,
        is_others=message.role == "other",
    )


_HEADER = re.compile(r"^## (?:USER|AGENT|SYSTEM):(.+?)$", re.MULTILINE)
_TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?: \([^)\n]{0,16}\))?(?: (\d{2}):(\d{2}):(\d{2}))?")


def _blocks(name: str, text: str) -> Iterator[Hit]:
    """Yield the blocks of an imported log, header to next header, each with the date that stands in it."""
    marks = list(_HEADER.finditer(text))
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip()
        yield Hit(
            text=body,
            type="log_archive",
            source="semantic",
            path=f"log_import_source/{name}",
            message_ids=(),
            score=0.0,
            time=_time(body),
            speaker=mark.group(1).strip(),
        )


def _time(text: str) -> datetime | None:
    found = list(_TIME.finditer(text))
    if not found:
        return None
    try:
        return datetime(*(int(part or 0) for part in found[-1].groups()))  # type: ignore[arg-type]  # six ints
    except ValueError:
        return None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
