"""A registry of models on loopback, in the form of the real one: it tells, keeps files elsewhere, and misbehaves."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

COMMIT = "a" * 40
Mood = Literal["well", "cut", "wrong", "larger", "no ranges", "lying ranges", "elsewhere", "round", "gone", "hangs on"]


class Registry:
    """One repository; `requests` are the paths, with the ranges that were asked for."""

    def __init__(self, repository: str, files: dict[str, bytes], large: frozenset[str] = frozenset()) -> None:
        self.repository = repository
        self.files = files
        self.large = large
        self.mood: Mood = "well"
        self.address = ""
        self.requests: list[tuple[str, str]] = []
        self.told: object = None
        """What is told of the files, instead of the truth."""
        self.going_on = threading.Event()

    def tree(self) -> list[dict[str, object]]:
        """Return what is told of the files."""
        found: list[dict[str, object]] = []
        for path, data in self.files.items():
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            one: dict[str, object] = {"type": "file", "path": path, "size": len(data), "oid": blob}
            if path in self.large:
                one["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
            found.append(one)
        return found


@contextmanager
def registry(repository: str, files: dict[str, bytes], large: frozenset[str] = frozenset()) -> Iterator[Registry]:
    """Run it."""
    state = Registry(repository, files, large)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append((self.path, self.headers.get("Range", "")))
            start, _, end = self.path.partition("/resolve/")
            if self.path == f"/api/models/{repository}/revision/main":
                self._answer(200, json.dumps({"sha": COMMIT}).encode())
            elif self.path == f"/api/models/{repository}/tree/{COMMIT}?recursive=true":
                self._answer(200, json.dumps(state.tree() if state.told is None else state.told).encode())
            elif start == f"/{repository}" and end.startswith(f"{COMMIT}/"):
                self._lead(end.removeprefix(f"{COMMIT}/"))
            elif self.path.startswith("/kept/"):
                self._give(state.files[self.path.removeprefix("/kept/")])
            else:
                self._answer(404, b"{}")

        def _lead(self, path: str) -> None:
            if state.mood == "gone":
                self._answer(404, b"")
            elif path not in state.large:
                self._give(state.files[path])
            else:
                place = {"elsewhere": "http://192.0.2.1/x", "round": self.path}.get(state.mood, f"/kept/{path}")
                self.send_response(302)
                self.send_header("Location", place)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def _give(self, data: bytes) -> None:
            begin = 0
            asked = self.headers.get("Range", "")
            if asked and state.mood != "no ranges":
                begin = int(asked.removeprefix("bytes=").rstrip("-"))
            if state.mood == "wrong":
                data = bytes(one ^ 1 for one in data)
            if state.mood == "larger":
                data += b"x" * 100_000
            shown = begin + (7 if state.mood == "lying ranges" else 0)
            body = data[begin:]
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(body)))
            if begin:
                self.send_header("Content-Range", f"bytes {shown}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            if state.mood == "cut":
                body = body[: len(body) // 2]
                self.close_connection = True
            if state.mood == "hangs on":
                self.wfile.write(body[:2_000_000])
                state.going_on.wait()
                body = body[2_000_000:]
            with suppress(OSError):
                self.wfile.write(body)

        def _answer(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.going_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
