"""Conversations of the user with several personas: which there are, who is present, and where each stands.

What is said stands in the logs of those who heard it, under the conversation's id; this file holds no words.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.storage.clock import Clock, new_id
from managers.storage.files import dump_json, read_bytes, set_aside, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding
from managers.storage.paths import Home

MOST_PRESENT: Final = 5
LEAST_PRESENT: Final = 2
MOST_THREADS: Final = 60
"""Of so many topics it is known where they stand."""


class ThreadStanding(BaseModel):
    """Where one topic of a conversation stands.

    Attributes:
        thread_id: counts within the conversation.
        domain: what it is about; may be empty.
        last: when it was last spoken of, ISO 8601.
        is_over: somebody said so.
        is_open: it was broken off in the middle, and may be come back to.
    """

    model_config = ConfigDict(extra="allow")

    thread_id: int
    domain: str = ""
    last: str = ""
    is_over: bool = False
    is_open: bool = False


class Standing(BaseModel):
    """Where a conversation stands.

    Attributes:
        id: stable; the messages of the conversation carry it.
        present: the personas who are there.
        former: those who were, and left.
        thread_id: the present topic.
        domain: what the present topic is about; may be empty.
        targets: whom the user addressed last.
        only: the ones who alone are to speak, as long as the user wishes so.
        joined: when each who came later joined, ISO 8601.
        marks: what each who is there is known by: another persona that takes the name does not take the place.
        last: when the user last spoke, ISO 8601; empty before that.
        threads: the topics so far, the last ones, in the order in which they were begun.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    present: list[str]
    former: list[str] = Field(default_factory=list)
    thread_id: int = 1
    domain: str = ""
    targets: list[str] = Field(default_factory=list)
    only: list[str] = Field(default_factory=list)
    joined: dict[str, str] = Field(default_factory=dict)
    marks: dict[str, str] = Field(default_factory=dict)
    last: str = ""
    threads: list[ThreadStanding] = Field(default_factory=list)

    def thread(self, thread_id: int) -> ThreadStanding:
        """Return where a topic stands; it is noted, if it was not."""
        found = next((one for one in self.threads if one.thread_id == thread_id), None)
        if found is None:
            found = ThreadStanding(thread_id=thread_id)
            self.threads = [*self.threads, found][-MOST_THREADS:]
        return found

    def rename(self, names: Mapping[str, str]) -> None:
        """Let personas stand under their new names; nobody may speak for an old one either."""
        self.present = list(dict.fromkeys(names.get(one, one) for one in self.present))
        self.only = [names.get(one, one) for one in self.only]
        self.joined = {names.get(one, one): when for one, when in self.joined.items()}
        self.marks = {names.get(one, one): mark for one, mark in self.marks.items()}
        self.former = list(dict.fromkeys([*self.former, *names]))

    def join(self, name: str, now: datetime, mark: str) -> None:
        """Let somebody in."""
        self.joined |= {} if name in self.present else {name: now.isoformat(timespec="seconds")}
        self.marks[name] = mark
        self.present = list(dict.fromkeys([*self.present, name]))
        self.former = [one for one in self.former if one != name]
        self.only = []

    def part(self, name: str) -> None:
        """Let somebody go."""
        self.present = [one for one in self.present if one != name]
        self.former = list(dict.fromkeys([*self.former, name]))
        self.only = [one for one in self.only if one != name]
        self.marks.pop(name, None)

    def note(self, marks: Mapping[str, str]) -> None:
        """Note what those are known by of whom it was not noted yet."""
        self.marks = {**marks, **self.marks}


class _Document(BaseModel):
    model_config = ConfigDict(extra="allow")

    groups: list[Standing] = Field(default_factory=list)


@dataclass
class GroupStore:
    """`groups.json` of a home folder. Safe to use from several threads and processes."""

    home: Home
    clock: Clock
    rng: Random

    def all(self) -> Sequence[Standing]:
        """Return all conversations, the one that was spoken in last first."""
        return sorted(self._read().groups, key=lambda one: one.last or one.id, reverse=True)

    def get(self, group: str) -> Standing | None:
        """Return one conversation; None if there is none of that id."""
        return next((one for one in self._read().groups if one.id == group), None)

    def with_present(self, names: Sequence[str]) -> Sequence[Standing]:
        """Return the conversations in which exactly these personas are, the one that was spoken in last first."""
        return [one for one in self.all() if set(one.present) == set(names)]

    def begin(self, names: Sequence[str], marks: Mapping[str, str]) -> Standing:
        """Begin a conversation of some personas, with what they are known by."""
        made = Standing(id=new_id(self.clock, self.rng), present=list(names), marks=dict(marks))
        with self._writing():
            document = self._read(mends=True)
            document.groups.append(made)
            self._write(document)
        return made

    def change(self, group: str, change: Callable[[Standing], None]) -> Standing | None:
        """Change where a conversation stands; return it, None if there is none of that id.

        Raises:
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        with self._writing():
            document = self._read()
            found = next((one for one in document.groups if one.id == group), None)
            if found is not None:
                change(found)
                self._write(document)
            return found

    def remove(self, group: str) -> bool:
        """Take a conversation off the list; return whether it was there.

        Raises:
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        with self._writing():
            document = self._read()
            left = [one for one in document.groups if one.id != group]
            is_there = len(left) < len(document.groups)
            if is_there:
                document.groups = left
                self._write(document)
            return is_there

    @property
    def is_readable(self) -> bool:
        """Whether the file can be understood, or is not there: if not, nobody knows which conversations there are."""
        data = read_bytes(self.home.groups)
        try:
            return not data or bool(_Document.model_validate(load_json(data)))
        except (NotJsonError, ValidationError):
            return False

    def _writing(self) -> AbstractContextManager[None]:
        path = self.home.groups
        return holding(path.with_name(f".{path.name}.lock"), path.name)

    def _read(self, *, mends: bool = False) -> _Document:
        """Return what the file holds; one that cannot be understood is moved aside by whoever writes it."""
        data = read_bytes(self.home.groups)
        try:
            return _Document.model_validate(load_json(data)) if data else _Document()
        except (NotJsonError, ValidationError):
            if mends:
                set_aside(self.home.groups, self.clock.now())
            return _Document()

    def _write(self, document: _Document) -> None:
        write_atomic(self.home.groups, dump_json(document.model_dump(mode="json")))
