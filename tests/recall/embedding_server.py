"""Gemini's embedding endpoint on loopback: answers, refuses, or is silent, as it is told."""

import json
import threading
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Mood = Literal["well", 400, 401, 429, 500, 503, "garbage", "short", "drop", "endless", "numberless", "gzip"]


def vector(text: str, dimensions: int = 768) -> list[float]:
    """Return numbers that are alike for texts of the same words."""
    values = [0.01] * dimensions
    for word in text.lower().replace(".", " ").replace("?", " ").split():
        values[sha256(word.encode()).digest()[0] * 3 % dimensions] += 1.0
    return values


class EmbeddingServer:
    """What was asked stands in `requests`; the next answers come from `moods`, then all is well."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.moods: deque[Mood] = deque()
        self.always: Mood = "well"
        self.refused = ""
        """A word: a request with a text that holds it is refused."""
        self.address = ""
        self.sent = 0
        """Bytes of answers without an end."""
        self.is_over = False

    @property
    def texts(self) -> list[str]:
        """All texts that were sent to be embedded."""
        return [part["text"] for body in self.requests for one in body["requests"] for part in one["content"]["parts"]]


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """Run the server on loopback."""
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            mood = state.moods.popleft() if state.moods else state.always
            if state.refused and any(
                state.refused in part["text"] for one in body["requests"] for part in one["content"]["parts"]
            ):
                mood = 400
            if mood == "drop":
                self.close_connection = True
                return
            if mood in {"endless", "gzip"}:
                self._flood(compressed=mood == "gzip")
            elif isinstance(mood, int):
                self._answer(mood, json.dumps({"error": {"code": mood, "message": "no", "status": "NO"}}))
            elif mood == "garbage":
                self._answer(200, "<html>not json</html>")
            else:
                texts = ["".join(part["text"] for part in one["content"]["parts"]) for one in body["requests"]]
                found = [{"values": vector(text)} for text in texts]
                if mood == "numberless":
                    found[0]["values"][0] = float("inf")
                self._answer(200, json.dumps({"embeddings": found[:-1] if mood == "short" else found}))

        def _answer(self, status: int, content: str) -> None:
            data = content.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data)

        def _flood(self, *, compressed: bool) -> None:
            self.close_connection = True
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            if compressed:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            chunk = zlib.compress(b" " * 10_000_000, 9, 31) if compressed else b" " * 65536
            with suppress(OSError):
                while not state.is_over:
                    self.wfile.write(chunk)
                    state.sent += len(chunk)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.is_over = True
        server.shutdown()
        server.server_close()
        thread.join()
