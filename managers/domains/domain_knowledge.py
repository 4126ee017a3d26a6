"""Looking things up in a domain: `kb:<name>`, with an index of its own that is kept as a persona's is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from managers.domains import PREFIX
from managers.domains.domain_store import DomainStore, Provenance, domain_name
from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.recall.shared import SharedDocuments
from managers.storage.clock import Clock
from managers.storage.errors import UtataneError
from managers.storage.paths import Home
from managers.storage.settings import RecallSettings, Secrets
from managers.usage.meter import Meter


class DomainKnowledge:
    """The documents of one domain, for all personas of it in this process."""

    def __init__(self, store: DomainStore, recall: Recall) -> None:
        """Take the domain's files and what searches them."""
        self.store = store
        self.recall = recall
        self._catching_up = threading.Thread(target=recall.keep_up, name=f"{PREFIX}{store.name}", daemon=True)
        self._known: tuple[tuple[int, int], Mapping[str, Provenance]] = ((0, 0), {})
        self.is_closed = False
        self._using = threading.Lock()

    def wake(self) -> None:
        """Bring the index up to date, after a backup was restored or another embedder was chosen, say; nobody waits for it."""
        self._catching_up.start()

    def close(self) -> None:
        """Finish, whoever searches it at the moment too, and let go of the index."""
        if self._catching_up.is_alive():
            self._catching_up.join()
        with self._using:
            self.is_closed = True
            self.recall.close()

    def has_any(self) -> bool:
        """Tell whether there is any document."""
        return bool(self._listed())

    def near(self, query: str, count: int, limit: float) -> list[Hit]:
        """Return the nearest passages within a distance, with where they are from and of which day; none once it is closed."""
        listed = self._listed()
        if not listed:
            return []
        with self._using:
            found = self.recall.documents_near(query, count, limit) if not self.is_closed else []
        return [self._told(hit, listed[name]) for hit in found if (name := hit.path.rpartition("/")[2]) in listed]

    def _told(self, hit: Hit, document: Provenance) -> Hit:
        moment = (document.published or document.fetched).astimezone()
        day = datetime(moment.year, moment.month, moment.day)  # local, as all hits
        path = f"domains/{self.store.name}/{hit.path}"
        return replace(hit, path=path, time=day, origin=document.origin or document.address)

    def _listed(self) -> Mapping[str, Provenance]:
        """Return where each document is from, by its file; read anew when that has changed."""
        stamp = self.store.stamp()
        if stamp != self._known[0]:
            self._known = stamp, {one.file: one for one in self.store.documents()}
        return self._known[1]


@dataclass
class _Following:
    """The knowledge of whichever domain a persona is of now."""

    shelf: Domains
    domain: Callable[[], str]

    def has_any(self) -> bool:
        """Tell whether its domain has any document."""
        found = self.shelf.of(self.domain())
        return found is not None and found.has_any()

    def near(self, query: str, count: int, limit: float) -> list[Hit]:
        """Search its domain, and no other."""
        while (found := self.shelf.of(self.domain())) is not None:
            hits = found.near(query, count, limit)
            if hits or not found.is_closed:  # else the settings changed just now, and it is opened anew
                return hits
        return []


class Domains:
    """The domains of a home, each opened once. Safe to use from several threads."""

    def __init__(
        self,
        home: Home,
        clock: Clock,
        settings: Callable[[], RecallSettings],
        *,
        secrets: Secrets | None = None,
        meter: Meter | None = None,
        only_look: bool = False,
    ) -> None:
        """Remember where they are; nothing is opened before it is asked for.

        Args:
            home: whose.
            clock: the time.
            settings: how everybody's memories are searched; a persona's own settings do not reach what is shared.
            secrets: where the key of a remote embedder is.
            meter: counts a remote embedder's calls, as `kb:<domain>`.
            only_look: nothing is indexed.
        """
        self._home, self._clock, self._settings = home, clock, settings
        self._held = settings()
        self._secrets, self._meter, self._only_look = secrets, meter, only_look
        self._open: dict[str, DomainKnowledge] = {}
        self._guard = threading.Lock()

    def followed(self, domain: Callable[[], str]) -> SharedDocuments:
        """Return the knowledge of the domain that somebody names at each search."""
        return _Following(self, domain)

    def of(self, name: str) -> DomainKnowledge | None:
        """Return a domain; None where there is none of that name."""
        try:
            store = DomainStore(self._home, domain_name(name), self._clock)
        except UtataneError:
            return None
        with self._guard:
            if not store.exists:
                return None
            if store.name not in self._open:
                found = self._open[store.name] = DomainKnowledge(store, self._recall(store))
                if not self._only_look:
                    found.wake()
            return self._open[store.name]

    def follow(self) -> None:
        """Let domains go by the settings as they are now: opened anew, another embedder makes their vectors anew."""
        now = self._settings()
        if now != self._held:
            self._held = now
            self.close()

    def let_go(self, name: str) -> None:
        """Close a domain that is to be removed."""
        with self._guard:
            found = self._open.pop(name, None)
        if found is not None:
            found.close()

    def close(self) -> None:
        """Close all."""
        for name in list(self._open):
            self.let_go(name)

    def _recall(self, store: DomainStore) -> Recall:
        log = ConversationLog(store.paths, self._clock, Random(), keeps_indexes=False)  # noqa: S311  # nobody writes there
        account = self._meter.account(f"{PREFIX}{store.name}", "embedding") if self._meter else None
        return Recall(
            store.paths,
            log,
            self._held,
            self._clock,
            secrets=self._secrets,
            account=account,
            only_look=self._only_look,
        )
