"""Embedding through Gemini's API, with task types. Only for those who chose it: texts leave the machine."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import numpy as np

from managers.language.masking.placeholders import mask
from managers.recall.embedders import Vectors
from managers.recall.embedders.requests import AGAIN, STOPS, TRIES, counted, patiently
from managers.recall.errors import EmbeddingError
from managers.storage.errors import Notice
from managers.storage.texts import Texts
from managers.transport import client_options, fits_header
from managers.usage.meter import Account
from managers.usage.prices import Model

_say = Texts("notices/recall")

DEFAULT_MODEL = "gemini-embedding-001"
DIMENSIONS = 768
_TIMEOUT_MILLISECONDS = 30_000
_HOST = "generativelanguage.googleapis.com"


class GeminiEmbedder:
    """Gemini embeddings."""

    is_remote = True
    is_slow = True
    is_ready = True
    factor = 1.0
    """Not measured here for want of a key; `docs/recall.md` says how to."""

    def __init__(
        self,
        key: str,
        model: str = "",
        *,
        address: str = "",
        wait: Callable[[float], object] = time.sleep,
        account: Account | None = None,
        masked: bool = True,
    ) -> None:
        """Take the key; nothing is sent yet. Texts are sent with placeholders for what is private, if `masked`."""
        self._account = account
        self._masked = masked
        self._key = key
        self._model = model or DEFAULT_MODEL
        self._address = address
        self._wait = wait
        self._client: Any = None

    @property
    def name(self) -> str:
        return f"gemini:{self._model}:{DIMENSIONS}{':masked' if self._masked else ''}"

    def load(self) -> None:
        """Nothing has to be loaded."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found, in one request."""
        return self._embed(list(texts), "RETRIEVAL_DOCUMENT", TRIES)

    def query(self, text: str) -> Vectors:
        """Embed a question: one try, for somebody is waiting."""
        return self._embed([text], "RETRIEVAL_QUERY", 1)

    def _embed(self, texts: list[str], task: str, tries: int) -> Vectors:
        if self._masked:
            texts = [mask(text).text for text in texts]
        return patiently(lambda: self._ask(texts, task), tries, self._wait)

    def _ask(self, texts: list[str], task: str) -> Vectors:
        from google.genai import errors, types  # noqa: PLC0415  # takes a second to load, for those who chose it

        if not fits_header(self._key):
            raise EmbeddingError(cause="Gemini: the stored key has a character that no key has", stops=True)
        model = Model(self._model, "Gemini", _HOST)
        with counted(self._account, model, texts, masked=self._masked, seconds=_TIMEOUT_MILLISECONDS / 1000) as read:
            try:
                answer = self._connected().models.embed_content(
                    model=self._model,
                    contents=texts,
                    config=types.EmbedContentConfig(task_type=task, output_dimensionality=DIMENSIONS),
                )
            except errors.APIError as error:
                facts = {"again": error.code in AGAIN, "stops": error.code in STOPS, "refused": True}
                raise EmbeddingError(cause=f"Gemini: {error.code} {error.status or ''}", **facts) from error
            except (httpx.HTTPError, OSError) as error:
                raise EmbeddingError(cause=f"Gemini: {type(error).__name__}", again=True) from error
            except (ValueError, RecursionError) as error:  # what is no JSON, no answer, or has no end
                raise EmbeddingError(cause="Gemini: unreadable answer", again=True) from error
            counts = [one.statistics.token_count for one in answer.embeddings or [] if one.statistics]
            if all(counts) and len(counts) == len(texts):
                read.append(int(sum(count or 0 for count in counts)))
        return _unit([embedding.values for embedding in answer.embeddings or []], len(texts))

    def _connected(self) -> Any:  # noqa: ANN401  # the client's class is imported only here
        if self._client is None:
            from google import genai  # noqa: PLC0415  # see _ask
            from google.genai import types  # noqa: PLC0415

            options = types.HttpOptions(
                base_url=self._address or None,
                timeout=_TIMEOUT_MILLISECONDS,
                client_args=client_options(httpx, self._address or f"https://{_HOST}", local=False, blocking=True),
            )
            self._client = genai.Client(api_key=self._key, vertexai=False, http_options=options)
        return self._client


def _unit(values: Sequence[Sequence[float] | None], expected: int) -> Vectors:
    if len(values) != expected or not all(one and len(one) == DIMENSIONS for one in values):
        raise EmbeddingError(cause="Gemini: an answer of the wrong size", again=True)
    vectors = np.array(values, np.float32)
    if not np.isfinite(vectors).all():
        raise EmbeddingError(cause="Gemini: an answer that is no number", again=True)
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def missing_notice() -> Notice:
    """Say that there is no key."""
    return _say.notice("embedder-missing.gemini")
