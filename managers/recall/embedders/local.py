"""What all models on this computer have in common: loaded once for all personas, off the user's path."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar
from weakref import WeakValueDictionary

import numpy as np

from managers.recall.embedders import Vectors
from managers.recall.errors import EmbeddingError

# Models that want to be told what a text is; the names are parts of the model's name.
_PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("multilingual-e5", "query: ", "passage: "),
    ("/e5-", "query: ", "passage: "),
    ("ruri", "検索クエリ: ", "検索文書: "),
    ("nomic-embed", "search_query: ", "search_document: "),
    ("bge-large-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-base-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-small-en", "Represent this sentence for searching relevant passages: ", ""),
)

FACTORS = {"paraphrase-multilingual-minilm-l12-v2": 1.0}
"""The specification's thresholds are meant for this model; others count as it does until they are measured."""

Key = TypeVar("Key", bound=Hashable)

_AT_ONCE = 16
"""So many texts are embedded before others have a turn: a question waits for no more."""


class LocalEmbedder(ABC):
    """A model on this computer. Used from several threads."""

    is_remote = False
    is_slow = True

    def __init__(self, model: str) -> None:
        """Take the model's name, whose parts tell what its texts begin with; nothing is loaded yet."""
        self._model_name = model
        self._is_ready = False
        self._loading = threading.Lock()
        self._encoding = threading.Lock()
        short = model.lower()
        self._query_prefix, self._passage_prefix = next(
            ((query, passage) for part, query, passage in _PREFIXES if part in short), ("", "")
        )

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def factor(self) -> float:
        return FACTORS.get(self._model_name.rsplit("/", 1)[-1].lower(), 1.0)

    @property
    def is_ready(self) -> bool:
        return self._is_ready

    def load(self) -> None:
        """Load the model, which takes seconds.

        Raises:
            EmbeddingError: it cannot be loaded.
        """
        with self._loading:
            if not self._is_ready:
                self._load()
                self._is_ready = True

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found, loading the model if needed.

        Raises:
            EmbeddingError: it could not.
        """
        self.load()
        parts = [
            self._encoded([self._passage_prefix + text for text in texts[at : at + _AT_ONCE]])
            for at in range(0, len(texts), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    def query(self, text: str) -> Vectors:
        """Embed a question; while the model is still loading nobody waits for it.

        Raises:
            EmbeddingError: it is not loaded yet, or could not.
        """
        if not self.is_ready:
            raise EmbeddingError(cause="the model is still being loaded")
        return self._encoded([self._query_prefix + text])

    def _encoded(self, texts: list[str]) -> Vectors:
        try:
            with self._encoding:
                vectors = np.asarray(self._encode(texts), np.float32)
        except EmbeddingError:
            raise
        except Exception as error:  # a library's own, of any kind: it costs a text its vector and nothing else
            raise EmbeddingError(cause=first_line(error)) from error
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return unit

    @abstractmethod
    def _load(self) -> None:
        """Load the model.

        Raises:
            EmbeddingError: it cannot be loaded.
        """

    @abstractmethod
    def _encode(self, texts: list[str]) -> Vectors:
        """Return a vector for each text, of any length."""


_shared: WeakValueDictionary[tuple[object, Hashable], LocalEmbedder] = WeakValueDictionary()
_sharing = threading.Lock()


def shared(make: Callable[[Key], LocalEmbedder], model: Key) -> LocalEmbedder:
    """Return the one instance of a model for all personas; it goes with the last that has it."""
    with _sharing:
        found = _shared.get((make, model))
        if found is None:
            found = _shared[make, model] = make(model)
        return found


def first_line(error: Exception) -> str:
    """Return what an error of a library says, short."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
