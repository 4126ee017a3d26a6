"""An entry of the history, and the commit message that carries it.

The message is the reason as it was given, an empty line, and a last paragraph of trailers. A
trailer's value is JSON, so that names and message ids in any script (and with any line break in
them) stay one line, and nothing in a reason can pass for a trailer.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from dulwich.objects import Commit

from managers.storage.clock import Clock
from managers.storage.json_text import load_json

_VERSION = "Utatane-Entry"
_MOST_OFFSET = timedelta(hours=15)
_SINGLE_LINE = str.maketrans({"<": "(", ">": ")", "\n": " ", "\r": " ", "\0": " "})

Kind = Literal["change", "undo", "redo", "checkpoint", "beginning"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of an entry before it is written.

    Attributes:
        author: "user", the persona's name, "dream", or "outside" (an edit noticed on disk).
        reason: why, in words.
        evidence: ids of the messages that the change rests on.
        mind: what proposed it, if a mind did.
        target: the entry that an undo or redo is about.
        part: the part of that entry, if not the whole (see `parts`).
    """

    author: str
    reason: str
    evidence: tuple[str, ...] = ()
    mind: str = ""
    kind: Kind = "change"
    target: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of one or several files.

    Attributes:
        id: the commit's id, 40 hex digits.
        time: local wall-clock time, naive.
        author, reason, evidence, mind: as given.
        files: relative to the persona's folder, with `/`.
        kind: a change, an undo, a redo, or the beginning of the history.
        target, part: the entry that an undo or redo is about, and the part of it if not the whole.
        records: ids of the records in JSON files that it changed.
        undone_by: the entry that took this one back, if it is taken back now.
    """

    id: str
    time: datetime
    author: str
    reason: str
    evidence: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    mind: str = ""
    kind: Kind = "change"
    target: str = ""
    part: str = ""
    records: tuple[str, ...] = ()
    undone_by: str | None = field(default=None, compare=False)


def compose(draft: Draft, files: Sequence[str], records: Sequence[str] = ()) -> bytes:
    """Return the commit message of an entry."""
    lines = [f"{_VERSION}: 1", _trailer("By", draft.author), _trailer("Kind", draft.kind)]
    optional = {"Mind": draft.mind, "Target": draft.target, "Part": draft.part}
    lines += [_trailer(key, value) for key, value in optional.items() if value]
    lines += [_trailer("File", name) for name in files]
    lines += [_trailer("Record", record) for record in records]
    lines += [_trailer("Evidence", message_id) for message_id in draft.evidence]
    reason = draft.reason.replace("\0", "\ufffd")
    return (reason + "\n\n" + "\n".join(lines) + "\n").encode("utf-8", "replace")


def _trailer(key: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair: only the escaped form can be written
        return f"{key}: {json.dumps(value)}"
    return f"{key}: {json.dumps(value, ensure_ascii=False)}"


def is_entry(commit: Commit) -> bool:
    """Tell whether a commit is ours, and not one that somebody's own git made."""
    last = (commit.message or b"").removesuffix(b"\n").rpartition(b"\n\n")[2]
    return last.startswith(_VERSION.encode())


def parse(commit: Commit) -> Entry:
    """Return the entry of a commit; one that somebody's own git made has its author and no trailers.

    Raises:
        ValueError, KeyError: the commit lacks something, or says something else than we would.
    """
    text = (commit.message or b"").decode("utf-8", "replace")
    reason, _, last = text.removesuffix("\n").rpartition("\n\n")
    lines = last.split("\n")
    time = _time(commit)
    if not lines[0].startswith(_VERSION):
        name = (commit.author or b"").decode("utf-8", "replace").rpartition(" <")[0]
        return Entry(commit.id.decode(), time, name, text.strip())
    values: dict[str, list[str]] = {}
    for line in lines[1:]:
        key, _, value = line.partition(": ")
        values.setdefault(key, []).append(_text(value))
    return Entry(
        id=commit.id.decode(),
        time=time,
        author=values["By"][0],
        reason=reason,
        evidence=tuple(values.get("Evidence", ())),
        files=tuple(values.get("File", ())),
        mind=values.get("Mind", [""])[0],
        kind=values.get("Kind", ["change"])[0],  # type: ignore[arg-type]  # we wrote it
        target=values.get("Target", [""])[0],
        part=values.get("Part", [""])[0],
        records=tuple(values.get("Record", ())),
    )


def _time(commit: Commit) -> datetime:
    try:
        return datetime(1970, 1, 1) + timedelta(seconds=(commit.commit_time or 0) + (commit.commit_timezone or 0))
    except OverflowError as error:
        raise ValueError(commit.commit_time) from error


def _text(value: str) -> str:
    text = load_json(value)
    if not isinstance(text, str):
        raise ValueError(value)  # noqa: TRY004  # it is no mistake of ours
    return text


def signature(author: str) -> bytes:
    """Return the name that git shows; the true author stands in the trailer `By`."""
    name = author.translate(_SINGLE_LINE).strip() or "unknown"
    return f"{name} <{'outside' if author == 'outside' else 'utatane'}@localhost>".encode("utf-8", "replace")


def moment(clock: Clock) -> tuple[int, int]:
    """Return now as git keeps it: seconds since the epoch, and the local time's offset in seconds."""
    local, utc = clock.now(), clock.utc().replace(tzinfo=None)
    offset = timedelta(minutes=round((local - utc).total_seconds() / 60))
    if abs(offset) > _MOST_OFFSET:  # a simulated clock whose two times have nothing to do with each other
        offset = timedelta(0)
    return int((local - offset - datetime(1970, 1, 1)).total_seconds()), int(offset.total_seconds())
