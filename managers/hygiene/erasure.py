"""Erasing for good: what goes is destroyed wherever it lies in the home folder, which no undo brings back.

Forgetting (`managers.memory.forgotten`) and putting away (`archive`) take something out of search and prompts, and can be
taken back; this cannot. What is to go is written down first (`memory/.erasing`), so that a process that is killed is
finished by whoever comes next. Every step may be done twice: each file, each version in the history and each copy goes
through the same `scrubbing`, which leaves alone what is clean. The note itself goes last, when nothing is left to do.
"""

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, Protocol

from managers.hygiene.copies_of_home import blank_log_lines, copies_of, left_in_home, remove_put_aside
from managers.hygiene.file_kinds import FileKind, declared, kind_of
from managers.hygiene.index_clearing import clear_indexes
from managers.hygiene.scrubbing import Scrubber, Taken, read_head
from managers.hygiene.traces import Traces
from managers.memory.dream_state import DreamStateFile
from managers.memory.json_documents import USER
from managers.recall.documents.document_loader import read_document
from managers.recall.engine import Recall
from managers.recall.errors import DocumentEmptyError
from managers.sessions.records import Gone
from managers.sessions.tiers import sessions_of
from managers.storage.audit import Given, events, record
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.files import digest, entries, read_bytes, remove, remove_tree, write_atomic
from managers.storage.history import History
from managers.storage.history.entries import Entry
from managers.storage.history.history import OUTSIDE
from managers.storage.installation import Installation
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import writing
from managers.storage.opening import is_file, walk
from managers.storage.paths import PersonaPaths

ERASED: Final = "erased"
"""The reason, in the history, of what an erasure had to note."""
_MARK: Final = ".erasing"
_SEALED: Final = "erasure"
_ELSEWHERE: Final = frozenset({"history", "index", "journal", "wordless"})
"""What is not gone through file by file."""
_LAID_OUT: Final = frozenset({".pdf", ".docx"})
"""Documents whose words do not stand in their bytes as one reads them: they are read in the limited process."""
_SECONDS: Final = 60.0
_logger = logging.getLogger(__name__)

Reason = Literal["yours", "unreadable", "settings", "elsewhere", "backups", "window"]


@dataclass(frozen=True, slots=True)
class Left:
    """A file that an erasure does not reach: it is a person's own, cannot be read, or lies outside of the persona.

    With `backups` it is the place of backups that cannot be reached for now, with `window` what the window that is open keeps.
    """

    why: Reason
    file: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure will take.

    Attributes:
        traces: what is looked for.
        taken: what goes, part by part, as the files are now; their copies and earlier versions go with it.
        left: what it will not reach.
        attachments: files that were sent with what goes, relative to the persona's folder.
        settled: days of which no episode is to be made anew.
        backups: the backups that hold the persona: they are written anew without it.
    """

    traces: Traces
    taken: tuple[Taken, ...] = ()
    left: tuple[Left, ...] = ()
    attachments: frozenset[str] = frozenset()
    settled: tuple[date, ...] = ()
    backups: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many of which kind."""
        counts = dict[str, int](Counter(one.what for one in self.taken))
        return {**counts, **({"backup": len(self.backups)} if self.backups else {})}

    @property
    def mark(self) -> str:
        """What tells this plan from one for files that have changed since it was shown."""
        return digest(repr(sorted((one.what, one.file, one.text) for one in self.taken)))[:16]


@dataclass(frozen=True, slots=True)
class Report:
    """What an erasure has done: how many of which kind, and what it did not reach. It holds no words."""

    counts: Mapping[str, int] = field(default_factory=dict)
    left: tuple[Left, ...] = ()


class BackupCopies(Protocol):
    """The backups that the program has made of a home, as an erasure goes through them."""

    def holding(self, paths: PersonaPaths) -> Sequence[str]:
        """Return the names of those that hold a persona."""

    def unreachable(self) -> Sequence[str]:
        """Return the places of those that cannot be reached."""

    def erase(self, paths: PersonaPaths, plan: Plan) -> tuple[int, Sequence[str]]:
        """Erase in them; return how many were changed, and the places not reached. It may be done twice."""


class Erasure:
    """Erases in one persona's folder, in its copies in the home folder and in backups, and in what the program keeps of it."""

    def __init__(
        self, paths: PersonaPaths, clock: Clock, history: History, recall: Recall, backups: Callable[[], BackupCopies]
    ) -> None:
        self._paths = paths
        self._clock = clock
        self._history = history
        self._recall = recall
        self._backups = backups
        self._note = paths.memory / _MARK

    def look_through(self, plan: Plan) -> Plan:
        """Return a plan with all that goes and all that stays; nothing is changed."""
        scrubber, left = Scrubber(plan.traces), list[Left]()
        self._go_through(self._paths, plan, scrubber, left, is_look=True)
        for copy in copies_of(self._paths):
            own = Scrubber(plan.traces)
            self._go_through(copy, plan, own, left, is_look=True)
            if not all(map(is_leftover, own.taken)):
                scrubber.taken.append(Taken("copy", copy.folder.relative_to(copy.home.folder).as_posix(), ""))
        left += (Left(why, file) for why, file in left_in_home(self._paths, plan.traces))
        backups = self._backups()
        left += (Left("backups", place) for place in backups.unreachable())
        held = tuple(backups.holding(self._paths))
        return Plan(plan.traces, tuple(scrubber.taken), tuple(left), plan.attachments, plan.settled, held)

    def carry_out(self, plan: Plan) -> Report:
        """Erase what a plan says. Killed in the middle, `finish` does the rest.

        Raises:
            DiskFullError, UnwritableError, BusyError: what was begun waits to be finished.
        """
        self.finish()
        with writing(self._paths):
            self._write_down(plan)
        return self.finish() or Report()

    def finish(self) -> Report | None:
        """Do what is written down; None, where nothing is: one look at the disk.

        Raises:
            DiskFullError, UnwritableError, BusyError: it waits on.
        """
        if not is_file(self._note):
            return None
        with writing(self._paths):
            begun = self._read()
            if begun is None:
                return None
            plan, counts, noted = begun
            self._history.notice_outside()
            self._settle(plan)
            versions = self._erase(plan)
        if not clear_indexes(self._paths, self._recall, plan.traces):
            _logger.warning("the indexes were thrown away, and are made anew: they still held what was erased")
        backups, unreached = self._backups().erase(self._paths, plan)
        told = {"history": versions, "backup": backups}
        done = {**counts, **{what: count for what, count in told.items() if count}}
        left = [one for one in plan.left if one.why != "backups"] + [Left("backups", place) for place in unreached]
        if self._noted() == noted:  # a process that was killed right here has noted it already
            given = Given(done, tuple(sorted(plan.traces.messages)))
            record(self._paths, self._clock.now(), "erasure", given, at_once=True)
        remove(self._note)
        return Report(done, tuple(left))

    def _erase(self, plan: Plan) -> int:
        """Go through all files; return how many entries of the history read otherwise now."""
        entries_changed = self._erase_in(self._paths, self._history, plan)
        for copy in copies_of(self._paths):
            remove_tree(copy.rag_index)  # derived: made anew, if it ever comes back
            with closing(History(copy, self._clock)) as history:
                self._erase_in(copy, history, plan)
        remove_tree(self._paths.home.sessions / "users")  # what personas share is made anew from what is left
        remove_put_aside(self._paths, plan.traces)
        with closing(sessions_of(self._paths.home, self._clock)) as sessions:
            sessions.erase(Gone(plan.traces.messages, plan.traces.touches))
        blank_log_lines(self._paths.home, plan.traces)
        return entries_changed

    def _erase_in(self, paths: PersonaPaths, history: History, plan: Plan) -> int:
        scrubber = Scrubber(plan.traces)
        self._go_through(paths, plan, scrubber, [], is_look=False)
        for entry in entries(paths.folder):
            if (kind := declared(f"{entry.name}/file")) is not None and kind.how == "gone":
                remove_tree(paths.folder / entry.name)
        return history.erase(scrubber.scrub, lambda entry: _reworded(entry, plan.traces))

    def _go_through(
        self, paths: PersonaPaths, plan: Plan, scrubber: Scrubber, left: list[Left], *, is_look: bool
    ) -> None:
        """Go through the files of a folder; with `is_look`, only what would be done is noted."""
        for path in (path for path, kind in walk(paths.folder) if kind == "file"):
            name = path.relative_to(paths.folder).as_posix()
            kind = kind_of(name)
            if kind.how in _ELSEWHERE:
                continue
            if kind.how == "gone":
                if kind.what == "copy":
                    scrubber.taken.append(Taken("copy", name, ""))
                data, rest = b"", None
            elif kind.how == "adapter":  # of any size: its head tells what it has learned
                data = read_head(path)
                rest = scrubber.scrub(name, data)
            else:
                try:
                    data = read_bytes(path) or b""
                except UtataneError:
                    left.append(Left("unreadable", name))
                    continue
                rest = rest_of(plan, kind, name, data, scrubber, left)
            if not is_look:
                _put(path, data, rest)

    def _settle(self, plan: Plan) -> None:
        """Let no night make anew what was erased of a day."""
        file = DreamStateFile(self._paths, self._clock)
        before = state = file.load()
        for day in plan.settled:
            state = state.settle(day)
        if state != before:
            self._history.change({file.path: state.dump()}, author=USER, reason=ERASED)

    # What is written down

    def _write_down(self, plan: Plan) -> None:
        """Write down what is to go: sealed, for a folder from somebody else may bring such a note along."""
        begun = {
            "traces": plan.traces.model_dump(mode="json"),
            "counts": plan.counts,
            "left": [[one.why, one.file] for one in plan.left],
            "attachments": sorted(plan.attachments),
            "settled": [day.isoformat() for day in plan.settled],
            "noted": self._noted(),
        }
        write_atomic(
            self._note,
            json.dumps(
                {**begun, "seal": Installation(self._paths.home).seal(_SEALED, _plainly(begun))}, ensure_ascii=False
            ),
        )

    def _noted(self) -> int:
        """Return how many erasures the audit knows."""
        return sum(event.kind == "erasure" for event in events(self._paths))

    def _read(self) -> tuple[Plan, dict[str, int], int] | None:
        begun: dict[str, Any] | None = None
        with suppress(NotJsonError, KeyError, TypeError, AttributeError):
            begun = load_json(read_bytes(self._note) or b"null")
            seal = begun.pop("seal") if begun else ""
            if begun and Installation(self._paths.home).is_sealed(_SEALED, _plainly(begun), seal):
                return _plan_of(begun), begun["counts"], begun.get("noted", self._noted())
        if begun is not None:
            _logger.warning("%s was not written by this installation: nothing is erased", _MARK)
            remove(self._note)
        return None


def _plainly(begun: dict[str, Any]) -> bytes:
    return json.dumps(begun, sort_keys=True).encode()


def _plan_of(begun: dict[str, Any]) -> Plan:
    return Plan(
        Traces.model_validate(begun["traces"]),
        left=tuple(Left(why, file) for why, file in begun["left"]),
        attachments=frozenset(begun["attachments"]),
        settled=tuple(map(date.fromisoformat, begun["settled"])),
    )


def is_leftover(one: Taken) -> bool:
    """Tell whether something goes with any erasure: it can be done without, and may hold anything."""
    return kind_of(one.file).how == "gone"


def rest_of(plan: Plan, kind: FileKind, name: str, data: bytes, scrubber: Scrubber, left: list[Left]) -> bytes | None:
    """Return what is left of a file: of one that was sent all or nothing, of a person's own all."""
    if kind.how not in {"attachment", "yours"}:
        return scrubber.scrub(name, data)
    is_in = name in plan.attachments or is_in_document(plan.traces, name, data)
    if kind.how == "attachment" and is_in:
        scrubber.taken.append(Taken(kind.what, name, ""))
        return None
    if is_in is None:
        left.append(Left("unreadable", name))
    elif is_in:
        left.append(Left("yours", name))
    return data


def is_in_document(traces: Traces, name: str, data: bytes) -> bool | None:
    """Tell whether a file holds any of what is to be erased.

    Args:
        traces: what is looked for.
        name: the file's name, whose ending tells the kind.
        data: the file.

    Returns:
        None if nobody can tell: it is damaged or encrypted, or unfolds to too much.
    """
    is_in = traces.is_in(data)
    if is_in or PurePosixPath(name).suffix.lower() not in _LAID_OUT:
        return is_in
    try:
        parts = read_document(name, data, _SECONDS)
    except DocumentEmptyError:
        return is_in
    except UtataneError:
        return None
    words = [f"{part.heading}\n{part.text}" for part in parts]
    joined = ["".join(text.split("\n")) for text in words]  # a line may end within a name
    return any(map(traces.touches, [*words, *joined])) or is_in


def _put(path: Path, data: bytes, left: bytes | None) -> None:
    if left is None:
        remove(path)
    elif left != data:
        write_atomic(path, left)


def _reworded(entry: Entry, traces: Traces) -> Entry:
    """Return an entry of the history without what goes; why something was noted because of it goes with it."""
    evidence = tuple(one for one in entry.evidence if one not in traces.messages)
    is_because = bool(entry.evidence) and not evidence and entry.author not in {USER, OUTSIDE}
    return replace(
        entry,
        reason="" if is_because else traces.cleaned(entry.reason),
        evidence=evidence,
        part="" if traces.is_named(entry.part) else entry.part,
    )
