"""The ledger of model calls: one line a call, one file a month, appended and never rewritten.

It holds when, for whom, what for, which model and how many tokens, and no word of what was said. It is
kept for the whole home folder: what was spent stays spent when a persona is deleted, and a copy of a
persona begins with nothing.
"""

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from managers.storage.files import explained, files, make_folder, open_binary
from managers.storage.json_text import load_json
from managers.storage.locks import holding
from managers.storage.opening import open_descriptor

Purpose = Literal["talk", "tools", "recall", "emotion", "dream", "answers", "initiative", "trial", "embedding", "other"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
Outcome = Literal["done", "stopped", "failed", "lost"]
"""`lost`: the process that had asked was gone before it could note what came."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model.

    Attributes:
        time: when it began, in local time: it counts for this day.
        persona: for whom; empty: for nobody in particular (a trial of the settings).
        purpose: what for.
        service, host: what people call the server, and where it is.
        model: as its server knows it.
        input_tokens, output_tokens: read and written.
        is_estimated: the provider did not report them.
        is_local: it ran on this computer.
        cost: in billionths of a dollar, at the price of that day; None: nobody here knew the price.
        outcome: how it ended.
    """

    time: datetime
    persona: str
    purpose: str
    service: str
    model: str
    input_tokens: int
    output_tokens: int
    is_estimated: bool = False
    is_local: bool = False
    cost: int | None = None
    outcome: str = "done"
    host: str = ""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Renamed:
    """From here on a persona has another name; what stands before counts for the new one."""

    time: datetime
    old: str
    new: str


Entry = Call | Renamed


class Ledger:
    """The files. Whoever appends holds the lock of the folder (see `managers.usage.meter`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(self, entry: Entry) -> None:
        """Add a line to its month, in one write; not synced, for a model's bill is not worth a wait.

        Raises:
            DiskFullError, UnwritableError
        """
        path = self.month_file(entry.time.date())
        try:
            make_folder(self.folder)
            descriptor = open_descriptor(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            try:
                data = _line(entry)
                end = os.lseek(descriptor, 0, os.SEEK_END)
                if end:
                    os.lseek(descriptor, end - 1, os.SEEK_SET)
                    if os.read(descriptor, 1) != b"\n":
                        data = b"\n" + data  # what a crash left half written stays a line of its own
                while data:
                    data = data[os.write(descriptor, data) :]
            finally:
                os.close(descriptor)
        except OSError as error:
            raise explained(error, path) from error

    def lock(self) -> AbstractContextManager[None]:
        """Hold the ledger: one writer at a time, across processes and threads.

        Raises:
            BusyError, UnwritableError, DiskFullError
        """
        return holding(self.folder / ".lock", self.folder.name)

    def note_rename(self, now: datetime, old: str, new: str) -> None:
        """Let what was spent by a persona count for it under its new name."""
        if self.months() and old != new:
            with self.lock():
                self.append(Renamed(now, old, new))

    def month_file(self, day: date) -> Path:
        """Return the file that a day's calls stand in."""
        return self.folder / f"{day:%Y-%m}.jsonl"

    def months(self) -> list[Path]:
        """Return all files there are, oldest first."""
        return files(self.folder, "[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl")

    def calls(self, since: date | None = None) -> list[Call]:
        """Return the calls since a day, oldest first, each under the name that its persona has now."""
        found: list[Call] = []
        for path in self.months():
            if since is not None and path.stem < f"{since:%Y-%m}":
                continue
            for entry in read_entries(path)[0]:
                if isinstance(entry, Renamed):
                    found = [replace(c, persona=entry.new) if c.persona == entry.old else c for c in found]
                elif since is None or entry.time.date() >= since:
                    found.append(entry)
        return found


def read_entries(path: Path, offset: int = 0) -> tuple[list[Entry], int]:
    """Read the whole lines of a file from an offset on; return them and where the next ones begin.

    What is no entry (torn by a crash, or mended by hand beyond recognition) is passed over.

    Raises:
        UnreadableError: the file is there and cannot be read.
    """
    if not path.exists():
        return [], 0
    with open_binary(path) as file:
        file.seek(offset)
        data = file.read()
    whole = data.rfind(b"\n") + 1
    return list(_entries(data[:whole])), offset + whole


def _entries(data: bytes) -> Iterator[Entry]:
    for line in data.split(b"\n"):
        try:
            entry = _entry(load_json(line))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue
        yield entry


def _entry(told: dict[str, Any]) -> Entry:
    time = datetime.fromisoformat(told["time"])
    if "renamed" in told:
        return Renamed(time, str(told["renamed"]), str(told["to"]))
    cost = told.get("cost")
    return Call(
        time=time,
        persona=str(told.get("persona", "")),
        purpose=str(told.get("purpose", "other")),
        service=str(told.get("service", "")),
        model=str(told.get("model", "")),
        input_tokens=max(0, int(told["input"])),
        output_tokens=max(0, int(told["output"])),
        is_estimated=bool(told.get("estimated")),
        is_local=bool(told.get("local")),
        cost=None if cost is None else max(0, round(float(cost) * 1_000_000_000)),
        outcome=str(told.get("outcome", "done")),
        host=str(told.get("host", "")),
    )


def _line(entry: Entry) -> bytes:
    time = entry.time.isoformat(timespec="seconds")
    if isinstance(entry, Renamed):
        told: dict[str, Any] = {"time": time, "renamed": entry.old, "to": entry.new}
    else:
        told = {
            "time": time,
            "persona": entry.persona,
            "purpose": entry.purpose,
            "service": entry.service,
            "model": entry.model,
            "input": entry.input_tokens,
            "output": entry.output_tokens,
        }
        if entry.is_estimated:
            told["estimated"] = True
        if entry.is_local:
            told["local"] = True
        elif entry.host:
            told["host"] = entry.host
        if entry.cost is not None:
            told["cost"] = entry.cost / 1_000_000_000
        if entry.outcome != "done":
            told["outcome"] = entry.outcome
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"
