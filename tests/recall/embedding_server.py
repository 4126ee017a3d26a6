"""Gemini's embedding endpoint on loopback, and OpenAI's: answers, refuses, or is silent, as it is told."""

import json
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, Literal

from tests.loopback import Answering, loopback

Mood = Literal["well", 400, 401, 429, 500, 503, "garbage", "short", "drop", "endless", "numberless", "gzip"]


def vector(text: str, dimensions: int = 768) -> list[float]:
    """Return numbers that are alike for texts of the same words."""
    values = [0.01] * dimensions
    for word in text.lower().replace(".", " ").replace("?", " ").split():
        values[sha256(word.encode()).digest()[0] * 3 % dimensions] += 1.0
    return values


def texts_of(body: dict[str, Any]) -> list[str]:
    if "input" in body:
        return [*body["input"]]
    return ["".join(part["text"] for part in one["content"]["parts"]) for one in body["requests"]]


class EmbeddingServer:
    """What was asked stands in `requests`; the next answers come from `moods`, then all is well."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.moods: deque[Mood] = deque()
        self.always: Mood = "well"
        self.refused = ""
        """A word: a request with a text that holds it is refused."""
        self.dimensions, self.longest = 768, 100_000
        """Of OpenAI's: how many numbers a vector has, and how long a text may be."""
        self.address = ""
        self.sent = 0
        """Bytes of answers without an end."""
        self.is_over = False

    @property
    def texts(self) -> list[str]:
        """All texts that were sent to be embedded."""
        return [text for body in self.requests for text in texts_of(body)]


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """Run the server."""
    state = EmbeddingServer()

    class Embeds(Answering):
        def get(self) -> None:
            names = ["qwen3:8b", "bge-m3:latest", "ruri-v3-310m"]
            self._tell(200, json.dumps({"data": [{"id": name} for name in names], "object": "list"}))

        def post(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            mood = state.moods.popleft() if state.moods else state.always
            if state.refused and any(state.refused in text for text in texts_of(body)):
                mood = 400
            if any(len(text) > state.longest for text in texts_of(body)):
                self._tell(400, json.dumps({"error": {"message": "the input length exceeds the context length"}}))
            elif mood == "drop":
                self.close_connection = True
            elif mood in {"endless", "gzip"}:
                self._flood(compressed=mood == "gzip")
            elif isinstance(mood, int):
                self._tell(mood, json.dumps({"error": {"code": mood, "message": "no", "status": "NO"}}))
            elif mood == "garbage":
                self._tell(200, "<html>not json</html>")
            else:
                found = [vector(text, state.dimensions) for text in texts_of(body)]
                if mood == "numberless":
                    found[0][0] = float("inf")
                found = found[:-1] if mood == "short" else found
                listed = [{"index": at, "embedding": one} for at, one in enumerate(found)][::-1]
                gemini = {"embeddings": [{"values": one} for one in found]}
                self._tell(200, json.dumps({"data": listed} if "input" in body else gemini))

        def _tell(self, status: int, content: str) -> None:
            self.answer(status, content, content_type="application/json", connection="close")

        def _flood(self, *, compressed: bool) -> None:
            self.close_connection = True
            self.begin(200, content_type="application/json", **({"content_encoding": "gzip"} if compressed else {}))
            chunk = zlib.compress(b" " * 10_000_000, 9, 31) if compressed else b" " * 65536
            with suppress(OSError):
                while not state.is_over:
                    self.wfile.write(chunk)
                    state.sent += len(chunk)

    with loopback(Embeds) as state.address:
        try:
            yield state
        finally:
            state.is_over = True
