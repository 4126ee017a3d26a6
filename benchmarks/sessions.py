"""Conversations of several in the middle term: how soon one goes on at each tier, and 10,000 moved while the mover is killed."""

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from statistics import quantiles

from managers.sessions.inspection import inspect
from managers.sessions.records import AgendaItem, SessionRecord, SessionTurn
from managers.sessions.tiers import Sessions
from managers.storage.paths import Home
from managers.storage.settings import SessionSettings
from tests.fakes import HandClock

SESSIONS = 10_000
_RESUMED = 200
_PRESENT = ("Lumina", "Claris", "Nox")
_TURNS = 8
_KILLS = 20


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the times, and what came of the sessions."""
    yield from course(SESSIONS, _KILLS)


def course(count: int, kills: int) -> Iterator[tuple[str, str, str]]:
    """Move so many sessions through all tiers, the mover killed so often on each way; yield what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        home, clock, rng = Home(Path(folder)), HandClock(), Random(3)
        sessions = _opened(home, clock)
        for number in range(count):
            sessions.hot.put(session(number, clock))
        some = [f"s{number}" for number in rng.sample(range(count), min(count, _RESUMED))]
        yield _resumed("hot", sessions, some, "≤ 10 ms")
        for tier, days, budget in (("warm", 2, "≤ 50 ms"), ("archive", 8, "")):
            clock.move(hours=24 * days)
            begun, died = time.monotonic(), _moved(home, clock, rng, kills)
            yield (
                f"{count} sessions moved to {tier}, mover killed {died} times",
                f"{time.monotonic() - begun:.0f} s",
                "",
            )
            sessions = _opened(home, clock)
            yield _resumed(tier, sessions, some, budget)
            yield f"lost or doubled in {tier}", str(wrong(sessions, count)), "0"
        yield f"on the disk, {count} sessions of {_TURNS} turns", f"{_size(home.sessions) / 1e6:.0f} MB", ""


def session(number: int, clock: HandClock) -> SessionRecord:
    """Return a session of one thread."""
    name, now = f"s{number}", clock.now()
    turns = [
        SessionTurn(
            message_id=f"{name}-{turn}",
            speaker="user" if turn % 3 == 0 else _PRESENT[turn % 3],
            msg=f"{name} {turn}: I saw a film about a lighthouse, and nobody in it ever climbs the stairs twice.",
            time=now,
            present=list(_PRESENT),
        )
        for turn in range(_TURNS)
    ]
    agenda = [AgendaItem(thread_id=1, text="the lighthouse", present=list(_PRESENT), message_ids=[f"{name}-0"])]
    present = list(_PRESENT)
    return SessionRecord(session_id=name, history=turns, agenda=agenda, targets=["Nox"], present=present, updated=now)


def wrong(sessions: Sessions, count: int) -> int:
    """Return how many sessions are not there once, with every turn once."""
    found, expected = 0, {f"s{number}" for number in range(count)}
    hot = list(sessions.hot.ids())
    threads = sessions.warm.threads()
    names = [thread.session_id for thread in threads]
    found += len(hot) + len(expected ^ set(names)) + len(names) - len(set(names))
    for thread in threads:
        kept = thread if thread.full_log else sessions.archive.get(thread.session_id, thread.thread_id)
        ids = [turn.message_id for turn in kept.turns] if kept else []
        found += ids != [f"{thread.session_id}-{turn}" for turn in range(_TURNS)]
    return found + abs(inspect(sessions.home, sessions.clock).warm - count)


def _moved(home: Home, clock: HandClock, rng: Random, kills: int) -> int:
    """Move what is due in processes that are killed after a random time; the last one is let live. Return how many died."""
    context, died = multiprocessing.get_context("spawn"), 0
    for _ in range(kills):
        mover = context.Process(target=_move, args=(home.folder, clock.now() - HandClock().now()))
        mover.start()
        mover.join(rng.uniform(0.8, 3))
        died += mover.is_alive()
        mover.kill()
        mover.join()
    _opened(home, clock).move()
    return died


def _move(folder: Path, since: timedelta) -> None:
    clock = HandClock()
    clock.move(seconds=since.total_seconds())
    _opened(Home(folder), clock).move()


def _opened(home: Home, clock: HandClock) -> Sessions:
    return Sessions(home, clock, lambda: SessionSettings(after_week="archive"))


def _resumed(tier: str, sessions: Sessions, names: list[str], budget: str) -> tuple[str, str, str]:
    sessions.get(names[0])  # what is imported for it
    seconds = []
    for name in names:
        begun = time.perf_counter()
        record = sessions.get(name)
        seconds.append(time.perf_counter() - begun)
        assert record is not None
        assert len(record.history) == _TURNS
    cut = quantiles(seconds, n=20)
    return (
        f"a session goes on, {tier}: median / 95th percentile",
        f"{1000 * cut[9]:.1f} / {1000 * cut[18]:.1f} ms",
        budget,
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
