"""How fast a log of years is: opening it, its newest messages, appending, rolling."""

import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from managers.memory.log import ConversationLog
from managers.memory.log.format import format_message
from managers.memory.messages import Message, Role
from managers.storage.clock import SystemClock
from managers.storage.paths import PersonaPaths

MEGABYTES = 100
MESSAGES = 100_000
NAMES: dict[Role, str] = {"user": "Sara", "persona": "Mei"}
WORDS = [
    "昨日",
    "the",
    "rain",
    "散歩",
    "stopped",
    "本",
    "and",
    "we",
    "walked",
    "音楽",
    "home",
    "along",
    "river",
    "夕方",
    "talking",
    "about",
    "nothing",
]


class Figure(NamedTuple):
    """One row of the table: milliseconds, and how many there may be (0: no budget)."""

    what: str
    value: float
    budget: float


def measure() -> list[Figure]:
    """Return what a log of 100,000 messages and 100 MB costs, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_of_one_file(Path(folder) / "one"), *_of_years(Path(folder) / "years")]


def _of_one_file(folder: Path) -> list[Figure]:
    """All of it in log.txt, as after an import by hand."""
    paths = PersonaPaths(folder)
    folder.mkdir()
    with paths.log.open("wb") as file:
        for message in _talk(MESSAGES, days=7):
            file.write(format_message(message))
    return [
        Figure("last 50 messages, 100 MB in log.txt, new object", _best_of(lambda: _open(paths).tail(50)), 20),
        *_usual(paths, "100 MB in log.txt"),
    ]


def _of_years(folder: Path) -> list[Figure]:
    """Ten years, in archives."""
    paths = PersonaPaths(folder)
    talk = list(_talk(MESSAGES, days=3650))
    started = time.perf_counter()
    _open(paths).append_many(talk)
    imported = (time.perf_counter() - started) * 1000
    return [
        Figure("importing 100,000 messages of ten years", imported, 0),
        Figure("last 50 messages, 100 MB over ten years, new object", _best_of(lambda: _open(paths).tail(50)), 20),
        Figure("last 5,000 messages, new object", _best_of(lambda: _open(paths).tail(5000), 3), 0),
        *_usual(paths, "ten years"),
    ]


def _usual(paths: PersonaPaths, what: str) -> list[Figure]:
    log = _open(paths)
    last = log.tail(1)[0]
    first = _once(log.count)
    old = next(iter(log.messages())).id
    middle = log.tail(5000)[0].id
    return [
        Figure(f"{what}: last 50 messages, same object", _best_of(lambda: log.tail(50)), 20),
        Figure(f"{what}: the newest message, new object", _best_of(lambda: _open(paths).get(last.id)), 0),
        Figure(f"{what}: the oldest message, new object", _best_of(lambda: _open(paths).get(old), 3), 0),
        Figure(f"{what}: counting, first time in a process", first, 0),
        Figure(f"{what}: counting, new object", _best_of(lambda: _open(paths).count(), 3), 0),
        Figure(f"{what}: counting again", _best_of(log.count), 0),
        Figure(f"{what}: 50 messages before one 5,000 back", _best_of(lambda: log.tail(50, middle)), 0),
        Figure(f"{what}: the messages of one day", _best_of(lambda: list(log.messages(last.time.date())), 3), 500),
        Figure(f"{what}: get", _best_of(lambda: log.get(middle)), 0),
        Figure(f"{what}: revision", _best_of(log.revision), 0),
        Figure(f"{what}: append (median)", _median(lambda: log.append("user", "Sara", "a word")), 20),
        Figure(f"{what}: supersede (median)", _median(lambda: log.supersede(last.id, "another word")), 0),
        Figure(f"{what}: roll", _once(log.roll), 0),
        Figure(f"{what}: a branch 5,000 back", _once(lambda: log.branch(middle)), 0),
        Figure(f"{what}: last 50 messages on it, same object", _best_of(lambda: log.tail(50)), 20),
        Figure(f"{what}: append on it (median)", _median(lambda: log.append("user", "Sara", "a word")), 20),
    ]


def _open(paths: PersonaPaths) -> ConversationLog:
    return ConversationLog(paths, SystemClock(), Random(1))


def _talk(count: int, days: int) -> list[Message]:
    rng = Random(1)
    start = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    length = MEGABYTES * 1_000_000 // count - 120
    texts = [_text(rng, length) for _ in range(1000)]
    messages = []
    for number in range(count):
        said = start + timedelta(seconds=number * days * 86_000 // count)
        text = texts[number % len(texts)]
        role: Role = "user" if number % 2 == 0 else "persona"
        messages.append(Message(f"{said:%Y%m%dT%H%M%S}-{number:08d}", said, role, NAMES[role], text))
    return messages


def _text(rng: Random, length: int) -> str:
    text = ""
    while len(text.encode()) < length:
        text += " ".join(rng.choices(WORDS, k=40)) + "\n"
    return text


def _once(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _best_of(work: Callable[[], object], times: int = 10) -> float:
    return min(_once(work) for _ in range(times))


def _median(work: Callable[[], object], times: int = 30) -> float:
    return statistics.median(_once(work) for _ in range(times))


if __name__ == "__main__":
    for figure in measure():
        budget = f"  (at most {figure.budget:g})" if figure.budget else ""
        print(f"{figure.value:10.2f} ms  {figure.what}{budget}")
