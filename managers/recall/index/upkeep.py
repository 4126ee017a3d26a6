"""Keeping a persona's indexes: catching up, rebuilding, mending."""

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from managers.memory.audience import AudienceReader
from managers.memory.log import ConversationLog
from managers.recall.embedders import Embedder
from managers.recall.embedders.embedder_choice import DRIFT, EmbedderChoice, words_of
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.index.indexing import Indexer
from managers.recall.index.memory_index import MemoryIndex
from managers.recall.index.sources import IndexName
from managers.recall.index.vector_making import WAIT_SECONDS, VectorMaking
from managers.recall.status import BROKEN, MENDED, NOT_FOLLOWED, Progress
from managers.storage.clock import Clock
from managers.storage.derived import derived
from managers.storage.errors import BusyError, DerivedDamagedError, Notice, UtataneError, as_notice
from managers.storage.files import make_folder, remove_tree
from managers.storage.locks import holding
from managers.storage.opening import is_folder, reserve, unlink
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

SMALL_BYTES = 64 * 1024
"""What a turn may index before it searches: an edited note, the last messages."""

LONG_BYTES = 512 * 1024
"""Reading more than this takes seconds, so a person is told."""

FIRST_SECONDS = 2.0
"""So long the first search waits, once, for the round that began when the persona woke: better late than empty."""

TIDY_AFTER_SECONDS = 5.0
"""So long after something was forgotten the derived files are rid of it too: what is forgotten next comes along."""

MEND_AFTER_SECONDS = 3.0
"""So long after a search has stumbled over damage the indexes are made anew, unless a round has done so before."""
_MOST_MENDED = 2
"""More often than this in one process is no damage of files."""

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
        log: ConversationLog,
        clock: Clock,
        wait: Callable[[float], object] | None = None,
        *,
        only_look: bool = False,
    ) -> None:
        """Take the persona and its indexes; `choice` is set by whoever chose it.

        `wait` waits between batches and returns true when there is no point in going on. With `only_look` nothing is
        indexed, and it is said where there is something to be indexed.
        """
        self._only_look = only_look
        self.choice: EmbedderChoice
        self._progress: Progress | None = None
        self.notices: dict[str, tuple[Notice, ...]] = {}
        self._paths = paths
        self._indexes = indexes
        self._settings = settings
        self._log = log
        self._clock = clock
        self._indexer = Indexer(paths, indexes, settings, log)
        self._thread_lock = threading.RLock()
        self._stopping = threading.Event()
        self._looked_for_dead = self._looked_for_words = self._left_behind = False
        self._is_settled = self._is_awaited = False
        self._tidying: threading.Thread | None = None
        self._mending: threading.Thread | None = None
        self._mended = 0
        self.news: list[Notice] = []
        self.vectors = VectorMaking(
            indexes,
            lambda: self.choice.embedder,
            lambda: self.choice.sentences,
            settings,
            clock,
            self._alone,
            self._stopping,
            None if only_look else wait or self._stopping.wait,
            self.notices,
            AudienceReader(paths, log),
        )

    # Rounds

    def catch_up(self, *, again: bool = True) -> None:
        """Index what is new or changed; waits for another one at it. Indexes that are damaged are made anew.

        Args:
            again: look at each file now; otherwise what was noticed by itself will do.

        Raises:
            BusyError: somebody else has been indexing for a minute.
            DiskFullError, UnwritableError: nothing can be indexed now; what is there is searched.
        """
        if again:
            self._indexer.files.look_again()
        if self._only_look:
            with derived(self._paths.rag_index):
                self.notices["read-only"] = (NOT_FOLLOWED,) if self._indexer.changed() else ()
            return
        with self._alone(WAIT_SECONDS):
            self._anew_if_damaged(self._round)
        with derived(self._paths.rag_index):
            self.vectors.make_in_background()
        self._tidy_soon()

    def _round(self) -> None:
        self._clear_away()
        self._mend()
        if self.choice.uses_own and (self._is_unbegun() or self._indexer.is_outgrown()):
            self._build()
        elif self._is_cut_otherwise() or self._lacks_words():
            self._rebuild(None)
        else:
            self._run()
        self._is_settled, self._is_awaited = True, False
        if self._has_drifted(at_most=_QUICK_REBUILD):
            self._rebuild(None)
        if not self._looked_for_dead:  # whoever never leaves the app running over night
            self._looked_for_dead = True
            if any(index.store.is_untidy() for index in self._indexes.values()):
                self._tidy()

    # Damage

    def _anew_if_damaged(self, work: Callable[[], None]) -> None:
        """Do something to the indexes; if they are damaged, or were found to be, they are made anew first."""
        if not self._mark.exists():
            try:
                with derived(self._paths.rag_index):
                    work()
            except DerivedDamagedError:
                _logger.warning("the indexes of %s are damaged and are made anew", self._paths.name, exc_info=True)
                self.notices["broken"] = (BROKEN,)
            else:
                self.notices.pop("broken", None)
                return
        for index in self._indexes.values():
            index.discard()
        self._round()
        unlink(self._mark)
        self._mended += 1
        self.notices.pop("broken", None)
        self.news.append(MENDED)

    def suspect(self) -> None:
        """Let the next round, by whichever process, make the indexes anew: a search has stumbled over damage."""
        self.notices["broken"] = (BROKEN,)
        if self._only_look:
            return
        if self._mended >= _MOST_MENDED:
            return  # it is no damage, then: what was raised stands in the program's log
        try:
            with derived(self._mark):
                make_folder(self._mark.parent)
                reserve(self._mark)
        except UtataneError as error:
            _logger.warning("that the indexes are damaged is not noted: %s", error)
        if not (self._mending and self._mending.is_alive()):
            self._mending = threading.Thread(target=self._mend_later, name="recall-mending", daemon=True)
            self._mending.start()

    def _mend_later(self) -> None:
        """Make damaged indexes anew while nobody waits: whoever searched goes first."""
        if self._stopping.wait(MEND_AFTER_SECONDS) or not os.path.lexists(self._mark):
            return
        try:
            self.catch_up()
        except UtataneError as error:
            self.notices["mending"] = (as_notice("index-not-mended", error),)

    @property
    def _mark(self) -> Path:
        return self._paths.rag_index / ".damaged"

    def take_news(self) -> list[Notice]:
        """Return what has happened to the indexes since the last time that a person should know."""
        taken, self.news = self.news, []
        return taken

    def freshen(self, shown: Collection[str] = ()) -> None:
        """Take in small changes before a search, if nobody else is at it and nothing is amiss.

        Args:
            shown: messages that the search leaves out; for them alone nothing is indexed while somebody waits.
        """
        if self._only_look or not self._indexer.changed(shown):
            return
        patience, self._is_settled = 0.0 if self._is_settled else FIRST_SECONDS, True
        with contextlib.suppress(BusyError), self._alone(patience):
            if self._is_unbegun():  # a person was quicker than the first round
                self._mend()
            if self._held() and all(index.fits(self.choice.name) == "" for index in self._indexes.values()):
                self._run(SMALL_BYTES)
        self._is_awaited = self._is_unbegun()

    def refresh_weights(self, times: float = DRIFT) -> bool:
        """Make corpus weights and indexes anew if there are so many times as many memories as they were made from."""
        with self._alone(WAIT_SECONDS):
            if drifted := self._has_drifted(times=times):
                self._rebuild(None)
            return drifted

    def tidy(self) -> None:
        with self._alone(WAIT_SECONDS):
            self._tidy()

    def _tidy_soon(self) -> None:
        """Tidy in the background after something was taken out; what fails is done at night."""
        if not self._left_behind or (self._tidying and self._tidying.is_alive()):
            return
        self._tidying = threading.Thread(target=self._tidy_later, name="recall-tidying", daemon=True)
        self._tidying.start()

    def _tidy_later(self) -> None:
        if self._stopping.wait(TIDY_AFTER_SECONDS) or not is_folder(self._paths.rag_index):
            return
        try:
            self.tidy()
        except UtataneError:
            _logger.exception("what was forgotten by %s is still in derived files", self._paths.name)

    def _tidy(self) -> None:
        self._left_behind = True
        for index in self._indexes.values():
            index.tidy()
        self._clear_away()
        self.choice.tidy_cache(text for index in self._indexes.values() for text in index.texts())
        self._left_behind = False

    def _clear_away(self) -> None:
        """Remove what a rebuild that was killed has left; whoever calls it is alone at the indexes."""
        for index in self._indexes.values():
            remove_tree(_beside(index))

    @property
    def progress(self) -> Progress | None:
        """How far the files are read that are being indexed, or the vectors made; None while neither is under way."""
        return self._progress or self.vectors.progress

    @property
    def is_making(self) -> bool:
        """Whether an index is being made that takes a while, here or in another process, or a search found none yet."""
        is_long = self._progress is not None and self._progress.total > LONG_BYTES
        return self._is_awaited or is_long or any(os.path.lexists(_beside(index)) for index in self._indexes.values())

    def rebuild(self, progress: Callable[[int, int], None] | None) -> None:
        with self._alone(WAIT_SECONDS):
            self._anew_if_damaged(partial(self._rebuild, progress))
        with derived(self._paths.rag_index):
            self.vectors.make_in_background()

    def _build(self) -> None:
        """Begin in place: nothing is there to be searched meanwhile, and a checkpoint is a checkpoint."""
        own = self.choice.weigh(self._indexer.texts())
        self.choice.replace_own(own)
        for index in self._indexes.values():
            index.reset(self.choice.name, self._kept(own))
        self._run()

    def _rebuild(self, progress: Callable[[int, int], None] | None) -> None:
        """Build beside what is there, which is searched (with its own weights) until the new one takes its place."""
        own = self.choice.weigh(self._indexer.texts())
        fresh = {name: MemoryIndex(_beside(index)) for name, index in self._indexes.items()}
        for index in fresh.values():
            index.reset(self.choice.name_with(own), self._kept(own))
        indexer = Indexer(self._paths, fresh, self._settings, self._log, self._indexer.unread)
        self._run(progress=progress, indexer=indexer, embedder=own or self.choice.embedder)
        for name, index in self._indexes.items():
            index.take_over(fresh[name])
        self.choice.replace_own(own)
        for index in self._indexes.values():
            index.save_snapshot()

    def _run(
        self,
        at_most: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        indexer: Indexer | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        def told(done: int, total: int) -> None:
            self._progress = Progress(done, total)
            if progress:
                progress(done, total)

        embedder = embedder or self.choice.embedder
        at_once = embedder if embedder and not embedder.is_slow else None
        try:
            outcome = (indexer or self._indexer).run(at_once, words_of(embedder), told, at_most)
        finally:
            self._progress = None
        if outcome.files and indexer is None:  # what takes another's place writes it then
            for index in self._indexes.values():
                index.save_snapshot()
        self._left_behind |= outcome.removed > 0
        if at_most is None or outcome.files:
            self.notices["files"] = tuple(outcome.notices)

    @contextlib.contextmanager
    def _alone(self, wait: float) -> Iterator[None]:
        """Be the only one who writes to the indexes; damage that is met there is mended by the next round.

        Raises:
            BusyError, DiskFullError, UnwritableError, DerivedDamagedError
        """
        if not self._thread_lock.acquire(timeout=wait):
            raise BusyError(name=self._paths.name)
        try:
            lock = holding(self._paths.rag_index / ".lock", self._paths.name, wait, within=self._paths.folder)
            with lock, derived(self._paths.rag_index):
                yield
        except DerivedDamagedError:
            _logger.warning("the indexes of %s are damaged", self._paths.name, exc_info=True)
            self.suspect()
            raise
        finally:
            self._thread_lock.release()

    # What is amiss

    def _is_cut_otherwise(self) -> bool:
        """Whether passages were cut to another length than the settings want now."""
        held = (index.store.meta(_CUT) or _FIRST_CUT for index in self._indexes.values() if index.store.count())
        return any(cut != self._indexer.cut for cut in held)

    def _lacks_words(self) -> bool:
        """Whether a table of Japanese words has come since the indexes were made; looked at once."""
        looked, self._looked_for_words = self._looked_for_words, True
        return not looked and self.choice.lacks_words(
            text for index in self._indexes.values() for text in index.texts()
        )

    def _kept(self, own: NgramEmbedder | None) -> dict[str, str | bytes]:
        return {**self.choice.kept(own), _CUT: self._indexer.cut}

    def _mend(self) -> None:
        """Put right what does not fit: another format is begun anew, another embedder's vectors are dropped."""
        self.choice.follow(self._held())
        for name, index in self._indexes.items():
            reason = index.fits(self.choice.name)
            if reason == "embedder" and self.choice.words is None and not index.has_places():
                index.drop_vectors(self.choice.name, self.choice.kept(self.choice.own))
                index.embed_at_once(self.choice.own)
            elif reason:
                _logger.info("index %s is made anew: %s", name, reason)
                index.reset(self.choice.name, self._kept(self.choice.own))
            index.claim(self.choice.name)
            if index.store.meta(_CUT) != self._indexer.cut and not index.store.count():
                with index.store.transaction():
                    index.store.set_meta(_CUT, self._indexer.cut)

    def _held(self) -> str:
        return self._indexes["static"].store.meta("embedder")

    def load_own(self) -> NgramEmbedder:
        """Return the built-in embedder with the weights that were kept with the index."""
        return self.choice.read_own(self._indexes["static"].store)

    def _is_unbegun(self) -> bool:
        return not any(index.store.files() for index in self._indexes.values())

    def _has_drifted(self, at_most: int | None = None, times: float = DRIFT) -> bool:
        held = sum(index.store.count() for index in self._indexes.values())
        return self.choice.has_outgrown(held, times) and (at_most is None or held <= at_most)

    def stop(self) -> None:
        """Let the background work end after the batch under way."""
        self._stopping.set()
        for thread in (self.vectors.worker, self._tidying, self._mending):
            if thread is not None and thread is not threading.current_thread():
                thread.join(timeout=5)


def _beside(index: MemoryIndex) -> Path:
    """Return where the index is built that is to take another's place."""
    return index.folder.with_name(f".{index.folder.name}")
