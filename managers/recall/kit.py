"""What a persona's memories are searched with: the embedder and the word vectors of its settings, or what stands in."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from managers.recall import word_vectors
from managers.recall.embedders import Embedder, gemini, local_model
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.embedders.ngrams import BUCKETS, NgramEmbedder, count_frequencies
from managers.recall.embedders.word_means import HabitCounter, Habits, WordMeansEmbedder
from managers.recall.fusion import VECTOR_SHARE
from managers.recall.store import Store
from managers.recall.terms import is_japanese
from managers.recall.word_vectors import WordVectors
from managers.storage.errors import Notice
from managers.storage.settings import RecallSettings, Secrets
from managers.usage.meter import Account

MEANING_WORTH = 1.0
"""What a vector is worth beside words where it tells what Japanese words mean."""

_WEIGHTS = "ngram_frequencies"
_COUNTED = "ngram_passages"
_HABITS = "word_habits"
_FIRST_WEIGHTS = 50
"""Fewer passages tell nothing about what is rare."""
DRIFT = 4.0
"""Corpus weights are made anew when there are so many times as many passages as they were made from."""

GEMINI_KEY = "gemini"
"""The name under which `secrets.toml` keeps the key."""


class Kit:
    """The tools of one persona's recall.

    Attributes:
        notices: what is missing, and what stands in for it.
        words: Japanese words by meaning; None unless they were chosen and are there.
        own: the built-in embedder, whose weights come from the memories; None if another was chosen.
        chosen: the embedder that was chosen; None if it cannot be had, so that words alone are used.
    """

    def __init__(
        self,
        settings: RecallSettings,
        cache: Path,
        secrets: Secrets | None,
        load_own: Callable[[], NgramEmbedder],
        embedder: Embedder | None = None,
        account: Account | None = None,
    ) -> None:
        """Choose by the settings.

        Args:
            settings: which embedder, which model.
            cache: the file that keeps vectors of slow embedders.
            secrets: where keys are.
            load_own: returns the built-in embedder with the weights that are stored.
            embedder: one that is to be used whatever the settings say.
            account: what a remote embedder's calls are counted on.
        """
        self._account = account
        self.notices: list[Notice] = []
        self.words: WordVectors | None = None
        self._load_own = load_own
        self._cache = cache
        self._own: NgramEmbedder | None = None
        self._guard = threading.Lock()
        self.chosen: Embedder | None = embedder
        self.uses_own = False
        if embedder is None:
            self._choose(settings, cache, secrets)

    def _choose(self, settings: RecallSettings, cache: Path, secrets: Secrets | None) -> None:
        if settings.embedder == "sentence-transformers":
            if local_model.is_installed():
                self.chosen = CachedEmbedder(local_model.LocalModelEmbedder(settings.embedder_model), cache)
            else:
                self.notices.append(local_model.missing_notice())
        elif settings.embedder == "gemini":
            key = secrets.get(GEMINI_KEY) if secrets else ""
            if key:
                self.chosen = CachedEmbedder(
                    gemini.GeminiEmbedder(key, settings.embedder_model, account=self._account), cache
                )
            else:
                self.notices.append(gemini.missing_notice())
        else:
            self.uses_own = True
            if settings.embedder == "japanese-vectors":
                self._take_words()

    def _take_words(self) -> None:
        table = word_vectors.find_table()
        if table is None:
            self.notices.append(word_vectors.missing_notice())
        else:
            self.words = WordVectors(table)

    @property
    def embedder(self) -> Embedder | None:
        """Return what makes vectors now; None: words only."""
        if not self.uses_own:
            return self.chosen
        with self._guard:
            if self._own is None:
                self._own = self._load_own()
            return self._own

    @property
    def own(self) -> NgramEmbedder | None:
        """Return the built-in embedder if that is what is used."""
        found = self.embedder
        return found if isinstance(found, NgramEmbedder) else None

    def replace_own(self, embedder: NgramEmbedder | None) -> None:
        """Use the built-in embedder with other weights; None: load them anew."""
        with self._guard:
            self._own = embedder

    def tidy_cache(self, texts: Iterable[str]) -> None:
        """Keep the vectors of these passages in the cache and no others; without its embedder, none."""
        if isinstance(self.chosen, CachedEmbedder):
            self.chosen.keep_only(texts)
            return
        for suffix in ("-wal", "-shm", ""):
            self._cache.with_name(self._cache.name + suffix).unlink(missing_ok=True)

    def follow(self, held: str) -> None:
        """Load the built-in embedder's weights anew if the index was made with others (by another process)."""
        if self.uses_own and held not in ("", self.name):
            self.replace_own(None)

    def weigh(self, texts: Iterable[str]) -> NgramEmbedder | None:
        """Return the built-in embedder with weights from these passages; None if another is used."""
        if not self.uses_own:
            return None
        counter = HabitCounter(self.words) if self.words else None
        frequencies, counted = count_frequencies(counter.reading(texts) if counter else texts)
        if counted <= _FIRST_WEIGHTS:
            return self._made(None, 0, None)
        return self._made(frequencies, counted, counter.habits() if counter else None)

    def read_own(self, store: Store) -> NgramEmbedder:
        """Return the built-in embedder with the weights that were kept with an index."""
        try:
            data, count, habits = store.blob(_WEIGHTS), int(store.meta(_COUNTED) or 0), store.blob(_HABITS)
        except sqlite3.DatabaseError:
            return self._made(None, 0, None)
        if len(data) != 4 * BUCKETS:
            return self._made(None, 0, None)
        return self._made(
            np.frombuffer(data, np.uint32), count, Habits.load(habits, self.words) if self.words else None
        )

    def _made(self, frequencies: npt.NDArray[np.uint32] | None, counted: int, habits: Habits | None) -> NgramEmbedder:
        if self.words is None:
            return NgramEmbedder(frequencies, counted)
        return WordMeansEmbedder(self.words, frequencies, counted, habits)

    @staticmethod
    def kept(own: NgramEmbedder | None) -> dict[str, str | bytes]:
        """Return what is stored with an index so that `read_own` can make the built-in embedder again."""
        if own is None or own.frequencies is None:
            return {}
        found: dict[str, str | bytes] = {_WEIGHTS: own.frequencies.tobytes(), _COUNTED: str(own.counted)}
        if isinstance(own, WordMeansEmbedder) and own.habits is not None:
            found[_HABITS] = own.habits.dump()
        return found

    def has_outgrown(self, held: int, times: float = DRIFT) -> bool:
        """Whether there are so many times as many passages now as the weights were made from."""
        own = self.own
        return own is not None and held > max(_FIRST_WEIGHTS, times * own.counted)

    def vector_share(self, query: str) -> float:
        """Return what vectors are worth beside words, for a question."""
        return MEANING_WORTH if self.words is not None and is_japanese(query) else VECTOR_SHARE

    @property
    def name(self) -> str:
        """What an index must have been made with to fit: everything that changes what it holds."""
        return self.name_with(self.embedder)

    def name_with(self, embedder: Embedder | None) -> str:
        """Return the name that an index has that is made with this embedder."""
        embedder = embedder or self.embedder
        vectors = embedder.name if embedder else ""
        return f"{vectors}+ja-ginza-{word_vectors.table_version()}" if self.words else vectors
