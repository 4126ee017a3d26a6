"""Several threads and processes read and write one log at once."""

import multiprocessing
import threading
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything


def test_the_revision_changes_with_every_change(log: ConversationLog, clock: HandClock) -> None:
    seen = [log.revision()]
    said = log.append("user", "Sara", "one")
    seen.append(log.revision())
    assert log.revision() == seen[-1]
    another(log).supersede(said.id, "two")
    seen.append(log.revision())
    clock.move(days=30)
    log.roll()
    seen.append(log.revision())
    log.append_many([Message("x", DAY.replace(year=2020), "user", "S", "x")])
    seen.append(log.revision())
    assert max(Counter(seen).values()) == 1


def test_readers_see_every_message_once_while_others_append_and_roll(paths: PersonaPaths) -> None:
    start = datetime(2026, 1, 1, 8)
    said = 90
    failures: list[str] = []
    done = threading.Event()

    def write() -> None:
        clock = HandClock(start)
        log = ConversationLog(paths, clock, Random(3))
        for number in range(said):
            clock.set(start + timedelta(hours=16 * number))
            log.append("user", "Sara", str(number))
            if number % 7 == 0:
                log.roll()
        done.set()

    def read() -> None:
        log = ConversationLog(paths, HandClock(start), Random(4))
        seen = 0
        while not done.is_set():
            for found in ([int(m.text) for m in log.messages()], [int(m.text) for m in log.tail(said)]):
                if found != list(range(len(found))) or len(found) < seen:
                    failures.append(f"{seen} {found}")
                seen = len(found)

    threads = [threading.Thread(target=read) for _ in range(2)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert everything(ConversationLog(paths, HandClock(start), Random(5))) == [str(n) for n in range(said)]


def append_from_a_process(folder: Path, name: str) -> None:
    """Say something from two threads through one object."""
    log = ConversationLog(PersonaPaths(folder), HandClock(DAY), Random(5))

    def say(name: str) -> None:
        for number in range(15):
            log.append("user", name, str(number))

    speaking = [threading.Thread(target=say, args=(name + thread,)) for thread in "12"]
    for thread in speaking:
        thread.start()
    for thread in speaking:
        thread.join()


def test_several_threads_of_several_processes_append_at_once(log: ConversationLog) -> None:
    context = multiprocessing.get_context("spawn")
    names = ["a", "b"]
    processes = [context.Process(target=append_from_a_process, args=(log.paths.folder, name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = log.tail(100)
    assert len({m.id for m in found}) == 60
    for name in ("a1", "a2", "b1", "b2"):
        assert [m.text for m in found if m.speaker == name] == [str(n) for n in range(15)]
