"""The history of a persona of ten years: what an entry, a look and an undo cost, and how large it is."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from managers.storage.history import Draft, History
from managers.storage.paths import PersonaPaths

ENTRIES = 5_000
FILES = 4_000
_SENTENCES = ("図書館へ行った話をした。", "雨が降っていた。", "The cat slept on the sill.", "約束をひとつ覚えた。")


class _NightClock:
    """A clock that a night passes on whenever it is asked to."""

    def __init__(self) -> None:
        self._now = datetime(2016, 1, 1, 4)

    def now(self) -> datetime:
        return self._now

    def utc(self) -> datetime:
        return self._now.replace(tzinfo=UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self) -> None:
        self._now += timedelta(hours=17)


def measure(entries: int = ENTRIES, files: int = FILES) -> dict[str, float]:
    """Build the history and return seconds and bytes, by name."""
    with tempfile.TemporaryDirectory() as folder:
        return dict(_measure(PersonaPaths(Path(folder) / "ねむ"), entries, files))


def _measure(paths: PersonaPaths, entries: int, files: int) -> Iterator[tuple[str, float]]:
    clock, rng = _NightClock(), Random(1)
    history = History(paths, clock)
    paths.episodic_memory.mkdir(parents=True)
    for number in range(files):
        (paths.episodic_memory / f"{number:05d}.json").write_text(f'{{"summary": "{number} {_text(rng)}"}}\n', "utf-8")
    yield "begin_s", _seconds(lambda: history.begin(author="user", reason="created"))
    paths.memory.mkdir()
    nights: list[float] = []
    notes: list[float] = []
    packing = 0.0
    for number in range(entries):
        clock.sleep()
        if number % 2:
            changes = {paths.notepad: _text(rng).encode()}
            notes.append(_seconds(lambda changes=changes: _apply(history, changes)))  # type: ignore[misc]
        else:
            night = paths.episodic_memory / f"{rng.randrange(files):05d}.json"
            changes = {
                night: _text(rng).encode(),
                paths.goals: _text(rng).encode(),
                paths.insights: _text(rng).encode() * 40,
            }
            nights.append(_seconds(lambda changes=changes: _apply(history, changes)))  # type: ignore[misc]
        packing = max(packing, _seconds(history.maintain))
    tenth = max(len(nights) // 10, 1)
    yield "night_first_tenth_ms", 1000 * _median(nights[:tenth])
    yield "night_last_tenth_ms", 1000 * _median(nights[-tenth:])
    yield "note_first_tenth_ms", 1000 * _median(notes[:tenth])
    yield "note_last_tenth_ms", 1000 * _median(notes[-tenth:])
    yield "longest_packing_s", packing
    fresh = History(paths, clock)
    yield "first_50_entries_fresh_ms", 1000 * _seconds(lambda: fresh.entries(50))
    yield "first_50_entries_again_ms", 1000 * _seconds(lambda: fresh.entries(50))
    oldest = fresh.entries(entries + 10)[-2]
    yield "all_of_one_file_fresh_ms", 1000 * _seconds(lambda: History(paths, clock).entries(50, paths.goals))
    yield "oldest_diff_ms", 1000 * _seconds(lambda: fresh.diff(oldest.id))
    yield "undo_newest_ms", 1000 * _seconds(lambda: fresh.undo(fresh.entries(1)[0].id, author="user"))
    yield "look_outside_first_ms", 1000 * _seconds(fresh.notice_outside)
    yield "look_outside_again_ms", 1000 * _seconds(fresh.notice_outside)
    yield "size_mb", sum(path.stat().st_size for path in paths.history.rglob("*") if path.is_file()) / 1e6


def _apply(history: History, changes: dict[Path, bytes]) -> None:
    history.apply(changes, Draft("dream", "a night", ("20160101T040000-aaaaaaaa",)))


def _text(rng: Random) -> str:
    return " ".join(rng.choice(_SENTENCES) + str(rng.randrange(10_000)) for _ in range(8))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:28} {value:10.3f}")
