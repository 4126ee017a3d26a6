"""Fetching beside whatever else goes on: what is due, or what somebody asked for; one domain at a time."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from managers.domains.domain_knowledge import Domains
from managers.domains.domain_store import DomainStore, Source, domain_of, domains_of
from managers.domains.errors import HostUnknownError, UnreachableError
from managers.domains.etl import Counts, Outcome, bring_up_to_date, due_of
from managers.storage.clock import Clock
from managers.storage.edges import said
from managers.storage.errors import UtataneError
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.texts import Texts

_say = Texts("notices/domains")
SOURCE = "domains"


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """What goes on, or how the last round ended.

    Attributes:
        domain: which; empty before the first round.
        done, total: sources.
        at: the source that is being read.
        is_running, is_stopping: whether it goes on, and whether it was asked to end.
    """

    domain: str = ""
    done: int = 0
    total: int = 0
    at: str = ""
    is_running: bool = False
    is_stopping: bool = False
    counts: Counts = field(default_factory=Counts)
    error: UtataneError | None = None


class DomainJobs:
    """Fetches domains in the background, one at a time. Safe to use from several threads."""

    def __init__(self, home: Home, clock: Clock, domains: Domains, notices: NoticeBoard) -> None:
        """Take the domains and where it is said that something could not be fetched; nothing runs before `tick`."""
        self._home, self._clock, self._domains, self._notices = home, clock, domains, notices
        self._stop = threading.Event()
        self._running = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self.progress = FetchProgress()

    @property
    def mark(self) -> str:
        """What changes whenever a page would show it in another way."""
        one = self.progress
        return f"{one.domain}-{one.done}-{one.is_running}-{one.is_stopping}"

    def tick(self) -> None:
        """Fetch what is due, by the settings as they are now; called every minute, from a thread of its own."""
        self._domains.follow()
        for store in domains_of(self._home, self._clock):
            if self._is_closed:
                return
            try:
                if due := due_of(store.plan(), self._clock.utc()):
                    self.run(store, due)
            except UtataneError as error:
                self.progress = replace(self.progress, is_running=False, error=error)

    def begin(self, name: str, sources: Callable[[DomainStore], Sequence[Source]]) -> bool:
        """Fetch sources of a domain in a thread of its own; tell whether it began.

        Raises:
            DomainNotFoundError
        """
        store = domain_of(self._home, self._clock, name)
        if self._running.locked():
            return False
        self._thread = threading.Thread(target=self.run, args=(store, sources(store)), name="domains", daemon=True)
        self._thread.start()
        return True

    def run(self, store: DomainStore, sources: Sequence[Source]) -> Outcome:
        """Fetch sources of a domain, and index what came. What goes wrong is in `progress`, too."""
        outcome = Outcome()
        with self._running:
            if self._is_closed:
                return outcome
            self._stop.clear()
            self.progress = FetchProgress(store.name, 0, len(sources), is_running=True)
            error: UtataneError | None = None
            try:
                outcome = bring_up_to_date(store, sources, self._stop.is_set, self._tell)
                if (found := self._domains.of(store.name)) is not None:
                    found.recall.keep_up()
            except Exception as failure:  # noqa: BLE001  # the edge of a thread: nobody above would see it
                error = said(failure, f"fetching for {store.name}")
            self.progress = replace(
                self.progress, is_running=False, is_stopping=False, at="", counts=outcome.counts, error=error
            )
        self._say_what_failed(store, outcome)
        return outcome

    def stop(self) -> None:
        """Let the round under way end after what it is at; what was taken in stays."""
        if self.progress.is_running:
            self._stop.set()
            self.progress = replace(self.progress, is_stopping=True)

    def close(self) -> None:
        """End with the program."""
        self._is_closed = True
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _tell(self, done: int, total: int, at: str) -> None:
        self.progress = replace(self.progress, done=done, total=total, at=at)

    def _say_what_failed(self, store: DomainStore, outcome: Outcome) -> None:
        """Put up which domain goes on with what it has; one sentence, however many sources failed."""
        if not outcome.failed:
            self._notices.replace(f"{SOURCE}-{store.name}", [])
            return
        is_offline = all(isinstance(one, HostUnknownError | UnreachableError) for one in outcome.failed.values())
        code = "domain-offline" if is_offline else "domain-failed"
        told = _say.notice(code, domain=store.name, count=len(outcome.failed))
        self._notices.replace(f"{SOURCE}-{store.name}", [told])
