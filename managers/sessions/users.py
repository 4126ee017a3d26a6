"""Whose time it is: which user the words of a moment belong to. There are no accounts: a user is a key in the settings.

`sessions/users.json` says from when on which key held, and no more. It is there once somebody has changed the key; before,
all that was ever said is `me`'s.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.storage.clock import Clock
from managers.storage.files import dump_json, make_folder, read_bytes, set_aside, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.unchanged import Unchanged

FIRST: Final = "me"
UID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
"""What a key may be: it names a folder."""


class _Span(BaseModel):
    model_config = ConfigDict(extra="allow")

    uid: str = Field(pattern=f"^{UID.pattern}$")
    since: datetime


class _Document(BaseModel):
    model_config = ConfigDict(extra="allow")

    users: list[_Span] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Users:
    """Who spoke when, oldest first."""

    spans: tuple[tuple[datetime, str], ...] = ()

    def at(self, moment: datetime) -> str:
        """Return whose words a moment's are."""
        return next((uid for since, uid in reversed(self.spans) if since <= moment), FIRST)

    def around(self, moment: datetime) -> set[str]:
        """Return whose words may be a second's: messages know no more of their time."""
        return {self.at(moment - timedelta(seconds=1)), self.at(moment), self.at(moment + timedelta(seconds=1))}

    @property
    def now(self) -> str:
        return self.spans[-1][1] if self.spans else FIRST


class UserStore:
    """`sessions/users.json` of a home folder. Safe to use from several threads and processes."""

    def __init__(self, home: Home, clock: Clock, *, only_look: bool = False) -> None:
        """Remember where the file is; with `only_look` nothing is written."""
        self._only_look = only_look
        self._path = home.sessions / "users.json"
        self._clock = clock
        self._kept = Unchanged[Users]()

    def load(self) -> Users:
        """Return who spoke when; of a file that cannot be understood, nothing."""
        try:
            return self._kept.get(self._read, self._path)
        except (NotJsonError, ValidationError):
            return Users()

    def is_now(self, uid: str) -> None:
        """Note that a key holds from now on, where another one did.

        Raises:
            DiskFullError, UnwritableError, BusyError
        """
        if self._only_look or self.load().now == uid:
            return
        make_folder(self._path.parent)
        with holding(self._path.with_name(f".{self._path.name}.lock"), self._path.name):
            try:
                known = self._read()
            except (NotJsonError, ValidationError):
                set_aside(self._path, self._clock.now())
                known = Users()
            if known.now == uid:
                return
            changed = Users((*known.spans, (self._clock.now(), uid)))
            spans = [_Span(uid=one, since=since) for since, one in changed.spans]
            write_atomic(self._path, dump_json(_Document(users=spans).model_dump(mode="json")))

    def _read(self) -> Users:
        data = read_bytes(self._path)
        found = _Document.model_validate(load_json(data)).users if data else []
        return Users(tuple((one.since, one.uid) for one in found))
