"""What a persona's memories are searched with: the embedder and the word vectors of its settings, or what stands in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from managers.recall import word_vectors
from managers.recall.embedders import Embedder, gemini, local_model
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.word_vectors import WordVectors
from managers.storage.errors import Notice
from managers.storage.settings import RecallSettings, Secrets
from managers.usage.meter import Account

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

    @property
    def name(self) -> str:
        """What an index must have been made with to fit: everything that changes what it holds."""
        return self.name_with(self.embedder)

    def name_with(self, embedder: Embedder | None) -> str:
        """Return the name that an index has that is made with this embedder."""
        embedder = embedder or self.embedder
        vectors = embedder.name if embedder else ""
        return f"{vectors}+ja-ginza-{word_vectors.table_version()}" if self.words else vectors
