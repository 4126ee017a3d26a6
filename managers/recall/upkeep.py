"""Keeping a persona's indexes: catching up, rebuilding, making vectors in the background, mending."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from filelock import FileLock, Timeout

from managers.recall.embedders import Embedder
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.index import MemoryIndex
from managers.recall.indexing import Indexer
from managers.recall.kit import DRIFT, Kit
from managers.recall.sources import IndexName
from managers.recall.status import Progress
from managers.storage.errors import BusyError, EmbeddingError, Notice, UtataneError
from managers.storage.files import explained, make_folder
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

WAIT_SECONDS = 60.0
SMALL_BYTES = 64 * 1024
"""What a turn may index before it searches: an edited note, the last messages."""

LONG_BYTES = 512 * 1024
"""Reading more than this takes seconds, so a person is told."""

FIRST_SECONDS = 2.0
"""So long the first search waits, once, for the round that began when the persona woke: better late than empty."""

TIDY_AFTER_SECONDS = 5.0
"""So long after something was forgotten the derived files are rid of it too: what is forgotten next comes along."""

_LOCAL_BATCH = 64
_CUT = "cut"
_FIRST_CUT = "300/50"
"""How an index that does not say so was cut."""
_QUICK_REBUILD = 5000
"""Up to so many passages weights are refreshed at once; above, the night does it."""

_logger = logging.getLogger(__name__)


class Upkeep:
    """Brings three indexes up to date with the files. One writer at a time, across threads and processes."""

    def __init__(
        self,
        paths: PersonaPaths,
        indexes: Mapping[IndexName, MemoryIndex],
        settings: RecallSettings,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """Take the persona and its indexes; `kit` is set by whoever chose it.

        Args:
            paths: the persona's folder.
            indexes: all three.
            settings: how passages are cut, and the pace of remote embedders.
            wait: how to wait between batches; returns true when there is no point in going on.
        """
        self.kit: Kit
        self.progress: Progress | None = None
        self.notices: dict[str, tuple[Notice, ...]] = {}
        self._paths = paths
        self._indexes = indexes
        self._settings = settings
        self._indexer = Indexer(paths, indexes, settings)
        self._thread_lock = threading.RLock()
        self._worker: threading.Thread | None = None
        self._stopping = threading.Event()
        self._looked_for_dead = False
        self._is_settled = False
        self._left_behind = False
        self._tidying: threading.Thread | None = None
        self._wait = wait or self._stopping.wait

    # Rounds

    def catch_up(self) -> None:
        """Index what is new or changed; waits for another one at it.

        Raises:
            BusyError: somebody else has been indexing for a minute.
        """
        with self._alone(WAIT_SECONDS):
            self._clear_away()
            self._mend()
            if self._is_new():
                self._build()
            elif self._is_cut_otherwise():
                self._rebuild(None)
            else:
                self._run()
            self.notices.pop("broken", None)
            self._is_settled = True
            if self._has_drifted(at_most=_QUICK_REBUILD):
                self._rebuild(None)
            if not self._looked_for_dead:  # whoever never leaves the app running over night
                self._looked_for_dead = True
                if any(index.store.is_untidy() for index in self._indexes.values()):
                    self._tidy()
        self.embed_in_background()
        self._tidy_soon()

    def freshen(self, shown: Collection[str] = ()) -> None:
        """Take in small changes before a search, if nobody else is at it and nothing is amiss.

        Args:
            shown: messages that the search leaves out; for them alone nothing is indexed while somebody waits.
        """
        if not self._indexer.changed(shown):
            return
        patience = 0.0 if self._is_settled else FIRST_SECONDS
        self._is_settled = True
        with contextlib.suppress(BusyError), self._alone(patience):
            if self._held() and all(self._fits(index) == "" for index in self._indexes.values()):
                self._run(SMALL_BYTES)

    def refresh_weights(self, times: float = DRIFT) -> bool:
        """Make corpus weights and indexes anew if there are so many times as many memories as they were made from."""
        with self._alone(WAIT_SECONDS):
            drifted = self._has_drifted(times=times)
            if drifted:
                self._rebuild(None)
            return drifted

    def tidy(self) -> None:
        """Leave nothing of what was forgotten in any derived file."""
        with self._alone(WAIT_SECONDS):
            self._tidy()

    def _tidy_soon(self) -> None:
        """Tidy in the background after something was taken out; what fails is done at night."""
        if not self._left_behind or (self._tidying and self._tidying.is_alive()):
            return
        self._tidying = threading.Thread(target=self._tidy_later, name="recall-tidying", daemon=True)
        self._tidying.start()

    def _tidy_later(self) -> None:
        if self._stopping.wait(TIDY_AFTER_SECONDS) or not self._paths.rag_index.is_dir():
            return
        try:
            self.tidy()
        except (UtataneError, sqlite3.Error, OSError):
            _logger.exception("what was forgotten by %s is still in derived files", self._paths.name)

    def _tidy(self) -> None:
        self._left_behind = False
        try:
            for index in self._indexes.values():
                index.tidy()
            self._clear_away()
            self.kit.tidy_cache(text for index in self._indexes.values() for text in index.texts())
        except OSError as error:
            self._left_behind = True
            raise explained(error, self._paths.rag_index) from error

    def _clear_away(self) -> None:
        """Remove what a rebuild that was killed has left; whoever calls it is alone at the indexes."""
        for index in self._indexes.values():
            if (left_over := _beside(index)).is_dir():
                shutil.rmtree(left_over)

    @property
    def is_making(self) -> bool:
        """Whether an index is being made that takes a while, here or in another process."""
        is_long = self.progress is not None and self.progress.total > LONG_BYTES
        return is_long or any(_beside(index).exists() for index in self._indexes.values())

    def rebuild(self, progress: Callable[[int, int], None] | None) -> None:
        """Make all indexes anew from the files."""
        with self._alone(WAIT_SECONDS):
            self._rebuild(progress)
        self.embed_in_background()

    def _build(self) -> None:
        """Begin in place: nothing is there to be searched meanwhile, and a checkpoint is a checkpoint."""
        own = self._weighed()
        self.kit.replace_own(own)
        for index in self._indexes.values():
            index.reset(self.kit.name, self._kept(own))
        self._run()

    def _rebuild(self, progress: Callable[[int, int], None] | None) -> None:
        """Build beside what is there, which is searched (with its own weights) until the new one takes its place."""
        own = self._weighed()
        fresh = {name: MemoryIndex(_beside(index)) for name, index in self._indexes.items()}
        for index in fresh.values():
            index.reset(self.kit.name_with(own), self._kept(own))
        indexer = Indexer(self._paths, fresh, self._settings)
        self._run(progress=progress, indexer=indexer, embedder=own or self.kit.embedder)
        for name, index in self._indexes.items():
            index.take_over(fresh[name])
        self.kit.replace_own(own)
        for index in self._indexes.values():
            index.save_snapshot()

    def _weighed(self) -> NgramEmbedder | None:
        """Return the built-in embedder with weights from the memories as they are; None if another is used."""
        return self.kit.weigh(self._indexer.texts())

    def _run(
        self,
        at_most: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        indexer: Indexer | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        def told(done: int, total: int) -> None:
            self.progress = Progress(done, total)
            if progress:
                progress(done, total)

        embedder = embedder or self.kit.embedder
        at_once = embedder if embedder and not embedder.is_slow else None
        try:
            outcome = (indexer or self._indexer).run(at_once, self.kit.words, told, at_most)
        finally:
            self.progress = None
        self._left_behind |= outcome.removed > 0
        if at_most is None or outcome.files:
            self.notices["files"] = tuple(outcome.notices)

    @contextlib.contextmanager
    def _alone(self, wait: float) -> Iterator[None]:
        if not self._thread_lock.acquire(timeout=wait):
            raise BusyError(name=self._paths.name)
        try:
            make_folder(self._paths.rag_index)
            lock = FileLock(self._paths.rag_index / ".lock", is_singleton=True)
            try:
                lock.acquire(timeout=wait)
            except Timeout as error:
                raise BusyError(name=self._paths.name) from error
            try:
                yield
            finally:
                lock.release()
        finally:
            self._thread_lock.release()

    # What is amiss

    def _is_cut_otherwise(self) -> bool:
        """Whether passages were cut to another length than the settings want now."""
        held = (index.store.meta(_CUT) or _FIRST_CUT for index in self._indexes.values() if index.store.count())
        return any(cut != self._indexer.cut for cut in held)

    def _kept(self, own: NgramEmbedder | None) -> dict[str, str | bytes]:
        return {**self.kit.kept(own), _CUT: self._indexer.cut}

    def _fits(self, index: MemoryIndex) -> str:
        try:
            return index.fits(self.kit.name)
        except sqlite3.DatabaseError:
            return "broken"

    def _mend(self) -> None:
        """Put right what does not fit: broken files are begun anew, another embedder's vectors are dropped."""
        self.kit.follow(self._held())
        for name, index in self._indexes.items():
            reason = self._fits(index)
            if reason == "embedder" and self.kit.words is None and not index.has_places():
                index.drop_vectors(self.kit.name, self.kit.kept(self.kit.own))
                self._embed_own(index)
            elif reason:
                _logger.info("index %s is made anew: %s", name, reason)
                index.reset(self.kit.name, self._kept(self.kit.own))
            index.claim(self.kit.name)
            if index.store.meta(_CUT) != self._indexer.cut and not index.store.count():
                with index.store.transaction():
                    index.store.set_meta(_CUT, self._indexer.cut)

    def _held(self) -> str:
        try:
            return self._indexes["static"].store.meta("embedder")
        except sqlite3.DatabaseError:
            return ""

    def _embed_own(self, index: MemoryIndex) -> None:
        """Make the built-in embedder's vectors at once: they cost less than waiting."""
        own = self.kit.own
        while own is not None and (batch := index.unembedded(2000)):
            with index.store.transaction():
                index.store.raise_revision()
                index.writer.add_vectors([number for number, _ in batch], own.passages([text for _, text in batch]))

    def load_own(self) -> NgramEmbedder:
        """Return the built-in embedder with the weights that were kept with the index."""
        return self.kit.read_own(self._indexes["static"].store)

    def _is_new(self) -> bool:
        return self.kit.uses_own and not any(index.store.count() for index in self._indexes.values())

    def _has_drifted(self, at_most: int | None = None, times: float = DRIFT) -> bool:
        held = sum(index.store.count() for index in self._indexes.values())
        return self.kit.has_outgrown(held, times) and (at_most is None or held <= at_most)

    # Vectors of slow embedders

    def embed_in_background(self) -> None:
        """Make the vectors that are missing, in a thread of its own."""
        embedder = self.kit.embedder
        if embedder is None or not embedder.is_slow or (self._worker and self._worker.is_alive()):
            return
        if not any(index.unembedded_count() for index in self._indexes.values()):
            return
        self._worker = threading.Thread(target=self._embed_waiting, args=(embedder,), name="recall", daemon=True)
        self._worker.start()

    def _embed_waiting(self, embedder: Embedder) -> None:
        try:
            self.embed_waiting(embedder)
        except UtataneError as error:
            self.notices["embedder"] = (Notice("embedder-failed", error.sentence("ja"), error.sentence("en")),)
        except sqlite3.Error:
            _logger.exception("vectors could not be stored")
        finally:
            self.progress = None

    def embed_waiting(self, embedder: Embedder) -> None:
        """Make the vectors that are missing, batch by batch, at the provider's pace.

        Raises:
            EmbeddingError: a batch failed after its tries; it stays unprocessed, as do all after it.
        """
        size = self._settings.api_batch if embedder.is_remote else _LOCAL_BATCH
        total = sum(index.unembedded_count() for index in self._indexes.values())
        done = 0
        for index in self._indexes.values():
            while not self._stopping.is_set() and (batch := index.unembedded(size)):
                vectors = embedder.passages([text for _, text in batch])
                if len(vectors) != len(batch):
                    raise EmbeddingError(cause=f"{len(vectors)} vectors for {len(batch)} texts")
                with self._alone(WAIT_SECONDS), index.store.transaction():
                    there = index.passages([number for number, _ in batch])
                    rows = [place for place, (number, _) in enumerate(batch) if number in there]
                    index.store.raise_revision()
                    index.writer.add_vectors([batch[place][0] for place in rows], vectors[rows])
                done += len(batch)
                self.progress = Progress(done, max(total, done))
                if embedder.is_remote and self._wait(self._settings.api_pause_seconds):
                    return
            index.save_snapshot()
        self.notices.pop("embedder", None)

    def stop(self) -> None:
        """Let the background work end after the batch under way."""
        self._stopping.set()
        for thread in (self._worker, self._tidying):
            if thread is not None and thread is not threading.current_thread():
                thread.join(timeout=5)


def _beside(index: MemoryIndex) -> Path:
    """Return where the index is built that is to take another's place."""
    return index.folder.with_name(f".{index.folder.name}")
