"""Making the vectors that are missing: by models that are slow, in the background, at a provider's pace.

A text that cannot be embedded holds up no other.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from uuid import uuid4

import numpy as np

from managers.memory.audience import NOTHING_KEPT, AudienceReader, Kept
from managers.recall.embedders import Embedder, Vectors
from managers.recall.embedders.sentence_encoder import NAME, SentenceEncoder
from managers.recall.errors import EmbeddingError
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName
from managers.recall.status import Progress
from managers.storage.clock import Clock
from managers.storage.derived import derived
from managers.storage.errors import Notice, UtataneError, as_notice
from managers.storage.settings import RecallSettings

WAIT_SECONDS = 60.0
"""So long somebody waits for another one who writes to the indexes."""
_LOCAL_BATCH = 64
_SENTENCES, _AT_ONCE, _FEWEST = 512, 8, 50
"""So many passages get their sentences' vectors together, so often they are looked up at once, and fewer get none."""
_TALK: tuple[IndexName, ...] = ("current", "static")
TRY_AGAIN_SECONDS = 24 * 3600.0
"""So long a text that failed by itself is left alone, unless it changes: another version or a server's whim may help."""

Batch = Sequence[tuple[int, str]]
"""Passages by number, with what is embedded of each."""


@dataclass
class VectorMaking:
    """Loads what makes vectors, and makes those that the indexes of one persona lack.

    Attributes:
        embedder: returns what makes vectors now, if anything does.
        sentences: returns what makes the vectors of whole sentences beside those, if anything does.
        to_go: of how many passages it has still to make them.
        alone: lets nobody else write to the indexes; is told how many seconds to wait for others.
        stopping: is set when there is no point in going on.
        pause: waits between batches, true when there is no point in going on; None where nothing may be written.
        notices: where failures are put.
        audiences: tells what no embedder elsewhere may be given; that is found by its words alone.
    """

    indexes: Mapping[IndexName, MemoryIndex]
    embedder: Callable[[], Embedder | None]
    sentences: Callable[[], SentenceEncoder | None]
    settings: RecallSettings
    clock: Clock
    alone: Callable[[float], AbstractContextManager[None]]
    stopping: threading.Event
    pause: Callable[[float], object] | None
    notices: dict[str, tuple[Notice, ...]]
    audiences: AudienceReader
    worker: threading.Thread | None = None
    progress: Progress | None = None
    to_go: int = 0

    def make_in_background(self) -> None:
        """Load what makes vectors, and make those that are missing, in a thread of its own."""
        embedder = self.embedder()
        if embedder is None or (self.worker and self.worker.is_alive()):
            return
        if embedder.is_ready and not (embedder.is_slow and self.waiting) and not self._lacks_sentences():
            return
        self.worker = threading.Thread(target=self._load_and_make, args=(embedder,), name="recall", daemon=True)
        self.worker.start()

    def _load_and_make(self, embedder: Embedder) -> None:
        try:
            embedder.load()
            if embedder.is_slow and self.pause is not None:
                with derived(self.indexes["static"].folder.parent):
                    self.make_waiting(embedder)
            if (sentences := self._encoder()) is not None:
                sentences.load()
                if self.pause is not None:
                    with derived(self.indexes["static"].folder.parent):
                        self.make_sentences(sentences)
        except UtataneError as error:
            self.notices["embedder"] = (as_notice("embedder-failed", error),)
        finally:
            self.progress = None

    def get_ready(self) -> None:
        """Load what makes vectors; what fails stands in the notices."""
        try:
            if (embedder := self.embedder()) is not None:
                embedder.load()
            if (sentences := self._encoder()) is not None:
                sentences.load()
        except EmbeddingError as error:
            self.notices["embedder"] = (as_notice("embedder-failed", error),)

    @property
    def is_loading(self) -> bool:
        embedder = self.embedder()
        is_busy = self.worker is not None and self.worker.is_alive()
        return is_busy and embedder is not None and embedder.is_slow and not embedder.is_ready

    def make_waiting(self, embedder: Embedder) -> None:
        """Make the vectors that are missing, batch by batch, at the provider's pace.

        Raises:
            EmbeddingError: nothing can be embedded at the moment; what is left stays unprocessed.
        """
        size = self.settings.api_batch if embedder.is_remote else _LOCAL_BATCH
        total, done = self.waiting, 0
        for index in self.indexes.values():
            while not self.stopping.is_set() and (batch := index.unembedded(size, self._now)):
                kept = self._kept_from(embedder)  # all of it may take hours, in which something is marked
                allowed = self._without_kept(index, batch, kept)
                for part, vectors in embedded(embedder, allowed) if allowed else ():
                    self._keep_vectors(index, part, vectors)
                    done += len(part)
                    self.progress = Progress(done, max(total, done))
                    if embedder.is_remote and self.pause and self.pause(self.settings.api_pause_seconds):
                        return
            index.save_snapshot()
        self.notices.pop("embedder", None)

    def _held_and_made(self) -> tuple[int, int]:
        """Return how many passages of talk there are, and how many have their sentences' vectors; none where it is damaged."""
        stores = [self.indexes[name].store for name in _TALK]
        try:
            with derived(stores[0].path.parents[1]):
                return sum(one.count() for one in stores), sum(one.vector_count("sentences") for one in stores)
        except UtataneError:  # the next round notices, and makes the index anew
            return 0, 0

    def _encoder(self) -> SentenceEncoder | None:
        """Return what makes the vectors of sentences; None also while there is too little to be told from the rest."""
        encoder = self.sentences()
        return encoder if encoder and self._held_and_made()[0] > _FEWEST else None

    def _lacks_sentences(self) -> bool:
        encoder, (held, made) = self._encoder(), self._held_and_made()
        return encoder is not None and (not encoder.is_ready or held > made)

    def make_sentences(self, encoder: SentenceEncoder) -> None:
        """Make the vectors of sentences that are missing; of documents none are made: their spelling tells more."""
        held, made = self._held_and_made()
        total = self.to_go = held - made
        for index in (self.indexes[name] for name in _TALK):
            with self.alone(WAIT_SECONDS):
                index.take_sentences_of(NAME)
            while waiting := index.without_sentence(_AT_ONCE * _SENTENCES):
                for at in range(0, len(waiting), _SENTENCES):
                    if self.stopping.is_set():
                        return
                    batch = waiting[at : at + _SENTENCES]
                    self._keep(index, batch, encoder.passages([text for _, text in batch]), index.writer.add_sentences)
                    self.to_go = max(0, self.to_go - len(batch))
                    self.progress = Progress(total - self.to_go, total) if total > _SENTENCES else None
            index.save_snapshot()

    def _kept_from(self, embedder: Embedder) -> Kept:
        if not embedder.is_remote:
            return NOTHING_KEPT
        try:
            return self.audiences.kept()
        except UtataneError as error:  # nobody can tell, so nothing is given
            raise EmbeddingError(cause=error.sentence("en"), stops=True) from error

    def _without_kept(self, index: MemoryIndex, batch: Batch, kept: Kept) -> Batch:
        """Return what may be given to an embedder elsewhere; the rest is put off."""
        if not kept:
            return batch
        there = index.passages([number for number, _ in batch])
        held = [one for one in batch if (p := there.get(one[0])) and kept.holds_passage(p.message_ids, p.path)]
        if held:
            self._keep_vectors(index, held, None)
        return [one for one in batch if one not in held]

    def _keep_vectors(self, index: MemoryIndex, batch: Batch, vectors: Vectors | None) -> None:
        """Store the vectors of passages that are there still; without vectors, try them again another day."""
        if vectors is not None:
            self._keep(index, batch, vectors, index.writer.add_vectors)
            return
        with self.alone(WAIT_SECONDS), index.store.transaction():
            for number in index.passages([number for number, _ in batch]):
                index.put_off(number, self._now + TRY_AGAIN_SECONDS)

    def _keep(
        self, index: MemoryIndex, batch: Batch, vectors: Vectors, add: Callable[[Iterable[int], Vectors], None]
    ) -> None:
        with self.alone(WAIT_SECONDS), index.store.transaction():
            there = index.passages([number for number, _ in batch])
            rows = [place for place, (number, _) in enumerate(batch) if number in there]
            index.store.raise_revision()
            add([batch[place][0] for place in rows], vectors[rows])

    @property
    def waiting(self) -> int:
        """How many passages wait for their vectors."""
        unmade = sum(index.unembedded_count() for index in self.indexes.values()) - self.put_off
        return unmade + (self.to_go if self.to_go > _SENTENCES else 0)  # a few are made before anybody looks

    @property
    def put_off(self) -> int:
        """How many passages could not be embedded, and are left alone for a while."""
        return sum(index.put_off_count(self._now) for index in self.indexes.values())

    @property
    def _now(self) -> float:
        return self.clock.utc().timestamp()


def embedded(embedder: Embedder, batch: Batch) -> Iterator[tuple[Batch, Vectors | None]]:
    """Yield a batch with its vectors; one that fails in parts, down to the texts that fail by themselves (None).

    Raises:
        EmbeddingError: nothing can be embedded at the moment; what was not yielded stays as it is.
    """
    try:
        vectors = _made(embedder, batch)
    except EmbeddingError as error:
        if error.facts.get("stops"):
            raise
    else:
        yield batch, vectors
        return
    # Is it a text's fault? Something harmless that no cache knows is embedded: as a question, so that no file keeps it.
    embedder.query(uuid4().hex)
    if len(batch) == 1:
        yield batch, None
        return
    half = len(batch) // 2
    for part in (batch[:half], batch[half:]):
        yield from embedded(embedder, part)


def _made(embedder: Embedder, batch: Batch) -> Vectors:
    vectors = embedder.passages([text for _, text in batch])
    if len(vectors) != len(batch):
        raise EmbeddingError(cause=f"{len(vectors)} vectors for {len(batch)} texts")
    if not np.isfinite(vectors).all():
        raise EmbeddingError(cause="a vector that is no number")
    return vectors
