"""One domain brought up to date: each source read, normalised, deduplicated, stored; then embedded, all in one go.

A source is taken in whole or not at all, and what its server said of the version is noted last: killed anywhere, the next
round finds the source as it was before or as it is. A source that fails keeps what it gave before, and stops no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt

from managers.domains.domain_store import MOST_DOCUMENTS, DomainStore, Plan, Provenance, Source, file_name
from managers.domains.errors import FetchStoppedError, SourceFullError, SourceNotAgreedError
from managers.domains.source_reading import Asking, Item, Reading, read_source
from managers.hygiene.similarity import vectors
from managers.storage.audit import Given, Recipient, record
from managers.storage.clock import AHEAD
from managers.storage.edges import said
from managers.storage.errors import Lang, UtataneError
from managers.storage.files import digest
from managers.storage.locks import holding

_COMPARED: Final = 1000
"""Documents of the web, the newest, that a new one may nearly be the same as."""
_AHEAD: Final = timedelta(days=1)
"""What claims to be of a later day than this has no date."""
Told = Callable[[int, int, str], None]
"""Is told of progress: sources done, sources in all, and the one that is being read."""
NEAR: Final = 0.86
"""From this cosine on two texts count as one. Measured (`make bench ARGS=domains`, and by hand): copies with a word or two
changed have 0.87 and more (one with a third cut off 0.83), different texts of the same few words 0.85 at most, two reports on
one event in words of their own 0.71."""
_LETTERS: Final = 1500
"""Of a text that are compared."""
SHORT: Final = 40
"""Shorter texts are duplicates only where they are the same: of headlines one word may tell all."""


@dataclass
class Counts:
    """What became of the documents of a source, or of all."""

    new: int = 0
    changed: int = 0
    same: int = 0
    duplicates: int = 0
    gone: int = 0

    def add(self, other: Counts) -> None:
        """Add what became of others."""
        for name in ("new", "changed", "same", "duplicates", "gone"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Outcome:
    """How a round went: per source what came, or why nothing did."""

    counts: Counts = field(default_factory=Counts)
    failed: dict[str, UtataneError] = field(default_factory=dict)
    unread: dict[str, UtataneError] = field(default_factory=dict)
    is_stopped: bool = False


def bring_up_to_date(
    store: DomainStore,
    sources: Sequence[Source],
    is_stopped: Callable[[], bool] = lambda: False,
    told: Told = lambda _done, _all, _name: None,
) -> Outcome:
    """Read some sources of a domain; whoever indexes comes after.

    Raises:
        BusyError: another process is at it.
        DiskFullError, UnwritableError: what was taken in stays, nothing else has changed.
    """
    outcome = Outcome()
    with holding(store.paths.folder / ".fetching.lock", store.name, 0.0):
        for done, source in enumerate(sources):
            if is_stopped():
                break
            told(done, len(sources), source.address)
            if _is_named(store, source):
                _take(store, source, is_stopped, outcome)
        outcome.counts.gone += expire(store)
    outcome.is_stopped = is_stopped()
    told(len(sources), len(sources), "")
    return outcome


def _is_named(store: DomainStore, source: Source) -> bool:
    """Tell whether somebody still wants a source: it may be removed, or its domain, while others are read."""
    return store.exists and any(one.id == source.id for one in store.plan().sources)


def _take(store: DomainStore, source: Source, is_stopped: Callable[[], bool], outcome: Outcome) -> None:
    """Read one source, and note how that went."""
    plan, now = store.plan(), store.clock.utc()
    known = store.documents()
    failed: dict[Lang, str] = {}
    reading: Reading | None = None
    try:
        if not any(one.source == source.id for one in known):
            source = source.model_copy(update={"etag": "", "modified": ""})  # an empty hand asks for all of it
        asking = Asking(store.home, store.name, is_stopped, lambda host: _note_leaving(store, host))
        reading = _read(source, plan, asking)
        if not _is_named(store, source):
            return
        outcome.counts.add(_store(store, source, reading, known))
        outcome.unread |= dict(reading.unread) if reading else {}
    except FetchStoppedError:
        return  # as if not begun
    except UtataneError as error:
        outcome.failed[source.address], failed = error, error.sentences
    except Exception as error:  # noqa: BLE001  # one source's trouble is none of the others'
        failure = said(error, f"reading a source of {store.name}")
        outcome.failed[source.address], failed = failure, failure.sentences

    def note(plan: Plan) -> None:
        for one in plan.sources:
            if one.id == source.id:
                one.tried, one.failed = now, failed
                if not failed:
                    one.checked = now
                if reading is not None and not failed:
                    one.etag, one.modified = reading.etag, reading.modified

    if store.exists:
        store.change(note)


def _read(source: Source, plan: Plan, asking: Asking) -> Reading | None:
    if not source.agreed:
        raise SourceNotAgreedError(name=source.address)
    return read_source(source, plan, asking)


def _note_leaving(store: DomainStore, host: str) -> None:
    """Note, before a server is asked, that something leaves this computer: which address is wanted."""
    record(
        store.paths,
        store.clock.now(),
        "fetch",
        Given({"requests": 1}),
        to=Recipient(service="web", host=host),
        purpose="knowledge",
    )


def _store(store: DomainStore, source: Source, reading: Reading | None, known: Sequence[Provenance]) -> Counts:
    """Let the documents of a source be what it shows now.

    Raises:
        SourceFullError, and what `DomainStore.put` raises.
    """
    now, counts = store.clock.utc(), Counts()
    if reading is None:  # as it was: what it showed when it was read last is still shown, and nothing of before
        last = max((one.seen for one in known if one.source == source.id), default=now)
        shown_last = [one.file for one in known if one.source == source.id and one.seen == last]
        store.put([one.model_copy(update={"seen": now}) if one.file in shown_last else one for one in known], {})
        counts.same = len(shown_last)
        return counts
    others = [one for one in known if one.source != source.id]
    own = {one.key: one for one in known if one.source == source.id}
    taking = _Taking(store, source, known, counts, now)
    shown = {
        item.key: item for item in reversed(reading.items)
    }  # an entry that stands twice: the newer one, which is first
    made = [one for item in reversed(shown.values()) if (one := taking.take(item, own.get(item.key)))]
    left = [] if reading.is_all else [one for key, one in own.items() if key not in shown]
    counts.gone = len(own) - len(left) - sum(key in shown for key in own)
    if len(others) + len(left) + len(made) > MOST_DOCUMENTS:
        raise SourceFullError(name=source.address, most=MOST_DOCUMENTS)
    store.put([*others, *left, *made], taking.texts)
    return counts


class _Taking:
    """Takes the items of one source in, one by one."""

    def __init__(
        self, store: DomainStore, source: Source, known: Sequence[Provenance], counts: Counts, now: datetime
    ) -> None:
        self.texts: dict[str, str] = {}
        self._store, self._source, self._known, self._counts, self._now = store, source, known, counts, now
        self._digests = {one.digest for one in known if one.source != source.id}
        self._near: NearDuplicates | None = None

    def take(self, item: Item, before: Provenance | None) -> Provenance | None:
        """Return the document that an item is; None where it is one that is there already."""
        body = f"# {item.title}\n\n{item.text}" if item.title and item.title != item.text else item.text
        own = text_digest(body)
        if before is not None and before.digest == own:
            self._counts.same += 1
            self._digests.add(own)
            return before.model_copy(update={"seen": self._now})
        if own in self._digests or (before is None and self._source.kind == "web" and self._is_near(item.text)):
            self._counts.duplicates += 1
            return None
        self._digests.add(own)
        name = file_name(item.title, digest(f"{self._source.id}\n{item.key}\n{own}"))
        self.texts[name] = body + "\n"
        self._counts.new, self._counts.changed = (
            self._counts.new + (before is None),
            self._counts.changed + (before is not None),
        )
        return Provenance(
            file=name,
            source=self._source.id,
            key=item.key,
            title=item.title,
            address=item.address,
            origin=item.origin,
            published=item.published if item.published and item.published <= self._now + _AHEAD else None,
            fetched=self._now,
            seen=self._now,
            digest=own,
        )

    def _is_near(self, text: str) -> bool:
        if self._near is None:
            newest = sorted(self._known, key=lambda one: one.fetched, reverse=True)[:_COMPARED]
            self._near = NearDuplicates([_body(self._store.text(one)) for one in newest])
        return self._near.add(text)


def _body(text: str) -> str:
    """Return a stored document without its title: another headline makes no other report."""
    return text.partition("\n\n")[2] if text.startswith("# ") else text


def expire(store: DomainStore) -> int:
    """Take out what its source has not shown for too long, and what is left of sources that are gone."""
    plan, known = store.plan(), store.documents()
    sources = {source.id for source in plan.sources}
    kept = [one for one in known if one.source in sources and not _is_over(one, plan, store.clock.utc())]
    if len(kept) < len(known):
        store.put(kept, {})
    return len(known) - len(kept)


def _is_over(document: Provenance, plan: Plan, now: datetime) -> bool:
    seen = [one for one in (document.seen, document.fetched) if one <= now + AHEAD] or [now]
    return plan.kept_for is not None and now - max(seen) > plan.kept_for


def due_of(plan: Plan, now: datetime) -> list[Source]:
    """Return the sources that somebody agreed to and that are to be fetched now."""
    return [one for one in plan.sources if one.agreed and plan.due(one, now) <= now]


def text_digest(text: str) -> str:
    """Return what exact duplicates have in common: letters without blanks and case."""
    return digest("".join(text.casefold().split()))


class NearDuplicates:
    """The texts that are there, to be asked whether another one is nearly one of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._rows = _rows(texts) if texts else np.zeros((0, 1), np.float32)
        self._numbers = [*map(_numbers, texts)]

    def add(self, text: str) -> bool:
        """Add a text; tell whether one nearly like it was there already, in which case it is not added."""
        if len(text) < SHORT:
            return False
        row, numbers = _rows([text]), _numbers(text)
        if len(self._rows):
            near = np.flatnonzero(self._rows @ row[0] >= NEAR)
            if any(numbers <= self._numbers[at] or numbers >= self._numbers[at] for at in near):
                return True
        self._rows = np.concatenate([self._rows, row]) if len(self._rows) else row
        self._numbers.append(numbers)
        return False


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text: tomorrow's weather differs from today's in nothing else."""
    return frozenset(re.findall(r"\d+", text[:_LETTERS]))


def _rows(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.asarray(vectors([text[:_LETTERS] for text in texts]), np.float32)
