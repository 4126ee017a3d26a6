"""A registry of models on loopback, in the form of the real one: it tells, keeps files elsewhere, and misbehaves."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from tests.loopback import Answering, loopback

COMMIT = "a" * 40
Mood = Literal[
    "well", "cut", "wrong", "larger", "no ranges", "lying ranges", "elsewhere", "round", "gone", "crowded", "ill", "hangs on"
]  # fmt: skip


class Registry:
    """One repository; `requests` are the paths, with the ranges that were asked for."""

    def __init__(self, repository: str, files: dict[str, bytes], large: frozenset[str] = frozenset()) -> None:
        self.repository = repository
        self.files = files
        self.large = large
        self.mood: Mood = "well"
        self.commit = COMMIT
        """The newest version."""
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

    class Gives(Answering):
        def get(self) -> None:
            state.requests.append((self.path, self.headers.get("Range", "")))
            start, _, end = self.path.partition("/resolve/")
            if (status := {"gone": 404, "crowded": 429, "ill": 503}.get(state.mood)) and not self.path.startswith(
                "/api/"
            ):
                self.answer(status, b"{}")
            elif self.path == f"/api/models/{repository}/revision/main":
                self.answer(200, json.dumps({"sha": state.commit}))
            elif self.path == f"/api/models/{repository}/tree/{COMMIT}?recursive=true":
                self.answer(200, json.dumps(state.tree() if state.told is None else state.told))
            elif self.path.startswith("/kept/"):
                self._give(state.files[self.path.removeprefix("/kept/")])
            elif start != f"/{repository}" or not end.startswith(f"{COMMIT}/"):
                self.answer(404, b"{}")
            elif (path := end.removeprefix(f"{COMMIT}/")) in state.large:
                places = {"elsewhere": "http://192.0.2.1/x", "round": self.path}
                self.answer(302, b"", location=places.get(state.mood, f"/kept/{path}"))
            else:
                self._give(state.files[path])

        def _give(self, data: bytes) -> None:
            asked = self.headers.get("Range", "")
            begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked and state.mood != "no ranges" else 0
            if state.mood == "wrong":
                data = bytes(one ^ 1 for one in data)
            if state.mood == "larger":
                data += b"x" * 100_000
            shown = begin + (7 if state.mood == "lying ranges" else 0)
            body = data[begin:]
            ranges = {"content_range": f"bytes {shown}-{len(data) - 1}/{len(data)}"} if begin else {}
            self.begin(206 if begin else 200, content_length=str(len(body)), **ranges)
            if state.mood == "cut":
                body = body[: len(body) // 2]
                self.close_connection = True
            if state.mood == "hangs on":
                self.wfile.write(body[:2_000_000])
                state.going_on.wait()
                body = body[2_000_000:]
            with suppress(OSError):
                self.wfile.write(body)

    with loopback(Gives) as state.address:
        try:
            yield state
        finally:
            state.going_on.set()
