"""How Ollama fetches a model (`/api/pull`), well-behaved or not, as scripted."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.model_answers import Json, Line, Served

PARTS = {"sha256:weights": 900_000, "sha256:template": 100_000}
STEP = 50_000


@dataclass(frozen=True)
class Fetching:
    """What a pull does.

    Attributes:
        what: empty for what Ollama does; else `refused` (status 500), `error` (in the stream), `half` (the line drops
            half-way), `waits` (there, until the client hangs up), `silent` (so from the start), `endless` (the same
            progress for ever), `garbage` (no JSON), `line` (one without end), `liar` (success, and nothing there).
    """

    what: str = ""


def play_pull(line: Line, fetching: Fetching, body: Json, kept: dict[str, int], models: list[Served]) -> None:
    """Answer a pull; `kept` is how much of each part has come before, and stays when the client hangs up."""
    name = str(body["model"])
    if fetching.what == "refused":
        line.send_json(500, {"error": "pull model manifest: file does not exist"})
        return
    line.begin_stream(kind="application/x-ndjson")
    while fetching.what == "line" and not line.is_closing:
        line.send_event('{"status": "' + "x" * 65536)
    for told in _lines(fetching.what, kept):
        if line.is_closing:
            return
        line.send_event(told if isinstance(told, str) else json.dumps(told) + "\n")
    if fetching.what in {"waits", "silent"}:
        line.hang()
        return
    if fetching.what == "half":
        line.drop()
        return
    if fetching.what == "" and all(model.id != name for model in models):
        models.append(Served(name))
    line.end_stream()


def _lines(what: str, kept: dict[str, int]) -> Iterator[Json | str]:
    if what == "silent":
        return
    yield {"status": "pulling manifest"}
    match what:
        case "error":
            yield {"error": "write /blobs/sha256-x: no space left on device \x1b]0;x\x07"}
            return
        case "endless":
            yield from itertools.repeat(_part("sha256:weights", 900_000, 1_000))
        case "garbage":
            yield "not JSON\n"
        case _:
            for digest, total in PARTS.items():
                for completed in range(kept.get(digest, 0), total + 1, STEP):
                    kept[digest] = completed
                    yield _part(digest, total, completed)
                    if what in {"half", "waits"} and completed > total / 3:
                        return
    yield {"status": "verifying sha256 digest"}
    yield {"status": "writing manifest"}
    yield {"status": "success"}


def _part(digest: str, total: int, completed: int) -> Json:
    return {"status": f"pulling {digest[7:19]}", "digest": digest, "total": total, "completed": completed}
