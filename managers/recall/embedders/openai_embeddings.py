"""Embedding by the OpenAI protocol: a server on this computer (Ollama, LM Studio, llama.cpp, vLLM), or one elsewhere.

By what its distances are multiplied is measured once, with sentences that are nobody's, and kept beside the vectors.
"""

import json
import re
import time
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np

from managers.addresses import host_and_port, is_loopback, listener_at, runs_elsewhere
from managers.known_servers import KnownServers
from managers.language.masking.placeholders import mask
from managers.recall.embedders import Vectors
from managers.recall.embedders.offered import TABLE
from managers.recall.embedders.requests import AGAIN, STOPS, TRIES, counted, estimated_tokens, patiently
from managers.recall.errors import EmbedderAccountError, EmbedderChangedError, EmbeddingError
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes, write_atomic
from managers.storage.peers import owner_of_listener
from managers.transport import client_options, fits_header
from managers.usage.meter import Account
from managers.usage.prices import Model

MEASURE: Final = "embedder.json"
"""What was asked of the model, in the folder of the indexes."""
_AT_ONCE: Final = 32
"""So many texts go in one request: the vectors of more may be more than is read of a body."""
_SECONDS, _ANSWERED_WITHIN = 60.0, 5.0
"""How long many texts may take, and a question, for which somebody waits."""
_LOADING_TRIES: Final = 8
"""How often a model is asked for its measure: its server may still read it, for a minute."""
_OF_TEXT: Final = frozenset({400, 413, 422, 500})
_TOO_LONG: Final = re.compile(r"too (?:long|large|many tokens)|exceed|context (?:length|size)|maximum", re.IGNORECASE)
_SHORTEST, _MOST_FACTOR, _LONGEST_NAME = 32, 1000, 200
_UNLIKE: Final = 0.33
"""What 97 of 100 questions without an answer do not pass: so much of the way from what any two sentences have in common to
the same (see `docs/recall.md`)."""
_NEAR: Final = 0.75


@dataclass(frozen=True, slots=True)
class Family:
    """Models that are asked alike: what is in their names, what stands before texts, how many numbers are asked for (0: all)."""

    match: str
    query: str = ""
    passage: str = ""
    dimensions: int = 0


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(TABLE.read_text("utf-8"))


def family_of(model: str) -> Family | None:
    """Return the family of a model that makes vectors, by its name; None if it seems to be none."""
    families = (Family(**one) for one in _table()["family"])
    return next((one for one in families if re.search(one.match, model, re.IGNORECASE)), None)


def factor_of(passages: Vectors, questions: Vectors) -> float:
    """Return by what distances are multiplied, from sentences that answer no question: what they have in common all have."""
    halves = zip(np.array_split(questions, 2), np.array_split(passages, 2), strict=True)  # a language each
    alike = float(np.clip(np.mean([asked @ said.T for asked, said in halves]), 0, 0.99))
    return _NEAR / (2 - 2 * (alike + _UNLIKE * (1 - alike)))


def models_at(address: str) -> list[str]:
    """Return the models of a server of this computer that seem to make vectors."""
    options = client_options(httpx, address, local=True, blocking=True)
    with suppress(httpx.HTTPError, OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        with httpx.Client(timeout=_ANSWERED_WITHIN, **options) as client:
            names = [one["id"] for one in client.get(f"{address}/models").json()["data"]]
        return [one for one in names if len(one) <= _LONGEST_NAME and one.isprintable() and family_of(one)]
    return []


class ServerEmbedder:
    """A model behind a server."""

    is_slow = True

    def __init__(
        self,
        address: str,
        model: str,
        key: str,
        folder: Path,
        dimensions: int,
        servers: KnownServers,
        *,
        account: Account | None = None,
        masked: bool = True,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """Remember where it is, and the folder of the indexes; nothing is sent yet.

        `servers` are those of this computer that were said yes to: another account at their place is sent nothing.
        What leaves this computer is sent with placeholders for what is private, if `masked`.
        """
        self.is_remote = not is_loopback(address) or runs_elsewhere(model)
        self._address, self._key, self._servers, self._account = address.rstrip("/"), key, servers, account
        self._family = family_of(model) or Family("")
        self._masked, self._wait = masked and self.is_remote, wait
        host = host_and_port(address)
        self._model = Model(model, host, host.partition(":")[0], is_local=not self.is_remote)
        self._file = folder / MEASURE
        asked = zlib.crc32(repr(self._family).encode())
        self._dimensions = dimensions
        self.name = f"server:{host}:{model}:{dimensions}:{asked:08x}{':masked' if self._masked else ''}"
        self._factor = self._kept()

    @property
    def factor(self) -> float:
        return self._factor or 1.0

    @property
    def is_ready(self) -> bool:
        return self._factor > 0

    def load(self) -> None:
        """Ask what is asked once; a server that still reads its model is waited for."""
        if not self.is_ready:
            sentences = _table()["measure"]
            passages = self._embed(sentences["passages"], self._family.passage, _LOADING_TRIES)
            questions = self._embed(sentences["questions"], self._family.query, TRIES)
            self._factor = factor_of(passages, questions)
            with suppress(UtataneError):  # a disk that refuses: it is asked again the next time
                write_atomic(self._file, json.dumps({"name": self.name, "factor": self._factor}).encode())

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, self._family.passage, TRIES)

    def ask_dimensions(self) -> int:
        """Ask how many numbers its vectors have, with a word that is nobody's."""
        return int(self._cut(["うたた寝"], TRIES).shape[1])

    def query(self, text: str) -> Vectors:
        """Embed a question: one try, for somebody is waiting."""
        return self._embed([text], self._family.query, 1)

    def _kept(self) -> float:
        """Return the factor that was measured; 0 where none was."""
        with suppress(UtataneError, ValueError, TypeError, LookupError, OverflowError, RecursionError):
            held = json.loads(read_bytes(self._file) or b"{}")
            return held["factor"] if held["name"] == self.name and 0 < float(held["factor"]) < _MOST_FACTOR else 0.0
        return 0.0

    def _embed(self, texts: Sequence[str], prefix: str, tries: int) -> Vectors:
        texts = [prefix + (mask(text).text if self._masked else text) for text in texts]
        starts = range(0, len(texts), _AT_ONCE)
        parts = [patiently(partial(self._cut, texts[at : at + _AT_ONCE], tries), tries, self._wait) for at in starts]
        return np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    def _cut(self, texts: Sequence[str], tries: int) -> Vectors:
        """Ask for some vectors; where a text is too long for the model, by half of it."""
        try:
            return self._ask(texts, _SECONDS if tries > 1 else _ANSWERED_WITHIN)
        except EmbeddingError as error:
            half = max(map(len, texts)) // 2
            if not error.facts.get("too_long") or half < _SHORTEST:
                raise
            return self._cut([text[:half] for text in texts], tries)

    def _ask(self, texts: Sequence[str], seconds: float) -> Vectors:
        if not fits_header(self._key):
            raise self._failed("the stored key has a character that no key has", stops=True)
        asked = {"dimensions": self._family.dimensions} if self._family.dimensions else {}
        body = {"model": self._model.name, "input": texts, "encoding_format": "float", **asked}
        is_local, check = is_loopback(self._address), self._check_account
        options = client_options(httpx, self._address, local=is_local, blocking=True, when_connected=check)
        options["headers"] |= {"authorization": f"Bearer {self._key}"} if self._key else {}
        with counted(self._account, self._model, texts, masked=self._masked, seconds=seconds) as read:
            try:
                with httpx.Client(timeout=seconds, **options) as client:
                    response = client.post(f"{self._address}/embeddings", json=body)
                answer = response.json() if response.is_success else {}
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                raise self._failed(type(error).__name__, again=True) from error
            except (ValueError, RecursionError) as error:  # what is no JSON, no answer, or has no end
                raise self._failed("unreadable answer", again=True) from error
            if not response.is_success:
                code = response.status_code
                too_long = code in _OF_TEXT and _TOO_LONG.search(response.text) is not None
                again = code in AGAIN and not too_long
                raise self._failed(str(code), again=again, stops=code in STOPS, refused=True, too_long=too_long)
            usage = answer.get("usage") if isinstance(answer, dict) else None
            told = usage.get("prompt_tokens") if isinstance(usage, dict) else None
            if isinstance(told, int) and 0 < told <= 4 * estimated_tokens(texts):
                read.append(told)
        return self._vectors(answer, len(texts))

    def _check_account(self) -> None:
        """Refuse a server of this computer that another account runs than the one that somebody said yes to."""
        owner = owner_of_listener(*listener_at(self._address)) if is_loopback(self._address) else None
        welcome = self._servers.account_at(self._address, owner)
        if welcome is not None and owner != welcome:
            raise EmbedderAccountError(cause="", address=host_and_port(self._address), stops=True, refused=True)

    def _vectors(self, answer: Any, expected: int) -> Vectors:  # noqa: ANN401  # whatever a server sent
        """Return the vectors of an answer; refuse those that are not as many, not as long, or no numbers."""
        try:
            rows = sorted((one.get("index", place), one["embedding"]) for place, one in enumerate(answer["data"]))
            found = np.array([row for _, row in rows], np.float32)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise self._failed("an answer that is no list of numbers", again=True) from error
        is_whole = [at for at, _ in rows] == [*range(expected)] and found.shape == (expected, found.size // expected)
        if not is_whole or not found.size or not np.isfinite(found).all():
            raise self._failed("an answer of the wrong size, or that is no number", again=True)
        was, now = self._dimensions, found.shape[1]
        self._dimensions = was or now
        if was not in {0, now}:
            raise EmbedderChangedError(cause="", model=self._model.name, was=was, now=now, stops=True)
        unit: Vectors = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return unit

    def _failed(self, why: str, **facts: bool) -> EmbeddingError:
        return EmbeddingError(cause=f"{host_and_port(self._address)}: {why}", **facts)
