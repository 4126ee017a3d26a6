"""Embedding with a model of sentence-transformers on this computer: an optional extra, loaded in the background."""

import importlib.util
from typing import Any

from managers.recall.embedders import Vectors
from managers.recall.embedders.local import LocalEmbedder, first_line
from managers.recall.errors import EmbeddingError
from managers.storage.errors import Notice
from managers.storage.texts import Texts

_say = Texts("notices/recall")

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"

_DEVICES = (None, "cpu")
"""First the library's own choice, the fastest there is; where that fails (an old driver, no room), the processor."""


def is_installed() -> bool:
    """Whether the extra is there, without the seconds that importing it takes."""
    return importlib.util.find_spec("sentence_transformers") is not None


class LocalModelEmbedder(LocalEmbedder):
    """A sentence-transformers model, by its name or folder."""

    def __init__(self, model: str = "") -> None:
        super().__init__(model or DEFAULT_MODEL)
        self._model: Any = None

    @property
    def name(self) -> str:
        return f"sentence-transformers:{self._model_name}"

    def _load(self) -> None:
        """Load the model; it is downloaded on the first use."""
        if not is_installed():
            raise EmbeddingError(cause="sentence-transformers is not installed")
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # an extra that takes 5 s to import

        for device in _DEVICES:
            try:
                self._model = SentenceTransformer(self._model_name, device=device)
            except (OSError, ValueError, RuntimeError) as error:
                if device == _DEVICES[-1]:
                    raise EmbeddingError(cause=first_line(error)) from error
            else:
                return

    def _encode(self, texts: list[str]) -> Vectors:
        found: Vectors = self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        return found


def missing_notice() -> Notice:
    """Say that the extra is not installed, and how to install it."""
    return _say.notice("embedder-missing.local")
