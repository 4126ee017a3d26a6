"""What is remembered of a user by all personas that share: the namespace `user:<uid>`.

`sessions/users/<uid>/long_term.json` holds it, in chunks: what personas know of the user, summaries of threads, the course
of the counts. Nothing is found out here: every chunk stands somewhere else too, and the file is made from there whenever
that has changed. So what is forgotten, erased or withdrawn there is gone from here when the file is made the next time, and
until then a chunk whose origin reads otherwise than when it was taken is given to nobody. Only that a chunk was put away, or
brought back, is kept here alone; a file that cannot be understood is made anew. Each user has a folder and an index of their own, so no search can reach into another's.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from managers.storage.clock import Clock
from managers.storage.files import digest, dump_json, make_folder, read_bytes, write_atomic
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.unchanged import Unchanged

Kind = Literal["profile", "preference", "thread", "kpi"]
Stamps = Mapping[str, Mapping[str, str]]
"""By persona the files that something was taken from, each with what changes when it does."""
FILE: Final = "long_term.json"
TIDIED_EVERY: Final = timedelta(days=7)
OLD: Final = timedelta(days=90)
"""What is younger is never put away, as the emotion log keeps it whole for as long."""
LOW_KPI: Final = 6.0
"""A thread of fewer than four turns in which nobody was glad; with its end, which counts 2, that is less than this."""


class Chunk(BaseModel):
    """One thing that is remembered.

    Attributes:
        id: stays the same as long as the words and their origin do.
        kind: facts of the user and what they like hold for all who share; a thread is for those who were there; the
            course of the counts for the persona that it is of.
        text: the words.
        origin: the persona that knows it; for a thread the conversation's id.
        thread_id: of a thread.
        time: when it was said, became so, or ended.
        tags: what it is worth and of what: `turns:12`, `slot:home`, `domain:movie`.
        kpi: the same as one number; None for what is never put away.
        evidence: the messages that it rests on.
        present: the personas who were there for all of it.
        is_here_only: it is for minds on this computer only.
        put_away: when it was put away; empty: it is in use.
        is_wanted: somebody brought it back: it is not put away again.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    kind: Kind
    text: str
    origin: str
    thread_id: int = 0
    time: datetime | None = None
    tags: list[str] = Field(default_factory=list)
    kpi: float | None = None
    evidence: list[str] = Field(default_factory=list)
    present: list[str] = Field(default_factory=list)
    is_here_only: bool = False
    put_away: str = ""
    is_wanted: bool = False

    def is_for(self, persona: str) -> bool:
        """Tell whether a persona that shares may be given it; its own facts it knows without."""
        if self.kind == "thread":
            return persona in self.present
        return (persona == self.origin) is (self.kind == "kpi")


def chunk_id(kind: Kind, origin: str, *parts: str) -> str:
    """Return what a chunk is known by."""
    return "u_" + digest("\0".join((kind, origin, *parts)))[:16]


class Held(BaseModel):
    """The file: where the chunks were taken from (`stamps`, by persona), and when it was last tidied."""

    model_config = ConfigDict(extra="allow")

    stamps: dict[str, dict[str, str]] = Field(default_factory=dict)
    chunks: list[Chunk] = Field(default_factory=list)
    tidied: datetime | None = None

    @property
    def in_use(self) -> list[Chunk]:
        return [one for one in self.chunks if not one.put_away]


@dataclass
class LongTerm:
    """The long-term memory of one user. Safe to use from several threads and processes."""

    home: Home
    uid: str
    clock: Clock
    _known: Unchanged[Held] = field(default_factory=Unchanged)

    def __post_init__(self) -> None:
        """Name the place; nothing is made."""
        self.folder = self.home.sessions / "users" / self.uid
        self.path = self.folder / FILE

    def load(self) -> Held:
        """Return what is held; nothing of a file that cannot be understood. Read again only when it has changed."""
        return self._known.get(self._read, self.path)

    def renew(self, chunks: Iterable[Chunk], stamps: Stamps) -> None:
        """Hold these chunks and no others; what was put away of them stays so. Once a week, put away what is worth little.

        Raises:
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        with self._writing():
            held, now = self.load(), self.clock.now()
            known = {one.id: {"put_away": one.put_away, "is_wanted": one.is_wanted} for one in held.chunks}
            fresh = {one.id: one.model_copy(update=known.get(one.id, {})) for one in chunks}
            tidied = held.tidied or now
            if now - tidied >= TIDIED_EVERY:
                fresh, tidied = {key: _tidied(one, now) for key, one in fresh.items()}, now
            self._write(
                Held(
                    stamps={name: dict(files) for name, files in stamps.items()},
                    chunks=list(fresh.values()),
                    tidied=tidied,
                )
            )

    def restore(self, ids: Collection[str]) -> list[Chunk]:
        """Bring back what was put away, for good: a chunk that somebody wanted back is never put away again."""
        with self._writing():
            held = self.load()
            back = [one for one in held.chunks if one.id in ids and one.put_away]
            wanted = {"put_away": "", "is_wanted": True}
            chunks = [one.model_copy(update=wanted) if one in back else one for one in held.chunks]
            if back:
                self._write(held.model_copy(update={"chunks": chunks}))
            return back

    def put_away(self) -> Sequence[Chunk]:
        """Return what was put away, newest first."""
        return sorted((one for one in self.load().chunks if one.put_away), key=lambda one: one.put_away, reverse=True)

    def _writing(self) -> AbstractContextManager[None]:
        make_folder(self.folder)
        return holding(self.folder / f".{FILE}.lock", FILE)

    def _read(self) -> Held:
        data = read_bytes(self.path)
        try:
            return Held.model_validate(load_json(data)) if data else Held()
        except (NotJsonError, ValidationError):
            return Held()

    def _write(self, held: Held) -> None:
        data = dump_json(held.model_dump(mode="json", exclude_defaults=True))
        if read_bytes(self.path) != data.encode():
            write_atomic(self.path, data)


def _tidied(one: Chunk, now: datetime) -> Chunk:
    """Return a chunk, put away if it is old and worth little."""
    is_low = one.kpi is not None and one.kpi < LOW_KPI and not one.is_wanted
    is_due = is_low and one.time is not None and now - one.time > OLD
    return one if one.put_away or not is_due else one.model_copy(update={"put_away": now.isoformat(timespec="seconds")})
