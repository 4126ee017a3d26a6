"""Embedding with a model of sentence-transformers on this computer: an optional extra, loaded in the background."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from managers.recall.embedders import Vectors
from managers.storage.errors import EmbeddingError, Notice

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"

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

FACTORS = {"paraphrase-multilingual-MiniLM-L12-v2": 1.0}
"""The specification's thresholds are meant for this model; others count as it does until they are measured."""


def is_installed() -> bool:
    """Whether the extra is there, without the seconds that importing it takes."""
    return importlib.util.find_spec("sentence_transformers") is not None


class LocalModelEmbedder:
    """A sentence-transformers model."""

    is_remote = False
    is_slow = True

    def __init__(self, model: str = "") -> None:
        """Take a model's name or folder; `load` or the first passages load it."""
        self._model_name = model or DEFAULT_MODEL
        self._model: Any = None
        self._loading = threading.Lock()
        short = self._model_name.lower()
        self._query_prefix, self._passage_prefix = next(
            ((query, passage) for part, query, passage in _PREFIXES if part in short), ("", "")
        )

    @property
    def name(self) -> str:
        return f"sentence-transformers:{self._model_name}"

    @property
    def factor(self) -> float:
        return FACTORS.get(self._model_name.rsplit("/", 1)[-1], 1.0)

    @property
    def is_ready(self) -> bool:
        """Whether a question can be embedded at once."""
        return self._model is not None

    def load(self) -> None:
        """Load the model; takes seconds, and downloads it on the first use.

        Raises:
            EmbeddingError: the extra is not installed, or the model is not there and cannot be fetched.
        """
        with self._loading:
            if self._model is not None:
                return
            if not is_installed():
                raise EmbeddingError(cause="sentence-transformers is not installed")
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # an extra that takes 5 s to import

            try:
                self._model = SentenceTransformer(self._model_name, device="cpu")
            except (OSError, ValueError, RuntimeError) as error:
                raise EmbeddingError(cause=_first_line(error)) from error

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found, loading the model if needed."""
        self.load()
        return self._encode([self._passage_prefix + text for text in texts])

    def query(self, text: str) -> Vectors:
        """Embed a question; while the model is still loading nobody waits for it.

        Raises:
            EmbeddingError: it is not loaded yet.
        """
        if not self.is_ready:
            raise EmbeddingError(cause="the model is still being loaded")
        return self._encode([self._query_prefix + text])

    def _encode(self, texts: list[str]) -> Vectors:
        vectors = self._model.encode(texts, convert_to_numpy=True, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def missing_notice() -> Notice:
    """Say that the extra is not installed, and how to install it."""
    return Notice(
        "embedder-missing",
        ja="意味検索のモデル(sentence-transformers)が入っていないため、言葉による検索だけを使っています。"
        "`make install EXTRAS=sentence-transformers` で入れられます。",
        en="The model for search by meaning (sentence-transformers) is not installed, so only search by words is used. "
        "Install it with `make install EXTRAS=sentence-transformers`.",
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
