"""Backups of ten years: the first one, one when a day is new, a snapshot, a whole restore; and a thousand random edits."""

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

from benchmarks.__main__ import Row
from benchmarks.log import WORDS
from managers.exchange.backups.keeping import Backups, backups_of
from managers.exchange.backups.listing import Head
from managers.exchange.backups.returning import restore_home
from managers.memory.episodes import Episode
from managers.memory.log.format import format_message
from managers.memory.messages import Message
from managers.personas import PersonaStore
from managers.storage.paths import Home, PersonaPaths
from tests.exchange.backups.looking import edit, held
from tests.fakes import HandClock

DAYS, MESSAGES_A_DAY, PICTURES, CARDS = 3650, 200, 300, 500
EDITS = 1000
NAME = "Mei"
_BUDGET = 10.0
Result = TypeVar("Result")


def measure() -> Iterator[Row]:
    """Yield what was measured; the seconds are of this process, fsync included."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _ten_years(Home(Path(folder) / "home"))
    with tempfile.TemporaryDirectory() as folder:
        yield from _edits(Home(Path(folder) / "home"))


def _ten_years(home: Home) -> Iterator[Row]:
    clock, rng = HandClock(datetime(2026, 11, 20, 22)), Random(4)
    paths = PersonaStore(home, clock, rng).create(NAME, language="ja", user_name="Sara").paths
    _live(paths, clock, rng)
    backups = backups_of(home, clock)
    first, seconds = _timed(backups.make)
    yield f"first backup, {first.files:,} files, {first.bytes / 1e6:.0f} MB, proved in full", f"{seconds:.1f} s", ""
    yield "what it takes on the disk", f"{_size(backups.place):.0f} MB", ""
    for number in range(3):
        clock.move(days=1)
        _live_on(paths, clock, rng)
        head, seconds = _timed(lambda: backups.make("daily"))
        name = f"a day is new ({number + 1}): {head.new_bytes / 1e3:.0f} kB stored, {head.proof.files:,} files restored"
        yield name, f"{seconds:.1f} s", f"{_BUDGET:.0f} s"
    clock.move(hours=1)
    paths.notepad.write_text("one line more", "utf-8")
    snapshot, seconds = _timed(lambda: backups.make("import", in_full=False))
    yield f"a snapshot, {snapshot.new_bytes / 1e3:.0f} kB stored", f"{seconds:.1f} s", ""
    clock.move(days=7)
    weekly, seconds = _timed(lambda: backups.make("daily"))
    yield f"once a week, read anew and proved in full ({weekly.proof.level})", f"{seconds:.1f} s", ""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield "the most memory until here, all of this process", f"{peak:.0f} MB", ""
    count, seconds = _timed(lambda: restore_home(backups, weekly, home.folder.parent / "restored"))
    is_equal = held(home) == held(Home(home.folder.parent / "restored"))
    yield f"the whole home restored, {count:,} files, {'equal' if is_equal else 'NOT EQUAL'}", f"{seconds:.1f} s", ""


def _edits(home: Home) -> Iterator[Row]:
    """Back up after every fifty of a thousand random edits; restore each."""
    clock, rng = HandClock(datetime(2026, 1, 1, 22)), Random(5)
    PersonaStore(home, clock, rng).create("Nemu", language="en")
    backups, equal = backups_of(home, clock), 0
    for _ in range(EDITS // 50):
        for _ in range(50):
            edit(home, rng)
        clock.move(minutes=10)
        equal += _is_restored_equal(backups, backups.make("daily"), held(home))
    yield f"restored and equal, of {EDITS // 50} backups during {EDITS:,} random edits", str(equal), str(EDITS // 50)


def _is_restored_equal(backups: Backups, head: Head, before: dict[str, bytes]) -> bool:
    target = backups.home.folder.parent / "restored"
    restore_home(backups, head, target)
    found = held(Home(target))
    shutil.rmtree(target)
    return found == before


def _live(paths: PersonaPaths, clock: HandClock, rng: Random) -> None:
    """Write ten years: a month of talk a file, an episode a day, cards, pictures."""
    for folder in (paths.log_archives, paths.episodic_memory, paths.entity_memory, paths.attachments):
        folder.mkdir(exist_ok=True)
    begin = clock.now() - timedelta(days=DAYS)
    for number in range(DAYS):
        day = begin + timedelta(days=number)
        recent = DAYS - number <= 7
        with (paths.log if recent else paths.log_archives / f"{day:%Y-%m}.txt").open("ab") as file:
            file.writelines(_talk(day, rng))
        _dream(paths, day, rng)
    for number in range(CARDS):
        lines = "\n".join(f"- {_words(rng, 12)}" for _ in range(12))
        (paths.entity_memory / f"人物{number}.md").write_text(f"# Entity Memory: 人物{number}\n\n{lines}\n", "utf-8")
    for number in range(PICTURES):
        (paths.attachments / f"{number}.jpg").write_bytes(os.urandom(300_000))


def _live_on(paths: PersonaPaths, clock: HandClock, rng: Random) -> None:
    """Let a day be new: its talk, its episode, a card, a picture."""
    with paths.log.open("ab") as file:
        file.writelines(_talk(clock.now(), rng))
    _dream(paths, clock.now(), rng)
    with (paths.entity_memory / "人物1.md").open("a", encoding="utf-8") as file:
        file.write(f"- {_words(rng, 12)}\n")
    (paths.attachments / f"{clock.now():%Y%m%d}.jpg").write_bytes(os.urandom(300_000))


def _talk(day: datetime, rng: Random) -> Iterator[bytes]:
    for number in range(MESSAGES_A_DAY):
        time_ = day.replace(hour=8) + timedelta(minutes=4 * number)
        name = f"{time_:%Y%m%dT%H%M%S}-{number:08d}"
        yield format_message(Message(name, time_, "user" if number % 2 else "persona", "Sara", _words(rng, 25)))


def _dream(paths: PersonaPaths, day: datetime, rng: Random) -> None:
    episode = Episode(date=day.date(), summary=_words(rng, 80))
    (paths.episodic_memory / f"{day:%Y-%m-%d}.json").write_bytes(episode.dump())


def _words(rng: Random, count: int) -> str:
    return " ".join(f"{rng.choice(WORDS)}{rng.randrange(1000)}" for _ in range(count))


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    begun = time.perf_counter()
    found = work()
    return found, time.perf_counter() - begun


def _size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
