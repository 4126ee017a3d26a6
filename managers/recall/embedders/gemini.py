"""Embedding through Gemini's API, with task types. Only for those who chose it: texts leave the machine."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import httpx
import numpy as np

from managers.language.masking.placeholders import mask
from managers.recall.embedders import Vectors
from managers.recall.errors import EmbeddingError
from managers.storage.audit import Given
from managers.storage.errors import Notice
from managers.storage.texts import Texts
from managers.transport import client_options, fits_header
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError
from managers.usage.meter import Account, OpenCall
from managers.usage.prices import Model

_say = Texts("notices/recall")

DEFAULT_MODEL = "gemini-embedding-001"
DIMENSIONS = 768
TRIES = 3
_FIRST_WAIT_SECONDS = 2.0
_TIMEOUT_MILLISECONDS = 30_000
_HOST = "generativelanguage.googleapis.com"
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_STOPS = frozenset({401, 403, 404, 429})
"""What no other text would change."""


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
        for attempt in range(1, tries + 1):
            try:
                return self._ask(texts, task)
            except EmbeddingError as error:
                if attempt == tries or not error.facts.get("again"):
                    raise
                self._wait(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
        raise AssertionError("every try returns or raises")

    def _ask(self, texts: list[str], task: str) -> Vectors:
        from google.genai import errors, types  # noqa: PLC0415  # takes a second to load, for those who chose it

        if not fits_header(self._key):
            raise EmbeddingError(cause="Gemini: the stored key has a character that no key has", stops=True)
        call = self._counted(texts)
        try:
            answer = self._connected().models.embed_content(
                model=self._model,
                contents=texts,
                config=types.EmbedContentConfig(task_type=task, output_dimensionality=DIMENSIONS),
            )
        except errors.APIError as error:
            if call:
                call.release()
            code = error.code
            cause = f"Gemini: {code} {error.status or ''}"
            raise EmbeddingError(cause=cause, again=code in _AGAIN, stops=code in _STOPS) from error
        except (httpx.HTTPError, OSError) as error:
            if call:
                call.settle(estimated_tokens(texts), 0, is_estimated=True, outcome="failed")
            raise EmbeddingError(cause=f"Gemini: {type(error).__name__}", again=True) from error
        except (ValueError, RecursionError) as error:  # what is no JSON, no answer, or has no end
            if call:
                call.settle(estimated_tokens(texts), 0, is_estimated=True, outcome="failed")
            raise EmbeddingError(cause="Gemini: unreadable answer", again=True) from error
        if call:
            counts = [one.statistics.token_count for one in answer.embeddings or [] if one.statistics]
            known = all(counts) and len(counts) == len(texts)
            read = int(sum(count or 0 for count in counts)) if known else estimated_tokens(texts)
            call.settle(read, 0, is_estimated=not known)
        return _unit([embedding.values for embedding in answer.embeddings or []], len(texts))

    def _counted(self, texts: Sequence[str]) -> OpenCall | None:
        if self._account is None:
            return None
        model = Model(self._model, "Gemini", _HOST)
        try:
            account = replace(self._account, given=Given({"passages": len(texts)}, is_masked=self._masked))
            return account.open(model, Wish(estimated_tokens(texts), 0, 0), _TIMEOUT_MILLISECONDS / 1000)
        except CapReachedError as error:
            cause = f"{error.facts['cap_ja']} / {error.facts['cap_en']}"
            raise EmbeddingError(cause=cause, stops=True) from error

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


def estimated_tokens(texts: Sequence[str]) -> int:
    """Return an upper estimate of the tokens of texts, for Google does not say: three letters or half a kanji each."""
    plain = sum((text.isascii() and len(text)) or sum(letter.isascii() for letter in text) for text in texts)
    return -(-plain // 3) + 2 * (sum(map(len, texts)) - plain)


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
