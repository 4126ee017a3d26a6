"""A real model in the engine: how long it takes to be there, what it takes in memory, what it reads anew in each turn."""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import psutil

from agent.events import Failed, Speaking
from agent.minds.language_model.hearing import Hearing
from agent.services import open_services
from benchmarks.words import sentence
from managers.mind import Cancel
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.minds.small_model import small_model

TURNS = 20
_ANSWER_TOKENS = 32


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield what the small model of the tests shows: seconds and megabytes are its own, tokens those of any model."""
    with tempfile.TemporaryDirectory() as folder:
        clock, rng, model = HandClock(datetime(2026, 11, 18, 18, 0)), Random(7), small_model()
        services = open_services(Home(Path(folder)), clock, rng)
        services.settings_file.change("mind", provider="engine", model=str(model))
        services.settings_file.change("engine", context_tokens=8192)
        companion = services.companion("Hazel")
        mind: Any = services.minds.choose(services.settings().mind).mind
        mind._model.provider = replace(mind._model.provider, limited=lambda _: {"max_tokens": _ANSWER_TOKENS})  # noqa: SLF001
        mind.warm_up()
        since = time.monotonic()
        with services.engine.serving(model, Cancel()) as address:
            yield "from the start of its process until it is ready", f"{time.monotonic() - since:.1f} s", ""
        yield "a short trial", f"{services.engine.speed(model)} tokens a second", ""
        read = _noted()
        for turn in range(TURNS):
            clock.move(minutes=3)
            since, first = time.monotonic(), 0.0
            for event in companion.say(sentence(rng, question=turn % 3 == 0)).events():
                assert not isinstance(event, Failed), event
                first = first or (time.monotonic() - since if isinstance(event, Speaking) else 0.0)
            companion.settle()
            if turn in {0, 1}:
                yield f"until the first word, message {turn + 1}", f"{first:.1f} s", ""
        anew = [whole - kept for whole, kept in read]
        yield "tokens read of the first message", f"{anew[0]:,}", ""
        yield f"read anew, message 2 to {TURNS}", ", ".join(map(str, anew[1:])), ""
        yield "half of them at most", f"{median(anew[1:]):.0f} of {median(whole for whole, _ in read):,.0f}", "150"
        yield "memory of the page", f"{psutil.Process().memory_info().rss / 1e6:.0f} MB", ""
        yield "memory of the engine", f"{psutil.Process(address.pid).memory_info().rss / 1e6:.0f} MB", ""
        services.close()


def _noted() -> list[tuple[int, int]]:
    """Return where each answer's tokens are noted: how many the prompt had, and how many of those were kept from before."""
    noted: list[tuple[int, int]] = []
    hear = Hearing.take

    def take(self: Hearing, chunk: Any) -> Any:  # noqa: ANN401  # a library's
        if usage := getattr(chunk, "usage_metadata", None):
            noted.append((usage["input_tokens"], usage.get("input_token_details", {}).get("cache_read", 0)))
        return hear(self, chunk)

    Hearing.take = take  # type: ignore[method-assign]
    return noted
