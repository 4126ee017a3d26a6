"""The history of a persona of ten years: what an entry, a look and an undo cost, and how large it is."""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median

from managers.storage.history import Draft, History
from managers.storage.history.parts import record_part
from managers.storage.paths import PersonaPaths

Row = tuple[str, str, str]
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


def measure(entries: int = ENTRIES, files: int = FILES) -> Iterator[Row]:
    """Build the history of years, and tell what a change, a look and an undo cost at its end."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _measure(PersonaPaths(Path(folder) / "ねむ"), entries, files)


def _measure(paths: PersonaPaths, entries: int, files: int) -> Iterator[Row]:
    clock, rng = _NightClock(), Random(1)
    history = History(paths, clock)
    paths.episodic_memory.mkdir(parents=True)
    for number in range(files):
        (paths.episodic_memory / f"{number:05d}.json").write_text(f'{{"summary": "{number} {_text(rng)}"}}\n', "utf-8")
    began = _seconds(lambda: history.begin(author="user", reason="created"))
    yield f"begin with {files} files", f"{began:.2f} s", ""
    nights: list[float] = []
    notes: list[float] = []
    packing: list[float] = []
    for number in range(entries):
        clock.sleep()
        if number % 2:
            notes.append(_timed(history, {paths.notepad: _text(rng).encode()}))
        else:
            night = paths.episodic_memory / f"{rng.randrange(files):05d}.json"
            long = _text(rng).encode() * 40
            nights.append(_timed(history, {night: b"{}", paths.goals: _goals(number, rng), paths.insights: long}))
        packing.append(_seconds(history.maintain))
    yield _compared("a night's entry (3 files)", nights, entries)
    yield _compared("a note's entry", notes, entries)
    yield "longest packing, in the background", f"{max(packing):.1f} s", ""
    fresh = History(paths, clock)
    yield "newest 50 entries, first time", _ms(lambda: fresh.entries(50)), ""
    yield "newest 50 entries, again", _ms(lambda: fresh.entries(50)), ""
    yield "newest 50 of one file, first time", _ms(lambda: History(paths, clock).entries(50, paths.goals)), ""
    part = record_part("sh_7")
    yield "history of one goal, first time", _ms(lambda: History(paths, clock).entries(30, part=part)), ""
    yield "history of one goal, again", _ms(lambda: fresh.entries(30, part=part)), ""
    middle = fresh.entries(entries + 1, paths.goals)[entries // 4].id
    undo = _ms(lambda: fresh.undo(middle, author="user", leave_changed=True))
    yield "undo of a night of years ago, beside what came later", undo, ""
    oldest = fresh.entries(entries + 1)[-2].id
    yield "what the oldest entry changed", _ms(lambda: fresh.diff(oldest)), ""
    newest = fresh.entries(1)[0].id
    yield "undo of the newest entry", _ms(lambda: fresh.undo(newest, author="user")), ""
    yield f"look for edits from outside among {files} files, first time", _ms(fresh.notice_outside), ""
    yield f"look for edits from outside among {files} files, again", _ms(fresh.notice_outside), ""
    size = sum(path.stat().st_size for path in paths.history.rglob("*") if path.is_file())
    yield f"size after {entries} entries", f"{size / 1e6:.1f} MB, {size / entries / 1000:.1f} KB each", "30 KB each"


def _compared(what: str, seconds: list[float], entries: int) -> Row:
    tenth = max(len(seconds) // 10, 1)
    first, last = 1000 * median(seconds[:tenth]), 1000 * median(seconds[-tenth:])
    return f"{what}, first and last tenth of {entries}", f"{first:.0f} ms, {last:.0f} ms", "1.5 times"


def _timed(history: History, changes: dict[Path, bytes]) -> float:
    return _seconds(lambda: _apply(history, changes))


def _ms(work: Callable[[], object]) -> str:
    return f"{1000 * _seconds(work):.1f} ms"


def _apply(history: History, changes: dict[Path, bytes]) -> None:
    history.apply(changes, Draft("dream", "a night", ("20160101T040000-aaaaaaaa",)))


def _goals(number: int, rng: Random) -> bytes:
    """Return goals of which each night changes one."""
    goals = [{"id": f"sh_{n}", "goal": f"{n}", "updated_at": f"{number - (number - n) % 40}"} for n in range(40)]
    goals[number % 40]["goal"] += _text(rng)
    return json.dumps({"short_term": goals, "long_term": [], "meta": {"last_level": number}}).encode()


def _text(rng: Random) -> str:
    return " ".join(rng.choice(_SENTENCES) + str(rng.randrange(10_000)) for _ in range(8))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
