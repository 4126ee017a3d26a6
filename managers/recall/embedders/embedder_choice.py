"""What a persona's memories are searched with: the embedder and the word vectors of its settings, or what stands in."""

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from managers.addresses import key_name
from managers.known_servers import KnownServers
from managers.recall.embedders import VECTOR_SHARE, Embedder, folder_model, gemini, local_model, sentence_encoder
from managers.recall.embedders.cached import CachedEmbedder
from managers.recall.embedders.local import shared
from managers.recall.embedders.ngrams import BUCKETS, NgramEmbedder, count_frequencies
from managers.recall.embedders.offered import DEFAULT, Folder
from managers.recall.embedders.openai_embeddings import ServerEmbedder
from managers.recall.embedders.sentence_encoder import SentenceEncoder
from managers.recall.embedders.word_means import HabitCounter, Habits, WordMeansEmbedder
from managers.recall.index import word_vectors
from managers.recall.index.connection import remove_database
from managers.recall.index.store import Store
from managers.recall.index.terms import is_japanese
from managers.recall.index.word_vectors import WordVectors
from managers.storage.derived import derived
from managers.storage.errors import Notice, UtataneError
from managers.storage.settings import GEMINI, GEMINI_VARIABLES, RecallSettings, Secrets
from managers.storage.texts import Texts
from managers.usage.meter import Account

_say = Texts("notices/recall")

MEANING_WORTH = 1.0
"""What a vector is worth beside words where it tells what Japanese words mean."""

SENTENCE_WORTH = 0.5
"""The same, where it tells what English sentences mean."""

_WEIGHTS = "ngram_frequencies"
_COUNTED = "ngram_passages"
_HABITS = "word_habits"
_FIRST_WEIGHTS = 50
"""Fewer passages tell nothing about what is rare."""
_WITH_WORDS = "+ja-ginza-"
JAPANESE_SHARE = 0.2
"""Where so much of what is remembered is Japanese, its words are found by meaning too."""
DRIFT = 4.0
"""Corpus weights are made anew when there are so many times as many passages as they were made from."""


class EmbedderChoice:
    """What the memories of one persona are searched with.

    Attributes:
        notices: what is missing, and what stands in for it.
        own: the built-in embedder, whose weights come from the memories; None if another was chosen.
        chosen: the embedder that was chosen; None if it cannot be had, so that words alone are used.
        sentences: what compares whole sentences beside the built-in embedder, where it is installed.
    """

    def __init__(
        self,
        settings: RecallSettings,
        cache: Path,
        secrets: Secrets | None,
        load_own: Callable[[], NgramEmbedder],
        embedder: Embedder | None = None,
        account: Account | None = None,
        models: Path | None = None,
        servers: KnownServers | None = None,
    ) -> None:
        self._account, self._servers = account, servers
        self.notices: list[Notice] = []
        self._table: WordVectors | None = None
        self.sentences: SentenceEncoder | None = None
        self._always = settings.embedder == "japanese-vectors"
        self._load_own = load_own
        self._cache = cache
        self._own: NgramEmbedder | None = None
        self._guard = threading.Lock()
        self.chosen: Embedder | None = embedder
        self.uses_own = False
        if embedder is None:
            self._choose(settings, cache, secrets, models or Path())
        if self.uses_own and settings.embedder != "builtin" and models is not None:
            package = sentence_encoder.find_package()
            self.sentences = sentence_encoder.opened(package, models) if package else None

    def _choose(self, settings: RecallSettings, cache: Path, secrets: Secrets | None, models: Path) -> None:
        if settings.embedder == "sentence-transformers":
            if local_model.is_installed():
                self.chosen = CachedEmbedder(shared(local_model.LocalModelEmbedder, settings.embedder_model), cache)
            else:
                self.notices.append(local_model.missing_notice())
        elif settings.embedder == "sentence-model":
            folder = Folder.of(settings.embedder_model or DEFAULT, models)
            if folder_model.holds_model(folder.path) and not folder_model.lacking(folder.path):
                self.chosen = CachedEmbedder(shared(folder_model.FolderEmbedder, folder), cache)
            else:
                self.notices.append(folder_model.missing_notice(folder))
        elif settings.embedder == "server":
            self._take_server(settings, cache, secrets)
        elif settings.embedder == "gemini":
            key = gemini_key(secrets) if secrets else ""
            if key:
                made = gemini.GeminiEmbedder(
                    key, settings.embedder_model, account=self._account, masked=settings.mask_embeddings
                )
                self.chosen = CachedEmbedder(made, cache)
            else:
                self.notices.append(gemini.missing_notice())
        else:
            self.uses_own = True
            if settings.embedder != "builtin":
                self._take_table()

    def _take_server(self, settings: RecallSettings, cache: Path, secrets: Secrets | None) -> None:
        address, model = settings.embedder_address, settings.embedder_model
        if not (address and model):
            self.notices.append(_say.notice("embedder-missing.server"))
        elif self._servers is not None:
            key = secrets.get(key_name(address)).strip() if secrets else ""
            masked, given = settings.mask_embeddings, (cache.parent, settings.embedder_dimensions, self._servers)
            made = ServerEmbedder(address, model, key, *given, account=self._account, masked=masked)
            self.chosen = CachedEmbedder(made, cache)

    def _take_table(self) -> None:
        table = word_vectors.find_table()
        if table is not None:
            self._table = word_vectors.opened(table)
        elif self._always:
            self.notices.append(word_vectors.missing_notice())

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

    @property
    def words(self) -> WordVectors | None:
        """Return Japanese words by meaning, where they are used."""
        return words_of(self.embedder)

    def lacks_words(self, texts: Iterable[str]) -> bool:
        """Whether these passages are Japanese enough for a table of words that is there and not used."""
        if self._table is None or self.words is not None:
            return False
        found = [is_japanese(text) for text in texts]
        return len(found) > _FIRST_WEIGHTS and sum(found) >= JAPANESE_SHARE * len(found)

    def replace_own(self, embedder: NgramEmbedder | None) -> None:
        """Use the built-in embedder with other weights; None: load them anew."""
        with self._guard:
            self._own = embedder

    def tidy_cache(self, texts: Iterable[str]) -> None:
        """Keep the vectors of these passages in the cache and no others; without its embedder, none."""
        if isinstance(self.chosen, CachedEmbedder):
            self.chosen.keep_only(texts)
            return
        remove_database(self._cache)

    def follow(self, held: str) -> None:
        """Load the built-in embedder's weights anew if the index was made with others (by another process)."""
        if self.uses_own and held not in ("", self.name):
            self.replace_own(None)

    def weigh(self, texts: Iterable[str]) -> NgramEmbedder | None:
        """Return the built-in embedder with weights from these passages; None if another is used."""
        if not self.uses_own:
            return None
        counter = HabitCounter(self._table) if self._table else None
        frequencies, counted = count_frequencies(counter.reading(texts) if counter else texts)
        if counted <= _FIRST_WEIGHTS:
            return _made(None, 0, self._table if self._always else None, None)
        if counter is None or not (self._always or counter.japanese >= JAPANESE_SHARE * counted):
            return _made(frequencies, counted, None, None)
        return _made(frequencies, counted, self._table, counter.habits())

    def read_own(self, store: Store) -> NgramEmbedder:
        """Return the built-in embedder with the weights that were kept with an index."""
        try:
            with derived(store.path):
                words = self._table if self._always or _WITH_WORDS in store.meta("embedder") else None
                data, count, habits = store.blob(_WEIGHTS), int(store.meta(_COUNTED) or 0), store.blob(_HABITS)
        except UtataneError:  # the next round notices, and makes the index anew
            return _made(None, 0, self._table if self._always else None, None)
        if len(data) != 4 * BUCKETS:
            return _made(None, 0, words, None)
        return _made(np.frombuffer(data, np.uint32), count, words, habits)

    @staticmethod
    def kept(own: NgramEmbedder | None) -> dict[str, str | bytes]:
        """Return what is stored with an index so that `read_own` can make the built-in embedder again."""
        if own is None or own.frequencies is None:
            return {}
        found: dict[str, str | bytes] = {_WEIGHTS: own.frequencies.tobytes(), _COUNTED: str(own.counted)}
        if isinstance(own, WordMeansEmbedder) and own.dumped:
            found[_HABITS] = own.dumped
        return found

    def has_outgrown(self, held: int, times: float = DRIFT) -> bool:
        """Whether there are so many times as many passages now as the weights were made from."""
        own = self.own
        return own is not None and held > max(_FIRST_WEIGHTS, times * own.counted)

    def vector_share(self, query: str, *, is_meant: bool = False) -> float:
        """Return what vectors are worth beside words, for a question; more, where its sentence is compared."""
        if (self.words is not None or is_meant) and is_japanese(query):
            return MEANING_WORTH
        return SENTENCE_WORTH if is_meant else VECTOR_SHARE

    @property
    def name(self) -> str:
        """What an index must have been made with to fit: everything that changes what it holds."""
        return self.name_with(self.embedder)

    def name_with(self, embedder: Embedder | None) -> str:
        """Return the name that an index has that is made with this embedder."""
        embedder = embedder or self.embedder
        vectors = embedder.name if embedder else ""
        return f"{vectors}{_WITH_WORDS}{word_vectors.table_version()}" if words_of(embedder) else vectors


def gemini_key(secrets: Secrets) -> str:
    """Return the key for Gemini: the one that is stored, which serves the mind too, or one of the environment.

    Choosing Gemini is the yes to either, as it is for the mind.
    """
    return secrets.get(GEMINI).strip() or next(
        (key for name in GEMINI_VARIABLES if (key := os.environ.get(name, "").strip())), ""
    )


def words_of(embedder: Embedder | None) -> WordVectors | None:
    """Return the table of words that an embedder goes by, if it does."""
    return embedder.words if isinstance(embedder, WordMeansEmbedder) else None


def _made(
    frequencies: npt.NDArray[np.uint32] | None, counted: int, words: WordVectors | None, habits: Habits | bytes | None
) -> NgramEmbedder:
    """Return the built-in embedder; with a table of words that by meaning, too."""
    if words is None:
        return NgramEmbedder(frequencies, counted)
    return WordMeansEmbedder(words, frequencies, counted, habits)
