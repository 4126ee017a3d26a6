"""The audit: what left this computer and to whom, and what was exported, imported, erased, taken back or written by tools.

What another program was handed stands here, too: it runs on this computer, and nobody knows where it sends what it gets.

`memory/audit_YYYY-MM.jsonl` has one line an event, which is only ever added. A line holds times, random ids, counts, kinds
and recipients: no words, and nothing that was computed from words (the ids of dreamt memories and of the history are, so
they are told by the messages that they rest on). So whatever is erased, the audit can stay as it is. Each line ends with a
hash over itself and the hash of the line before it: one that was changed by hand, or is missing, is found (`flaws`).

Of what was written last `memory/.audit_end` keeps the hash, once it is safely on the disk.
"""

import hashlib
import json
import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, Literal

from managers.storage.errors import Notice, UtataneError
from managers.storage.files import explained, files, make_folder, open_binary, read_bytes, write_unsynced
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import writing
from managers.storage.opening import is_folder, open_descriptor
from managers.storage.paths import PersonaPaths

Kind = Literal[
    "model_call",
    "embedding_call",
    "fetch",
    "program",
    "export",
    "import",
    "backup",
    "from_backup",
    "erasure",
    "tool_write",
    "undo",
    "redo",
    "put_away",
    "restore",
]
_PATTERN: Final = "audit_[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl"
_SEAL: Final = re.compile(rb', "hash": "([0-9a-f]{64})"\}')
_HASH_LETTERS: Final = 64
_SEAL_BYTES: Final = _HASH_LETTERS + len(', "hash": ""}')
_OWN_ID: Final = re.compile(r"\d{8}T\d{6}-[0-9a-z]{8}")
"""Ids that came with a transcript may be words; those that are made here are random."""
_MOST_IDS: Final = 100
_MOST_LETTERS: Final = 120
_NAMED: Final = 3
_TAIL: Final = 64 * 1024
"""Bytes; no line is as long."""

logger = logging.getLogger(__name__)
_missed: Counter[Path] = Counter()
_counting = threading.Lock()


class _Beside:
    """The thread that syncs what was written; a process that was forked has none of its parent's, and needs its own."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="audit")


_beside = _Beside()


@dataclass(frozen=True, slots=True)
class Recipient:
    """To whom something went; nobody: it stayed on this computer."""

    service: str = ""
    host: str = ""
    model: str = ""

    @property
    def is_here(self) -> bool:
        return self == HERE


HERE: Final = Recipient()


@dataclass(frozen=True, slots=True)
class Given:
    """What was handed out or changed, without a word of it.

    Attributes:
        counts: how many of each kind: `messages`, `hits`, `episodes`, `files`, ...
        ids: messages that were given by themselves, or on which recalled memories rest.
        days: ISO days of whose talk or summary something was given.
        is_masked: whether personal data was masked before; None where that is no question.
    """

    counts: dict[str, int] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    is_masked: bool | None = None


NOTHING: Final = Given()


@dataclass(frozen=True, slots=True)
class Event:
    """One line.

    Attributes:
        time: local.
        given: what went there, or was changed.
        more_ids: how many messages are not among `given.ids`.
        missed: how many events before it could not be written (a full disk, say).
    """

    id: str
    time: datetime
    kind: str
    to: Recipient
    purpose: str
    given: Given
    more_ids: int = 0
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Flaw:
    """A place where the audit is not as it was written: this line, or what stood before it; 0: the end is missing."""

    file: str
    line: int


def record(
    paths: PersonaPaths,
    now: datetime,
    kind: Kind,
    given: Given = NOTHING,
    *,
    to: Recipient = HERE,
    purpose: str = "",
    at_once: bool = False,
) -> None:
    """Add an event; it survives the end of this process at once, and a power cut a moment later, or `at_once` too.

    Never fails: what cannot be written is logged, counted, and told by the next line that can be.
    """
    try:
        if not is_folder(paths.folder):
            return  # it was deleted meanwhile, and must not come back
        with writing(paths):
            path, end = _append(paths, now, _told(now, kind, given, to, purpose))
        with _counting:
            _missed.pop(paths.folder, None)
        if at_once:
            _settle(paths, path, end)
        else:
            _beside.pool.submit(_settle, paths, path, end)
    except UtataneError:
        with _counting:
            _missed[paths.folder] += 1
        logger.warning("an event of the audit (%s) could not be written", kind, exc_info=True)


def settle() -> None:
    """Wait until what was recorded here up to now would survive a power cut, and nothing more is written for it."""
    _beside.pool.submit(int).result()


def months(paths: PersonaPaths) -> list[Path]:
    """Return the files, oldest first."""
    return files(paths.memory, _PATTERN)


def events(paths: PersonaPaths) -> Iterator[Event]:
    """Yield all events, newest first, a month at a time; lines that are none are passed over (see `flaws`)."""
    for path in reversed(months(paths)):
        for line in reversed((read_bytes(path) or b"").split(b"\n")):
            if (event := _event(line)) is not None:
                yield event


def flaws(paths: PersonaPaths) -> list[Flaw]:
    """Return where the audit was changed by hand; a line that a crash tore at the very end is none."""
    found, before, seen = [], "", set[str]()
    names = months(paths)
    for path in names:
        *lines, torn = (read_bytes(path) or b"").split(b"\n")
        if torn and path != names[-1]:
            lines.append(torn)
        for number, line in enumerate(lines, 1):
            body, seal = line[:-_SEAL_BYTES] + b"}", _SEAL.fullmatch(line[-_SEAL_BYTES:])
            own = seal[1].decode() if seal else ""
            if own != _chained(before, body):
                found.append(Flaw(path.name, number))
            before = own
            seen.add(own)
    end = (read_bytes(_end_file(paths)) or b"").decode("ascii", "replace").strip()
    if len(end) == _HASH_LETTERS and end not in seen and not found:
        found.append(Flaw(names[-1].name if names else "", 0))
    return found


def flawed_notice(found: Sequence[Flaw]) -> Notice:
    """Return what a person should know of an audit that is not as it was written."""
    named, more = found[:_NAMED], len(found) - _NAMED
    ja = "、".join(f"{one.file} の{one.line}行目" if one.line else f"{one.file} の終わり" for one in named)
    en = ", ".join(f"line {one.line} of {one.file}" if one.line else f"the end of {one.file}" for one in named)
    return Notice(
        "audit-changed",
        ja=f"外に出たものの記録が、手で書きかえられたか、一部なくなっています({ja}{f' ほか{more}か所' if more > 0 else ''})。"
        "そことその前後は、あてになりません。身に覚えがなければ、バックアップと見くらべてください。",
        en=f"The record of what left this computer was changed by hand, or a part of it is missing: {en}"
        f"{f' and {more} more places' if more > 0 else ''}. What stands there or just before cannot be relied on. "
        "If this was not you, compare it with a backup.",
    )


def _told(now: datetime, kind: Kind, given: Given, to: Recipient, purpose: str) -> dict[str, Any]:
    own = [one for one in dict.fromkeys(given.ids) if _OWN_ID.fullmatch(one)]
    told: dict[str, Any] = {"time": now.isoformat(timespec="seconds"), "id": token_hex(6), "kind": kind}
    if not to.is_here:
        told["to"] = {key: _plain(getattr(to, key)) for key in ("service", "host", "model")}
    more = len(set(given.ids)) - len(own[:_MOST_IDS])
    further = {
        "purpose": purpose,
        "counts": {name: count for name, count in given.counts.items() if count},
        "days": sorted(set(given.days))[-_MOST_IDS:],
        "ids": own[:_MOST_IDS],
        "more_ids": more,
    }
    told |= {key: value for key, value in further.items() if value}
    if given.is_masked is not None:
        told["masked"] = given.is_masked
    return told


def _append(paths: PersonaPaths, now: datetime, told: dict[str, Any]) -> tuple[Path, str]:
    """Add a line to this month's file, or to the newest one where the clock was set back; return it and its hash."""
    there = months(paths)
    path = max([paths.memory / f"audit_{now:%Y-%m}.jsonl", *there])
    try:
        make_folder(paths.memory)
        descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            before, torn = _last(descriptor)
            if torn:
                told["torn"] = torn  # bytes of a line that a power cut left unfinished
                os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_END) - torn)
            if not before:
                before = next(filter(None, map(_end_of, reversed([one for one in there if one != path]))), "")
            if missed := _missed[paths.folder]:
                told["missed"] = missed
            body = json.dumps(told, ensure_ascii=False).encode()
            end = _chained(before, body)
            data = body[:-1] + f', "hash": "{end}"}}\n'.encode()
            while data:
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise explained(error, path) from error
    return path, end


def _settle(paths: PersonaPaths, path: Path, end: str) -> None:
    """Make what was written last through a power cut, and only then note that it is there."""
    try:
        descriptor = open_descriptor(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        write_unsynced(_end_file(paths), end.encode())
    except OSError:  # the persona may be gone by now; the line is written, and the next one settles both
        logger.debug("the audit of %s is not settled yet", paths.name, exc_info=True)


def _end_file(paths: PersonaPaths) -> Path:
    return paths.memory / ".audit_end"


def _end_of(path: Path) -> str:
    with open_binary(path) as file:
        return _last(file.fileno())[0]


def _last(descriptor: int) -> tuple[str, int]:
    """Return the hash of the last whole line, empty where there is none, and how many bytes of a torn one follow it."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.lseek(descriptor, max(0, size - _TAIL), os.SEEK_SET)
    tail = os.read(descriptor, _TAIL)
    whole = tail[: tail.rfind(b"\n") + 1]
    seal = _SEAL.fullmatch(whole[-_SEAL_BYTES - 1 : -1])
    return (seal[1].decode() if seal else ""), len(tail) - len(whole)


def _chained(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()


def _plain(name: str) -> str:
    return "".join(letter for letter in name[:_MOST_LETTERS] if letter.isprintable())


def _event(line: bytes) -> Event | None:
    try:
        told = load_json(line)
        to = told.get("to") or {}
        given = Given(
            {str(name): int(count) for name, count in told.get("counts", {}).items()},
            _texts(told.get("ids", ())),
            _texts(told.get("days", ())),
            told.get("masked"),
        )
        return Event(
            str(told["id"]),
            datetime.fromisoformat(told["time"]),
            str(told["kind"]),
            Recipient(*(str(to.get(key, "")) for key in ("service", "host", "model"))),
            str(told.get("purpose", "")),
            given,
            int(told.get("more_ids", 0)),
            int(told.get("missed", 0)),
        )
    except (NotJsonError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(one) for one in values)
