"""What a turn costs more when personas share what they know of the user, and what counting the talks costs."""

import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median

from agent.services import Services, open_services
from benchmarks.words import sentence
from managers.memory.messages import Message
from managers.sessions.records import ThreadRecord
from managers.storage.clock import new_id
from managers.storage.paths import Home
from tests.fakes import HandClock

_THREADS, _FACTS, _ASKED = 300, 50, 200
_MESSAGES, _A_DAY = 100_000, 100
_NAMES = ("Claris", "Nox")


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield what a search costs, what taking all anew costs, and what counting does."""
    with tempfile.TemporaryDirectory() as folder:
        rng = Random(5)
        services = open_services(Home(Path(folder)), HandClock(), rng)
        try:
            yield from _sharing(services, rng)
            yield from _counting(services, rng)
        finally:
            services.close()


def _sharing(services: Services, rng: Random) -> Iterator[tuple[str, str, str]]:
    for name in _NAMES:
        if name not in services.personas.list_names():
            services.personas.create(name, language="en")
        services.personas.set_settings(name, "memory", shared=True)
    services.settings_file.change("user", name="Hal")
    note, clock = services.memories(_NAMES[0]).entities.note, services.clock
    for number in range(_FACTS):
        note("Hal", f"{sentence(rng)} {number}", author=_NAMES[0], mind="built-in", evidence=[f"m{number}"])
    records = []
    for number in range(_THREADS):
        said = Message(new_id(clock, rng), clock.now(), "user", "Hal", sentence(rng), present=_NAMES, group="g")
        for name in _NAMES:
            services.memories(name).log.append_shared(said)
        records.append(
            ThreadRecord(
                thread_id=number,
                session_id="g",
                ts_start=said.time,
                ts_end=said.time,
                summary=f"{said.text} {number}",
                present=[*_NAMES],
                message_ids=[said.id],
            )
        )
    shared = services.memories(_NAMES[1]).shared
    shared.threads = lambda _: records
    yield f"{_FACTS} facts and {_THREADS} threads, taken", f"{_seconds(shared.renew):.2f} s", ""
    yield "the same again, off the path", f"{_seconds(shared.renew):.2f} s", ""
    spent = [1000 * _seconds(lambda: shared.hits(sentence(rng, question=True), leaves=False)) for _ in range(_ASKED)]
    yield "a turn's search in what is shared", f"{median(spent):.2f} ms", "2 ms"


def _counting(services: Services, rng: Random) -> Iterator[tuple[str, str, str]]:
    memories, begin = services.memories(_NAMES[1]), datetime(2023, 1, 1, 9)
    messages = []
    for number in range(_MESSAGES):
        when = begin + timedelta(days=number // _A_DAY, minutes=3 * (number % _A_DAY))
        role, speaker = (("user", "Hal"), ("persona", _NAMES[1]))[number % 2]
        messages.append(Message(f"{when:%Y%m%dT%H%M%S}-{number}", when, role, speaker, sentence(rng)))  # type: ignore[arg-type]
    memories.log.append_many(messages)
    yield f"{_MESSAGES:,} messages, counted once", f"{_seconds(memories.kpi.update):.2f} s", ""
    yield "the same after a talk, off the path", f"{1000 * _seconds(memories.kpi.update):.0f} ms", ""


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
